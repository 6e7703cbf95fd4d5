// What a network makes of words before it looks at their neighbours, by a hash of their columns: most words
// have been there before. A slot has room for one word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace arcwise {

class KnownWords {
 public:
  // Of words with so many numbers, and so many products in the first layer.
  KnownWords(size_t width, size_t products)
      : width_(width),
        products_(products),
        sum_hashes_(kSlots, 0),
        product_hashes_(kSlots, 0),
        uses_(kSlots, 0),
        scales_(kSlots),
        sums_(std::make_unique_for_overwrite<float[]>(kSlots * width)),
        of_first_layer_(std::make_unique_for_overwrite<int16_t[]>(kSlots * products)) {}

  // Where the sum of a word's embeddings is, and whether it is there. If not, it is to be written there, and
  // that said afterwards.
  std::pair<float*, bool> sum(uint64_t hash) {
    const size_t slot = slot_of(hash);
    const bool known = sum_hashes_[slot] == hash;
    if (!known) sum_hashes_[slot] = 0;
    return {sums_.get() + slot * width_, known};
  }
  void has_sum(uint64_t hash) { sum_hashes_[slot_of(hash)] = hash; }

  struct Products {
    const int16_t* products = nullptr;  // none: not known
    float scale = 0;
  };
  // What the first layer makes of a word.
  Products find(uint64_t hash) {
    const size_t slot = slot_of(hash);
    ++statistics_.asked;
    if (product_hashes_[slot] != hash) return {};
    ++statistics_.known;
    uses_[slot] = std::min<uint8_t>(uses_[slot] + 1, kMostUses);
    const int16_t* products = of_first_layer_.get() + slot * products_;
    for (size_t i = 0; i < products_; i += kLine) __builtin_prefetch(products + i, 0, 2);
    return {products, scales_[slot]};
  }
  // A word that has been asked for more often than those that want its slot stays.
  void add(uint64_t hash, const Products& products) {
    const size_t slot = slot_of(hash);
    if (uses_[slot] > 0 && product_hashes_[slot] != hash) {
      --uses_[slot];
      return;
    }
    product_hashes_[slot] = hash;
    scales_[slot] = products.scale;
    std::copy_n(products.products, products_, of_first_layer_.get() + slot * products_);
  }

  struct Statistics {
    uint64_t asked = 0, known = 0;
    void operator+=(const Statistics& other) {
      asked += other.asked;
      known += other.known;
    }
  };
  const Statistics& statistics() const { return statistics_; }

  // Of what is seen of a word; never 0.
  static uint64_t hash_of(std::string_view columns) { return hash_bytes(columns, 0) | 1; }

 private:
  static constexpr size_t kSlots = 1 << 12, kLine = 64 / sizeof(int16_t);
  static constexpr uint8_t kMostUses = 15;
  static size_t slot_of(uint64_t hash) { return (hash >> 32) % kSlots; }

  size_t width_, products_;
  std::vector<uint64_t> sum_hashes_, product_hashes_;
  std::vector<uint8_t> uses_;  // of products, since others wanted their slot
  std::vector<float> scales_;  // of products
  // Touched only where there is a word.
  std::unique_ptr<float[]> sums_;
  std::unique_ptr<int16_t[]> of_first_layer_;
  Statistics statistics_;
};

}  // namespace arcwise
