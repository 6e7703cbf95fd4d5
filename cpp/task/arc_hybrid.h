// Arc-hybrid (Kuhlmann et al. 2011): LEFT from the buffer as in arc-eager, RIGHT within the stack as in
// arc-standard.
#pragma once

#include <string_view>

#include "task/bottom_up.h"

namespace arcwise {

class ArcHybrid : public BottomUp<ArcHybrid> {
 public:
  static constexpr std::string_view kName = "arc-hybrid";
  static constexpr bool kDynamicOracle = true;
  static constexpr Reachable kReachable{.within_stack = Reachable::WithinStack::Upward};

  using BottomUp::BottomUp;

  static bool can_left(const State& s) { return s.buffer_has_words() && s.depth > 1; }

  void apply(auto& s, MoveId c) const {
    const auto [action, label] = moves_[c];
    if (action == Action::Shift) {
      s.shift();
      return;
    }
    const int32_t dependent = s.pop();
    s.add_arc(action == Action::Left ? s.N(0) : s.S(0), dependent, label);
  }

  ArcEnds arc_of(const State& s, MoveId c) const {
    return {moves_[c].action == Action::Left ? s.N(0) : s.S(1), s.S(0)};
  }

  // The front of the buffer has its dependents on the stack, and its heads there but the top, until it is
  // pushed; the top may be given a head by LEFT, and dependents until it is popped.
  enum RiskOf : uint8_t { kPushed, kLeftArc, kPopped };
  static constexpr std::array kRisks = {Risk{Slot::N0, set_of(Action::Shift)},
                                        Risk{Slot::S0, set_of(Action::Left)},
                                        Risk{Slot::S0, set_of(Action::Left, Action::Right)}};
  static constexpr RisksOfArc risks_of(Action action, bool /*from_root*/) {
    if (action == Action::Left) return {.dependent = set_of(kPopped), .head = set_of(kPushed)};
    return {.dependent = set_of(kPushed, kLeftArc), .head = set_of(kPopped)};
  }

  // Goldberg & Nivre 2013, 4.5. With a single root the costs stay the same: the arc from ROOT can be made
  // exactly while its word is in the buffer or at the bottom of the stack, as any arc within the stack.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const int32_t s0 = s.S(0), s1 = s.S(1), n0 = s.next();
    const Legal legal = this->legal(s);
    for (Range range : legal.ranges()) {
      switch (moves_[range.begin].action) {
        // b joins the stack: heads under s0, and all its dependents there, are lost to it.
        case Action::Shift: {
          const int32_t head = gold.head(n0);
          int32_t lost = head != kNone && head < n0 && head != s0 && s.on_stack(head);
          for (int32_t d : gold.dependents(n0)) {
            if (d >= n0) break;
            lost += s.on_stack(d);
          }
          arc_costs(moves_, gold, range, kNone, kNone, lost, costs);
          break;
        }
        // s0 leaves with head b: s1 and what lies behind b are lost as heads, the buffer for dependents.
        case Action::Left: {
          const int32_t head = gold.head(s0);
          const int32_t lost = gold.dependents_from(s0, n0) + (head != kNone && (head == s1 || head > n0));
          arc_costs(moves_, gold, range, n0, s0, lost, costs);
          break;
        }
        // s0 leaves with head s1: the buffer is lost to it.
        default: {
          const int32_t head = gold.head(s0);
          const int32_t lost = gold.dependents_from(s0, n0) + (head != kNone && head >= n0);
          arc_costs(moves_, gold, range, s1, s0, lost, costs);
        }
      }
    }
  }

  // Arcs as soon as they can be made.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0);
    if (can_left(s) && gold.head(s0) == s.next()) return move_with_label(moves_, left_, gold.label(s0));
    return static_right_or_shift(s, gold);
  }
};

}  // namespace arcwise
