// How features are found in an index of lines of slots (linear.h).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/linear.h"

namespace arcwise {

// Never 0, which is an empty slot.
inline uint32_t check_of(uint64_t key) { return static_cast<uint32_t>(key) | 1; }
// The key's high half, spread evenly over the lines.
inline size_t home_of(uint64_t key, size_t lines) { return ((key >> 32) * lines) >> 32; }

inline bool is_full(const uint32_t* checks) { return checks[kLine - 1] != 0; }

// Which slots of a line have this check, a bit each. A line begins at a multiple of 64 bytes.
inline unsigned hits(const uint32_t* checks, uint32_t check) {
#if defined(__SSE2__)
  const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(checks));
  const __m128i same = _mm_cmpeq_epi32(all, _mm_set1_epi32(static_cast<int>(check)));
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
#else
  unsigned same = 0;
  for (unsigned i = 0; i < kLine; ++i) same |= static_cast<unsigned>(checks[i] == check) << i;
  return same;
#endif
}

}  // namespace arcwise
