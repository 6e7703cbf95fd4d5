// Products of words with weights, both in 8 bits, in the widest vectors the machine has. The machines' own
// instructions for bytes differ in what they take and where they overflow: factors have 7 bits, and weights
// are such that none of them does, so that every machine gives the same integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "network/int16_kernels.h"

namespace arcwise {

// What is multiplied with weights is an integer no further than this from 0, stored as the byte ...
inline constexpr int32_t kMostByteFactor = 63;
// ... that it is with this added.
inline constexpr int32_t kByteZero = 64;
// Weights are no further than this from 0.
inline constexpr int32_t kMostByteWeight = INT8_MAX;
// Of the weights of one output, the four that are multiplied into the same 16 bits (bytes_together) add up to
// no more than this, signs aside.
inline constexpr int32_t kMostByteSum = INT16_MAX / (kByteZero + kMostByteFactor);
// The numbers of inputs are multiples of this.
inline constexpr size_t kByteInputs = 8;

// visit(i, j, k, l) for the inputs whose products share 16 bits.
template <class Visit>
void bytes_together(size_t inputs, const Visit& visit) {
  for (size_t i = 0; i < inputs; i += kByteInputs)
    for (size_t pair = i; pair < i + 4; pair += 2) visit(pair, pair + 1, pair + 4, pair + 5);
}

// Weights in the order in which they are used: panels of kInt16Lanes outputs, in each the inputs by fours,
// for each four the weights of all outputs.
class Int8Matrix {
 public:
  using Factor = uint8_t;
  static constexpr Factor kZero = kByteZero;

  Int8Matrix() = default;
  // From [inputs][outputs]; outputs are filled up with zeros to whole lanes.
  Int8Matrix(std::span<const int8_t> weights, size_t inputs, size_t outputs);

  // Some of its panels.
  Int8Matrix part(size_t first_panel, size_t last_panel) const;

  size_t inputs() const { return inputs_; }
  size_t outputs() const { return outputs_; }
  size_t panels() const { return outputs_ / kInt16Lanes; }
  const int8_t* panel(size_t p) const { return packed_.data() + p * inputs_ * kInt16Lanes; }
  // What a panel's products with kByteZero at every input come to, with the other sign.
  const int32_t* offsets(size_t p) const { return offsets_.data() + p * kInt16Lanes; }

 private:
  size_t inputs_ = 0, outputs_ = 0;
  AlignedVector<int8_t> packed_;
  AlignedVector<int32_t> offsets_;
};

using Int8Rows = FactorRows<uint8_t>;

// As for 16 bits (int16_kernels.h).
void multiply(const Int8Rows& rows, const Int8Matrix& weights, const float* scales, const float* bias,
              float* out);
void multiply(const Int8Rows& rows, const Int8Matrix& weights, const float* scales, int16_t* out);
float quantise(const float* x, size_t count, uint8_t* out);

}  // namespace arcwise
