// A walk that can go back to where it was: by taking moves back, or, where a system cannot, to a copy. What
// is known of the probabilities of the moves that lie ahead goes with it. In the functions below, look(site)
// scores a site and sets its mass.
#pragma once

#include <vector>

#include "search/masses.h"
#include "task/sites.h"
#include "task/undoable_state.h"

namespace arcwise {

// One site at a time is scored, where there is a choice.
template <Task T>
class History {
 public:
  static constexpr bool kTakesBack = true;

  void start(const T& task, int32_t words, const auto& /*look*/) { task.start(state_, words); }
  const typename T::State& state() const { return state_.state(); }
  Masses<T>& masses() { return masses_; }
  size_t moves() const { return state_.moves(); }

  // Takes the moves that are no choice; false at the end.
  bool to_next_choice(const T& task, const auto& look) {
    for (; !task.done(state()); take(task, {0, task.legal(state()).first()}, look)) {
      if (task.legal(state()).size() == 1) continue;
      look(0);
      return true;
    }
    return false;
  }
  void take(const T& task, SiteMove move, const auto& /*look*/) {
    state_.begin_move();
    task.apply(state_, move.move);
  }
  // The site that a number from [0, 1) falls on, which is looked at; leaves in it where it falls there.
  int32_t draw_site(double& /*number*/, const auto& /*look*/) { return 0; }

  // The walk will come back to where it is; in the order of going back, the latest such place comes first.
  void mark() {}
  void back_to(size_t moves) {
    while (state_.moves() > moves) state_.undo();
  }

 private:
  UndoableState state_;
  Masses<T> masses_;
};

// All sites have been scored, and a move has those scored again that it touched.
template <ManySites T>
class History<T> {
 public:
  static constexpr bool kTakesBack = false;

  void start(const T& task, int32_t words, const auto& look) {
    marks_.clear();
    here_.moves = 0;
    task.start(here_.state, words);
    here_.masses.start(words);
    task.each_site(state(), look);
  }
  const typename T::State& state() const { return here_.state; }
  Masses<T>& masses() { return here_.masses; }
  size_t moves() const { return here_.moves; }

  bool to_next_choice(const T& task, const auto& /*look*/) { return !task.done(state()); }
  void take(const T& task, SiteMove move, const auto& look) {
    ++here_.moves;
    const int32_t head = task.head_of(state(), move);
    Sites<T>::each_gone(task, state(), move, [&](int32_t gone) { here_.masses.set(gone, {}); });
    task.apply(here_.state, move);
    task.each_touched_site(state(), head, look);
  }
  int32_t draw_site(double& number, const auto& look) {
    const int32_t site = here_.masses.draw(number);
    look(site);
    return site;
  }

  void mark() { marks_.push_back(here_); }
  void back_to(size_t moves) {
    while (marks_.back().moves > moves) marks_.pop_back();
    here_ = marks_.back();
  }

 private:
  struct Here {
    size_t moves = 0;
    typename T::State state;
    Masses<T> masses;
  };
  Here here_;
  std::vector<Here> marks_;
};

}  // namespace arcwise
