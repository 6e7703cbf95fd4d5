// Whether a projective tree that keeps to the rules can still be built from a state.
//
// Eisner's items (1996), each either there or not, over the words that are left. An item is a bit, and what
// joins two of them is a conjunction of rows of bits: a table takes n³/64 steps. The words of the buffer are
// the same in every state, and so are the items that begin there: a state costs those that begin on its
// stack. And n is small: neighbours that no constraint names count as one, unless words have to wait for
// dependents. Any tree in which they are one becomes a tree of theirs with the others as its dependents; and
// of two neighbours in a projective tree, one can have the dependents of both and the head of the one that is
// not below the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraint/arc_rules.h"
#include "task/reachable.h"

namespace arcwise {

// What is left of a sentence in a state: the stack, or easy-first's list, and the buffer.
struct Remains {
  std::vector<int32_t> stack;  // words, the lowest first
  std::vector<bool> has_head;  // of those on the stack: it is the one below, or ROOT
  int32_t next = 1;            // the first word of the buffer
};

class ProjectiveTrees {
 public:
  // The rules must stay where they are. They hold for the sentences to come, until others are set.
  void set(const ArcRules& rules, const Reachable& reachable);
  // The stack may have one word for neighbours that count as one, as add() has it.
  bool any(const Remains& remains);
  void add(int32_t word, bool has_head, Remains& remains) const;

 private:
  // A square of bits, a row for each slot.
  class Bits {
   public:
    void reset(int32_t slots) {
      words_ = (static_cast<size_t>(slots) + 63) / 64;
      bits_.assign(words_ * static_cast<size_t>(slots), 0);
    }
    uint64_t* operator[](int32_t row) { return bits_.data() + words_ * static_cast<size_t>(row); }

   private:
    size_t words_ = 0;
    std::vector<uint64_t> bits_;
  };

  // The words of the buffer have their slots, the stack lies before them, and ROOT before the stack.
  bool is_on_stack(int32_t slot) const { return slot < first_; }
  int32_t place(int32_t slot) const { return slot - bottom_; }  // on the stack; -1 is ROOT
  int32_t node(int32_t slot) const {
    if (!is_on_stack(slot)) return word_at_[slot];
    return slot < bottom_ ? kRoot : state_->stack[place(slot)];
  }
  bool are_alike(int32_t word, int32_t other) const {
    return !reachable_.buried_words_wait && rules_->is_free(word) && rules_->is_free(other) &&
           rules_->home(word) == rules_->home(other);
  }
  void make_room(int32_t depth);
  bool may(int32_t head, int32_t dependent) const;
  bool may_within_stack(int32_t head, int32_t dependent) const;
  bool is_buried(int32_t slot) const {
    return reachable_.buried_words_wait && slot < first_ - 1 && slot >= bottom_;
  }
  int32_t first_slot(int32_t home) const;
  int32_t last_slot(int32_t home) const;
  void extend(int32_t slot);

  const ArcRules* rules_ = nullptr;
  const Remains* state_ = nullptr;
  Reachable reachable_;
  bool completing_ = false;  // the lowest word is the root, and headless ones on the stack may be under it
  int32_t room_ = 0;         // slots before those of words
  std::vector<int32_t> slot_of_, word_at_;
  int32_t first_ = 0, last_ = 0;  // slots of the buffer
  int32_t bottom_ = 0;            // the slot of the lowest word on the stack
  int32_t known_from_ = 0;  // items that begin here or later are those of any state that has not come so far

  // Items by where they end. Complete ones have all dependents on their side, incomplete ones an arc
  // between their ends; `entering` are those whose use is an arc into the subtree of their word.
  Bits complete_right_, complete_left_, incomplete_left_;
  Bits entering_right_, entering_left_;
  // Items that begin in the slot at hand, by where they end.
  std::vector<uint64_t> right_, after_right_, left_, whole_left_, arcs_, entering_arcs_;
};

}  // namespace arcwise
