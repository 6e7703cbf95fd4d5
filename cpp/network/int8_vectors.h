// Sums of products of bytes (int8_kernels.h) for each kind of machine. All kinds give the same integers.
#pragma once

#include "network/int16_vectors.h"
#include "network/int8_kernels.h"

namespace arcwise {

inline constexpr size_t kFour = 4 * kInt16Lanes;  // the weights of four inputs in a panel

struct Int8Portable : Portable {
  // sums[row][lane] = the product of a row with a panel.
  static void dot(const uint8_t* const* rows, const Int8Matrix& weights, size_t p, int32_t* sums) {
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      int32_t products[kInt16Lanes];
      std::copy_n(weights.offsets(p), kInt16Lanes, products);
      for (size_t k = 0; k < weights.inputs(); k += 4) {
        const int8_t* w = weights.panel(p) + k * kInt16Lanes;
        for (size_t i = 0; i < kInt16Lanes; ++i)
          for (size_t j = 0; j < 4; ++j) products[i] += rows[r][k + j] * w[4 * i + j];
      }
      std::copy_n(products, kInt16Lanes, sums + r * kInt16Lanes);
    }
  }
};

#if defined(ARCWISE_X86)

// Products of pairs of bytes are added up in 16 bits, those of two fours, and then in 32.
struct Int8Avx2 : Avx2 {
  ARCWISE_WIDE static __m256i four(const uint8_t* from) {
    int32_t all;
    std::memcpy(&all, from, sizeof all);
    return _mm256_set1_epi32(all);
  }

  static constexpr size_t kBytesAtOnce = kInt16Lanes;
  // Rounded to the nearest integer, ties to the even one.
  ARCWISE_WIDE static void to_bytes(const float* x, float factor, uint8_t* out) {
    const __m256 times = _mm256_set1_ps(factor);
    const __m256i low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), times)),
                  high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8), times));
    const __m256i words = _mm256_add_epi16(_mm256_packs_epi32(low, high), _mm256_set1_epi16(kByteZero));
    // Packing goes by halves of vectors.
    const __m256i in_order = _mm256_permute4x64_epi64(words, 0b11011000);
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(out),
        _mm_packus_epi16(_mm256_castsi256_si128(in_order), _mm256_extracti128_si256(in_order, 1)));
  }

  ARCWISE_WIDE static void dot(const uint8_t* const* rows, const Int8Matrix& weights, size_t p,
                               int32_t* sums) {
    const __m256i ones = _mm256_set1_epi16(1);
    const int8_t* panel = weights.panel(p);
    __m256i sum[2][kRowsAtOnce];
    const uint8_t* x[kRowsAtOnce];
    std::copy_n(rows, kRowsAtOnce, x);
    for (size_t half = 0; half < 2; ++half)
      for (size_t r = 0; r < kRowsAtOnce; ++r) sum[half][r] = load(weights.offsets(p) + 8 * half);
    for (size_t k = 0; k < weights.inputs(); k += 8)
      for (size_t half = 0; half < 2; ++half) {
        const int8_t* w = panel + k * kInt16Lanes + kFour / 2 * half;
        const __m256i w0 = load(w), w1 = load(w + kFour);
        for (size_t r = 0; r < kRowsAtOnce; ++r) {
          const __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(four(x[r] + k), w0),
                                                 _mm256_maddubs_epi16(four(x[r] + k + 4), w1));
          sum[half][r] = _mm256_add_epi32(sum[half][r], _mm256_madd_epi16(pairs, ones));
        }
      }
    for (size_t half = 0; half < 2; ++half)
      for (size_t r = 0; r < kRowsAtOnce; ++r) store(sums + r * kInt16Lanes + 8 * half, sum[half][r]);
  }
};

#define ARCWISE_VNNI __attribute__((target(ARCWISE_AVX_VNNI_TARGET)))

struct Int8AvxVnni : Int8Avx2 {
  ARCWISE_VNNI static void dot(const uint8_t* const* rows, const Int8Matrix& weights, size_t p,
                               int32_t* sums) {
    const int8_t* panel = weights.panel(p);
    __m256i low[kRowsAtOnce], high[kRowsAtOnce];
    const uint8_t* x[kRowsAtOnce];
    std::copy_n(rows, kRowsAtOnce, x);
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      low[r] = load(weights.offsets(p));
      high[r] = load(weights.offsets(p) + 8);
    }
    for (size_t k = 0; k < weights.inputs(); k += 4) {
      const __m256i w0 = load(panel + k * kInt16Lanes), w1 = load(panel + k * kInt16Lanes + kFour / 2);
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        const __m256i v = four(x[r] + k);
        low[r] = _mm256_dpbusd_avx_epi32(low[r], v, w0);
        high[r] = _mm256_dpbusd_avx_epi32(high[r], v, w1);
      }
    }
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      store(sums + r * kInt16Lanes, low[r]);
      store(sums + r * kInt16Lanes + 8, high[r]);
    }
  }
};

// How the products of inputs, by fours, are added to those of a panel.
struct AddBytesInSteps {  // as with AVX2
  static constexpr size_t kRowsAtOnce = 12, kPanelsOfDot = 2, kFours = 2;
  ARCWISE_WIDEST static __m512i add(__m512i sum, const __m512i* x, const __m512i* w) {
    const __m512i pairs =
        _mm512_add_epi16(_mm512_maddubs_epi16(x[0], w[0]), _mm512_maddubs_epi16(x[1], w[1]));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
};
struct AddBytesInOneStep {
  static constexpr size_t kRowsAtOnce = 6, kPanelsOfDot = 4, kFours = 1;
  ARCWISE_WIDEST_VNNI static __m512i add(__m512i sum, const __m512i* x, const __m512i* w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(*x), "v"(*w));  // as AddInOneStep
    return sum;
  }
};

