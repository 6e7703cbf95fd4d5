// What arc-standard, arc-hybrid and its sister with SWAP share: ROOT lies under the stack, arcs are built
// bottom up, RIGHT makes the top of the stack a dependent of the word under it, and a state is terminal when
// ROOT lies alone.
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
  using Input = int32_t;  // words
  using State = StackState;
  using Gold = TreeGold;
  using View = TreeView;

  static constexpr bool kProjective = true;

  // A system may have more moves.
  BottomUp(const ArcLabels& labels, bool /*root_first*/, bool single_root,
           const std::vector<MoveGroup>& more = {})
      : moves_(with(more), labels), single_root_(single_root) {}

  const Moves& moves() const { return moves_; }

  void start(auto& s, int32_t words) const {
    s.reset(words);
    s.push(kRoot);
  }
  bool done(const State& s) const { return !s.buffer_has_words() && s.depth == 1; }

  Legal legal(const State& s) const {
    Legal legal;
    if (s.buffer_has_words()) legal.add(shift_);
    if (System::can_left(s)) legal.add(left_);
    if (can_right(s)) legal.add(right(s));
    return legal;
  }

  static void view(const State& s, View& view) { stack_view(s, view); }

 private:
  static std::vector<MoveGroup> with(const std::vector<MoveGroup>& more) {
    std::vector<MoveGroup> groups = {{Action::Shift},
                                     {Action::Left, &ArcLabels::left},
                                     {Action::Right, &ArcLabels::right},
                                     {Action::Right, &ArcLabels::root}};
    groups.insert(groups.end(), more.begin(), more.end());
    return groups;
  }

 protected:
  // With a single root its arc comes last.
  bool can_right(const State& s) const {
    return s.depth > 1 && (!single_root_ || s.S(1) != kRoot || !s.buffer_has_words());
  }
  Range right(const State& s) const { return s.S(1) == kRoot ? right_from_root_ : right_; }

  // The static oracle once LEFT is out of the question: RIGHT when s0 has all its dependents, else SHIFT.
  MoveId static_right_or_shift(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0);
    if (can_right(s) && gold.head(s0) == s.S(1) && !gold.has_dependent_from(s0, s.next()))
      return move_with_label(moves_, right(s), gold.label(s0));
    return legal(s).first();
  }

  Moves moves_;
  Range shift_ = moves_.of(Action::Shift), left_ = moves_.of(Action::Left, &ArcLabels::left),
        right_ = moves_.of(Action::Right, &ArcLabels::right),
        right_from_root_ = moves_.of(Action::Right, &ArcLabels::root);
  bool single_root_;
};

}  // namespace arcwise
