// Greedy search, written once for every task and scorer (Goldberg & Nivre 2013, Algorithm 1).
#pragma once

#include <span>
#include <vector>

#include "base/interrupts.h"
#include "search/frontier.h"

namespace arcwise {

// What a worker needs to search, made once and used for many inputs.
template <Task T, class S>
  requires Scoring<S, typename T::View> || Choosing<S, typename T::View>
class GreedySearch {
 public:
  using State = typename T::State;

  GreedySearch(const T& task, S& scoring, Watch<State>* watch = nullptr)
      : task_(task), watch_(watch), frontier_(task, scoring, watch) {}

  // The scoring workspace is at this input. Leaves what was built in state().
  void run(const typename T::Input& input) {
    task_.start(state_, input);
    if (watch_) watch_->start(state_);
    frontier_.start(state_);
    moves_.clear();
    while (!task_.done(state_)) {
      check_interrupts();
      const SiteMove move = frontier_.next(state_);
      if constexpr (BuildsTrees<T>) moves_.push_back(move);
      if (watch_) watch_->before(state_, move);
      frontier_.take(state_, move);
      if (watch_) watch_->after(state_, move);
      frontier_.took(state_);
    }
  }

  const State& state() const { return state_; }
  // Those that have built a tree.
  std::span<const SiteMove> moves() const { return moves_; }

 private:
  const T& task_;
  Watch<State>* watch_;
  State state_;
  std::vector<SiteMove> moves_;
  Frontier<T, S> frontier_;
};

}  // namespace arcwise
