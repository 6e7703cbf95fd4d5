// Whether a projective tree that keeps to the rules can still be built from a state.
//
// Eisner's items (1996), each either there or not, over the words that are left. An item is a bit, and what
// joins two of them is a conjunction of rows of bits: a table takes n³/64 steps. Words in the buffer are
// always the same, and so are the items that begin there; a state costs what begins on its stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraint/arc_rules.h"
#include "task/reachable.h"

namespace arcwise {

// What is left of a sentence in a state: words on the stack (in easy-first, in the list), and the buffer.
struct Remains {
  std::vector<int32_t> stack;  // without ROOT, the lowest first
  std::vector<int32_t> heads;  // of those on the stack; kNone for one that is to come
  int32_t next = 1;            // the first word of the buffer
};

class ProjectiveTrees {
 public:
  // The rules must stay where they are. They hold for the sentences to come, until others are set.
  void set(const ArcRules& rules);
  bool any(const Remains& remains, const Reachable& reachable);

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

  bool is_on_stack(int32_t slot) const { return slot < state_->next; }
  int32_t place(int32_t slot) const { return slot - bottom_; }  // on the stack; -1 is ROOT
  int32_t node(int32_t slot) const {
    if (!is_on_stack(slot)) return slot;
    return slot < bottom_ ? kRoot : state_->stack[place(slot)];
  }
  bool may(int32_t head, int32_t dependent) const;
  bool may_within_stack(int32_t head, int32_t dependent) const;
  bool is_buried(int32_t slot) const {
    return reachable_.buried_words_wait && slot < state_->next - 1 && slot >= bottom_;
  }
  int32_t first_slot(int32_t home) const;
  int32_t last_slot(int32_t home) const;
  void extend(int32_t slot);

  const ArcRules* rules_ = nullptr;
  const Remains* state_ = nullptr;
  Reachable reachable_;
  bool completing_ = false;  // the lowest word is the root, and headless ones on the stack may be under it
  int32_t last_ = 0;         // the last slot
  int32_t bottom_ = 0;       // the slot of the lowest word
  int32_t known_from_ = 0;   // items that begin here or later are those of any state that has not come so far

  // Items by where they end. Complete ones have all dependents on their side, incomplete ones an arc
  // between their ends; `entering` are those whose use is an arc into the subtree of their word.
  Bits complete_right_, complete_left_, incomplete_left_;
  Bits entering_right_, entering_left_;
  // Items that begin in the slot at hand, by where they end.
  std::vector<uint64_t> right_, after_right_, left_, whole_left_, arcs_, entering_arcs_;
};

}  // namespace arcwise
