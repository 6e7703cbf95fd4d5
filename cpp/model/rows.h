// Sums of rows of weights: the innermost loops of parsing, in the widest vectors the machine has. Integers
// add up to the same in any order, so that every machine gives the same trees.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// So many rows of weights no larger than that can be added up in 16 bits.
inline constexpr size_t kRowsAtOnce = 16;
inline constexpr int32_t kMostWeight = 2032;
inline constexpr int kMostShift = 4;
// Where a row has the power of two that its weights are multiplied with.
inline constexpr size_t kRowShift = 3;

// Adds rows of `width` weights, a multiple of 64, to as many scores.
void add_rows(const int8_t* const* rows, size_t count, size_t width, int32_t* scores);

// The sum of two vectors of scores.
void sum_scores(const int32_t* a, const int32_t* b, size_t width, int32_t* scores);

// Adds scores to others.
void add_scores(const int32_t* more, size_t width, int32_t* scores);

}  // namespace arcwise
