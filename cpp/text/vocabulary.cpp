#include "text/vocabulary.h"

#include <bit>
#include <stdexcept>
#include <unordered_set>

namespace arcwise {

Vocabulary::Vocabulary(std::span<const uint64_t> keys, int bits)
    : known_bits_(bits < 64 ? (uint64_t{1} << bits) - 1 : UINT64_MAX), count_(keys.size()) {
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

namespace {

constexpr size_t kBytes = kShortKeyBits / 8;

}  // namespace

std::optional<std::vector<uint8_t>> short_keys(std::span<const uint64_t> keys) {
  std::unordered_set<uint64_t> known;
  std::vector<uint8_t> bytes;
  for (const uint64_t key : keys) {
    if (!known.insert(key & ((uint64_t{1} << kShortKeyBits) - 1)).second) return std::nullopt;
    for (size_t i = 0; i < kBytes; ++i) bytes.push_back(static_cast<uint8_t>(key >> 8 * i));
  }
  return bytes;
}

std::vector<uint64_t> from_short_keys(std::span<const uint8_t> bytes) {
  if (bytes.size() % kBytes != 0)
    throw std::invalid_argument("The vocabulary is damaged: its last key is not whole.");
  std::vector<uint64_t> keys(bytes.size() / kBytes, 0);
  for (size_t i = 0; i < bytes.size(); ++i) keys[i / kBytes] |= uint64_t{bytes[i]} << 8 * (i % kBytes);
  return keys;
}

}  // namespace arcwise
