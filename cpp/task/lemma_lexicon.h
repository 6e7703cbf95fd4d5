// Which rules lead to the lemmas of words that were seen, by the keys of their forms and tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace arcwise {

class LemmaLexicon {
 public:
  // A rule for each key. Throws std::invalid_argument if a key is there twice.
  LemmaLexicon(std::span<const uint32_t> keys, std::span<const int32_t> rules);

  // The number of a rule, or kNone.
  int32_t find(uint32_t key) const {
    for (size_t at = key & mask_;; at = (at + 1) & mask_)
      if (slots_[at].rule == kNone || slots_[at].key == key) return slots_[at].rule;
  }
  // Asks for what find() will look at.
  void prefetch(uint32_t key) const { __builtin_prefetch(&slots_[key & mask_]); }

 private:
  struct Slot {
    uint32_t key = 0;
    int32_t rule = kNone;
  };
  std::vector<Slot> slots_;
  size_t mask_;
};

}  // namespace arcwise
