#include "network/int16_kernels.h"

#include <algorithm>
#include <bit>

#include "base/interrupts.h"
#include "network/activations.h"
#include "network/int16_vectors.h"

namespace arcwise {
namespace {

// Runs a loop, written once, as compiled for the machine at hand.
const Machine kMachine = this_machine();
#if defined(ARCWISE_X86)
template <class Loop>
__attribute__((target("avx2"), flatten)) void run_avx2(const Loop& loop) {
  loop(Avx2{});
}
template <class Loop>
__attribute__((target(ARCWISE_AVX512_TARGET), flatten)) void run_avx512(const Loop& loop) {
  loop(Avx512{});
}
template <class Loop>
void run(const Loop& loop) {
  if (kMachine == Machine::Avx512)
    run_avx512(loop);
  else if (kMachine == Machine::Avx2)
    run_avx2(loop);
  else
    loop(Portable{});
}
#elif defined(ARCWISE_NEON)
template <class Loop>
void run(const Loop& loop) {
  if (kMachine == Machine::Neon)
    loop(Neon{});
  else
    loop(Portable{});
}
#else
template <class Loop>
void run(const Loop& loop) {
  loop(Portable{});
}
#endif

// visit(rows, number of the first) for so many at a time that none takes long.
template <class Visit>
void each_thousand(const Int16Rows& rows, const Visit& visit) {
  constexpr size_t kAtATime = 1008;  // whole blocks
  for (size_t begin = 0; begin < rows.count; begin += kAtATime) {
    check_interrupts(100);
    visit(Int16Rows{rows.rows + begin, rows.scales + begin, std::min(kAtATime, rows.count - begin)}, begin);
  }
}

// So many rows stay in the nearest cache while panel after panel goes over them.
constexpr size_t kRowsOfBlock = 48;

// finish(row, first output, sums) for every row and panel.
template <class Vectors, class Finish>
[[gnu::always_inline]] inline void each_product(const Int16Rows& rows, const Int16Matrix& weights, Vectors,
                                                const Finish& finish) {
  constexpr size_t kRows = Vectors::kRowsAtOnce, kPanels = Vectors::kPanelsOfDot;
  alignas(64) int32_t sums[kPanels * kRows * kInt16Lanes];
  const int16_t* at_once[kRows];
  for (size_t block = 0; block < rows.count; block += kRowsOfBlock) {
    const size_t end = std::min(block + kRowsOfBlock, rows.count);
    for (size_t p = 0; p < weights.panels(); p += kPanels) {
      for (size_t first = block; first < end; first += kRows) {
        // The last row stands in for those that are not there.
        for (size_t r = 0; r < kRows; ++r) at_once[r] = rows.rows[std::min(first + r, end - 1)];
        Vectors::dot(at_once, weights.panel(p), weights.inputs(), sums);
        for (size_t q = 0; q < std::min(kPanels, weights.panels() - p); ++q)
          for (size_t r = 0; r < std::min(kRows, end - first); ++r)
            finish(first + r, (p + q) * kInt16Lanes, sums + (q * kRows + r) * kInt16Lanes);
      }
    }
  }
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
  const size_t outputs = weights.outputs();
  each_thousand(rows, [&](const Int16Rows& some, size_t begin) {
    run([&](auto vectors) __attribute__((always_inline)) {
      each_product(some, weights, vectors, [&](size_t row, size_t first, const int32_t* sums) {
        float* __restrict to = out + (begin + row) * outputs + first;
        const float scale = some.scales[row];
        for (size_t i = 0; i < kInt16Lanes; ++i)
          to[i] = static_cast<float>(sums[i]) * scale * scales[first + i] + bias[first + i];
      });
    });
  });
}

void multiply(const Int16Rows& rows, const Int16Matrix& weights, const float* scales, int16_t* out) {
  const size_t outputs = weights.outputs();
  each_thousand(rows, [&](const Int16Rows& some, size_t begin) {
    run([&](auto vectors) __attribute__((always_inline)) {
      each_product(some, weights, vectors, [&](size_t row, size_t first, const int32_t* sums) {
        vectors.round(sums, some.scales[row], scales + first, out + (begin + row) * outputs + first);
      });
    });
  });
}

float quantise(const float* x, size_t count, int16_t* out) {
  float scale = 0;
  run([&](auto) __attribute__((always_inline)) {
    // Floats without their signs are ordered as integers are.
    int32_t most_bits = 0;
    for (size_t i = 0; i < count; ++i)
      most_bits = std::max(most_bits, std::bit_cast<int32_t>(x[i]) & INT32_MAX);
    constexpr float kNothing = 1e-30f;  // what is smaller is taken for 0: nothing is divided by it
    const float most = std::max(std::bit_cast<float>(most_bits), kNothing);
    const float factor = static_cast<float>(kMostFactor) / most;
    scale = most / static_cast<float>(kMostFactor);
    for (size_t i = 0; i < count; ++i) out[i] = to_int16(x[i] * factor);
  });
  return scale;
}

void sum_embeddings(const int16_t* const* rows, size_t count, size_t width, float scale, float* out) {
  run([=](auto) __attribute__((always_inline)) {
    for (size_t first = 0; first < width; first += kInt16Lanes) {
      int32_t sum[kInt16Lanes] = {};
      for (size_t r = 0; r < std::min(count, kMostRows); ++r)
        for (size_t i = 0; i < kInt16Lanes; ++i) sum[i] += rows[r][first + i];
      for (size_t i = 0; i < kInt16Lanes; ++i) out[first + i] = static_cast<float>(sum[i]) * scale;
    }
  });
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

void add_rnn(float* a, size_t stride, size_t words, size_t width, size_t direction, float* carried,
             float* x) {
  const size_t half = width / 2;
  run([=](auto) __attribute__((always_inline)) {
    for (size_t word = 0; word < words; ++word) {
      float* z = a + word * stride;
      for (size_t i = 0; i < half; ++i) z[i] = fast_tanh(z[i]);
      for (size_t i = half; i < 3 * half; ++i) z[i] = fast_sigmoid(z[i]);
    }
    constexpr size_t kAtOnce = kInt16Lanes / 2;  // half the width is a multiple of that
    for (size_t first = 0; first < half; first += kAtOnce) {
      float c[kAtOnce];
      std::copy_n(carried + first, kAtOnce, c);
      for (size_t step = 0; step < words; ++step) {
        const size_t w = direction == 0 ? step : words - 1 - step;
        const float* __restrict z = a + w * stride + first;
        const float* __restrict f = z + half;
        const float* __restrict o = f + half;
        float* __restrict to = x + w * width + direction * half + first;
        for (size_t i = 0; i < kAtOnce; ++i) {
          c[i] = f[i] * c[i] + (1 - f[i]) * z[i];
          to[i] += o[i] * c[i];
        }
      }
      std::copy_n(c, kAtOnce, carried + first);
    }
  });
}

void sum_hidden(const int16_t* const* rows, size_t count, size_t width, int16_t* out) {
  run([=](auto vectors) __attribute__((always_inline)) {
    size_t column = 0;
    for (; column + vectors.kHiddenAtOnce <= width; column += vectors.kHiddenAtOnce)
      vectors.sum_hidden(rows, count, column, out + column);
    for (; column < width; column += kInt16Lanes) Portable::sum_hidden(rows, count, column, out + column);
  });
}

void multiply_hidden(const int16_t* hidden, const Int16Matrix& weights, const int32_t* bias, int32_t* scores,
                     size_t first_panel, size_t last_panel) {
  // Many hidden units are 0: their weights need not be looked at.
  uint16_t pairs[kMostHidden / 2];
  size_t count = 0;
  for (size_t k = 0; k < weights.inputs(); k += 2) {
    pairs[count] = static_cast<uint16_t>(k / 2);
    count += (hidden[k] | hidden[k + 1]) != 0;
  }
  std::copy(bias + first_panel * kInt16Lanes, bias + last_panel * kInt16Lanes,
            scores + first_panel * kInt16Lanes);
  run([&](auto vectors) __attribute__((always_inline)) {
    size_t p = first_panel;
    const auto score = [&]<size_t N>() {
      vectors.template score<N>(hidden, pairs, count, weights.panel(p), weights.inputs(),
                                scores + p * kInt16Lanes);
      p += N;
    };
    while (p + kPanelsAtOnce <= last_panel) score.template operator()<kPanelsAtOnce>();
    if (p + 2 <= last_panel) score.template operator()<2>();
    if (p < last_panel) score.template operator()<1>();
  });
}

}  // namespace arcwise
