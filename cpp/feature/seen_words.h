// Words that training has seen in lower case, and such as it has seen without a period after them: one that
// begins a sentence is more often of the first, and one before the period that ends it, of the second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "text/raw_text.h"

namespace arcwise {

class SeenWords {
 public:
  enum Seen : uint8_t { kInLowerCase = 1, kWithoutPeriod = 2 };
  static constexpr uint64_t kHow = kInLowerCase | kWithoutPeriod;  // the bits of a word that say how

  SeenWords() = default;
  // Hashes of words, whose last bits say how they were seen.
  explicit SeenWords(std::span<const uint64_t> words);

  std::span<const uint64_t> words() const { return words_; }

  // How a word was seen, by its hash.
  uint8_t how(uint64_t hash) const {
    if (words_.empty()) return 0;
    for (size_t at = place(hash);; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at] == 0) return 0;
      if ((table_[at] ^ hash) <= kHow) return static_cast<uint8_t>(table_[at] & kHow);
    }
  }

 private:
  size_t place(uint64_t hash) const { return hash >> shift_; }

  std::vector<uint64_t> words_;  // in order
  std::vector<uint64_t> table_;
  int shift_ = 63;
};

// Learns the words of texts.
class SeenWordCounts {
 public:
  void add(const RawText& text);
  SeenWords words() const;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace arcwise
