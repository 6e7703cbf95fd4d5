// Whether a projective tree that keeps to the rules can still be built over the words that are left.
//
// Eisner's items (1996), each either there or not. An item is a bit, and what joins two of them is a
// conjunction of rows of bits: a table takes n³/64 steps. Items that begin in the buffer are the same in
// every state with the same end of the buffer, and so are kept: a state costs those that begin on its stack.
// How n stays small is up to whoever asks (windows.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraint/arc_rules.h"
#include "task/reachable.h"

namespace arcwise {

// What is left of a sentence in a state, or the part of it that matters.
struct Remains {
  std::vector<int32_t> stack;   // words, the lowest first; easy-first: its list
  std::vector<bool> has_head;   // of those on the stack: it is the one below, or ROOT
  std::vector<bool> several;    // of those on the stack: it stands for others, which have the same head
  std::vector<int32_t> buffer;  // words, in their order
  // All that is left is here, and hangs from ROOT; or the first word and the last have heads elsewhere, and
  // all between them hangs from either; or the first alone, and all the others hang from it.
  enum class Top : uint8_t { Root, BothEnds, First } top = Top::Root;
  // Words on the stack that may have dependents which are not here; see ProjectiveTrees::any.
  std::vector<bool> helped;

  void clear() {
    stack.clear();
    has_head.clear();
    several.clear();
    helped.clear();
    buffer.clear();
    top = Top::Root;
  }
  void add(int32_t word, bool has) {
    stack.push_back(word);
    has_head.push_back(has);
    several.push_back(false);
  }
};

class ProjectiveTrees {
 public:
  // The rules must stay where they are. They hold for the sentences to come, until others are set.
  void set(const ArcRules& rules, const Reachable& reachable);
  // With lenience, words that may have dependents elsewhere need not wait for any here.
  bool any(const Remains& remains, bool lenient = false);

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

  // The buffer takes the last slots, the stack lies before it, and ROOT before the stack.
  bool is_on_stack(int32_t slot) const { return slot < first_; }
  int32_t place(int32_t slot) const { return slot - bottom_; }  // on the stack; -1 is ROOT
  int32_t node(int32_t slot) const { return slot < bottom_ ? kRoot : word_at_[slot]; }
  void make_room(int32_t slots);
  void lay_out(const Remains& remains);
  bool hangs_from_root();
  bool may(int32_t head, int32_t dependent) const;
  bool may_within_stack(int32_t head, int32_t dependent) const;
  bool is_buried(int32_t slot) const {
    return reachable_.buried_words_wait && slot < first_ - 1 && slot >= bottom_ &&
           !(lenient_ && state_->helped[place(slot)]);
  }
  int32_t first_slot(int32_t home) const;
  int32_t last_slot(int32_t home) const;
  void extend(int32_t slot);

  const ArcRules* rules_ = nullptr;
  const Remains* state_ = nullptr;
  Reachable reachable_;
  bool lenient_ = false;
  bool completing_ = false;       // the lowest word is the root, and headless ones may be under it
  std::vector<int32_t> word_at_;  // by slot
  int32_t first_ = 0, last_ = 0;  // slots of the buffer
  int32_t bottom_ = 0;            // the slot of the lowest word on the stack
  int32_t known_from_ = 0;        // items that begin here or later are known, and the words of their slots

  // Items by where they end. Complete ones have all dependents on their side, incomplete ones an arc
  // between their ends; `entering` are those whose use is an arc into the subtree of their word.
  Bits complete_right_, complete_left_, incomplete_left_;
  Bits entering_right_, entering_left_;
  // Items that begin in the slot at hand, by where they end.
  std::vector<uint64_t> right_, after_right_, left_, whole_left_, arcs_, entering_arcs_;
};

}  // namespace arcwise
