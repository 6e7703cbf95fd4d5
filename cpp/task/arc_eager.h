// Arc-eager (Nivre 2003), with ROOT after the last word (Goldberg & Nivre 2013) or under the stack
// (Goldberg & Nivre 2012).
//
// When no word is left in the buffer, what is still on the stack is completed: a word with a head is
// REDUCEd, one without becomes a dependent of ROOT, by LEFT, wherever ROOT stands. So every walk ends in
// a tree, and the costs below are exact for that tree.
//
// Single root: a stack is made of floating words (those that no word heads) and, above each, words whose
// head is the word just under them. All floating words but the bottom one must still find a head, and the
// last word is the last chance: it may only be pushed when no other floating word would be left over.
#pragma once

#include <algorithm>
#include <vector>

#include "oracle/costs.h"
#include "task/slots.h"
#include "task/stack_state.h"

namespace arcwise {

class ArcEager {
 public:
  struct State : StackState {
    std::vector<int32_t> base;  // for each stack position, that of the floating word at or under it
    int32_t floating = 0;       // stack words that no word heads
  };

  static constexpr bool kDynamicOracle = true;
  static constexpr bool kSingleSite = true;
  static constexpr MoveInventory inventory(bool root_first) {
    return {.shift = true, .reduce = true, .left_from_root = true, .right_from_root = root_first};
  }

  ArcEager(const Moves& moves, bool root_first, bool single_root)
      : moves_(moves), root_first_(root_first), single_root_(single_root), bottom_(root_first ? 1 : 0) {}

  const Moves& moves() const { return moves_; }

  void start(State& s, int32_t words) const {
    s.reset(words);
    if (s.base.size() < s.stack.size()) s.base.resize(s.stack.size());
    s.floating = 0;
    if (root_first_) s.push(kRoot);
  }
  bool done(const State& s) const { return !s.buffer_has_words() && s.depth == bottom_; }

  Legal legal(const State& s, int32_t = 0) const {
    Legal legal;
    if (can_shift(s)) legal.add(moves_.shift);
    if (can_reduce(s)) legal.add(moves_.reduce);
    if (can_left(s)) legal.add(s.buffer_has_words() ? moves_.left : moves_.left_from_root);
    if (can_right(s)) legal.add(s.S(0) == kRoot ? moves_.right_from_root : moves_.right);
    return legal;
  }

  void apply(State& s, int32_t, Class c) const {
    const auto [action, label] = moves_[c];
    switch (action) {
      case Action::Shift:
        push(s, s.next++, true);
        break;
      case Action::Reduce:
        pop(s);
        break;
      case Action::Left: {
        const int32_t dependent = pop(s);
        s.tree.add_arc(s.buffer_has_words() || !root_first_ ? s.next : kRoot, dependent, label);
        break;
      }
      case Action::Right: {
        const int32_t head = s.S(0);
        s.tree.add_arc(head, s.next, label);
        push(s, s.next++, head == kRoot);
        break;
      }
    }
  }

  // Goldberg & Nivre 2013, 4.5: the gold arcs that can be reached before a move and not after it.
  void costs(const State& s, const Gold& gold, int32_t, float* costs) const {
    const Legal legal = this->legal(s);
    for (Range range : legal.ranges()) {
      const Move& move = moves_[range.begin];
      const int32_t lost = arcs_lost(s, gold, move.action) + squeeze_after(s, gold, move.action) -
                           squeeze(s, gold, gold.last_word_ancestor_before(s.next));
      add_label_costs(s, gold, range, lost, costs);
    }
  }

  // Goldberg & Nivre 2012, Algorithm 1.
  Class static_move(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0), n0 = s.next;
    if (!s.buffer_has_words()) return legal(s).first();
    if (s0 != kNone) {
      if (can_left(s) && gold.head(s0) == n0) return labelled(moves_.left, gold.label(s0));
      if (can_right(s) && gold.head(n0) == s0)
        return labelled(s0 == kRoot ? moves_.right_from_root : moves_.right, gold.label(n0));
      if (can_reduce(s) && gold_arc_under_top(s, gold)) return moves_.reduce.begin;
    }
    return can_shift(s) ? moves_.shift.begin : legal(s).first();
  }

  static void slots(const State& s, int32_t, SlotNodes& nodes) { stack_slots(s, nodes); }

 private:
  // SHIFT: the last word joins the stack only if it can still be completed to a single root.
  bool can_shift(const State& s) const {
    return s.buffer_has_words() && (!single_root_ || s.next < s.words() || s.depth == bottom_);
  }
  // REDUCE: only what has a head leaves the stack; the one word under ROOT stays until the end.
  bool can_reduce(const State& s) const {
    if (s.depth <= bottom_ || !s.tree.has_head(s.S(0))) return false;
    return !single_root_ || !s.buffer_has_words() || s.tree[s.S(0)].head != kRoot;
  }
  // LEFT: only what has no head yet gets one.
  bool can_left(const State& s) const { return s.depth > bottom_ && !s.tree.has_head(s.S(0)); }
  // RIGHT: after the last word no floating word but the bottom one could find a head.
  bool can_right(const State& s) const {
    if (!s.buffer_has_words() || s.depth == 0) return false;
    return !single_root_ || s.next < s.words() || s.S(0) == kRoot || s.floating == 1;
  }

  void push(State& s, int32_t node, bool floating) const {
    s.base[s.depth] = floating ? s.depth : s.base[s.depth - 1];
    s.floating += floating;
    s.push(node);
  }
  int32_t pop(State& s) const {
    s.floating -= s.base[s.depth - 1] == s.depth - 1;
    return s.pop();
  }

