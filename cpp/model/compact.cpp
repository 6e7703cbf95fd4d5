#include "model/compact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "base/interrupts.h"
#include "base/machine.h"

#if defined(ARCWISE_X86)
#include <immintrin.h>
#endif

namespace arcwise {
namespace {

using Line = CompactLine;

using Fetched = CompactScorer::Fetched;
struct Steps {
  void (*add)(const Fetched*, int32_t, CompactSums&);
  size_t (*best)(const CompactSums&, uint32_t);
};

// The loops over a slot are of fixed length, and compilers make vectors of them, NEON's for example.
void add_portable(const Fetched* features, int32_t count, CompactSums& sums) {
  int16_t total[kCompactSums];
  std::copy_n(sums.of, kCompactSums, total);
  for (int32_t i = 0; i < count; ++i) {
    const auto& slots = features[i].home->slots;
    const bool first = slots[0].check == features[i].check, second = slots[1].check == features[i].check;
    const auto* slot = reinterpret_cast<const int8_t*>(&slots[second]);
    const auto found = static_cast<int16_t>(-static_cast<int>(first | second));
    for (size_t s = 0; s < kCompactSums; ++s) total[s] = static_cast<int16_t>(total[s] + (slot[s] & found));
  }
  std::copy_n(total, kCompactSums, sums.of);
}

size_t best_portable(const CompactSums& sums, uint32_t legal) {
  auto best = static_cast<size_t>(std::countr_zero(legal));
  for (uint32_t rest = legal; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<size_t>(std::countr_zero(rest));
    if (sums.of[kFirstClassSum + c] > sums.of[kFirstClassSum + best]) best = c;
  }
  return best;
}

#if defined(ARCWISE_X86)
alignas(64) constexpr Line kNoLine{};

// Whether a feature is there cannot be guessed, and so it is not asked.
inline const Line::Slot* slot_or_none(const Fetched& feature) {
  const auto& slots = feature.home->slots;
  const bool first = slots[0].check == feature.check, second = slots[1].check == feature.check;
  const auto found = -static_cast<uintptr_t>(first | second);
  return reinterpret_cast<const Line::Slot*>((reinterpret_cast<uintptr_t>(&slots[second]) & found) |
                                             (reinterpret_cast<uintptr_t>(&kNoLine) & ~found));
}

__attribute__((target("avx2"))) void add_avx2(const Fetched* features, int32_t count, CompactSums& sums) {
  auto* of = reinterpret_cast<__m256i*>(sums.of);
  __m256i low = _mm256_load_si256(of), high = _mm256_load_si256(of + 1);
  for (int32_t i = 0; i < count; ++i) {
    const auto* slot = reinterpret_cast<const __m128i*>(slot_or_none(features[i]));
    low = _mm256_add_epi16(low, _mm256_cvtepi8_epi16(_mm_load_si128(slot)));
    high = _mm256_add_epi16(high, _mm256_cvtepi8_epi16(_mm_load_si128(slot + 1)));
  }
  _mm256_store_si256(of, low);
  _mm256_store_si256(of + 1, high);
}

// Sixteen bits, each as a number of all ones or all zeros.
__attribute__((target("avx2"))) inline __m256i spread(uint32_t bits) {
  const __m256i each =
      _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, INT16_MIN);
  const __m256i own = _mm256_and_si256(_mm256_set1_epi16(static_cast<int16_t>(bits)), each);
  return _mm256_cmpeq_epi16(own, each);
}

__attribute__((target("avx2"))) size_t best_avx2(const CompactSums& sums, uint32_t legal) {
  const auto* of = reinterpret_cast<const __m256i*>(sums.of);
  const uint32_t lanes = legal << kFirstClassSum;
  const __m256i least_of_all = _mm256_set1_epi16(INT16_MIN);
  const __m256i low = _mm256_blendv_epi8(least_of_all, _mm256_load_si256(of), spread(lanes & 0xFFFF));
  const __m256i high = _mm256_blendv_epi8(least_of_all, _mm256_load_si256(of + 1), spread(lanes >> 16));
  // The least of unsigned numbers is what the machine finds at once.
  const __m256i flip = _mm256_set1_epi16(0x7FFF);
  const __m256i most = _mm256_max_epi16(low, high);
  const __m128i of_eight = _mm_max_epi16(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  const __m128i least = _mm_minpos_epu16(_mm_xor_si128(of_eight, _mm256_castsi256_si128(flip)));
  const __m256i best = _mm256_xor_si256(_mm256_broadcastw_epi16(least), flip);
  const __m256i same = _mm256_packs_epi16(_mm256_cmpeq_epi16(low, best), _mm256_cmpeq_epi16(high, best));
  const auto tied = static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_permute4x64_epi64(same, 0xD8)));  // the packing goes by halves
  return static_cast<size_t>(std::countr_zero(tied & lanes)) - kFirstClassSum;
}

