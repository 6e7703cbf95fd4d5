// The few steps of int16_kernels.cpp that compilers do not turn into good vectors by themselves, for each
// kind of machine. All kinds give the same integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "network/activations.h"
#include "network/dispatch.h"
#include "network/int16_kernels.h"

#if defined(ARCWISE_X86)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // which is said of the header's own functions
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#elif defined(ARCWISE_NEON)
#include <arm_neon.h>
#endif

namespace arcwise {

inline constexpr size_t kPair = 2 * kInt16Lanes;  // the weights of two inputs in a panel

// To the nearest integer no further than kMostFactor from 0, ties to the even one.
inline int16_t to_int16(float x) {
  constexpr float kRound = 12582912.0f;  // leaves the integer in the lowest bits
  const float within = activations::clamped(x, static_cast<float>(kMostFactor));
  return static_cast<int16_t>(std::bit_cast<int32_t>(within + kRound) - std::bit_cast<int32_t>(kRound));
}

struct Portable {
  // The sums of so many rows with so many panels fit the registers.
  static constexpr size_t kRowsAtOnce = 6, kPanelsOfDot = 1;
  // The sums of one row with so many panels fit the registers.
  static constexpr size_t kPanelsAtOnce = 4;

  using Eight [[gnu::vector_size(16)]] = int16_t;
  using UnsignedEight [[gnu::vector_size(16)]] = uint16_t;

  // Adds the products of two inputs with a panel, those of the one and of the other in turn: in this form
  // compilers find vectors for it.
  [[gnu::always_inline]] static void add(const int16_t* inputs, const int16_t* weights,
                                         int32_t* __restrict sums) {
    int16_t two[kPair];
    for (size_t i = 0; i < kPair; i += 2) {
      two[i] = inputs[0];
      two[i + 1] = inputs[1];
    }
    for (size_t i = 0; i < kPair; ++i) sums[i] += two[i] * weights[i];
  }

  // sums[panel][row][lane] = the product of a row with a panel.
  static void dot(const int16_t* const* rows, const Int16Matrix& weights, size_t p, int32_t* sums) {
    const int16_t* panel = weights.panel(p);
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      int32_t products[kPair] = {};
      for (size_t k = 0; k < weights.inputs(); k += 2) add(rows[r] + k, panel + k * kInt16Lanes, products);
      for (size_t i = 0; i < kInt16Lanes; ++i)
        sums[r * kInt16Lanes + i] = products[2 * i] + products[2 * i + 1];
    }
  }

  // kInt16Lanes sums times their scales, rounded to the nearest integer (ties to the even one) of 16 bits.
  static void round(const int32_t* sums, float scale, const float* scales, int16_t* out) {
    for (size_t i = 0; i < kInt16Lanes; ++i)
      out[i] = to_int16(static_cast<float>(sums[i]) * scale * scales[i]);
  }

  // So many lanes of the sum of rows from a column on, relu.
  template <size_t lanes>
  static void sum_hidden(const int16_t* const* rows, size_t count, size_t column, int16_t* out) {
    for (size_t part = 0; part < lanes; part += 8) {
      Eight sum = {};
      for (size_t r = 0; r < count; ++r) {
        Eight row;
        std::memcpy(&row, rows[r] + column + part, sizeof row);
        const Eight wrapped = (Eight)((UnsignedEight)sum + (UnsignedEight)row);
        // A sum whose sign is neither the one's nor the other's has left the range.
        const Eight outside = ((sum ^ wrapped) & (row ^ wrapped)) >> 15;
        sum = (outside & ((sum >> 15) ^ INT16_MAX)) | (~outside & wrapped);
      }
      sum &= ~(sum >> 15);
      std::memcpy(out + part, &sum, sizeof sum);
    }
  }

  // Of kInt16Lanes hidden units, a bit for each two of which one is not 0.
  static uint8_t active_pairs(const int16_t* hidden) {
    unsigned active = 0;
    for (unsigned pair = 0; pair < kInt16Lanes / 2; ++pair)
      active |= static_cast<unsigned>((hidden[2 * pair] | hidden[2 * pair + 1]) != 0) << pair;
    return static_cast<uint8_t>(active);
  }

  // scores[panel][lane] += the products of some pairs of hidden units with N panels.
  template <size_t N>
  static void score(const int16_t* hidden, const uint16_t* pairs, size_t count, const int16_t* panel,
                    size_t inputs, int32_t* scores) {
    for (size_t p = 0; p < N; ++p, panel += inputs * kInt16Lanes, scores += kInt16Lanes) {
      int32_t products[kPair] = {};
      for (size_t i = 0; i < count; ++i) add(hidden + 2 * pairs[i], panel + pairs[i] * kPair, products);
      for (size_t i = 0; i < kInt16Lanes; ++i) scores[i] += products[2 * i] + products[2 * i + 1];
    }
  }
};

