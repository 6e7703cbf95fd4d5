#include "network/int16_kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#include "network/activations.h"
#include "network/int16_vectors.h"
#include "network/products.h"

namespace arcwise {
namespace {

template <class Loop>
void run(const Loop& loop) {
  run<Int16Kinds>(loop);
}

}  // namespace

Int16Matrix::Int16Matrix(std::span<const int16_t> weights, size_t inputs, size_t outputs)
    : inputs_(inputs),
      outputs_(whole_lanes(outputs)),
      // Where panels are used two at a time, there may be one more.
      packed_(inputs_ * (outputs_ + kInt16Lanes)) {
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o)
      packed_[(o / kInt16Lanes * inputs + i / 2 * 2) * kInt16Lanes + o % kInt16Lanes * 2 + i % 2] =
          weights[i * outputs + o];
}

Int16Matrix Int16Matrix::part(size_t first_panel, size_t last_panel) const {
  Int16Matrix part;
  part.inputs_ = inputs_;
  part.outputs_ = (last_panel - first_panel) * kInt16Lanes;
  part.packed_.resize(inputs_ * (part.outputs_ + kInt16Lanes));
  std::copy(panel(first_panel), panel(last_panel), part.packed_.begin());
  return part;
}

void multiply(const Int16Rows& rows, const Int16Matrix& weights, const float* scales, const float* bias,
              float* out) {
  multiply_to_floats<Int16Kinds>(rows, weights, scales, bias, out);
}

void multiply(const Int16Rows& rows, const Int16Matrix& weights, const float* scales, int16_t* out) {
  multiply_to_int16<Int16Kinds>(rows, weights, scales, out);
}

float quantise(const float* x, size_t count, int16_t* out) {
  return quantise<Int16Kinds, kMostFactor, 0>(x, count, out);
}

void add_conv(float* a, size_t words, size_t width, float* x) {
  run([=](auto) __attribute__((always_inline)) {
    for (size_t w = 0; w < words; ++w) {
      const float* __restrict first = a + w * 2 * width;
      float* __restrict to = x + w * width;
      for (size_t i = 0; i < width; ++i) to[i] += std::max(first[i], first[width + i]);
    }
  });
}

void add_rnn(const float* a, size_t stride, size_t words, size_t width, size_t direction, float* carried,
             float* x) {
  const size_t half = width / 2;
  run([=](auto) __attribute__((always_inline)) {
    float* __restrict c = carried;
    for (size_t step = 0; step < words; ++step) {
      const size_t w = direction == 0 ? step : words - 1 - step;
      const float* __restrict z = a + w * stride;
      float* __restrict to = x + w * width + direction * half;
      for (size_t i = 0; i < half; ++i) {
        const float forget = fast_sigmoid(z[half + i]);
        c[i] = forget * c[i] + (1 - forget) * fast_tanh(z[i]);
        to[i] += fast_sigmoid(z[2 * half + i]) * c[i];
      }
    }
  });
}

void sum_hidden(const int16_t* const* rows, size_t count, size_t width, int16_t* out) {
  run([=](auto vectors) __attribute__((always_inline)) {
    size_t column = 0;
    const auto sum = [&]<size_t lanes>() {
      for (; column + lanes <= width; column += lanes)
        vectors.template sum_hidden<lanes>(rows, count, column, out + column);
    };
    sum.template operator()<4 * kInt16Lanes>();
    sum.template operator()<kInt16Lanes>();
  });
}

void sum_products(const Int16Rows& rows, size_t width, const float* bias, float* out) {
  run([=](auto vectors) __attribute__((always_inline)) {
    for (size_t first = 0; first < width; first += kInt16Lanes) {
      float sum[kInt16Lanes];
      for (size_t i = 0; i < kInt16Lanes; ++i) sum[i] = bias[first + i];
      for (size_t r = 0; r < rows.count; ++r) {
        const int16_t* const row = rows.rows[r] + first;
        if constexpr (requires { vectors.add_scaled(row, 0, sum); })
          vectors.add_scaled(row, rows.scales[r], sum);
        else
          for (size_t i = 0; i < kInt16Lanes; ++i) sum[i] += static_cast<float>(row[i]) * rows.scales[r];
      }
      for (size_t i = 0; i < kInt16Lanes; ++i) out[first + i] = sum[i];
    }
  });
}

namespace {

constexpr size_t kPairs = kInt16Lanes / 2;
// Of each number, where its bits are, and then anything.
constexpr auto kPlacesOfBits = [] {
  std::array<std::array<uint8_t, kPairs>, 1 << kPairs> places{};
  for (size_t number = 0; number < places.size(); ++number)
    for (size_t bit = 0, count = 0; bit < kPairs; ++bit)
      if (number >> bit & 1) places[number][count++] = static_cast<uint8_t>(bit);
  return places;
}();

}  // namespace

void multiply_hidden(const int16_t* hidden, const Int16Matrix& weights, const int32_t* bias, int32_t* scores,
                     std::span<const PanelRange> panels) {
  run([=, &weights](auto vectors) __attribute__((always_inline)) {
    // Many hidden units are 0: their weights need not be looked at.
    uint16_t pairs[kMostHidden / 2 + kPairs];
    size_t count = 0;
    for (size_t k = 0; k < weights.inputs(); k += kInt16Lanes) {
      const uint8_t active = vectors.active_pairs(hidden + k);
      for (size_t i = 0; i < kPairs; ++i)
        pairs[count + i] = static_cast<uint16_t>(k / 2 + kPlacesOfBits[active][i]);
      count += static_cast<size_t>(std::popcount(active));
    }
    for (const auto [first, last] : panels) {
      std::copy(bias + first * kInt16Lanes, bias + last * kInt16Lanes, scores + first * kInt16Lanes);
      size_t p = first;
      const auto score = [&]<size_t N>() {
        vectors.template score<N>(hidden, pairs, count, weights.panel(p), weights.inputs(),
                                  scores + p * kInt16Lanes);
        p += N;
      };
      constexpr size_t kMost = decltype(vectors)::kPanelsAtOnce;
      while (p + kMost <= last) score.template operator()<kMost>();
      if (p + 4 <= last) score.template operator()<4>();
      if (p + 2 <= last) score.template operator()<2>();
      if (p < last) score.template operator()<1>();
    }
  });
}

}  // namespace arcwise
