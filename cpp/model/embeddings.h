// The embeddings of words, frozen: integers of few bits, each row with a factor of its own, and one scale for
// all, so that a word's are added up exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.h"
#include "network/embedding_rows.h"

namespace arcwise {

template <template <class> class Array>
struct EmbeddingParts {
  Array<int8_t> bytes;      // the first rows, in 8 bits
  Array<HalfBytes> halves;  // the others, in 4
  Array<uint16_t> factors;  // of each row
};
struct EmbeddingArrays : EmbeddingParts<PlainVector> {
  float scale = 1;
};

// Rows come by how frequent their inputs are: if there are so many of them, those after have 4 bits at most.
// Most words of a text are among the first, and what is lost of the others does not show.
inline constexpr size_t kFrequentRows = 4096;

// Rows of `width` floats: all in 8 bits, or rare ones in 4. Throws std::invalid_argument if one is not a
// number.
EmbeddingArrays pack_embeddings(std::span<const float> values, size_t width, int bits);

class Embeddings {
 public:
  Embeddings() = default;
  // Throws std::invalid_argument if anything is out of range or does not fit so many rows.
  Embeddings(const EmbeddingParts<ConstSpan>& parts, float scale, size_t rows, size_t width);

  // Some rows.
  struct Rows {
    std::vector<EmbeddingRow<int8_t>> bytes;
    std::vector<EmbeddingRow<HalfBytes>> halves;
    void clear() {
      bytes.clear();
      halves.clear();
    }
  };
  void add(int32_t row, Rows& rows) const {
    const auto r = static_cast<size_t>(row);
    const auto factor = static_cast<int16_t>(factors_[r]);
    if (r < in_bytes_)
      rows.bytes.push_back({bytes_.data() + r * width_, factor});
    else
      rows.halves.push_back({halves_.data() + (r - in_bytes_) * width_ / 2, factor});
  }
  // out = their sum.
  void sum(const Rows& rows, float* out) const {
    sum_embeddings(rows.bytes, rows.halves, width_, scale_, out);
  }

 private:
  size_t width_ = 0, in_bytes_ = 0;  // rows
  HugeVector<int8_t> bytes_;
  HugeVector<HalfBytes> halves_;
  std::vector<uint16_t> factors_;
  float scale_ = 1;
};

}  // namespace arcwise
