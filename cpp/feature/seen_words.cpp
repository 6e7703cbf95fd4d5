#include "feature/seen_words.h"

#include <bit>

namespace arcwise {

SeenWords::SeenWords(std::span<const uint64_t> words) : words_(words.begin(), words.end()) {
  const size_t size = std::bit_ceil(2 * words_.size() + 2);
  table_.resize(size);
  shift_ = 64 - std::countr_zero(size);
  for (const uint64_t word : words_) {
    size_t at = place(word);
    while (table_[at] != 0) at = (at + 1) & (size - 1);
    table_[at] = word;
  }
}

void SeenWordCounts::add(const RawText& text) {
  each_run(text, [&](int32_t begin, int32_t end) {
    uint64_t how = 0;
    if (text[begin].kind == kLower) how |= SeenWords::kInLowerCase;
    if (text[end - 1].gap != Gap::None || text[end].code != '.') how |= SeenWords::kWithoutPeriod;
    if (how != 0) words_.push_back((text.hash(begin, end) & ~SeenWords::kHow) | how);
  });
}

SeenWords SeenWordCounts::words() const {
  std::vector<uint64_t> words = words_;
  std::sort(words.begin(), words.end());
  size_t count = 0;
  for (const uint64_t word : words) {
    if (count > 0 && (words[count - 1] ^ word) <= SeenWords::kHow)
      words[count - 1] |= word;
    else
      words[count++] = word;
  }
  words.resize(count);
  return SeenWords(words);
}

}  // namespace arcwise
