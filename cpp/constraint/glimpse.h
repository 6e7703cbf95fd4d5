// States as they would be after a move, for asking what it leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "task/stack_state.h"

namespace arcwise {

// A state after a move: systems apply it as to any other, but nothing is copied and nothing has to be taken
// back.
class Glimpse {
 public:
  void look(const StackState& state) {
    state_ = &state;
    kept_ = state.depth;
    pushed_.clear();
    next_ = state.next();
    head_ = dependent_ = gone_ = kNone;
  }

  // The arc that the move adds, and the word that can have no more dependents after it; kNone if none.
  int32_t head() const { return head_; }
  int32_t dependent() const { return dependent_; }
  int32_t gone() const { return gone_; }
  int32_t next() const { return next_; }
  int32_t depth() const { return kept_ + static_cast<int32_t>(pushed_.size()); }
  int32_t head_of(int32_t node) const { return node == dependent_ ? head_ : state_->tree.output_head(node); }

  // What systems ask and do as they apply a move.
  bool buffer_has_words() const { return next_ <= state_->words(); }
  int32_t S(int32_t i) const { return i < depth() ? from_bottom(depth() - 1 - i) : kNone; }
  int32_t N(int32_t i) const { return next_ + i <= state_->words() + 1 ? next_ + i : kNone; }
  bool has_head(int32_t node) const { return head_of(node) != kNone; }
  int32_t from_bottom(int32_t i) const { return i < kept_ ? state_->stack[i] : pushed_[i - kept_]; }
  void shift() { push(next_++); }
  void push(int32_t node) { pushed_.push_back(node); }
  int32_t pop() {
    gone_ = S(0);
    if (pushed_.empty())
      --kept_;
    else
      pushed_.pop_back();
    return gone_;
  }
  void add_arc(int32_t head, int32_t dependent, int32_t) {
    head_ = head > state_->words() ? kRoot : head;
    dependent_ = dependent;
  }

 private:
  const StackState* state_ = nullptr;
  int32_t kept_ = 0;  // of the stack as it was
  std::vector<int32_t> pushed_;
  int32_t next_ = 1, head_ = kNone, dependent_ = kNone, gone_ = kNone;
};

// Easy-first's list after a move: as a stack whose words have no heads, and no buffer.
class ListGlimpse {
 public:
  ListGlimpse(const auto& state, int32_t gone, std::vector<int32_t>& room) : list_(room), gone_(gone) {
    words_ = state.words();
    list_.clear();
    for (int32_t node = state.after[kRoot]; node != kNone; node = state.after[node])
      if (node != gone) list_.push_back(node);
  }
  int32_t gone() const { return gone_; }
  int32_t next() const { return words_ + 1; }
  int32_t depth() const { return static_cast<int32_t>(list_.size()); }
  int32_t from_bottom(int32_t i) const { return list_[i]; }
  bool has_head(int32_t) const { return false; }

 private:
  std::vector<int32_t>& list_;
  int32_t gone_, words_;
};

}  // namespace arcwise
