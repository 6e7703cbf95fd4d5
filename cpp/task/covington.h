// Covington's system for any tree, crossing arcs included (Covington 2001; Nivre 2008). Its state is two
// lists and a buffer. The stack is the first list, and its top the focus i; the second list is all words
// between the focus and the front j of the buffer, which have been passed. ROOT is in none of them.
//
//   NO-ARC  passes i
//   LEFT    gives i the head j, and passes i
//   RIGHT   gives j the head i, and passes i
//   SHIFT   puts what was passed, and j, on the stack
//
// In the end some words have no head: one at least, as arcs make no cycle. They are looked at from the last
// to the first. LEFT makes one a dependent of ROOT, with a single root one alone: REDUCE leaves that to
// another, and all others become dependents of that one, with the label that such arcs most often have. So
// every walk ends in a tree, and the costs below are exact for it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "task/arc_costs.h"
#include "task/slots.h"
#include "task/stack_state.h"

namespace arcwise {

class Covington {
 public:
  using Input = int32_t;  // words
  using State = StackState;
  using Gold = TreeGold;
  using View = TreeView;

  static constexpr std::string_view kName = "covington";
  static constexpr bool kProjective = false;
  static constexpr bool kDynamicOracle = true;
  static constexpr Action kNoArc = own_action(0);

  Covington(const ArcLabels& labels, bool /*root_first*/, bool single_root)
      : moves_({{Action::Shift},
                {kNoArc},
                {Action::Reduce},
                {Action::Left, &ArcLabels::left},
                {Action::Right, &ArcLabels::right},
                {Action::Left, &ArcLabels::root}},
               labels),
        single_root_(single_root) {}

  static std::string_view own_name(Action) { return "NO-ARC"; }
  const Moves& moves() const { return moves_; }

  void start(auto& s, int32_t words) const { s.reset(words); }
  bool done(const State& s) const { return !s.buffer_has_words() && s.depth == 0; }

  Legal legal(const State& s) const {
    Legal legal;
    if (!s.buffer_has_words()) {
      if (can_reduce(s)) legal.add(reduce_);
      legal.add(left_from_root_);
      return legal;
    }
    legal.add(shift_);
    if (s.depth == 0) return legal;
    const int32_t i = s.S(0), j = s.next();
    legal.add(no_arc_);
    if (!s.has_head(i) && !leads(s, i, j)) legal.add(left_);
    if (!s.has_head(j) && !leads(s, j, i)) legal.add(right_);
    return legal;
  }

  void apply(auto& s, MoveId c) const {
    const auto [action, label] = moves_[c];
    if (!s.buffer_has_words()) {
      const int32_t word = s.pop();
      if (action == Action::Left) {
        s.add_arc(kRoot, word, label);
        if (single_root_) complete(s, word);
      }
      pop_all_with_heads(s);
    } else if (action == Action::Shift) {
      for (int32_t passed = std::max(s.S(0), 0) + 1; passed < s.N(0); ++passed) s.push(passed);
      s.shift();
      if (!s.buffer_has_words()) pop_all_with_heads(s);
    } else {
      const int32_t focus = s.pop();
      if (action == Action::Left) s.add_arc(s.N(0), focus, label);
      if (action == Action::Right) s.add_arc(focus, s.N(0), label);
    }
  }

  ArcEnds arc_of(const State& s, MoveId c) const {
    if (moves_[c].action == Action::Right) return {s.S(0), s.N(0)};
    return {s.buffer_has_words() ? s.N(0) : kRoot, s.S(0)};
  }

  // Gómez-Rodríguez & Fernández-González 2015: the loss after a move less the loss before. The best move
  // loses nothing.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const Legal legal = this->legal(s);
    int32_t losses[kMostGroups], least = s.words() + 1;
    for (size_t r = 0; r < legal.ranges().size(); ++r) {
      losses[r] = loss_after(s, gold, legal.ranges()[r]);
      least = std::min(least, losses[r]);
    }
    for (size_t r = 0; r < legal.ranges().size(); ++r) {
      const Range range = legal.ranges()[r];
      const auto [head, dependent] = arc_of(s, range);
      arc_costs(moves_, gold, range, head, dependent, losses[r] - least, costs);
    }
  }

