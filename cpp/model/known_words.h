// What a network makes of words before it looks at their neighbours, by a hash of their columns: most words
// have been there before. A set of slots has room for few words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/huge_pages.h"

namespace arcwise {

struct KnownWordStatistics {
  uint64_t asked = 0, known = 0;
  void operator+=(const KnownWordStatistics& other) {
    asked += other.asked;
    known += other.known;
  }
};

class KnownWords {
 public:
  // Of words with so many numbers, and so many products in the first layer.
  KnownWords(size_t width, size_t products)
      : width_(width),
        products_(products),
        slots_(kSlots),
        sums_(huge<float>(kSlots * width)),
        of_first_layer_(huge<int16_t>(kSlots * products)) {}

  struct Word {
    const float* sum = nullptr;  // of its embeddings; none: the word is not known
    const int16_t* products = nullptr;
    float scale = 0;  // of products
  };
  Word find(uint64_t hash) {
    ++statistics_.asked;
    for (size_t slot = first_slot(hash), end = slot + kSlotsOfSet; slot < end; ++slot) {
      if (slots_[slot].hash != hash) continue;
      ++statistics_.known;
      slots_[slot].uses = std::min(slots_[slot].uses + 1, kMostUses);
      const int16_t* products = of_first_layer_.get() + slot * products_;
      for (size_t i = 0; i < products_; i += kLine) __builtin_prefetch(products + i, 0, 2);
      return {sums_.get() + slot * width_, products, slots_[slot].scale};
    }
    return {};
  }
  // Takes the place of a word that has not been asked for more often than others have wanted its place.
  void add(uint64_t hash, const Word& word) {
    const auto set = slots_.begin() + static_cast<ptrdiff_t>(first_slot(hash));
    if (std::any_of(set, set + kSlotsOfSet, [&](const Slot& slot) { return slot.hash == hash; })) return;
    const auto by_use = [](const Slot& a, const Slot& b) { return a.uses < b.uses; };
    const auto taken = std::min_element(set, set + kSlotsOfSet, by_use);
    if (--taken->uses >= 0) return;
    *taken = {hash, word.scale, 0};
    const auto slot = static_cast<size_t>(taken - slots_.begin());
    std::copy_n(word.sum, width_, sums_.get() + slot * width_);
    std::copy_n(word.products, products_, of_first_layer_.get() + slot * products_);
  }

  const KnownWordStatistics& statistics() const { return statistics_; }

  // Of what is seen of a word; never 0.
  static uint64_t hash_of(std::string_view columns) { return hash_bytes(columns, 0) | 1; }

 private:
  static constexpr size_t kSlots = 1 << 12, kSlotsOfSet = 4, kLine = 64 / sizeof(int16_t);
  static constexpr int32_t kMostUses = 15;

  struct Slot {
    uint64_t hash = 0;
    float scale = 0;
    int32_t uses = 0;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  template <class T>
  using HugeArray = std::unique_ptr<T[], Free>;
  template <class T>
  static HugeArray<T> huge(size_t count) {
    return HugeArray<T>(HugePageAllocator<T>().allocate(count));
  }
  static size_t first_slot(uint64_t hash) { return (hash >> 32) % kSlots / kSlotsOfSet * kSlotsOfSet; }

  size_t width_, products_;
  std::vector<Slot> slots_;
  // Touched only where there is a word.
  HugeArray<float> sums_;
  HugeArray<int16_t> of_first_layer_;
  KnownWordStatistics statistics_;
};

}  // namespace arcwise
