// A walk that draws its moves from the model's distribution, and can go back to where several draws parted.
#pragma once

#include <type_traits>
#include <vector>

#include "base/interrupts.h"
#include "model/scoring.h"
#include "search/choices.h"
#include "search/masses.h"
#include "search/prefix_tree.h"

namespace arcwise {

template <Task T, Scoring S>
class Drawing {
 public:
  struct Drawn {
    int32_t site = 0;
    Class move = -1;
    bool operator==(const Drawn&) const = default;
    bool operator<(const Drawn& o) const { return site != o.site ? site < o.site : move < o.move; }
  };

  Drawing(const T& task, S& scoring, const Odds& odds) : task_(task), scoring_(scoring), choices_(odds) {}

  void start() {
    moves_ = 0;
    parted_.clear();
    task_.start(here_.state, scoring_.words());
    if constexpr (!T::kSingleSite) {
      here_.masses.start(scoring_.words());
      task_.each_site(state(), [&](int32_t site) { look(site); });
    }
  }
  const typename T::State& state() const {
    if constexpr (T::kSingleSite)
      return here_.state.state();
    else
      return here_.state;
  }

  // Takes the moves that are no choice; false at the end.
  bool to_next_choice() {
    for (; !task_.done(state()); take({0, task_.legal(state(), 0).first()})) {
      if constexpr (!T::kSingleSite) return true;
      if (task_.legal(state(), 0).size() == 1) continue;
      look(0);
      return true;
    }
    return false;
  }
  // Of the choice that lies ahead.
  double entropy() const {
    if constexpr (T::kSingleSite)
      return choices_.mass().entropy();
    else
      return here_.masses.total().entropy();
  }
  // The move that a number from [0, 1) falls on.
  Drawn draw(double number) {
    int32_t site = 0;
    if constexpr (!T::kSingleSite) {
      site = here_.masses.draw(number);
      look(site);
    }
    return {site, choices_.draw(number)};
  }
  void take(const Drawn& drawn) {
    check_interrupts();
    ++moves_;
    if constexpr (T::kSingleSite) {
      here_.state.begin_move();
      task_.apply(here_.state, drawn.site, drawn.move);
    } else {
      const int32_t head = task_.head_of(state(), drawn.site, drawn.move);
      for (int32_t gone : {drawn.site, state().after[drawn.site]}) here_.masses.set(gone, {});
      task_.apply(here_.state, drawn.site, drawn.move);
      task_.each_touched_site(state(), head, [&](int32_t site) { look(site); });
    }
  }

  // How many moves have been made. part() is called where other draws will go on from this state, and
  // back_to() with the number of moves made then, latest first.
  size_t moves() const { return moves_; }
  void part() {
    if constexpr (!T::kSingleSite) parted_.push_back({moves_, here_});
  }
  void back_to(size_t moves) {
    if constexpr (T::kSingleSite) {
      for (; moves_ > moves; --moves_) here_.state.undo();
    } else {
      while (parted_.back().moves > moves) parted_.pop_back();
      here_ = parted_.back().here;
      moves_ = moves;
    }
  }

 private:
  struct Nothing {};
  struct Here {
    std::conditional_t<T::kSingleSite, UndoableState, typename T::State> state;
    [[no_unique_address]] std::conditional_t<T::kSingleSite, Nothing, Masses> masses;
  };
  struct Parted {
    size_t moves;
    Here here;
  };

  void look(int32_t site) {
    const Legal legal = task_.legal(state(), site);
    if (legal.size() == 0) return;
    SlotNodes nodes;
    task_.slots(state(), site, nodes);
    choices_.look(legal, scoring_.score(state().tree, nodes), scoring_.places());
    if constexpr (!T::kSingleSite) here_.masses.set(site, choices_.mass());
  }

  const T& task_;
  S& scoring_;
  Choices choices_;
  Here here_;
  size_t moves_ = 0;
  std::vector<Parted> parted_;  // states that others will go on from; moves are taken back where they can be
};

}  // namespace arcwise
