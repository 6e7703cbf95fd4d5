// Arc-hybrid with SWAP (de Lhoneux, Stymne & Nivre 2017): the top of the stack goes back into the buffer,
// behind its first word, so that words can be brought into an order in which no arcs cross.
//
// Two words are swapped once at most, and a word passes kMostPassed others at most: a sentence of that many
// words loses nothing by it, and a longer one is parsed in linear time whatever the model says.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "task/bottom_up.h"

namespace arcwise {

// A gold tree with its projective order (Nivre 2009): the words as they come in a walk through the tree that
// visits each head between its left and its right dependents.
class GoldWithOrder : public TreeGold {
 public:
  void set(std::span<const int32_t> heads, std::span<const int32_t> labels) {
    TreeGold::set(heads, labels);
    ordered_heads_.assign(heads.begin(), heads.end());
    if (!complete()) attach_unknown();
    below_.set(ordered_heads_, labels);
    number_words();
    // In ascending order, what comes later in the sentence and not in the order is the last word so far.
    last_overtaker_.assign(places_.size(), kNone);
    int32_t last = kNone;
    for (int32_t word : in_order_) {
      if (last > word) last_overtaker_[word] = last;
      last = std::max(last, word);
    }
  }
  void set(const auto& sentence) { set(sentence.heads, sentence.labels); }

  // Where a word stands in projective order.
  int32_t place(int32_t word) const { return places_[word]; }
  // The last word of the sentence that comes after this one in the sentence and before it in the order.
  int32_t last_overtaker(int32_t word) const { return last_overtaker_[word]; }

 private:
  // An unknown head is taken for the nearest word to the left that is none of the word's descendants: an arc
  // that crosses as few as may be.
  void attach_unknown() {
    for (int32_t word = 1; word <= words(); ++word) {
      if (head(word) != kNone) continue;
      int32_t taken = word - 1;
      while (taken != kRoot && descends(taken, word)) --taken;
      ordered_heads_[word - 1] = taken;
    }
  }
  bool descends(int32_t word, int32_t from) const {
    for (int32_t steps = 0; word > kRoot && word != from && steps < words(); ++steps)
      word = ordered_heads_[word - 1];
    return word == from;
  }

  void number_words() {
    places_.assign(static_cast<size_t>(words()) + 1, kNone);
    in_order_.clear();
    // The node, and how many of its dependents have been visited.
    path_.assign(1, {kRoot, 0});
    while (!path_.empty()) {
      auto& [node, visited] = path_.back();
      const auto dependents = below_.dependents(node);
      const int32_t next = visited < dependents.size() ? dependents[visited] : words() + 1;
      if (places_[node] == kNone && next > node) {
        places_[node] = static_cast<int32_t>(in_order_.size());
        in_order_.push_back(node);
      }
      if (visited == dependents.size()) {
        path_.pop_back();
      } else {
        ++visited;
        path_.emplace_back(next, 0);
      }
    }
  }

  TreeGold below_;  // the tree in which no head is unknown
  std::vector<int32_t> ordered_heads_, places_, in_order_, last_overtaker_;
  std::vector<std::pair<int32_t, size_t>> path_;
};

class ArcHybridSwap : public BottomUp<ArcHybridSwap> {
 public:
  using Gold = GoldWithOrder;

  static constexpr std::string_view kName = "arc-hybrid-swap";
  static constexpr bool kProjective = false;
  static constexpr bool kDynamicOracle = true;
  static constexpr Action kSwap = own_action(0);
  static constexpr int32_t kMostPassed = 256;

  ArcHybridSwap(const ArcLabels& labels, bool root_first, bool single_root)
      : BottomUp(either_way(labels), root_first, single_root, {{kSwap}}) {}

  static std::string_view own_name(Action) { return "SWAP"; }

  Legal legal(const State& s) const {
    Legal legal = BottomUp::legal(s);
    if (can_swap(s)) legal.add(swap_);
    return legal;
  }
  static bool can_left(const State& s) { return s.buffer_has_words() && s.depth > 1; }

  void apply(auto& s, MoveId c) const {
    const auto [action, label] = moves_[c];
    if (action == Action::Shift) {
      s.shift();
      return;
    }
    const int32_t top = s.pop();
    if (action == kSwap)
      s.insert(top, 1);
    else
      s.add_arc(action == Action::Left ? s.N(0) : s.S(0), top, label);
  }

