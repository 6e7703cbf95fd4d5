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

// Never 0, which is an empty slot.
uint32_t check_of_key(uint64_t key) { return static_cast<uint32_t>(key) | 1; }

using Best = size_t (*)(std::span<const Line>, const uint64_t*, int32_t, const CompactSums&,
                        const CompactSums&, uint32_t, CompactSums&);

// The loops over a slot are of fixed length, and compilers make vectors of them, NEON's for example.
size_t best_portable(std::span<const Line> table, const uint64_t* keys, int32_t count, const CompactSums& a,
                     const CompactSums& b, uint32_t legal, CompactSums& sums) {
  const Line* lines[CompactScorer::kMostFeatures];
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(lines[i] = home_of_key(table, keys[i]));
  int16_t total[kCompactSums];
  for (size_t s = 0; s < kCompactSums; ++s) total[s] = static_cast<int16_t>(a.of[s] + b.of[s]);
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t check = check_of_key(keys[i]);
    const bool first = lines[i]->slots[0].check == check, second = lines[i]->slots[1].check == check;
    const auto* slot = reinterpret_cast<const int8_t*>(&lines[i]->slots[second]);
    const auto found = static_cast<int16_t>(-static_cast<int>(first | second));
    for (size_t s = 0; s < kCompactSums; ++s) total[s] = static_cast<int16_t>(total[s] + (slot[s] & found));
  }
  std::memcpy(sums.of, total, sizeof total);
  size_t best = static_cast<size_t>(std::countr_zero(legal));
  for (uint32_t rest = legal; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<size_t>(std::countr_zero(rest));
    if (total[kFirstClassSum + c] > total[kFirstClassSum + best]) best = c;
  }
  return best;
}

#if defined(ARCWISE_X86)
alignas(64) constexpr Line kNoLine{};

// Whether a feature is there cannot be guessed: nothing is made to depend on a branch.
inline const Line::Slot* slot_or_none(const Line& line, uint32_t check) {
  const auto is = [&](const Line::Slot& slot) {
    return __builtin_expect_with_probability(slot.check == check, 1, 0.5);
  };
  const Line::Slot* slot = is(line.slots[0]) ? &line.slots[0] : &kNoLine.slots[0];
  return is(line.slots[1]) ? &line.slots[1] : slot;
}

// Sixteen bits, each as a number of all ones or all zeros.
__attribute__((target("avx2"))) inline __m256i spread(uint32_t bits) {
  const __m256i each =
      _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, INT16_MIN);
  const __m256i own = _mm256_and_si256(_mm256_set1_epi16(static_cast<int16_t>(bits)), each);
  return _mm256_cmpeq_epi16(own, each);
}

__attribute__((target("avx2"))) size_t best_avx2(std::span<const Line> table, const uint64_t* keys,
                                                 int32_t count, const CompactSums& a, const CompactSums& b,
                                                 uint32_t legal, CompactSums& sums) {
  const Line* lines[CompactScorer::kMostFeatures];
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(lines[i] = home_of_key(table, keys[i]));
  const auto *of_a = reinterpret_cast<const __m256i*>(a.of), *of_b = reinterpret_cast<const __m256i*>(b.of);
  __m256i low = _mm256_add_epi16(_mm256_load_si256(of_a), _mm256_load_si256(of_b));
  __m256i high = _mm256_add_epi16(_mm256_load_si256(of_a + 1), _mm256_load_si256(of_b + 1));
  for (int32_t i = 0; i < count; ++i) {
    const auto* slot = reinterpret_cast<const __m128i*>(slot_or_none(*lines[i], check_of_key(keys[i])));
    low = _mm256_add_epi16(low, _mm256_cvtepi8_epi16(_mm_load_si128(slot)));
    high = _mm256_add_epi16(high, _mm256_cvtepi8_epi16(_mm_load_si128(slot + 1)));
  }
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums.of), low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums.of) + 1, high);
  const uint32_t lanes = legal << kFirstClassSum;
  const __m256i least_of_all = _mm256_set1_epi16(INT16_MIN);
  low = _mm256_blendv_epi8(least_of_all, low, spread(lanes & 0xFFFF));
  high = _mm256_blendv_epi8(least_of_all, high, spread(lanes >> 16));
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
Best choose_best() { return this_machine() == Machine::Portable ? best_portable : best_avx2; }
#else
Best choose_best() { return best_portable; }
#endif

const Best kBest = choose_best();

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

size_t CompactScorer::best(const uint64_t* keys, int32_t count, const CompactSums& a, const CompactSums& b,
                           uint32_t legal, CompactSums& sums) const {
  return kBest(table_, keys, count, a, b, legal, sums);
}

void CompactScorer::add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const {
  const CompactSums none{};
  CompactSums sums;
  best(keys, count, none, none, 1, sums);
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
