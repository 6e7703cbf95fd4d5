#include "search/move_scores.h"

#include <functional>
#include <limits>

#include "network/dispatch.h"

#if defined(ARCWISE_X86)
#include <immintrin.h>
#endif

namespace arcwise {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::lowest();

// Of kEight scores, a bit for each that is at least so high.
constexpr size_t kEight = 8;
struct PortableComparison {
  static uint64_t from(int32_t least, const int32_t* scores) {
    uint64_t bits = 0;
    for (size_t i = 0; i < kEight; ++i) bits |= uint64_t{scores[i] >= least} << i;
    return bits;
  }
};
#if defined(ARCWISE_X86)
struct Avx2Comparison {
  __attribute__((target(ARCWISE_AVX2_TARGET))) static uint64_t from(int32_t least, const int32_t* scores) {
    const __m256i lower = _mm256_cmpgt_epi32(_mm256_set1_epi32(least),
                                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores)));
    return static_cast<uint8_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(lower)));
  }
};
using ComparisonKinds = KindsUpToAvx2<PortableComparison, Avx2Comparison>;
#else
using ComparisonKinds = KindsUpToAvx2<PortableComparison>;
#endif

}  // namespace

void MoveScores::set(const Legal& legal, const int32_t* scores, const uint16_t* columns) {
  size_ = static_cast<size_t>(legal.size());
  const size_t filled = (size_ + kLanes - 1) / kLanes * kLanes;
  scores_.resize(filled);
  int32_t* own = scores_.data();
  for (Range r : legal.ranges())
    for (MoveId c = r.begin; c < r.end; ++c) *own++ = scores[columns[c]];
  std::fill(own, scores_.data() + filled, kLowest);
  run<ComparisonKinds>([&](auto) __attribute__((always_inline)) {
    std::array<int32_t, kLanes> most;
    most.fill(kLowest);
    for (size_t first = 0; first < filled; first += kLanes)
      for (size_t i = 0; i < kLanes; ++i) most[i] = std::max(most[i], scores_[first + i]);
    most_of_lanes_ = most;
  });
}

// As many lanes have one that high.
int32_t MoveScores::reached_by(size_t count) const {
  if (count > kLanes) return kLowest;
  std::array<int32_t, kLanes> most = most_of_lanes_;
  const auto last = most.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(most.begin(), last, most.end(), std::greater());
  return *last;
}

uint64_t MoveScores::from(int32_t least, size_t block) const {
  const size_t count = std::min(kBlock, size_ - block);
  uint64_t bits = 0;
  run<ComparisonKinds>([&](auto vectors) __attribute__((always_inline)) {
    for (size_t i = 0; i < count; i += kEight) bits |= vectors.from(least, scores_.data() + block + i) << i;
  });
  return count == kBlock ? bits : bits & ((uint64_t{1} << count) - 1);
}

}  // namespace arcwise
