// A transition system under constraints: the same system, with no legal moves but those after which a tree
// that keeps to the rules can still be built. So every search honours them, and none comes to a dead end.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "constraint/arc_rules.h"
#include "constraint/projective_trees.h"
#include "oracle/costs.h"
#include "task/task.h"

namespace arcwise {

// What a move does, and what it leaves.
struct Outcome {
  int32_t head = kNone, dependent = kNone;  // the arc that it adds
  int32_t gone = kNone;                     // the word that can have no more dependents
  int32_t head_of_gone = kNone;
  Remains remains;
};

// The stack and the buffer after a move: systems apply it as to any other state, and nothing has to be taken
// back.
class Glimpse {
 public:
  explicit Glimpse(const StackState& state, Outcome& outcome)
      : state_(state), outcome_(outcome), stack_(outcome.remains.stack), next_(outcome.remains.next) {
    stack_.assign(state.stack.begin(), state.stack.begin() + state.depth);
    next_ = state.next;
    outcome.head = outcome.dependent = outcome.gone = kNone;
  }
  void finish() {
    if (!stack_.empty() && stack_.front() == kRoot) stack_.erase(stack_.begin());
    outcome_.remains.heads.clear();
    for (int32_t node : stack_) outcome_.remains.heads.push_back(head(node));
    outcome_.head_of_gone = outcome_.gone == kNone ? kNone : head(outcome_.gone);
  }

  bool buffer_has_words() const { return next_ <= state_.words(); }
  int32_t S(int32_t i) const { return i < depth() ? stack_[depth() - 1 - i] : kNone; }
  int32_t N(int32_t i) const { return next_ + i <= state_.words() + 1 ? next_ + i : kNone; }
  bool has_head(int32_t node) const { return head(node) != kNone; }
  int32_t from_bottom(int32_t i) const { return stack_[i]; }
  void shift() { push(next_++); }
  void push(int32_t node) { stack_.push_back(node); }
  int32_t pop() {
    outcome_.gone = stack_.back();
    stack_.pop_back();
    return outcome_.gone;
  }
  void add_arc(int32_t head, int32_t dependent, int32_t) {
    outcome_.head = head > state_.words() ? kRoot : head;
    outcome_.dependent = dependent;
  }

 private:
  int32_t depth() const { return static_cast<int32_t>(stack_.size()); }
  int32_t head(int32_t node) const {
    return node == outcome_.dependent ? outcome_.head : state_.tree.output_head(node);
  }

  const StackState& state_;
  Outcome& outcome_;
  std::vector<int32_t>& stack_;
  int32_t& next_;
};

// One for each worker: the constraints change from sentence to sentence.
template <Task T>
class Constrained : public T {
 public:
  using State = typename T::State;

  // `plain` has the label of moves that stands for each label, or -1.
  Constrained(const T& task, std::span<const int32_t> plain) : T(task), plain_(plain) {}

  // The rules of the sentences to come, which must stay where they are, and the labels that words must have,
  // -1 where none; without rules, anything goes.
  void set(const ArcRules* rules, std::span<const int32_t> labels) {
    rules_ = rules;
    labels_ = labels;
    if (rules != nullptr) trees_.set(*rules);
  }

  Legal legal(const State& s, int32_t site = 0) const {
    const Legal all = T::legal(s, site);
    if (rules_ == nullptr) return all;
    Legal allowed;
    for (Range range : all.ranges()) {
      // Where nothing else is left, this must be the way.
      const bool is_last = T::kSingleSite && range.end == all.ranges().back().end;
      look(s, site, range.begin);
      if ((is_last && allowed.size() == 0) || leaves_a_tree()) allowed.add(with_label(range));
    }
    return allowed;
  }

  // For searches that look at sites one at a time. What one arc alone does wrong, it always will; whether it
  // leaves a tree depends on all that has been built.
  Legal possible(const State& s, int32_t site) const {
    const Legal all = T::legal(s, site);
    if (rules_ == nullptr) return all;
    Legal possible;
    for (Range range : all.ranges()) {
      look(s, site, range.begin);
      if (rules_->may(outcome_.head, outcome_.dependent)) possible.add(with_label(range));
    }
    return possible;
  }
  bool leaves_a_tree(const State& s, int32_t site, Class move) const {
    if (rules_ == nullptr) return true;
    look(s, site, move);
    return leaves_a_tree();
  }

 private:
  void look(const State& s, int32_t site, Class move) const {
    if constexpr (T::kSingleSite) {
      Glimpse after(s, outcome_);
      T::apply(after, site, move);
      after.finish();
    } else {
      const int32_t right = s.after[site];
      outcome_.head = outcome_.head_of_gone = T::head_of(s, site, move);
      outcome_.dependent = outcome_.gone = outcome_.head == site ? right : site;
      Remains& remains = outcome_.remains;
      remains.stack.clear();
      for (int32_t node = s.after[kRoot]; node != kNone; node = s.after[node])
        if (node != outcome_.gone) remains.stack.push_back(node);
      remains.heads.assign(remains.stack.size(), kNone);
      remains.next = s.words() + 1;
    }
  }

  bool leaves_a_tree() const {
    if (outcome_.dependent != kNone && !rules_->may(outcome_.head, outcome_.dependent)) return false;
    if (outcome_.gone != kNone && rules_->enters(outcome_.head_of_gone, outcome_.gone) && is_torn())
      return false;
    return trees_.any(outcome_.remains, T::kReachable);
  }
  // The root of a subtree is gone: is any of its words left?
  bool is_torn() const {
    const auto& [first, last, parent] = rules_->subtrees()[rules_->home(outcome_.gone)];
    const auto& stack = outcome_.remains.stack;
    const auto word = std::ranges::lower_bound(stack, first);
    return outcome_.remains.next <= last || (word != stack.end() && *word <= last);
  }

  // The moves with the label that the dependent must have; where the model knows none, whichever label it
  // prefers will be replaced in the end.
  Range with_label(Range range) const {
    if (outcome_.dependent == kNone || labels_[outcome_.dependent - 1] < 0) return range;
    const int32_t label = plain_[labels_[outcome_.dependent - 1]];
    const Class move = move_with_label(T::moves(), range, label);
    return T::moves()[move].label == label ? Range{move, move + 1} : range;
  }

  std::span<const int32_t> plain_;
  const ArcRules* rules_ = nullptr;
  std::span<const int32_t> labels_;
  // Room to work in.
  mutable Outcome outcome_;
  mutable ProjectiveTrees trees_;
};

}  // namespace arcwise