  bool root_is_taken(const State& s) const {
    return root_first_ && single_root_ && s.depth > 1 && s.tree[s.stack[1]].head == kRoot;
  }
  // Can the arc from ROOT to the word still be made? With a single root only the bottom word, or a
  // word still in the buffer, can be it.
  bool root_arc_reachable(const State& s, int32_t word) const {
    if (!single_root_) return !s.tree.has_head(word);
    if (word >= s.next) return !root_is_taken(s);
    return s.depth > bottom_ && s.stack[bottom_] == word;
  }
  bool in_buffer(const State& s, int32_t node, int32_t from) const {
    return node >= from && node <= s.words();
  }

  int32_t gold_dependents_on_stack(const State& s, const Gold& gold, int32_t head) const {
    int32_t count = 0;
    for (int32_t d : gold.dependents(head)) {
      if (d >= s.next) break;
      count += s.on_stack(d) && !s.tree.has_head(d);
    }
    return count;
  }

  int32_t arcs_lost(const State& s, const Gold& gold, Action action) const {
    const int32_t s0 = s.S(0), n0 = s.next;
    switch (action) {
      // b joins the stack: its heads there, and the headless dependents it has there, are lost to it.
      case Action::Shift: {
        const int32_t head = gold.head(n0);
        int32_t lost = gold_dependents_on_stack(s, gold, n0);
        if (head == kRoot)
          lost += single_root_ && s.depth > bottom_ && root_arc_reachable(s, n0);
        else
          lost += head != kNone && head < n0 && s.on_stack(head);
        return lost;
      }
      // s leaves: no more dependents for it.
      case Action::Reduce:
        return gold.dependents_from(s0, n0);
      // s leaves with head b: its heads further on, and its dependents from b on, are lost.
      case Action::Left: {
        const int32_t head = gold.head(s0);
        if (!s.buffer_has_words()) return 0;
        int32_t lost = gold.dependents_from(s0, n0);
        if (head == kRoot)
          lost += root_arc_reachable(s, s0);
        else
          lost += head != n0 && in_buffer(s, head, n0);
        return lost;
      }
      // b gets head s: its heads elsewhere, and its headless dependents on the stack, are lost.
      case Action::Right: {
        const int32_t head = gold.head(n0);
        int32_t lost = gold_dependents_on_stack(s, gold, n0);
        if (s0 == kRoot && single_root_) {
          // Taking b as the root leaves no other.
          for (int32_t d : gold.dependents(kRoot)) lost += d > n0;
        }
        if (head == s0) return lost;
        if (head == kRoot)
          lost += root_arc_reachable(s, n0);
        else
          lost += head != kNone && (in_buffer(s, head, n0) || (head < n0 && s.on_stack(head)));
        return lost;
      }
    }
    return 0;
  }

  // With a single root, a floating word above the bottom must be given a head by some word to come, after
  // its own last dependent. If its span reaches the last word there is none, and one arc more is lost.
  // `ancestor` is the nearest gold ancestor of the last word outside the buffer.
  int32_t squeeze(const State& s, const Gold& gold, int32_t ancestor) const {
    if (!single_root_ || ancestor == kNone || !s.on_stack(ancestor)) return 0;
    return squeezed(s, gold, s.base[position(s, ancestor)], s.next);
  }
  int32_t squeezed(const State& s, const Gold& gold, int32_t base, int32_t buffer) const {
    return base > bottom_ && !in_buffer(s, gold.head(s.stack[base]), buffer);
  }
  int32_t squeeze_after(const State& s, const Gold& gold, Action action) const {
    if (!single_root_ || !s.buffer_has_words()) return 0;
    const bool pushes = action == Action::Shift || action == Action::Right;
    const int32_t ancestor = gold.last_word_ancestor_before(s.next + pushes);
    if (ancestor == kNone) return 0;
    if (pushes) {
      if (ancestor == s.next) {  // the pushed word itself
        if (action == Action::Shift) return s.depth > bottom_ && !in_buffer(s, gold.head(s.next), s.next + 1);
        return s.S(0) != kRoot && squeezed(s, gold, s.base[s.depth - 1], s.next + 1);
      }
      return s.on_stack(ancestor) && squeezed(s, gold, s.base[position(s, ancestor)], s.next + 1);
    }
    return ancestor == s.S(0) ? 0 : squeeze(s, gold, ancestor);
  }
  // Stack words are in ascending order.
  int32_t position(const State& s, int32_t node) const {
    return static_cast<int32_t>(std::lower_bound(s.stack.begin(), s.stack.begin() + s.depth, node) -
                                s.stack.begin());
  }

  void add_label_costs(const State& s, const Gold& gold, Range range, int32_t lost, float* costs) const {
    const Action action = moves_[range.begin].action;
    int32_t dependent = kNone, head = kNone;
    if (action == Action::Left) {
      dependent = s.S(0);
      head = s.buffer_has_words() ? s.next : kRoot;
    } else if (action == Action::Right) {
      dependent = s.next;
      head = s.S(0);
    }
    arc_costs(moves_, gold, range, head, dependent, lost, costs);
  }

  bool gold_arc_under_top(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0), n0 = s.next;
    if (gold.head(n0) != kNone && gold.head(n0) < s0 && (gold.head(n0) != kRoot || root_first_)) return true;
    const auto dependents = gold.dependents(n0);
    return !dependents.empty() && dependents.front() < s0;
  }
  Class labelled(Range range, int32_t label) const { return move_with_label(moves_, range, label); }

  Moves moves_;
  bool root_first_;
  bool single_root_;
  int32_t bottom_;  // where the words on the stack begin
};

}  // namespace arcwise
