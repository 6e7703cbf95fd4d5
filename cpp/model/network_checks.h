// What must hold of the parts of a frozen network.
#pragma once

#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/int16_kernels.h"
#include "network/int8_kernels.h"

namespace arcwise {

[[noreturn]] inline void damaged(const std::string& what) {
  throw std::invalid_argument("The model is damaged: " + what + ".");
}

template <class T>
void check_size(std::span<const T> values, size_t size, const char* what) {
  if (values.size() != size) damaged(std::string("the ") + what + " have an impossible size");
}

inline bool is_within(int32_t value, int32_t least, int32_t most) { return value >= least && value <= most; }

void check_scales(std::span<const float> scales);

// How far from 0 the weights of a learner are. Throws std::invalid_argument if one is not a number.
double largest(std::span<const float> weights);

// A matrix whose products, plus a bias, cannot leave 32 bits.
Int16Matrix checked_matrix(std::span<const int16_t> weights, size_t inputs, size_t outputs,
                           std::span<const int32_t> bias = {});
// One whose products cannot leave what they are added up in (network/int8_kernels.h).
Int8Matrix checked_matrix(std::span<const int8_t> weights, size_t inputs, size_t outputs);

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace arcwise
