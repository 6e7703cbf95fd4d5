// Weights in 8 bits from others, for networks of older files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Of [inputs][outputs], with what each output's are to be multiplied with to be what they were. Throws
// std::invalid_argument if a weight is not a number.
struct ByteWeights {
  std::vector<int8_t> weights;
  std::vector<float> scales;
};
ByteWeights to_byte_weights(std::span<const float> weights, size_t inputs, size_t outputs);

}  // namespace arcwise