#if defined(ARCWISE_X86)

#define ARCWISE_WIDE __attribute__((target(ARCWISE_AVX2_TARGET)))

struct Avx2 {
  static constexpr size_t kRowsAtOnce = 6, kPanelsOfDot = 1, kPanelsAtOnce = 4;

  ARCWISE_WIDE static __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  ARCWISE_WIDE static void store(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
  // Two inputs, in every lane.
  ARCWISE_WIDE static __m256i two(const int16_t* from) {
    int32_t both;
    std::memcpy(&both, from, sizeof both);
    return _mm256_set1_epi32(both);
  }

  ARCWISE_WIDE static void dot(const int16_t* const* rows, const Int16Matrix& weights, size_t p,
                               int32_t* sums) {
    const int16_t* panel = weights.panel(p);
    const size_t inputs = weights.inputs();
    __m256i low[kRowsAtOnce] = {}, high[kRowsAtOnce] = {};
    const int16_t* x[kRowsAtOnce];
    std::copy_n(rows, kRowsAtOnce, x);
#pragma GCC unroll 2
    for (size_t k = 0; k < inputs; k += 2) {
      const __m256i w0 = load(panel + k * kInt16Lanes), w1 = load(panel + k * kInt16Lanes + kInt16Lanes);
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        const __m256i v = two(x[r] + k);
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(v, w0));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(v, w1));
      }
    }
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      store(sums + r * kInt16Lanes, low[r]);
      store(sums + r * kInt16Lanes + kInt16Lanes / 2, high[r]);
    }
  }

  ARCWISE_WIDE static __m256i rounded(const int32_t* sums, __m256 scale, const float* scales) {
    const __m256 most = _mm256_set1_ps(kMostFactor), least = _mm256_set1_ps(-kMostFactor);
    const __m256 x =
        _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(load(sums)), scale), _mm256_loadu_ps(scales));
    return _mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps(x, most), least));
  }
  ARCWISE_WIDE static void round(const int32_t* sums, float scale, const float* scales, int16_t* out) {
    const __m256 of_row = _mm256_set1_ps(scale);
    const __m256i low = rounded(sums, of_row, scales), high = rounded(sums + 8, of_row, scales + 8);
    // Packing goes by halves of vectors.
    store(out, _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0b11011000));
  }

  template <size_t lanes>
  ARCWISE_WIDE static void sum_hidden(const int16_t* const* rows, size_t count, size_t column, int16_t* out) {
    constexpr size_t kVectors = lanes / kInt16Lanes;
    __m256i sum[kVectors] = {};
    for (size_t r = 0; r < count; ++r)
      for (size_t v = 0; v < kVectors; ++v)
        sum[v] = _mm256_adds_epi16(sum[v], load(rows[r] + column + v * kInt16Lanes));
    for (size_t v = 0; v < kVectors; ++v)
      store(out + v * kInt16Lanes, _mm256_max_epi16(sum[v], _mm256_setzero_si256()));
  }

  ARCWISE_WIDE static uint8_t active_pairs(const int16_t* hidden) {
    const __m256i zeros = _mm256_cmpeq_epi32(load(hidden), _mm256_setzero_si256());
    return static_cast<uint8_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(zeros)));
  }

  template <size_t N>
  ARCWISE_WIDE static void score(const int16_t* hidden, const uint16_t* pairs, size_t count,
                                 const int16_t* panel, size_t inputs, int32_t* scores) {
    __m256i sum[2 * N];
    for (size_t v = 0; v < 2 * N; ++v) sum[v] = load(scores + v * kInt16Lanes / 2);
    for (size_t i = 0; i < count; ++i) {
      const __m256i h = two(hidden + 2 * pairs[i]);
      const int16_t* w = panel + pairs[i] * kPair;
      for (size_t p = 0; p < N; ++p, w += inputs * kInt16Lanes) {
        sum[2 * p] = _mm256_add_epi32(sum[2 * p], _mm256_madd_epi16(h, load(w)));
        sum[2 * p + 1] = _mm256_add_epi32(sum[2 * p + 1], _mm256_madd_epi16(h, load(w + kInt16Lanes)));
      }
    }
    for (size_t v = 0; v < 2 * N; ++v) store(scores + v * kInt16Lanes / 2, sum[v]);
  }
};

#define ARCWISE_WIDEST __attribute__((target(ARCWISE_AVX512BW_TARGET)))
#define ARCWISE_WIDEST_VNNI __attribute__((target(ARCWISE_AVX512_TARGET)))

