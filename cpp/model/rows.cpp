#include "model/rows.h"

#include <algorithm>

namespace arcwise {
namespace {

inline __attribute__((always_inline)) void sum(const int16_t* const* rows, size_t count, size_t width,
                                               int32_t* scores) {
  constexpr size_t kPart = 32;
  for (size_t first = 0; first < count; first += kRowsAtOnce) {
    const size_t last = std::min(first + kRowsAtOnce, count);
    for (size_t part = 0; part < width; part += kPart) {
      int16_t total[kPart] = {};
      for (size_t r = first; r < last; ++r) {
        const int16_t* row = rows[r] + part;
        for (size_t i = 0; i < kPart; ++i) total[i] = static_cast<int16_t>(total[i] + row[i]);
      }
      for (size_t i = 0; i < kPart; ++i) scores[part + i] += total[i];
    }
  }
}

void sum_portable(const int16_t* const* rows, size_t count, size_t width, int32_t* scores) {
  sum(rows, count, width, scores);
}

using Sum = void (*)(const int16_t* const*, size_t, size_t, int32_t*);

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
__attribute__((target("avx2"))) void sum_avx2(const int16_t* const* rows, size_t count, size_t width,
                                              int32_t* scores) {
  sum(rows, count, width, scores);
}
Sum choose() { return __builtin_cpu_supports("avx2") ? sum_avx2 : sum_portable; }
#else
Sum choose() { return sum_portable; }
#endif

const Sum kSum = choose();

}  // namespace

void add_rows(const int16_t* const* rows, size_t count, size_t width, int32_t* scores) {
  kSum(rows, count, width, scores);
}

void add_lanes(const int32_t* __restrict lanes, size_t count, size_t width, int32_t* __restrict scores) {
  for (size_t lane = 0; lane < count; ++lane)
    for (size_t i = 0; i < width; ++i) scores[i] += lanes[lane * width + i];
}

}  // namespace arcwise
