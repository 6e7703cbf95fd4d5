// Arc-standard (Nivre 2004): both arcs within the stack.
//
// Arc-standard is not arc-decomposable (Goldberg & Nivre 2013, 4.3), so its costs are those of the
// non-deterministic oracle: 0 for a move after which the gold tree can still be built, 1 for any other,
// and only defined where it can be built before. With unknown heads, a move of cost 0 is still one after
// which all known arcs can be built, but not every such move has cost 0.
#pragma once

#include <string_view>

#include "task/bottom_up.h"

namespace arcwise {

class ArcStandard : public BottomUp<ArcStandard> {
 public:
  static constexpr std::string_view kName = "arc-standard";
  static constexpr bool kDynamicOracle = false;
  static constexpr Reachable kReachable{.buried_words_wait = true};

  using BottomUp::BottomUp;

  static bool can_left(const State& s) { return s.depth > 2; }

  void apply(auto& s, MoveId c) const {
    const auto [action, label] = moves_[c];
    if (action == Action::Shift) {
      s.shift();
      return;
    }
    const int32_t s0 = s.pop();
    if (action == Action::Right) {
      s.add_arc(s.S(0), s0, label);
    } else {
      const int32_t s1 = s.pop();
      s.add_arc(s0, s1, label);
      s.push(s0);
    }
  }

  // A node has all its arcs until it is popped: from the top by RIGHT, from under it by LEFT.
  enum RiskOf : uint8_t { kRightArc, kLeftArc };
  static constexpr std::array kRisks = {Risk{Slot::S0, set_of(Action::Right)},
                                        Risk{Slot::S1, set_of(Action::Left)}};
  static constexpr RisksOfArc risks_of(Action, bool /*from_root*/) {
    return {.dependent = set_of(kRightArc, kLeftArc), .head = set_of(kRightArc, kLeftArc)};
  }

  void costs(const State& s, const Gold& gold, float* costs) const {
    const int32_t s0 = s.S(0), s1 = s.S(1);
    const Legal legal = this->legal(s);
    for (Range range : legal.ranges()) {
      switch (moves_[range.begin].action) {
        case Action::Shift:
          arc_costs(moves_, gold, range, kNone, kNone, !shift_keeps_gold(s, gold), costs);
          break;
        case Action::Left:
          arc_costs(moves_, gold, range, s0, s1, !gold_or_free(gold, s0, s1) || is_waited_for(s, gold, s1),
                    costs);
          break;
        default:
          arc_costs(moves_, gold, range, s1, s0, !gold_or_free(gold, s1, s0) || is_waited_for(s, gold, s0),
                    costs);
      }
    }
  }

  // Arcs as soon as they can be made.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t s1 = s.S(1);
    if (can_left(s) && gold.head(s1) == s.S(0)) return move_with_label(moves_, left_, gold.label(s1));
    return static_right_or_shift(s, gold);
  }

 private:
  static bool gold_or_free(const Gold& gold, int32_t head, int32_t dependent) {
    return gold.head(dependent) == head || gold.head(dependent) == kNone;
  }

  // Bottom up: a word must have all its dependents before it gets its head.
  static bool is_waited_for(const State& s, const Gold& gold, int32_t word) {
    return gold.has_dependent_from(word, s.next()) || has_dependent_on_stack(s, gold, word);
  }
  static bool has_dependent_on_stack(const State& s, const Gold& gold, int32_t word) {
    for (int32_t d : gold.dependents(word)) {
      if (d >= s.next()) break;
      if (s.on_stack(d)) return true;
    }
    return false;
  }

  // s0 may be buried as long as the buffer holds one of its dependents; or its head, unless a word on the
  // stack still has to become its dependent; or if its head is unknown and may be in the buffer.
  bool shift_keeps_gold(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0);
    if (!can_left(s) && !can_right(s)) return true;
    if (gold.has_dependent_from(s0, s.next())) return true;
    if (has_dependent_on_stack(s, gold, s0)) return false;
    return gold.head(s0) == kNone ? head_may_come(s, gold) : gold.head(s0) >= s.next();
  }
  // A word under those of unknown head may have to come to the top again, for an arc within the stack, and
  // not for a dependent from the buffer. Then what is shifted must be free to go below it.
  static bool head_may_come(const State& s, const Gold& gold) {
    int32_t i = 1;
    while (s.S(i) != kRoot && gold.head(s.S(i)) == kNone) ++i;
    const int32_t word = s.S(i), n0 = s.next();
    if (word == kRoot || gold.has_dependent_from(word, n0)) return true;
    if (gold.head(word) >= n0 && !has_dependent_on_stack(s, gold, word)) return true;
    return gold.head(n0) == kNone && !has_dependent_on_stack(s, gold, n0);
  }
};

}  // namespace arcwise
