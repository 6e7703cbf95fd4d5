#include "network/token_inputs.h"

#include <stdexcept>

#include "base/hash.h"

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

}  // namespace arcwise
