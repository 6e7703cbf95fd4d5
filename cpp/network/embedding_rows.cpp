#include "network/embedding_rows.h"

#include <algorithm>
#include <array>

#include "network/int16_vectors.h"

namespace arcwise {
namespace {

constexpr size_t kLanes = 16;

struct PortableRows {
  using Sums = std::array<int32_t, kLanes>;
  static void add(const int8_t* numbers, int16_t factor, Sums& sums) {
    for (size_t i = 0; i < kLanes; ++i) sums[i] += static_cast<int16_t>(numbers[i] * factor);
  }
  static void add(const HalfBytes* pairs, int16_t factor, Sums& sums) {
    int8_t numbers[kLanes];
    for (size_t i = 0; i < kLanes / 2; ++i) {
      numbers[i] = static_cast<int8_t>(of_half(pairs[i] & 15));
      numbers[kLanes / 2 + i] = static_cast<int8_t>(of_half(pairs[i] >> 4));
    }
    add(numbers, factor, sums);
  }
  static void store(const Sums& sums, float scale, float* out) {
    for (size_t i = 0; i < kLanes; ++i) out[i] = static_cast<float>(sums[i]) * scale;
  }
};

#if defined(ARCWISE_X86)

// Rows are short.
struct Avx2Rows {
  struct Sums {
    __m256i low, high;
  };
  ARCWISE_WIDE static void add(__m128i numbers, int16_t factor, Sums& sums) {
    const __m256i products = _mm256_mullo_epi16(_mm256_cvtepi8_epi16(numbers), _mm256_set1_epi16(factor));
    sums.low = _mm256_add_epi32(sums.low, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(products)));
    sums.high = _mm256_add_epi32(sums.high, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(products, 1)));
  }
  ARCWISE_WIDE static void add(const int8_t* numbers, int16_t factor, Sums& sums) {
    add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers)), factor, sums);
  }
  ARCWISE_WIDE static void add(const HalfBytes* pairs, int16_t factor, Sums& sums) {
    const __m128i both = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pairs));
    const __m128i halves =
        _mm_and_si128(_mm_unpacklo_epi64(both, _mm_srli_epi16(both, 4)), _mm_set1_epi8(15));
    add(_mm_sub_epi8(_mm_add_epi8(halves, halves), _mm_set1_epi8(kMostHalf)), factor, sums);
  }
  ARCWISE_WIDE static void store(const Sums& sums, float scale, float* out) {
    const __m256 times = _mm256_set1_ps(scale);
    _mm256_storeu_ps(out, _mm256_mul_ps(_mm256_cvtepi32_ps(sums.low), times));
    _mm256_storeu_ps(out + kLanes / 2, _mm256_mul_ps(_mm256_cvtepi32_ps(sums.high), times));
  }
};

using RowKinds = KindsUpToAvx2<PortableRows, Avx2Rows>;
#else
using RowKinds = KindsUpToAvx2<PortableRows>;
#endif

}  // namespace

void sum_embeddings(std::span<const EmbeddingRow<int8_t>> bytes,
                    std::span<const EmbeddingRow<HalfBytes>> halves, size_t width, float scale, float* out) {
  bytes = bytes.first(std::min(bytes.size(), kMostRows));
  halves = halves.first(std::min(halves.size(), kMostRows - bytes.size()));
  run<RowKinds>([=](auto vectors) __attribute__((always_inline)) {
    for (size_t first = 0; first < width; first += kLanes) {
      typename decltype(vectors)::Sums sums{};
      for (const auto& row : bytes) vectors.add(row.numbers + first, row.factor, sums);
      for (const auto& row : halves) vectors.add(row.numbers + first / 2, row.factor, sums);
      vectors.store(sums, scale, out + first);
    }
  });
}

}  // namespace arcwise
