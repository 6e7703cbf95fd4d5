#include "network/token_inputs.h"

#include <bit>
#include <stdexcept>

#include "feature/hash.h"

namespace arcwise {

TokenInputs::TokenInputs(TokenInputOptions options) : options_(std::move(options)) {
  if (options_.inputs.empty()) throw std::invalid_argument("There is no input for words: give at least one.");
  if (options_.longest_affix < 1 || options_.longest_affix > 32)
    throw std::invalid_argument("Prefixes and suffixes have 1 to 32 characters.");
  for (TokenInput input : options_.inputs) {
    bool& has = has_[static_cast<size_t>(input)];
    if (has) throw std::invalid_argument("An input for words is there twice.");
    has = true;
  }
}

uint64_t TokenInputs::key(TokenInput input, std::string_view text, int characters) {
  return hash_bytes(text, mix(static_cast<uint64_t>(input) + 1 + 256 * static_cast<uint64_t>(characters)));
}

Vocabulary::Vocabulary(std::span<const uint64_t> keys) : count_(keys.size()) {
  slots_.assign(std::bit_ceil(2 * keys.size() + 2), {});
  mask_ = slots_.size() - 1;
  int32_t next = kFirstRow;
  for (uint64_t key : keys) {
    size_t at = key & mask_;
    for (; slots_[at].row != kMissing; at = (at + 1) & mask_)
      if (slots_[at].key == key)
        throw std::invalid_argument("The vocabulary is damaged: a key is there twice.");
    slots_[at] = {key, next++};
  }
}

}  // namespace arcwise
