// What the systems' oracles share.
#pragma once

#include "task/moves.h"
#include "tree/gold.h"

namespace arcwise {

// Spells out the cost of an action for each of its labels: what the action loses, and one more if it adds
// the gold arc under a wrong label.
inline void arc_costs(const Moves& moves, const TreeGold& gold, Range range, int32_t head, int32_t dependent,
                      int32_t lost, float* costs) {
  const bool gold_arc = dependent != kNone && gold.head(dependent) == head;
  bool label_is_a_choice = false;
  if (gold_arc)
    for (MoveId c = range.begin; c < range.end && !label_is_a_choice; ++c)
      label_is_a_choice = !gold.wrong_label(dependent, moves[c].label);
  for (MoveId c = range.begin; c < range.end; ++c)
    costs[c] = static_cast<float>(lost + (label_is_a_choice && gold.wrong_label(dependent, moves[c].label)));
}

// The move of a range that carries this label, or the range's first if none does.
inline MoveId move_with_label(const Moves& moves, Range range, int32_t label) {
  for (MoveId c = range.begin; c < range.end; ++c)
    if (moves[c].label == label) return c;
  return range.begin;
}

}  // namespace arcwise