  // Arcs as soon as they can be made; SHIFT once no word before the focus has one with j.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t i = s.S(0), j = s.next();
    if (!s.buffer_has_words())
      return can_reduce(s) && gold.head(i) != kRoot ? reduce_.begin
                                                    : move_with_label(moves_, left_from_root_, gold.label(i));
    if (i == kNone) return shift_.begin;
    const Legal legal = this->legal(s);
    if (gold.head(i) == j && legal.contains(left_.begin))
      return move_with_label(moves_, left_, gold.label(i));
    if (gold.head(j) == i && legal.contains(right_.begin))
      return move_with_label(moves_, right_, gold.label(j));
    const auto dependents = gold.dependents(j);
    const bool more_before =
        (gold.head(j) > kRoot && gold.head(j) < i) || (!dependents.empty() && dependents.front() < i);
    return more_before ? no_arc_.begin : shift_.begin;
  }

  // S2 and S3 are the ends of the second list, for what lies under the word before the focus says little.
  static void view(const State& s, View& view) {
    stack_view(s, view);
    const int32_t i = s.S(0), j = s.next();
    const bool has_passed = s.buffer_has_words() && std::max(i, 0) + 1 < j;
    view.nodes[Slot::S2] = has_passed ? std::max(i, 0) + 1 : kNone;
    view.nodes[Slot::S3] = has_passed ? j - 1 : kNone;
  }

 private:
  struct Arc {
    int32_t head = kNone, dependent = kNone;
  };

  // Whether the heads of a word lead up to another.
  static bool leads(const State& s, int32_t from, int32_t to) {
    while (to != kNone && to != from) to = s.tree[to].head;
    return to == from;
  }
  // In the end: whether another word without head is left for the arc from ROOT.
  bool can_reduce(const State& s) const {
    if (!single_root_) return false;
    int32_t below = 1;
    while (below < s.depth && s.has_head(s.S(below))) ++below;
    return below < s.depth;
  }
  static void pop_all_with_heads(auto& s) {
    while (s.S(0) != kNone && s.has_head(s.S(0))) s.pop();
  }
  void complete(auto& s, int32_t root) const {
    for (int32_t word = 1; word < s.N(0); ++word)
      if (!s.has_head(word)) s.add_arc(root, word, moves_.completion());
  }

  Arc arc_of(const State& s, Range range) const {
    const int32_t i = s.S(0), j = s.next();
    if (range.begin == left_.begin) return {j, i};
    if (range.begin == right_.begin) return {i, j};
    if (range.begin == left_from_root_.begin) return {kRoot, i};
    return {};
  }

  // The state that a move would lead to, as far as it matters to the loss.
  struct After {
    int32_t focus, front;
    Arc made;
    int32_t first_root, last_root;  // between which the words are that may become the root

    bool has_head(const State& s, int32_t word) const { return word == made.dependent || s.has_head(word); }
    int32_t head(const State& s, int32_t word) const {
      return word == made.dependent ? made.head : s.tree[word].head;
    }
    // Whether the two words can still come to be focus and front.
    bool can_meet(int32_t a, int32_t b) const {
      const int32_t later = std::max(a, b);
      return later > front || (later == front && std::min(a, b) <= focus);
    }
  };
  After after(const State& s, Range range) const {
    const int32_t i = std::max(s.S(0), 0), j = s.next(), words = s.words();
    if (!s.buffer_has_words()) {
      if (range.begin == reduce_.begin) return {i, j, {}, 1, i - 1};
      return {i, j, {}, i, single_root_ ? i : words};
    }
    if (range.begin == shift_.begin) return {j, j + 1, {}, 1, words};
    return {i - 1, j, arc_of(s, range), 1, words};
  }

  // The gold arcs that are neither built nor can be, and one for each cycle of those that are or can be.
  int32_t loss_after(const State& s, const Gold& gold, Range range) const {
    const After then = after(s, range);
    const int32_t words = s.words();
    thread_local std::vector<int32_t> up, seen;  // the heads that words have or can still get
    up.assign(static_cast<size_t>(words) + 1, kRoot);
    int32_t lost = 0;
    for (int32_t word = 1; word <= words; ++word) {
      const int32_t head = gold.head(word);
      if (then.has_head(s, word)) {
        up[word] = std::max(then.head(s, word), 0);
        lost += head != kNone && head != up[word];
      } else if (head > kRoot && then.can_meet(head, word)) {
        up[word] = head;
      } else {
        lost += head > kRoot || (head == kRoot && single_root_);
      }
    }
    seen.assign(static_cast<size_t>(words) + 1, 0);
    for (int32_t word = 1; word <= words; ++word) {
      int32_t node = word;
      for (; node != kRoot && seen[node] == 0; node = up[node]) seen[node] = word;
      if (node == kRoot || seen[node] != word) continue;
      ++lost;
      do seen[node] = kOnCycle;
      while ((node = up[node], seen[node] != kOnCycle));
    }
    return single_root_ ? lost - most_of_a_root(s, gold, then, up, seen) : lost;
  }
  static constexpr int32_t kOnCycle = -1;

  // What the best choice of a single root saves: its arc from ROOT, and arcs that completion makes; less its
  // own gold arc, if it could have had that without making a cycle.
  int32_t most_of_a_root(const State& s, const Gold& gold, const After& then, const std::vector<int32_t>& up,
                         const std::vector<int32_t>& seen) const {
    int32_t most = 0;
    for (int32_t root = then.first_root; root <= then.last_root; ++root) {
      if (then.has_head(s, root)) continue;
      int32_t saved = gold.head(root) == kRoot;
      for (int32_t d : gold.dependents(root))
        saved += !then.has_head(s, d) && up[d] == kRoot && !gold.wrong_label(d, moves_.completion());
      saved -= up[root] != kRoot && seen[root] != kOnCycle;
      most = std::max(most, saved);
    }
    return most;
  }

  Moves moves_;
  Range shift_ = moves_.of(Action::Shift), no_arc_ = moves_.of(kNoArc), reduce_ = moves_.of(Action::Reduce),
        left_ = moves_.of(Action::Left, &ArcLabels::left),
        right_ = moves_.of(Action::Right, &ArcLabels::right),
        left_from_root_ = moves_.of(Action::Left, &ArcLabels::root);
  bool single_root_;
};

}  // namespace arcwise
