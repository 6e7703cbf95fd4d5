#include "network/int8_kernels.h"

#include <algorithm>
#include <bit>

#include "network/activations.h"
#include "network/int8_vectors.h"
#include "network/products.h"

namespace arcwise {
namespace {

// Where panels are used four at a time, there may be three more.
constexpr size_t kSpare = 3 * kInt16Lanes;

}  // namespace

Int8Matrix::Int8Matrix(std::span<const int8_t> weights, size_t inputs, size_t outputs)
    : inputs_(inputs),
      outputs_(whole_lanes(outputs)),
      packed_(inputs_ * (outputs_ + kSpare)),
      offsets_(outputs_ + kSpare) {
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o) {
      const int8_t weight = weights[i * outputs + o];
      packed_[(o / kInt16Lanes * inputs + i / 4 * 4) * kInt16Lanes + o % kInt16Lanes * 4 + i % 4] = weight;
      offsets_[o] -= kByteZero * weight;
    }
}

Int8Matrix Int8Matrix::part(size_t first_panel, size_t last_panel) const {
  Int8Matrix part;
  part.inputs_ = inputs_;
  part.outputs_ = (last_panel - first_panel) * kInt16Lanes;
  part.packed_.resize(inputs_ * (part.outputs_ + kSpare));
  std::copy(panel(first_panel), panel(last_panel), part.packed_.begin());
  part.offsets_.resize(part.outputs_ + kSpare);
  std::copy(offsets(first_panel), offsets(last_panel), part.offsets_.begin());
  return part;
}

void multiply(const Int8Rows& rows, const Int8Matrix& weights, const float* scales, const float* bias,
              float* out) {
  multiply_to_floats<Int8Kinds>(rows, weights, scales, bias, out);
}

void multiply(const Int8Rows& rows, const Int8Matrix& weights, const float* scales, int16_t* out) {
  multiply_to_int16<Int8Kinds>(rows, weights, scales, out);
}

float quantise(const float* x, size_t count, uint8_t* out) {
  return quantise<Int8Kinds, kMostByteFactor, kByteZero>(x, count, out);
}

}  // namespace arcwise
