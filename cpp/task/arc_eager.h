// Arc-eager (Nivre 2003), with ROOT after the last word (Goldberg & Nivre 2013) or under the stack
// (Goldberg & Nivre 2012).
//
// When no word is left in the buffer, what is still on the stack is completed: a word with a head is
// REDUCEd, one without becomes a dependent of ROOT, by LEFT, wherever ROOT stands. With a single root only
// the bottom word of the stack becomes one; the others become dependents of that one, by REDUCE, with the
// label that such arcs most often have. So every walk ends in a tree, and the costs below are exact for it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "task/arc_costs.h"
#include "task/reachable.h"
#include "task/risks.h"
#include "task/slots.h"
#include "task/stack_state.h"

namespace arcwise {

class ArcEager {
 public:
  using Input = int32_t;  // words
  using State = StackState;
  using Gold = TreeGold;
  using View = TreeView;

  static constexpr std::string_view kName = "arc-eager";
  static constexpr bool kProjective = true;
  static constexpr bool kRootFirst = true;  // may be
  static constexpr bool kDynamicOracle = true;
  static constexpr Reachable kReachable{.within_stack = Reachable::WithinStack::None, .completes = true};

  ArcEager(const ArcLabels& labels, bool root_first, bool single_root)
      : moves_(groups(root_first), labels),
        root_first_(root_first),
        single_root_(single_root),
        bottom_(root_first ? 1 : 0) {}

  const Moves& moves() const { return moves_; }

  void start(auto& s, int32_t words) const {
    s.reset(words);
    if (root_first_) s.push(kRoot);
  }
  bool done(const State& s) const { return !s.buffer_has_words() && s.depth == bottom_; }

  Legal legal(const State& s) const {
    Legal legal;
    if (can_shift(s)) legal.add(shift_);
    if (can_reduce(s)) legal.add(reduce_);
    if (can_left(s)) legal.add(s.buffer_has_words() ? left_ : left_from_root_);
    if (can_right(s)) legal.add(s.S(0) == kRoot ? right_from_root_ : right_);
    return legal;
  }

  void apply(auto& s, MoveId c) const {
    const auto [action, label] = moves_[c];
    switch (action) {
      case Action::Shift:
        s.shift();
        break;
      case Action::Reduce: {
        const int32_t node = s.pop();
        if (!s.has_head(node)) s.add_arc(s.from_bottom(bottom_), node, moves_.completion());
        break;
      }
      case Action::Left: {
        const int32_t dependent = s.pop();
        s.add_arc(s.buffer_has_words() || !root_first_ ? s.N(0) : kRoot, dependent, label);
        break;
      }
      default:
        s.add_arc(s.S(0), s.N(0), label);
        s.shift();
    }
  }

  ArcEnds arc_of(const State& s, MoveId c) const {
    if (moves_[c].action == Action::Right) return {s.S(0), s.next()};
    return {s.buffer_has_words() ? s.next() : kRoot, s.S(0)};
  }

  // The arc that REDUCE gives a word without head.
  ArcEnds completed_by(const State& s, MoveId c) const {
    if (moves_[c].action != Action::Reduce || s.tree.has_head(s.S(0))) return {};
    return {s.stack[bottom_], s.S(0)};
  }

  // Goldberg & Nivre 2013, 4.5: the gold arcs that can be reached before a move and not after it.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const Legal legal = this->legal(s);
    if (!s.buffer_has_words()) {  // all is decided, but for the label of a root
      for (Range range : legal.ranges())
        arc_costs(moves_, gold, range, range.begin == left_from_root_.begin ? kRoot : kNone, s.S(0), 0,
                  costs);
      return;
    }
    const Completion now = completion(s, gold);
    for (Range range : legal.ranges()) {
      Completion then = now;
      switch (moves_[range.begin].action) {
        case Action::Shift: {
          const int32_t lost = shift_cost(s, gold, then);
          arc_costs(moves_, gold, range, kNone, kNone, lost + then.cost() - now.cost(), costs);
          break;
        }
        case Action::Reduce:
          arc_costs(moves_, gold, range, kNone, kNone, gold.dependents_from(s.S(0), s.next()), costs);
          break;
        case Action::Left: {
          const int32_t lost = left_cost(s, gold, then);
          arc_costs(moves_, gold, range, s.next(), s.S(0), lost + then.cost() - now.cost(), costs);
          break;
        }
        default: {
          const int32_t lost = right_cost(s, gold, then);
          arc_costs(moves_, gold, range, s.S(0), s.next(), lost + then.cost() - now.cost(), costs);
          break;
        }
      }
    }
  }

