// Rows of embeddings in few bits, and their sums, in the widest vectors the machine has: integers, which add
// up to the same in any order, so that every machine gives the same trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

// Two numbers of 4 bits in a byte: each 8 bytes are 16 numbers, of which the lower halves are the first 8. A
// half h stands for the odd number 2h - 15: so the numbers lie on both sides of 0 alike.
using HalfBytes = uint8_t;
inline constexpr int kMostHalf = 15;
constexpr int of_half(int half) { return 2 * half - kMostHalf; }

// A row's numbers times its factor have 16 bits.
template <class Number>
struct EmbeddingRow {
  const Number* numbers;
  int16_t factor;
};
inline constexpr int kMostFactorOfBytes = (1 << 15) / 128, kMostFactorOfHalves = (1 << 15) / kMostHalf;

// out = scale times the sum of rows of so many numbers, a multiple of 16. No more than kMostRows are added
// up.
inline constexpr size_t kMostRows = INT32_MAX / (1 << 15);
void sum_embeddings(std::span<const EmbeddingRow<int8_t>> bytes,
                    std::span<const EmbeddingRow<HalfBytes>> halves, size_t width, float scale, float* out);

}  // namespace arcwise
