// What arc-standard and arc-hybrid share: ROOT lies under the stack, arcs are built bottom up, RIGHT makes
// the top of the stack a dependent of the word under it, and a state is terminal when ROOT lies alone.
#pragma once

#include <array>

#include "task/arc_costs.h"
#include "task/reachable.h"
#include "task/risks.h"
#include "task/slots.h"
#include "task/stack_state.h"

namespace arcwise {

// System has can_left(state).
template <class System>
class BottomUp {
 public:
  using State = StackState;
  using Gold = arcwise::Gold;

  static constexpr bool kSingleSite = true;
  static constexpr MoveInventory inventory(bool) { return {.shift = true, .right_from_root = true}; }

  BottomUp(const Moves& moves, bool /*root_first*/, bool single_root)
      : moves_(moves), single_root_(single_root) {}

  const Moves& moves() const { return moves_; }

  void start(auto& s, int32_t words) const {
    s.reset(words);
    s.push(kRoot);
  }
  bool done(const State& s) const { return !s.buffer_has_words() && s.depth == 1; }

  Legal legal(const State& s, int32_t = 0) const {
    Legal legal;
    if (s.buffer_has_words()) legal.add(moves_.shift);
    if (System::can_left(s)) legal.add(moves_.left);
    if (can_right(s)) legal.add(right(s));
    return legal;
  }

  static void slots(const State& s, int32_t, SlotNodes& nodes) { stack_slots(s, nodes); }

 protected:
  // With a single root its arc comes last.
  bool can_right(const State& s) const {
    return s.depth > 1 && (!single_root_ || s.S(1) != kRoot || !s.buffer_has_words());
  }
  Range right(const State& s) const { return s.S(1) == kRoot ? moves_.right_from_root : moves_.right; }

  // The static oracle once LEFT is out of the question: RIGHT when s0 has all its dependents, else SHIFT.
  Class static_right_or_shift(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0);
    if (can_right(s) && gold.head(s0) == s.S(1) && !gold.has_dependent_from(s0, s.next))
      return move_with_label(moves_, right(s), gold.label(s0));
    return legal(s).first();
  }

  Moves moves_;
  bool single_root_;
};

}  // namespace arcwise