  // Goldberg & Nivre 2012, Algorithm 1.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0), n0 = s.next();
    if (!s.buffer_has_words())
      return can_reduce(s) ? reduce_.begin : move_with_label(moves_, left_from_root_, gold.label(s0));
    if (can_left(s) && gold.head(s0) == n0) return move_with_label(moves_, left_, gold.label(s0));
    if (can_right(s) && gold.head(n0) == s0)
      return move_with_label(moves_, s0 == kRoot ? right_from_root_ : right_, gold.label(n0));
    if (can_reduce(s) && has_gold_arc_under_top(s, gold)) return reduce_.begin;
    return shift_.begin;
  }

  static void view(const State& s, View& view) { stack_view(s, view); }

  // The front of the buffer has its arcs with the stack until it is pushed, and may be given a head there
  // until it has one; the top of the stack may be given a head by LEFT, and dependents until it is popped.
  enum RiskOf : uint8_t { kPushed, kRightArc, kLeftArc, kPopped };
  static constexpr std::array kRisks = {
      Risk{Slot::N0, set_of(Action::Shift, Action::Right)}, Risk{Slot::N0, set_of(Action::Right)},
      Risk{Slot::S0, set_of(Action::Left)}, Risk{Slot::S0, set_of(Action::Left, Action::Reduce)}};
  RisksOfArc risks_of(Action action, bool from_root) const {
    if (action == Action::Right) return {.dependent = set_of(kPushed), .head = set_of(kPopped)};
    // A single root has come to the bottom of the stack, not upon another word.
    if (action == Action::Left && from_root && single_root_) return {.dependent = set_of(kPushed, kLeftArc)};
    return {.dependent = set_of(kRightArc, kLeftArc),
            .head = action == Action::Left ? set_of(kPushed) : set_of(kPopped)};
  }

 private:
  static std::vector<MoveGroup> groups(bool root_first) {
    std::vector<MoveGroup> groups = {{Action::Shift},
                                     {Action::Reduce},
                                     {Action::Left, &ArcLabels::left},
                                     {Action::Right, &ArcLabels::right},
                                     {Action::Left, &ArcLabels::root}};
    if (root_first) groups.push_back({Action::Right, &ArcLabels::root});
    return groups;
  }

  bool can_shift(const State& s) const { return s.buffer_has_words(); }
  // REDUCE: what has a head; in the end, what the bottom word is to be the head of. The one word under
  // ROOT stays until then.
  bool can_reduce(const State& s) const {
    if (s.depth <= bottom_) return false;
    if (!s.tree.has_head(s.S(0))) return single_root_ && !s.buffer_has_words() && s.depth > bottom_ + 1;
    return !single_root_ || !s.buffer_has_words() || s.tree[s.S(0)].head != kRoot;
  }
  // LEFT: what has no head yet.
  bool can_left(const State& s) const {
    if (s.depth <= bottom_ || s.tree.has_head(s.S(0))) return false;
    return s.buffer_has_words() || !single_root_ || s.depth == bottom_ + 1;
  }
  bool can_right(const State& s) const { return s.buffer_has_words() && s.depth > 0; }

  int32_t bottom_word(const State& s) const { return s.depth > bottom_ ? s.stack[bottom_] : kNone; }

  // Can the arc from ROOT to the word still be made? With a single root only the bottom word, or one
  // still in the buffer, can get it, and only if no other has.
  bool root_arc_reachable(const State& s, int32_t word) const {
    if (!single_root_) return !s.tree.has_head(word);
    const int32_t bottom = bottom_word(s);
    if (word == bottom) return true;
    return word >= s.next() && (bottom == kNone || s.tree[bottom].head != kRoot);
  }

  // With a single root, headless words on the stack whose gold head is the bottom word need no move: they
  // get it in the end, if the label is right. But they lose it if the bottom word does not stay, or is to
  // have other dependents before: those cannot be reached without removing what lies above. Either all such
  // words are lost or all that they stand in the way of, whichever is less.
  struct Completion {
    int32_t waiting = 0;
    int32_t in_their_way = 0;
    int32_t cost() const { return std::min(waiting, in_their_way); }
  };
  bool completes(const State& s, const Gold& gold, int32_t word) const {
    return single_root_ && gold.head(word) == bottom_word(s) && !gold.wrong_label(word, moves_.completion());
  }
  Completion completion(const State& s, const Gold& gold) const {
    Completion c;
    const int32_t bottom = bottom_word(s);
    if (!single_root_ || bottom == kNone) return c;
    for (int32_t d : gold.dependents(bottom)) {
      if (d >= s.next())
        c.in_their_way += !completes(s, gold, d);
      else
        c.waiting += s.on_stack(d) && !s.tree.has_head(d) && completes(s, gold, d);
    }
    if (s.tree.has_head(bottom)) return c;
    c.in_their_way += in_buffer(s, gold.head(bottom));
    for (int32_t root : gold.dependents(kRoot)) c.in_their_way += root >= s.next();
    return c;
  }

  static bool in_buffer(const State& s, int32_t node) { return node >= s.next() && node <= s.words(); }

  // What b loses on the stack when it is pushed: gold dependents that are headless there, among them
  // perhaps the bottom word.
  int32_t lost_dependents(const State& s, const Gold& gold, Completion& then) const {
    int32_t lost = 0;
    for (int32_t d : gold.dependents(s.next())) {
      if (d >= s.next()) break;
      if (!s.on_stack(d) || s.tree.has_head(d)) continue;
      ++lost;
      if (single_root_ && d == bottom_word(s)) --then.in_their_way;
    }
    return lost;
  }

  // b joins the stack: its heads there, and the headless dependents it has there, are lost to it.
  int32_t shift_cost(const State& s, const Gold& gold, Completion& then) const {
    const int32_t head = gold.head(s.next()), bottom = bottom_word(s);
    int32_t lost = lost_dependents(s, gold, then);
    if (head == kRoot) {
      if (single_root_ && bottom != kNone && root_arc_reachable(s, s.next())) {
        ++lost;
        --then.in_their_way;
      }
    } else if (head != kNone && head < s.next() && s.on_stack(head)) {
      if (completes(s, gold, s.next())) {
        ++then.waiting;
      } else {
        ++lost;
        if (single_root_ && head == bottom) --then.in_their_way;
      }
    }
    return lost;
  }

  // s leaves with head b: its heads further on, and its dependents from b on, are lost.
  int32_t left_cost(const State& s, const Gold& gold, Completion& then) const {
    const int32_t s0 = s.S(0), head = gold.head(s0);
    int32_t lost = gold.dependents_from(s0, s.next());
    if (completes(s, gold, s0)) {
      --then.waiting;
      return lost + 1;
    }
    if (head == kRoot) return lost + root_arc_reachable(s, s0);
    return lost + (head != s.next() && in_buffer(s, head));
  }

  // b gets head s: its heads elsewhere, and its headless dependents on the stack, are lost.
  int32_t right_cost(const State& s, const Gold& gold, Completion& then) const {
    const int32_t s0 = s.S(0), head = gold.head(s.next()), bottom = bottom_word(s);
    int32_t lost = lost_dependents(s, gold, then);
    if (single_root_ && s0 == kRoot)  // no other word can be the root then
      for (int32_t root : gold.dependents(kRoot)) lost += root > s.next();
    if (single_root_ && bottom != kNone) {
      const bool was_in_the_way =
          head == kRoot ? root_arc_reachable(s, s.next()) : head == bottom && !completes(s, gold, s.next());
      then.in_their_way -= was_in_the_way;
    }
    if (head == s0 || head == kNone) return lost;
    if (head == kRoot) return lost + root_arc_reachable(s, s.next());
    return lost + (in_buffer(s, head) || (head < s.next() && s.on_stack(head)));
  }

  bool has_gold_arc_under_top(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0), head = gold.head(s.next());
    if (head != kNone && head < s0 && (head != kRoot || root_first_)) return true;
    const auto dependents = gold.dependents(s.next());
    return !dependents.empty() && dependents.front() < s0;
  }

  Moves moves_;
  Range shift_ = moves_.of(Action::Shift), reduce_ = moves_.of(Action::Reduce),
        left_ = moves_.of(Action::Left, &ArcLabels::left),
        right_ = moves_.of(Action::Right, &ArcLabels::right),
        left_from_root_ = moves_.of(Action::Left, &ArcLabels::root),
        right_from_root_ = moves_.of(Action::Right, &ArcLabels::root);
  bool root_first_;
  bool single_root_;
  int32_t bottom_;  // where the words on the stack begin
};

}  // namespace arcwise
