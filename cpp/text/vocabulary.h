// Keys that have a row in a table of embeddings, or in another, and which. The first rows are ROOT's and the
// unknown words'.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class Vocabulary {
 public:
  static constexpr int32_t kMissing = -1;
  static constexpr int32_t kRootRow = 0;
  static constexpr int32_t kFirstRow = 4;  // of a key

  Vocabulary() = default;
  // The keys in the order of their rows. Throws std::invalid_argument if one is there twice.
  explicit Vocabulary(std::span<const uint64_t> keys);

  int32_t rows() const { return kFirstRow + static_cast<int32_t>(count_); }
  int32_t row(uint64_t key) const {
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
  size_t mask_ = 0;
  size_t count_ = 0;
};

}  // namespace arcwise