  ArcEnds arc_of(const State& s, MoveId c) const {
    return {moves_[c].action == Action::Left ? s.N(0) : s.S(1), s.S(0)};
  }

  // SWAP is right exactly if the two words stand in the wrong order, and then nothing else is. The other
  // moves cost the gold arcs that they rule out, if SWAP is taken when and only when it is right from here
  // on: what will go back into the buffer can have any arc with what is left.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const int32_t s0 = s.S(0), s1 = s.S(1), n0 = s.next();
    const bool swaps = must_swap(s, gold);
    const Legal legal = this->legal(s);
    for (Range range : legal.ranges()) {
      const Action action = moves_[range.begin].action;
      int32_t head = kNone, dependent = kNone, lost = 0;
      if (action == kSwap) {
        lost = !swaps;
      } else if (action == Action::Shift) {
        lost = shift_cost(s, gold);
      } else {
        head = action == Action::Left ? n0 : s1;
        dependent = s0;
        lost = pop_cost(s, gold, head);
      }
      if (swaps && action != kSwap) lost = std::max(lost, 1);
      arc_costs(moves_, gold, range, head, dependent, lost, costs);
    }
  }

  // Words are swapped at once, and arcs made as soon as the dependent has all its own.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t s0 = s.S(0);
    if (must_swap(s, gold)) return swap_.begin;
    if (s0 == kRoot || awaits_dependents(s, gold, s0)) return legal(s).first();
    if (can_left(s) && gold.head(s0) == s.next()) return move_with_label(moves_, left_, gold.label(s0));
    if (can_right(s) && gold.head(s0) == s.S(1)) return move_with_label(moves_, right(s), gold.label(s0));
    return legal(s).first();
  }

 private:
  // Once words are swapped, LEFT makes arcs to the right as well.
  static ArcLabels either_way(ArcLabels labels) {
    for (int32_t label : labels.right)
      if (std::find(labels.left.begin(), labels.left.end(), label) == labels.left.end())
        labels.left.push_back(label);
    labels.right = labels.left;
    return labels;
  }

  static bool can_swap(const State& s) {
    if (!s.buffer_has_words() || s.depth <= 1 || s.S(0) > s.next()) return false;
    const int32_t passed = s.N(kMostPassed);
    return passed == kNone || passed > s.next();
  }
  static bool must_swap(const State& s, const Gold& gold) {
    return can_swap(s) && gold.place(s.S(0)) > gold.place(s.next());
  }

  // Whatever has no head is on the stack or in the buffer.
  static bool in_buffer(const State& s, int32_t word) { return !s.on_stack(word) && !s.has_head(word); }
  static bool awaits_dependents(const State& s, const Gold& gold, int32_t word) {
    for (int32_t d : gold.dependents(word))
      if (!s.has_head(d)) return true;
    return false;
  }

  // Whether a word that lies on the stack then goes back, when the last of those comes that overtake it.
  static bool goes_back(const State& s, const Gold& gold, int32_t word) {
    const int32_t overtaker = gold.last_overtaker(word);
    return overtaker != kNone && overtaker != s.next() && in_buffer(s, overtaker);
  }

  // b joins the stack, and stays there: heads under s0, and all its dependents there, are lost to it.
  static int32_t shift_cost(const State& s, const Gold& gold) {
    const int32_t n0 = s.next();
    if (goes_back(s, gold, n0)) return 0;
    const int32_t head = gold.head(n0);
    int32_t lost = head != kNone && head != s.S(0) && s.on_stack(head);
    for (int32_t d : gold.dependents(n0)) lost += s.on_stack(d);
    return lost;
  }
  // s0 leaves: its dependents in the buffer, and heads that it could still have had, are lost. Had it gone
  // back, those on the stack are as well.
  static int32_t pop_cost(const State& s, const Gold& gold, int32_t new_head) {
    const int32_t s0 = s.S(0), head = gold.head(s0);
    const bool goes = goes_back(s, gold, s0);
    int32_t lost = 0;
    for (int32_t d : gold.dependents(s0)) lost += goes ? !s.has_head(d) : in_buffer(s, d);
    if (head == new_head || head == kNone) return lost;
    return lost + (goes ? !s.has_head(head) : head == s.S(1) || (head != kRoot && in_buffer(s, head)));
  }

  Range swap_ = moves_.of(kSwap);
};

}  // namespace arcwise
