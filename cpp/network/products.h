// Rows times a matrix of weights, both integers, for every kind of machine and both kinds of integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/interrupts.h"
#include "network/dispatch.h"
#include "network/int16_kernels.h"
#include "network/int16_vectors.h"

namespace arcwise {

// visit(rows, number of the first) for so many at a time that none takes long.
template <class Factor, class Visit>
void each_thousand(const FactorRows<Factor>& rows, const Visit& visit) {
  constexpr size_t kAtATime = 1008;  // whole blocks
  for (size_t begin = 0; begin < rows.count; begin += kAtATime) {
    check_interrupts(100);
    visit(FactorRows<Factor>{rows.rows + begin, rows.scales + begin, std::min(kAtATime, rows.count - begin)},
          begin);
  }
}

// finish(row, first output, sums) for every row and panel.
template <class Vectors, class Factor, class Matrix, class Finish>
[[gnu::always_inline]] inline void each_product(const FactorRows<Factor>& rows, const Matrix& weights,
                                                Vectors, const Finish& finish) {
  constexpr size_t kRowsOfBlock =
      48;  // they stay in the nearest cache while panel after panel goes over them
  constexpr size_t kRows = Vectors::kRowsAtOnce, kPanels = Vectors::kPanelsOfDot;
  alignas(64) int32_t sums[kPanels * kRows * kInt16Lanes];
  const Factor* at_once[kRows];
  for (size_t block = 0; block < rows.count; block += kRowsOfBlock) {
    const size_t end = std::min(block + kRowsOfBlock, rows.count);
    for (size_t p = 0; p < weights.panels(); p += kPanels) {
      for (size_t first = block; first < end; first += kRows) {
        // The last row stands in for those that are not there.
        for (size_t r = 0; r < kRows; ++r) at_once[r] = rows.rows[std::min(first + r, end - 1)];
        Vectors::dot(at_once, weights, p, sums);
        for (size_t q = 0; q < std::min(kPanels, weights.panels() - p); ++q)
          for (size_t r = 0; r < std::min(kRows, end - first); ++r)
            finish(first + r, (p + q) * kInt16Lanes, sums + (q * kRows + r) * kInt16Lanes);
      }
    }
  }
}

template <class Kinds, class Factor, class Matrix>
void multiply_to_floats(const FactorRows<Factor>& rows, const Matrix& weights, const float* scales,
                        const float* bias, float* out) {
  const size_t outputs = weights.outputs();
  each_thousand(rows, [&](const FactorRows<Factor>& some, size_t begin) {
    run<Kinds>([&](auto vectors) __attribute__((always_inline)) {
      each_product(some, weights, vectors, [&](size_t row, size_t first, const int32_t* sums) {
        float* __restrict to = out + (begin + row) * outputs + first;
        const float scale = some.scales[row];
        for (size_t i = 0; i < kInt16Lanes; ++i)
          to[i] = static_cast<float>(sums[i]) * scale * scales[first + i] + bias[first + i];
      });
    });
  });
}

template <class Kinds, class Factor, class Matrix>
void multiply_to_int16(const FactorRows<Factor>& rows, const Matrix& weights, const float* scales,
                       int16_t* out) {
  const size_t outputs = weights.outputs();
  each_thousand(rows, [&](const FactorRows<Factor>& some, size_t begin) {
    run<Kinds>([&](auto vectors) __attribute__((always_inline)) {
      each_product(some, weights, vectors, [&](size_t row, size_t first, const int32_t* sums) {
        vectors.round(sums, some.scales[row], scales + first, out + (begin + row) * outputs + first);
      });
    });
  });
}

// Of a multiple of kInt16Lanes: rounds to integers within `most`, which the furthest from 0 becomes, and adds
// `zero` to them; returns what they are to be multiplied with, without it, to be floats again.
template <class Kinds, int32_t most, int32_t zero, class Factor>
float quantise(const float* x, size_t count, Factor* out) {
  float scale = 0;
  run<Kinds>([&](auto vectors) __attribute__((always_inline)) {
    // Floats without their signs are ordered as integers are.
    int32_t furthest_bits = 0;
    for (size_t i = 0; i < count; ++i)
      furthest_bits = std::max(furthest_bits, std::bit_cast<int32_t>(x[i]) & INT32_MAX);
    constexpr float kNothing = 1e-30f;  // what is smaller is taken for 0: nothing is divided by it
    const float furthest = std::max(std::bit_cast<float>(furthest_bits), kNothing);
    const float factor = static_cast<float>(most) / furthest;
    scale = furthest / static_cast<float>(most);
    if constexpr (requires { vectors.to_bytes(x, factor, out); })
      for (size_t i = 0; i < count; i += vectors.kBytesAtOnce) vectors.to_bytes(x + i, factor, out + i);
    else
      for (size_t i = 0; i < count; ++i) out[i] = static_cast<Factor>(to_int16(x[i] * factor) + zero);
  });
  return scale;
}

}  // namespace arcwise
