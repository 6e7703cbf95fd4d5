// Arc-standard (Nivre 2004): both arcs within the stack.
//
// It is not arc-decomposable (Goldberg & Nivre 2013, 4.3): gold arcs of which each can be reached may rule
// each other out, so that a dynamic oracle has to look for the best tree that can still be built (Goldberg,
// Sartorio & Satta 2014). Words of the stack are joined from the top down, each with everything between it
// and some place in the buffer, which has become one tree by then. Two things keep the search small.
//
// What takes part are the words of the stack, and those of the buffer that have a gold arc with one of them:
// every other gold arc of the buffer can be built whatever else is. Of the words in the buffer that take
// part, one can only be a descendant of the next, as gold trees are projective: in between and on the other
// side arcs would cross.
//
// So a tree over the top i words of the stack and the first j words that take part in the buffer, with the
// root h, comes from one over less by joining its root with the next word of the stack, or of the buffer,
// either way; or by leaving the next word of the buffer to the one after it.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "task/bottom_up.h"

namespace arcwise {

class ArcStandard : public BottomUp<ArcStandard> {
 public:
  static constexpr std::string_view kName = "arc-standard";
  static constexpr bool kDynamicOracle = true;
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

  ArcEnds arc_of(const State& s, MoveId c) const {
    if (moves_[c].action == Action::Right) return {s.S(1), s.S(0)};
    return {s.S(0), s.S(1)};
  }

  // A node has all its arcs until it is popped: from the top by RIGHT, from under it by LEFT.
  enum RiskOf : uint8_t { kRightArc, kLeftArc };
  static constexpr std::array kRisks = {Risk{Slot::S0, set_of(Action::Right)},
                                        Risk{Slot::S1, set_of(Action::Left)}};
  static constexpr RisksOfArc risks_of(Action, bool /*from_root*/) {
    return {.dependent = set_of(kRightArc, kLeftArc), .head = set_of(kRightArc, kLeftArc)};
  }

  // What is lost after a move less what is lost after the best one.
  void costs(const State& s, const Gold& gold, float* costs) const {
    thread_local LostArcs lost_arcs;
    const int32_t s0 = s.S(0), s1 = s.S(1);
    const Legal legal = this->legal(s);
    int32_t losses[kMostGroups], least = 0;
    for (size_t r = 0; r < legal.ranges().size(); ++r) {
      const Action action = moves_[legal.ranges()[r].begin].action;
      if (legal.ranges().size() == 1)
        losses[r] = 0;
      else if (action == Action::Shift)
        losses[r] = lost_arcs.after(s, gold, single_root_, 0, s.next(), s.next() + 1);
      else if (action == Action::Left)
        losses[r] =
            lost_by_leaving(s, gold, s1, s0) + lost_arcs.after(s, gold, single_root_, 2, s0, s.next());
      else
        losses[r] =
            lost_by_leaving(s, gold, s0, s1) + lost_arcs.after(s, gold, single_root_, 1, kNone, s.next());
      least = r == 0 ? losses[r] : std::min(least, losses[r]);
    }
    for (size_t r = 0; r < legal.ranges().size(); ++r) {
      const Range range = legal.ranges()[r];
      const Action action = moves_[range.begin].action;
      const int32_t head = action == Action::Left ? s0 : s1, dependent = action == Action::Left ? s1 : s0;
      arc_costs(moves_, gold, range, head, action == Action::Shift ? kNone : dependent, losses[r] - least,
                costs);
    }
  }

  // Arcs as soon as they can be made.
  MoveId static_move(const State& s, const Gold& gold) const {
    const int32_t s1 = s.S(1);
    if (can_left(s) && gold.head(s1) == s.S(0)) return move_with_label(moves_, left_, gold.label(s1));
    return static_right_or_shift(s, gold);
  }

 private:
  // Its gold arcs with what is left, but for the one that is made.
  static int32_t lost_by_leaving(const State& s, const Gold& gold, int32_t word, int32_t new_head) {
    const int32_t head = gold.head(word), n0 = s.next();
    int32_t lost = head != kNone && head != new_head && (head >= n0 || s.on_stack(head));
    for (int32_t d : gold.dependents(word)) lost += d >= n0 || s.on_stack(d);
    return lost;
  }

  // How many gold arcs of what is left are lost in a state that is a move away. Words that take part are
  // numbered: those of the stack from the top down, then those of the buffer from the front.
  class LostArcs {
   public:
    // The stack without its top `popped` words but with `pushed`, and the buffer from the word `first` on.
    int32_t after(const State& s, const Gold& gold, bool single_root, int32_t popped, int32_t pushed,
                  int32_t first) {
      take_part(s, gold, popped, pushed, first);
      number_heads(gold, first);
      leave_out_others();
      return arcs_ == 0 ? 0 : arcs_ - most_built(single_root);
    }

   private:
    static constexpr int32_t kImpossible = std::numeric_limits<int32_t>::min() / 2;
    // Of more words of the stack or of the buffer, those further away are taken for reachable: what a move
    // costs so far off decides nothing, and the search would take long.
    static constexpr size_t kMost = 96;

