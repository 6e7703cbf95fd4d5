#pragma once

#include <cstdint>

namespace arcwise {

struct BeamOptions {
  int32_t width = 8;
  // The scores of moves are log-odds: an item's score is the logarithm of its derivation's probability.
  // Otherwise it is the sum of its moves' scores.
  bool probabilistic = false;
  // Without probabilities: a move's score is by how much it is lower than the best of its state, so that what
  // greedy search takes costs nothing. Scores that were learnt for it alone can be added up no other way.
  bool by_regret = false;
  // Under a grammar: how much less probable than the best, in nats, a derivation may be to stay in the beam.
  // Without probabilities, any may.
  double hope = 1e6;
};

// Words of a sentence, counted from 1.
struct WordRange {
  int32_t first, last;
};

}  // namespace arcwise
