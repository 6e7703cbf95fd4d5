#include "model/few_class_scorer.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "model/linear_lines.h"

namespace arcwise {
namespace {

// Of a feature that has no weights.
constexpr int16_t kNoWeights[FewClassScorer::kFirst + FewClassScorer::kMostClasses] = {};

// The bits of a check spread evenly.
size_t place_of(uint32_t check, int shift) { return (check * 0x9e3779b1u) >> shift; }

}  // namespace

FewClassScorer::FewClassScorer(const LinearScorer& scorer)
    : classes_(scorer.classes()), scale_(scorer.scale()), lines_(scorer.lines()) {
  if (static_cast<size_t>(classes_) > kMostClasses)
    throw std::invalid_argument("The weights are damaged: there are too many classes.");
  for (size_t line = 0; line < lines_.size(); ++line)
    std::copy_n(scorer.checks(line), kLine, lines_[line].checks);
  size_t features = 0;
  for (const Line& line : lines_) features += kLine - std::count(line.checks, line.checks + kLine, 0u);
  const size_t bits = std::max(std::bit_ceil(kBitsForEachFeature * features), size_t{64});
  shift_ = std::max(32 - std::countr_zero(bits), 0);
  known_.assign(bits / 64, 0);
  for (const Line& line : lines_)
    for (const uint32_t check : line.checks)
      if (check != 0) known_[place_of(check, shift_) / 64] |= uint64_t{1} << place_of(check, shift_) % 64;
  scorer.each_slot([&](size_t line, size_t slot, std::span<const int32_t> weights) {
    for (size_t c = 0; c < weights.size(); ++c) {
      if (weights[c] != static_cast<int16_t>(weights[c]))
        throw std::invalid_argument("The weights are damaged: one is too heavy.");
      lines_[line].weights[slot][c] = static_cast<int16_t>(weights[c]);
    }
  });
}

// The weights of a feature, with the two numbers that come before them in their line: eight are read at once.
inline const int16_t* FewClassScorer::find(uint64_t key) const {
  const size_t lines = lines_.size();
  const uint32_t check = check_of(key);
  for (size_t home = home_of(key, lines);; home = home + 1 == lines ? 0 : home + 1) {
    const Line& line = lines_[home];
    const unsigned found = hits(line.checks, check);
    if (found == 0 && is_full(line.checks)) [[unlikely]]
      continue;
    const auto* numbers =
        reinterpret_cast<const int16_t*>(&line) + sizeof line.checks / (sizeof(int16_t)) - kFirst;
    return found != 0 ? numbers + kMostClasses * static_cast<size_t>(std::countr_zero(found)) : kNoWeights;
  }
}

inline bool FewClassScorer::may_have_weights(uint64_t key) const {
  const size_t place = place_of(check_of(key), shift_);
  return known_[place / 64] >> place % 64 & 1;
}

void FewClassScorer::add(const uint64_t* all, int32_t all_count, Scores& scores) const {
  constexpr int32_t kAtOnce = 64;
  uint64_t keys[kAtOnce];
  for (; all_count > kAtOnce; all += kAtOnce, all_count -= kAtOnce) add(all, kAtOnce, scores);
  int32_t count = 0;
  for (int32_t i = 0; i < all_count; ++i) {
    keys[count] = all[i];
    count += may_have_weights(all[i]);
  }
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(&lines_[home_of(keys[i], lines_.size())]);
#if defined(__SSE2__)
  __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(scores.data()));
  __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(scores.data() + 4));
  for (int32_t i = 0; i < count; ++i) {
    const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(find(keys[i])));
    low = _mm_add_epi32(low, _mm_srai_epi32(_mm_unpacklo_epi16(eight, eight), 16));
    high = _mm_add_epi32(high, _mm_srai_epi32(_mm_unpackhi_epi16(eight, eight), 16));
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(scores.data()), low);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(scores.data() + 4), high);
#else
  for (int32_t i = 0; i < count; ++i) {
    const int16_t* eight = find(keys[i]);
    for (size_t c = 0; c < scores.size(); ++c) scores[c] += eight[c];
  }
#endif
}

}  // namespace arcwise
