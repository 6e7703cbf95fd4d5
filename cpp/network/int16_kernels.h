// The innermost loops of parsing with a network, in the widest vectors the machine has. Products are sums of
// integers that cannot overflow, and everything else is done in floats element by element, in one order,
// without fusing additions into multiplications: every machine gives the same trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"

namespace arcwise {

// What is multiplied with weights is an integer no further than this from 0 ...
inline constexpr int32_t kMostFactor = INT16_MAX;
// ... and the weights of one output add up to no more than this, signs aside: their products fit 32 bits.
inline constexpr int32_t kMostWeightSum = INT32_MAX / kMostFactor;
// So many hidden units there may be.
inline constexpr size_t kMostHidden = 2048;
// Widths of vectors are multiples of this.
inline constexpr size_t kInt16Lanes = 16;

constexpr size_t whole_lanes(size_t count) { return (count + kInt16Lanes - 1) / kInt16Lanes * kInt16Lanes; }

// Weights in the order in which they are used: panels of kInt16Lanes outputs, in each the inputs by twos, for
// each two the weights of all outputs.
class Int16Matrix {
 public:
  using Factor = int16_t;
  static constexpr Factor kZero = 0;

  Int16Matrix() = default;
  // From [inputs][outputs]; inputs are even, outputs are filled up with zeros to whole lanes.
  Int16Matrix(std::span<const int16_t> weights, size_t inputs, size_t outputs);

  // Some of its panels.
  Int16Matrix part(size_t first_panel, size_t last_panel) const;

  size_t inputs() const { return inputs_; }
  size_t outputs() const { return outputs_; }
  size_t panels() const { return outputs_ / kInt16Lanes; }
  const int16_t* panel(size_t p) const { return packed_.data() + p * inputs_ * kInt16Lanes; }

 private:
  size_t inputs_ = 0, outputs_ = 0;
  AlignedVector<int16_t> packed_;
};

// Rows to be multiplied, each with what its integers are to be multiplied with to be floats again.
template <class Factor>
struct FactorRows {
  const Factor* const* rows;
  const float* scales;
  size_t count;
};
using Int16Rows = FactorRows<int16_t>;

// out[row][o] = the product times the scales of row and output, plus the bias.
void multiply(const Int16Rows& rows, const Int16Matrix& weights, const float* scales, const float* bias,
              float* out);
// The same without bias, rounded to 16 bits; what is too large becomes the largest.
void multiply(const Int16Rows& rows, const Int16Matrix& weights, const float* scales, int16_t* out);

// Rounds to integers within kMostFactor, which the furthest from 0 becomes; returns what they are to be
// multiplied with to be floats again.
float quantise(const float* x, size_t count, int16_t* out);

// out = the bias plus the sum of rows, each times its scale, added in the order given.
void sum_products(const Int16Rows& rows, size_t width, const float* bias, float* out);

// What a layer of the encoder makes of its products `a` (shape.h), added to the words x of one sentence.
void add_conv(float* a, size_t words, size_t width, float* x);
// In one direction, 0 or 1, whose products of a word are so far from those of the next. What was carried to
// its first word becomes what is carried on from its last.
void add_rnn(const float* a, size_t stride, size_t words, size_t width, size_t direction, float* carried,
             float* x);

// relu of the sum of rows. A sum that leaves 16 bits stays at their end: rows are added in the order given.
void sum_hidden(const int16_t* const* rows, size_t count, size_t width, int16_t* out);
// Panels from one up to another.
struct PanelRange {
  size_t first, last;
};
// scores = hidden units times weights, plus the bias, of some panels. The hidden units are not negative.
void multiply_hidden(const int16_t* hidden, const Int16Matrix& weights, const int32_t* bias, int32_t* scores,
                     std::span<const PanelRange> panels);

}  // namespace arcwise