struct AddInTwoSteps {
  ARCWISE_WIDEST static __m512i add(__m512i sum, __m512i a, __m512i b) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
  }
};
// Around the compiler's own names for these instructions GCC copies sums to and fro.
struct AddInOneStep {
  ARCWISE_WIDEST_VNNI static __m512i add(__m512i sum, __m512i a, __m512i b) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
  }
};

// A panel's weights of two inputs are one vector.
template <class Products>
struct Avx512Of : Avx2 {
  static constexpr size_t kRowsAtOnce = 12, kPanelsOfDot = 2, kPanelsAtOnce = 8;

  ARCWISE_WIDEST static __m512i load(const void* from) { return _mm512_loadu_si512(from); }
  ARCWISE_WIDEST static void store(void* to, __m512i v) { _mm512_storeu_si512(to, v); }
  ARCWISE_WIDEST static __m512i two(const int16_t* from) {
    int32_t both;
    std::memcpy(&both, from, sizeof both);
    return _mm512_set1_epi32(both);
  }

  ARCWISE_WIDEST static void dot(const int16_t* const* rows, const Int16Matrix& weights, size_t p,
                                 int32_t* sums) {
    const int16_t* panel = weights.panel(p);
    const size_t inputs = weights.inputs();
    __m512i low[kRowsAtOnce] = {}, high[kRowsAtOnce] = {};
    const int16_t* x[kRowsAtOnce];
    std::copy_n(rows, kRowsAtOnce, x);
    const int16_t* next = panel + inputs * kInt16Lanes;
    for (size_t k = 0; k < inputs; k += 2) {
      const __m512i w0 = load(panel + k * kInt16Lanes), w1 = load(next + k * kInt16Lanes);
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        const __m512i v = two(x[r] + k);
        low[r] = Products::add(low[r], v, w0);
        high[r] = Products::add(high[r], v, w1);
      }
    }
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      store(sums + r * kInt16Lanes, low[r]);
      store(sums + (kRowsAtOnce + r) * kInt16Lanes, high[r]);
    }
  }

  ARCWISE_WIDEST static void round(const int32_t* sums, float scale, const float* scales, int16_t* out) {
    const __m512 most = _mm512_set1_ps(kMostFactor), least = _mm512_set1_ps(-kMostFactor);
    const __m512 x = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(load(sums)), _mm512_set1_ps(scale)),
                                   _mm512_loadu_ps(scales));
    const __m512i rounded = _mm512_cvtps_epi32(_mm512_max_ps(_mm512_min_ps(x, most), least));
    Avx2::store(out, _mm512_cvtepi32_epi16(rounded));
  }

  // Adds kInt16Lanes numbers times their scale to sums. GCC would take them one by one in vectors so wide.
  ARCWISE_WIDEST static void add_scaled(const int16_t* numbers, float scale, float* sums) {
    const __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(Avx2::load(numbers)));
    _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), _mm512_mul_ps(x, _mm512_set1_ps(scale))));
  }

  template <size_t lanes>
  ARCWISE_WIDEST static void sum_hidden(const int16_t* const* rows, size_t count, size_t column,
                                        int16_t* out) {
    constexpr size_t kOfVector = 2 * kInt16Lanes, kVectors = lanes / kOfVector;
    if constexpr (kVectors == 0) {
      Avx2::sum_hidden<lanes>(rows, count, column, out);
    } else {
      __m512i sum[kVectors] = {};
      for (size_t r = 0; r < count; ++r)
        for (size_t v = 0; v < kVectors; ++v)
          sum[v] = _mm512_adds_epi16(sum[v], load(rows[r] + column + v * kOfVector));
      for (size_t v = 0; v < kVectors; ++v)
        store(out + v * kOfVector, _mm512_max_epi16(sum[v], _mm512_setzero_si512()));
    }
  }

  template <size_t N>
  ARCWISE_WIDEST static void score(const int16_t* hidden, const uint16_t* pairs, size_t count,
                                   const int16_t* panel, size_t inputs, int32_t* scores) {
    // Additions to one sum wait for each other: each has so many that panels are few, and more.
    constexpr size_t kChains = std::max<size_t>(kPanelsAtOnce / N, 1);
    __m512i sum[kChains][N] = {};
    const auto add = [&](__m512i* of_chain, size_t pair) ARCWISE_WIDEST {
      const __m512i h = two(hidden + 2 * pair);
      const int16_t* w = panel + pair * kPair;
      for (size_t p = 0; p < N; ++p, w += inputs * kInt16Lanes)
        of_chain[p] = Products::add(of_chain[p], h, load(w));
    };
    size_t i = 0;
    for (; i + kChains <= count; i += kChains)
      for (size_t c = 0; c < kChains; ++c) add(sum[c], pairs[i + c]);
    for (; i < count; ++i) add(sum[0], pairs[i]);
    for (size_t p = 0; p < N; ++p) {
      __m512i total = load(scores + p * kInt16Lanes);
      for (size_t c = 0; c < kChains; ++c) total = _mm512_add_epi32(total, sum[c][p]);
      store(scores + p * kInt16Lanes, total);
    }
  }
};
using Avx512Bw = Avx512Of<AddInTwoSteps>;
using Avx512 = Avx512Of<AddInOneStep>;

