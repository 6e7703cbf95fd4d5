// A search: how a trained model is decoded, written once for every task and model. It goes through one input
// after the other and leaves what it found until the next: greedy (greedy.h) a state, beams (beam.h) the best
// derivations, sampling (sampling.h) those that were drawn.
#pragma once

#include <concepts>
#include <cstdint>

#include "task/moves.h"

namespace arcwise {

template <class S, class Input>
concept Search = requires(S& search, const Input& input) { search.run(input); };

// Looks on while a search makes its choices. State is that of the task.
template <class State>
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void start(const State& state) = 0;
  // A site was scored, where the search would take the move `best`; the score of move m is at columns[m].
  virtual void look(int32_t site, const Legal& legal, const int32_t* scores, const uint16_t* columns,
                    MoveId best) = 0;
  virtual void before(const State& state, SiteMove move) = 0;
  virtual void after(const State& state, SiteMove move) = 0;
};

}  // namespace arcwise
