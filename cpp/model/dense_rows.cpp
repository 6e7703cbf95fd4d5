#include "model/dense_rows.h"

#include "model/linear.h"

namespace arcwise {
namespace {

// Integers add up to the same in any order and width, so that every machine gives the same trees.
inline __attribute__((always_inline)) void sum(const int16_t* const* rows, size_t count, int32_t* scores) {
  constexpr int kPart = 32;
  for (int part = 0; part < kDenseRow; part += kPart) {
    int32_t total[kPart];
    for (int i = 0; i < kPart; ++i) total[i] = scores[part + i];
    for (size_t r = 0; r < count; ++r) {
      const int16_t* row = rows[r] + part;
      for (int i = 0; i < kPart; ++i) total[i] += row[i];
    }
    for (int i = 0; i < kPart; ++i) scores[part + i] = total[i];
  }
}

void sum_portable(const int16_t* const* rows, size_t count, int32_t* scores) { sum(rows, count, scores); }

using Sum = void (*)(const int16_t* const*, size_t, int32_t*);

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
__attribute__((target("avx2"))) void sum_avx2(const int16_t* const* rows, size_t count, int32_t* scores) {
  sum(rows, count, scores);
}
Sum choose() { return __builtin_cpu_supports("avx2") ? sum_avx2 : sum_portable; }
#else
Sum choose() { return sum_portable; }
#endif

}  // namespace

void add_dense_rows(const int16_t* const* rows, size_t count, int32_t* scores) {
  static const Sum chosen = choose();
  chosen(rows, count, scores);
}

}  // namespace arcwise
