#include "task/lemma_lexicon.h"

#include <bit>
#include <stdexcept>

namespace arcwise {

LemmaLexicon::LemmaLexicon(std::span<const uint32_t> keys, std::span<const int32_t> rules)
    // At least a quarter is free: the smaller it is, the more of it stays in the cache.
    : slots_(std::bit_ceil(keys.size() + keys.size() / 3 + 2)), mask_(slots_.size() - 1) {
  for (size_t i = 0; i < keys.size(); ++i) {
    size_t at = keys[i] & mask_;
    for (; slots_[at].rule != kNone; at = (at + 1) & mask_)
      if (slots_[at].key == keys[i])
        throw std::invalid_argument("The vocabulary is damaged: a key is there twice.");
    slots_[at] = {keys[i], rules[i]};
  }
}

}  // namespace arcwise
