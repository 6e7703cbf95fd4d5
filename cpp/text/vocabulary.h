// Keys that have a row in a table of embeddings, or in another, and which. The first rows are ROOT's and the
// unknown words'.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

class Vocabulary {
 public:
  static constexpr int32_t kMissing = -1;
  static constexpr int32_t kRootRow = 0;
  static constexpr int32_t kFirstRow = 4;  // of a key

  Vocabulary() = default;
  // The keys in the order of their rows, as they are or the last bits of them. Throws std::invalid_argument
  // if one is there twice.
  explicit Vocabulary(std::span<const uint64_t> keys, int bits = 64);

  int32_t rows() const { return kFirstRow + static_cast<int32_t>(count_); }
  int32_t row(uint64_t key) const {
    key &= known_bits_;
    for (size_t at = key & mask_;; at = (at + 1) & mask_) {
      if (slots_[at].row == kMissing || slots_[at].key == key) return slots_[at].row;
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;
    int32_t row = kMissing;
  };
  std::vector<Slot> slots_{Slot{}};
  uint64_t known_bits_ = UINT64_MAX;
  size_t mask_ = 0;
  size_t count_ = 0;
};

// What models have of keys: their last 40 bits. Another word than those that have a row is taken for one of
// them once in 2^40 divided by their number.
inline constexpr int kShortKeyBits = 40;
// Five bytes each; none, if two keys have them in common.
std::optional<std::vector<uint8_t>> short_keys(std::span<const uint64_t> keys);
// Their keys, but for the other bits. Throws std::invalid_argument if there are bytes left.
std::vector<uint64_t> from_short_keys(std::span<const uint8_t> bytes);

}  // namespace arcwise
