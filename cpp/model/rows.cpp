#include "model/rows.h"

#include <algorithm>

#include "base/machine.h"

#if defined(ARCWISE_X86)
#include <immintrin.h>
#endif

namespace arcwise {
namespace {

constexpr size_t kPart = 64;

void sum_portable(const int8_t* const* rows, size_t count, size_t width, int32_t* scores) {
  for (size_t first = 0; first < count; first += kRowsAtOnce) {
    const size_t last = std::min(first + kRowsAtOnce, count);
    for (size_t part = 0; part < width; part += kPart) {
      int16_t total[kPart] = {};
      for (size_t r = first; r < last; ++r) {
        const int8_t* row = rows[r] + part;
        const auto factor = static_cast<int16_t>(1 << rows[r][kRowShift]);
        for (size_t i = 0; i < kPart; ++i) total[i] = static_cast<int16_t>(total[i] + row[i] * factor);
      }
      for (size_t i = 0; i < kPart; ++i) scores[part + i] += total[i];
    }
  }
}

using Sum = void (*)(const int8_t* const*, size_t, size_t, int32_t*);

#if defined(ARCWISE_X86)
__attribute__((target("avx2"))) void sum_avx2(const int8_t* const* rows, size_t count, size_t width,
                                              int32_t* scores) {
  constexpr size_t kLanes = 16, kVectors = kPart / kLanes;
  for (size_t first = 0; first < count; first += kRowsAtOnce) {
    const size_t last = std::min(first + kRowsAtOnce, count);
    for (size_t part = 0; part < width; part += kPart) {
      __m256i total[kVectors] = {};
      for (size_t r = first; r < last; ++r) {
        const auto* row = reinterpret_cast<const __m128i*>(rows[r] + part);
        const __m128i shift = _mm_cvtsi32_si128(rows[r][kRowShift]);
        for (size_t v = 0; v < kVectors; ++v)
          total[v] = _mm256_add_epi16(
              total[v], _mm256_sll_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128(row + v)), shift));
      }
      for (size_t v = 0; v < kVectors; ++v) {
        auto* to = reinterpret_cast<__m256i*>(scores + part + v * kLanes);
        const __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(total[v]));
        const __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(total[v], 1));
        _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), low));
        _mm256_storeu_si256(to + 1, _mm256_add_epi32(_mm256_loadu_si256(to + 1), high));
      }
    }
  }
}
Sum choose() { return this_machine() == Machine::Portable ? sum_portable : sum_avx2; }
#else
Sum choose() { return sum_portable; }
#endif

const Sum kSum = choose();

}  // namespace

void add_rows(const int8_t* const* rows, size_t count, size_t width, int32_t* scores) {
  kSum(rows, count, width, scores);
}

void sum_scores(const int32_t* __restrict a, const int32_t* __restrict b, size_t width,
                int32_t* __restrict scores) {
  for (size_t i = 0; i < width; ++i) scores[i] = a[i] + b[i];
}

void add_scores(const int32_t* __restrict more, size_t width, int32_t* __restrict scores) {
  for (size_t i = 0; i < width; ++i) scores[i] += more[i];
}

}  // namespace arcwise
