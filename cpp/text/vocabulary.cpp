#include "text/vocabulary.h"

#include <bit>
#include <stdexcept>

namespace arcwise {

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