template <class Int16, class Products>
struct Int8Avx512Of : Int16 {
  static constexpr size_t kRowsAtOnce = Products::kRowsAtOnce, kPanelsOfDot = Products::kPanelsOfDot,
                          kBytesAtOnce = kInt16Lanes;

  ARCWISE_WIDEST static void to_bytes(const float* x, float factor, uint8_t* out) {
    const __m512i rounded = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(factor)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm512_cvtepi32_epi8(_mm512_add_epi32(rounded, _mm512_set1_epi32(kByteZero))));
  }

  ARCWISE_WIDEST static __m512i four(const uint8_t* from) {
    int32_t all;
    std::memcpy(&all, from, sizeof all);
    return _mm512_set1_epi32(all);
  }

  ARCWISE_WIDEST static void dot(const uint8_t* const* rows, const Int8Matrix& weights, size_t p,
                                 int32_t* sums) {
    constexpr size_t kFours = Products::kFours;
    const size_t inputs = weights.inputs();
    const uint8_t* x[kRowsAtOnce];
    std::copy_n(rows, kRowsAtOnce, x);
    const int8_t* panels[kPanelsOfDot];
    __m512i sum[kPanelsOfDot][kRowsAtOnce];
    for (size_t q = 0; q < kPanelsOfDot; ++q) {
      panels[q] = weights.panel(p) + q * inputs * kInt16Lanes;
      for (size_t r = 0; r < kRowsAtOnce; ++r) sum[q][r] = Int16::load(weights.offsets(p) + q * kInt16Lanes);
    }
#pragma GCC unroll 2
    for (size_t k = 0; k < inputs; k += 4 * kFours) {
      __m512i w[kPanelsOfDot][kFours], factors[kFours];
      for (size_t q = 0; q < kPanelsOfDot; ++q)
        for (size_t f = 0; f < kFours; ++f) w[q][f] = Int16::load(panels[q] + k * kInt16Lanes + f * kFour);
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        for (size_t f = 0; f < kFours; ++f) factors[f] = four(x[r] + k + 4 * f);
        for (size_t q = 0; q < kPanelsOfDot; ++q) sum[q][r] = Products::add(sum[q][r], factors, w[q]);
      }
    }
    for (size_t q = 0; q < kPanelsOfDot; ++q)
      for (size_t r = 0; r < kRowsAtOnce; ++r)
        Int16::store(sums + (q * kRowsAtOnce + r) * kInt16Lanes, sum[q][r]);
  }
};
using Int8Avx512Bw = Int8Avx512Of<Avx512Bw, AddBytesInSteps>;
using Int8Avx512 = Int8Avx512Of<Avx512, AddBytesInOneStep>;

#endif

#if defined(ARCWISE_NEON)

// The products of signed bytes: what is stored is made signed again, and there is nothing to make up for.
template <class Products>
struct Int8NeonOf : Neon {
  static int8x16_t four(const uint8_t* from) {
    uint32_t all;
    std::memcpy(&all, from, sizeof all);
    return vreinterpretq_s8_u8(vsubq_u8(vreinterpretq_u8_u32(vdupq_n_u32(all)), vdupq_n_u8(kByteZero)));
  }

  static void dot(const uint8_t* const* rows, const Int8Matrix& weights, size_t p, int32_t* sums) {
    int32x4_t sum[kRowsAtOnce][4];
    for (auto& of_row : sum)
      for (int32x4_t& s : of_row) s = vdupq_n_s32(0);
    for (size_t k = 0; k < weights.inputs(); k += 4) {
      const int8_t* w = weights.panel(p) + k * kInt16Lanes;
      int8x16_t of_outputs[4];
      for (size_t v = 0; v < 4; ++v) of_outputs[v] = vld1q_s8(w + 16 * v);
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        const int8x16_t x = four(rows[r] + k);
        for (size_t v = 0; v < 4; ++v) sum[r][v] = Products::add(sum[r][v], of_outputs[v], x);
      }
    }
    for (size_t r = 0; r < kRowsAtOnce; ++r)
      for (size_t v = 0; v < 4; ++v) vst1q_s32(sums + r * kInt16Lanes + 4 * v, sum[r][v]);
  }
};

struct WidenedProducts {
  static int32x4_t add(int32x4_t sum, int8x16_t w, int8x16_t x) {
    const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(x)));
    const int32x4_t high = vpaddlq_s16(vmull_high_s8(w, x));
    return vaddq_s32(sum, vpaddq_s32(low, high));
  }
};
struct DotProducts {
  __attribute__((target(ARCWISE_NEON_DOT_TARGET))) static int32x4_t add(int32x4_t sum, int8x16_t w,
                                                                        int8x16_t x) {
    return vdotq_s32(sum, w, x);
  }
};

#endif

struct Int8Kinds {
  using Portable = Int8Portable;
#if defined(ARCWISE_X86)
  using Avx2 = Int8Avx2;
  using AvxVnni = Int8AvxVnni;
  using Avx512Bw = Int8Avx512Bw;
  using Avx512 = Int8Avx512;
#elif defined(ARCWISE_NEON)
  using Neon = Int8NeonOf<WidenedProducts>;
  using NeonDot = Int8NeonOf<DotProducts>;
#endif
};

}  // namespace arcwise
