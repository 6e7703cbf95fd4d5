// How learning to search is asked for the moves of a system: as one question, whose actions are the moves by
// their numbers; or as two, first the action by its number and then, for an arc, its label (Chang et al.
// 2015, 3). What predicts the labels of LEFT, of RIGHT and of each action of a system's own has weights of
// its own, as has what predicts actions or moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "task/arc_costs.h"
#include "task/moves.h"

namespace arcwise {

enum class MoveQuestion : uint8_t { Move, Action, Label };

// How many kinds of predictions there are where LEFT and RIGHT alone have labels.
inline constexpr int32_t kLeftRightPolicies = 3;
inline constexpr int32_t kMovePolicy = 0;
constexpr int32_t policy_of_label(Action action) {
  return static_cast<int32_t>(action) - static_cast<int32_t>(Action::Left) + 1;
}

// How many kinds there are for these moves, and how many actions predictions are made from.
inline int32_t policies_of(const Moves& moves) {
  Action last = Action::Right;
  for (MoveId m = 0; m < moves.size(); ++m)
    if (moves[m].label >= 0) last = std::max(last, moves[m].action);
  return policy_of_label(last) + 1;
}
inline int32_t actions_of(const Moves& moves, bool label_apart) {
  if (!label_apart) return moves.size();
  int32_t most = static_cast<int32_t>(Action::Own);
  for (MoveId m = 0; m < moves.size(); ++m)
    most = std::max({most, moves[m].label + 1, static_cast<int32_t>(moves[m].action) + 1});
  return most;
}

// ask(question, moves that it is about, policy) answers with one of `allowed`.
template <class Ask>
MoveId ask_for_move(const Moves& moves, const Legal& legal, bool label_apart, std::vector<int32_t>& allowed,
                    Ask&& ask) {
  allowed.clear();
  if (!label_apart) {
    legal.each([&](MoveId m) { allowed.push_back(m); });
    return ask(MoveQuestion::Move, legal, kMovePolicy);
  }
  for (Range range : legal.ranges())
    if (const auto action = static_cast<int32_t>(moves[range.begin].action);
        allowed.empty() || allowed.back() != action)
      allowed.push_back(action);
  const auto action = static_cast<Action>(ask(MoveQuestion::Action, legal, kMovePolicy));
  Range range;  // from the first move of the action to the last, all of which may not be legal
  allowed.clear();
  for (Range r : legal.ranges()) {
    if (moves[r.begin].action != action) continue;
    range = {allowed.empty() ? r.begin : range.begin, r.end};
    for (MoveId m = r.begin; m < r.end; ++m) allowed.push_back(moves[m].label);
  }
  if (allowed.size() == 1) return range.begin;
  return move_with_label(moves, range, ask(MoveQuestion::Label, Legal(range), policy_of_label(action)));
}

}  // namespace arcwise
