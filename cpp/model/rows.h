// Sums of rows of weights: the innermost loops of parsing, in the widest vectors the machine has. Integers
// add up to the same in any order, so that every machine gives the same trees.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// So many rows of weights no larger than that can be added up in 16 bits.
inline constexpr size_t kRowsAtOnce = 8;
inline constexpr int32_t kMostWeight = 4095;

// Adds rows of `width` weights, a multiple of 32, to as many scores.
void add_rows(const int16_t* const* rows, size_t count, size_t width, int32_t* scores);

// Adds vectors of `width` numbers, which lie one after the other, to one.
void add_lanes(const int32_t* lanes, size_t count, size_t width, int32_t* scores);

}  // namespace arcwise