#endif

#if defined(ARCWISE_NEON)

struct Neon {
  static constexpr size_t kRowsAtOnce = 6, kPanelsOfDot = 1, kPanelsAtOnce = 4;

  // Adds the products of two inputs with a panel to kInt16Lanes sums.
  static void add(int16_t a, int16_t b, const int16_t* weights, int32x4_t* sums) {
    for (size_t half = 0; half < 2; ++half) {
      const int16x8x2_t w = vld2q_s16(weights + half * kInt16Lanes);  // those of the one input, of the other
      int32x4_t* sum = sums + 2 * half;
      sum[0] = vmlal_n_s16(sum[0], vget_low_s16(w.val[0]), a);
      sum[1] = vmlal_n_s16(sum[1], vget_high_s16(w.val[0]), a);
      sum[0] = vmlal_n_s16(sum[0], vget_low_s16(w.val[1]), b);
      sum[1] = vmlal_n_s16(sum[1], vget_high_s16(w.val[1]), b);
    }
  }

  static void dot(const int16_t* const* rows, const Int16Matrix& weights, size_t p, int32_t* sums) {
    const int16_t* panel = weights.panel(p);
    int32x4_t sum[kRowsAtOnce][4];
    for (auto& of_row : sum)
      for (int32x4_t& s : of_row) s = vdupq_n_s32(0);
    for (size_t k = 0; k < weights.inputs(); k += 2)
      for (size_t r = 0; r < kRowsAtOnce; ++r)
        add(rows[r][k], rows[r][k + 1], panel + k * kInt16Lanes, sum[r]);
    for (size_t r = 0; r < kRowsAtOnce; ++r)
      for (size_t v = 0; v < 4; ++v) vst1q_s32(sums + r * kInt16Lanes + 4 * v, sum[r][v]);
  }

  static void round(const int32_t* sums, float scale, const float* scales, int16_t* out) {
    Portable::round(sums, scale, scales, out);
  }

  template <size_t lanes>
  static void sum_hidden(const int16_t* const* rows, size_t count, size_t column, int16_t* out) {
    int16x8_t sum[lanes / 8];
    for (int16x8_t& s : sum) s = vdupq_n_s16(0);
    for (size_t r = 0; r < count; ++r)
      for (size_t v = 0; v < lanes / 8; ++v) sum[v] = vqaddq_s16(sum[v], vld1q_s16(rows[r] + column + 8 * v));
    for (size_t v = 0; v < lanes / 8; ++v) vst1q_s16(out + 8 * v, vmaxq_s16(sum[v], vdupq_n_s16(0)));
  }

  static uint8_t active_pairs(const int16_t* hidden) { return Portable::active_pairs(hidden); }

  template <size_t N>
  static void score(const int16_t* hidden, const uint16_t* pairs, size_t count, const int16_t* panel,
                    size_t inputs, int32_t* scores) {
    for (size_t p = 0; p < N; ++p, panel += inputs * kInt16Lanes, scores += kInt16Lanes) {
      int32x4_t sum[4];
      for (size_t v = 0; v < 4; ++v) sum[v] = vld1q_s32(scores + 4 * v);
      for (size_t i = 0; i < count; ++i)
        add(hidden[2 * pairs[i]], hidden[2 * pairs[i] + 1], panel + pairs[i] * kPair, sum);
      for (size_t v = 0; v < 4; ++v) vst1q_s32(scores + 4 * v, sum[v]);
    }
  }
};

#endif

struct Int16Kinds {
  using Portable = arcwise::Portable;
#if defined(ARCWISE_X86)
  using Avx2 = arcwise::Avx2;
  using AvxVnni = arcwise::Avx2;
  using Avx512Bw = arcwise::Avx512Bw;
  using Avx512 = arcwise::Avx512;
#elif defined(ARCWISE_NEON)
  using Neon = arcwise::Neon;
  using NeonDot = arcwise::Neon;
#endif
};

}  // namespace arcwise