    void take_part(const State& s, const Gold& gold, int32_t popped, int32_t pushed, int32_t first) {
      nodes_.clear();
      if (pushed != kNone) nodes_.push_back(pushed);
      for (int32_t i = popped; i < s.depth && nodes_.size() < kMost; ++i) nodes_.push_back(s.S(i));
      on_stack_ = nodes_.size();
      for (size_t i = 0; i < on_stack_; ++i) {
        if (gold.head(nodes_[i]) >= first) nodes_.push_back(gold.head(nodes_[i]));
        const auto dependents = gold.dependents(nodes_[i]);
        for (auto d = dependents.rbegin(); d != dependents.rend() && *d >= first; ++d) nodes_.push_back(*d);
      }
      const auto buffer = nodes_.begin() + static_cast<std::ptrdiff_t>(on_stack_);
      std::sort(buffer, nodes_.end());
      nodes_.erase(std::unique(buffer, nodes_.end()), nodes_.end());
      nodes_.resize(std::min(nodes_.size(), on_stack_ + kMost));
    }

    // Who is whose head, among those that take part.
    void number_heads(const Gold& gold, int32_t first) {
      numbers_.resize(std::max(numbers_.size(), static_cast<size_t>(gold.words()) + 2), kNone);
      for (size_t i = 0; i < nodes_.size(); ++i) numbers_[nodes_[i]] = static_cast<int32_t>(i);
      heads_.clear();
      for (size_t i = 0; i < nodes_.size(); ++i) {
        int32_t head = gold.head(nodes_[i]);
        // What lies between in the buffer comes along. No tree is so deep that the steps would run out.
        if (i >= on_stack_)
          for (int32_t steps = gold.words(); head >= first && numbers_[head] == kNone; --steps)
            head = steps > 0 ? gold.head(head) : kNone;
        heads_.push_back(head == kNone ? kNone : numbers_[head]);
      }
      for (int32_t node : nodes_) numbers_[node] = kNone;
    }

    // A word without arcs becomes a dependent of whatever it is joined with, and is in nobody's way.
    void leave_out_others() {
      arcs_ = 0;
      new_numbers_.assign(nodes_.size(), kNone);
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (heads_[i] == kNone) continue;
        ++arcs_;
        new_numbers_[i] = new_numbers_[heads_[i]] = 0;
      }
      if (arcs_ == 0) return;
      int32_t kept = 0, on_stack = 0;
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (new_numbers_[i] == kNone) continue;
        new_numbers_[i] = kept++;
        on_stack += i < on_stack_;
      }
      ends_in_root_ = new_numbers_[on_stack_ - 1] != kNone && nodes_[on_stack_ - 1] == kRoot;
      for (size_t i = 0; i < nodes_.size(); ++i)
        if (new_numbers_[i] != kNone)
          heads_[new_numbers_[i]] = heads_[i] == kNone ? kNone : new_numbers_[heads_[i]];
      size_ = kept;
      stack_size_ = on_stack;
    }

    int32_t gain(int32_t head, int32_t dependent) const { return heads_[dependent] == head; }

    int32_t most_built(bool single_root) {
      // ROOT comes last, and has one dependent.
      const bool root_is_last = single_root && ends_in_root_;
      const int32_t root = ends_in_root_ ? stack_size_ - 1 : kNone;
      const int32_t left = root_is_last ? stack_size_ - 1 : stack_size_, right = size_ - stack_size_;
      if (left == 0) return 1;
      // The most arcs of a tree with the root h over the top i words and the next j: best_[j * size + h].
      const auto cells = static_cast<size_t>((right + 1) * size_);
      best_.assign(cells, kImpossible);
      best_[0] = 0;
      for (int32_t i = 1;; ++i) {
        if (i < left) below_.assign(cells, kImpossible);
        for (int32_t j = 0; j <= right; ++j) {
          const int32_t* now = best_.data() + j * size_;
          const int32_t next = stack_size_ + j;  // of the buffer
          for (int32_t h = 0; h < next; h = h + 1 == i ? stack_size_ : h + 1) {
            if (now[h] < 0) continue;
            if (i < left) {
              raise(below_[j * size_ + i], now[h] + gain(i, h));
              if (i != root) raise(below_[j * size_ + h], now[h] + gain(h, i));
            }
            if (j < right) {
              int32_t* after = best_.data() + (j + 1) * size_;
              const bool waits = heads_[next] == next + 1;
              raise(after[h], now[h] + std::max(gain(h, next), static_cast<int32_t>(waits)));
              if (h != root) raise(after[next], now[h] + gain(next, h));
            }
          }
        }
        if (i >= left) break;
        best_.swap(below_);
      }
      int32_t most = 0;
      const int32_t* last = best_.data() + right * size_;
      for (int32_t h = 0; h < size_; ++h)
        if (last[h] >= 0) most = std::max(most, last[h] + (root_is_last ? gain(root, h) : 0));
      return most;
    }
    static void raise(int32_t& value, int32_t to) { value = std::max(value, to); }

    std::vector<int32_t> nodes_, numbers_, heads_, new_numbers_, best_, below_;
    size_t on_stack_ = 0;  // of the nodes
    int32_t arcs_ = 0, size_ = 0, stack_size_ = 0;
    bool ends_in_root_ = false;
  };
};

}  // namespace arcwise
