#include "model/network_checks.h"

#include <algorithm>
#include <cmath>

namespace arcwise {

void check_scales(std::span<const float> scales) {
  for (float scale : scales)
    if (!std::isfinite(scale) || scale <= 0) damaged("a scale is not a positive number");
}

double largest(std::span<const float> weights) {
  double most = 0;
  for (float v : weights) {
    if (!std::isfinite(v))
      throw std::invalid_argument(
          "A weight of the network is not a number: training has gone astray. Lower its learning rate.");
    most = std::max(most, std::fabs(double{v}));
  }
  return most;
}

Int16Matrix checked_matrix(std::span<const int16_t> weights, size_t inputs, size_t outputs,
                           std::span<const int32_t> bias) {
  for (size_t o = 0; o < outputs; ++o) {
    int64_t most = 0;
    for (size_t i = 0; i < inputs; ++i) most += std::abs(int64_t{weights[i * outputs + o]});
    most *= kMostFactor;
    if (!bias.empty()) most += std::abs(int64_t{bias[o]});
    if (most > INT32_MAX) damaged("its weights are too large");
  }
  return Int16Matrix(weights, inputs, outputs);
}

Int8Matrix checked_matrix(std::span<const int8_t> weights, size_t inputs, size_t outputs) {
  const auto size = [&](size_t input, size_t output) {
    return std::abs(int{weights[input * outputs + output]});
  };
  bytes_together(inputs, [&](auto... together) {
    for (size_t o = 0; o < outputs; ++o)
      if ((size(together, o) + ...) > kMostByteSum) damaged("its weights are too large");
  });
  return Int8Matrix(weights, inputs, outputs);
}

}  // namespace arcwise
