// The sum of dense rows of weights: the innermost loop of parsing, in the widest vectors the machine has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// Adds rows of kDenseRow weights to as many scores.
void add_dense_rows(const int16_t* const* rows, size_t count, int32_t* scores);

}  // namespace arcwise