Steps choose_steps() {
  if (this_machine() == Machine::Portable) return {add_portable, best_portable};
  return {add_avx2, best_avx2};
}
#else
Steps choose_steps() { return {add_portable, best_portable}; }
#endif

const Steps kSteps = choose_steps();

constexpr int32_t kMostByte = INT8_MAX;

}  // namespace

CompactScorer::CompactScorer(std::span<const uint16_t> begins, std::span<const uint32_t> table,
                             LinearScorer members)
    : classes_(begins, members.classes()), members_(std::move(members)) {
  const size_t lines = table.size() / kWordsInCompactLine;
  if (table.empty() || table.size() % kWordsInCompactLine != 0 || lines > UINT32_MAX)
    throw std::invalid_argument("The weights are damaged: the table has an impossible size.");
  table_.resize(lines);
  std::memcpy(table_.data(), table.data(), table.size_bytes());
}

void CompactScorer::add(const Fetched* features, int32_t count, CompactSums& sums) {
  kSteps.add(features, count, sums);
}

size_t CompactScorer::best(const CompactSums& sums, uint32_t legal) { return kSteps.best(sums, legal); }

void CompactScorer::add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const {
  Fetched features[kMostFeatures];
  fetch(keys, count, features);
  CompactSums sums{};
  add(features, count, sums);
  for (size_t s = 0; s < kCompactSums; ++s) scores[s] += sums.of[s];
  members_.add(keys, count, scratch.members, scores + kCompactSums);
}

void CompactScorer::score_moves(const int32_t* scores, int32_t* moves) const {
  const int32_t* members = scores + kCompactSums;
  const uint16_t* columns = members_.columns();
  classes_.score_moves([&](size_t c) { return scores[kFirstClassSum + c] * kParts; },
                       [&](MoveId m) { return members[columns[m]]; }, moves);
}

void CompactBuilder::add(uint64_t key, MoveId number, float weight) {
  most_ = std::max(most_, std::fabs(weight));
  const auto classes = static_cast<MoveId>(classes_.size());
  if (number >= classes) return members_.add(key, number - classes, weight);
  if (rows_.empty() || rows_.back().key != key) rows_.push_back({key, {}});
  rows_.back().weights[number] = weight;
}

CompactArrays CompactBuilder::build(size_t most_lines) const {
  CompactArrays arrays;
  const double scale = most_ > 0 ? most_ / kMostByte : 1;
  for (MoveId begin : classes_.begins()) arrays.begins.push_back(static_cast<uint16_t>(begin));
  arrays.members = members_.build(scale / CompactScorer::kParts);

  struct Feature {
    uint64_t key;
    int32_t heaviness;
    int8_t weights[MoveClasses::kMost];
  };
  std::vector<Feature> features;
  for (const Row& row : rows_) {
    check_interrupts();
    Feature f{row.key, 0, {}};
    for (size_t c = 0; c < MoveClasses::kMost; ++c) {
      f.weights[c] = static_cast<int8_t>(std::lround(row.weights[c] / scale));
      f.heaviness += std::abs(f.weights[c]);
    }
    if (f.heaviness > 0) features.push_back(f);
  }
  std::sort(features.begin(), features.end(), [](const Feature& a, const Feature& b) {
    return a.heaviness != b.heaviness ? a.heaviness > b.heaviness : a.key < b.key;
  });
  arrays.table.assign(std::clamp<size_t>(features.size(), 1, most_lines), Line{});
  arrays.weights = arrays.members.weights;
  for (const Feature& f : features) {
    check_interrupts();
    auto* line = const_cast<Line*>(home_of_key(arrays.table, f.key));
    for (auto& slot : line->slots) {
      if (slot.check != 0) continue;
      slot.check = check_of_key(f.key);
      std::copy_n(f.weights, MoveClasses::kMost, slot.weights);
      ++arrays.features;
      arrays.weights += static_cast<size_t>(
          std::count_if(f.weights, f.weights + MoveClasses::kMost, [](int8_t w) { return w != 0; }));
      break;
    }
  }
  return arrays;
}

}  // namespace arcwise
