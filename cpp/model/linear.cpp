#include "model/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace arcwise {
namespace {

constexpr uint32_t kDense = 0xFFFFFFFFu;
constexpr uint32_t kInPool = 0x80000000u;
// From this many weights on a row is stored, and added, whole.
constexpr size_t kDenseFrom = 12;
constexpr double kSlotsForEachFeature = 1.5;
constexpr int32_t kMostWeight = 32767;

uint32_t check_of(uint64_t key) {
  const auto check = static_cast<uint32_t>(key);
  return check == 0 ? 1 : check;
}
// The key's high half, spread evenly over the slots.
size_t home_of(uint64_t key, size_t slots) { return ((key >> 32) * slots) >> 32; }

size_t dense_size(Class classes) { return (static_cast<size_t>(classes) + 1) / 2; }

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(std::string("The model's weights are damaged: ") + what + ".");
}

}  // namespace

LinearScorer::LinearScorer(std::span<const uint64_t> slots, std::span<const uint32_t> pool, Class classes,
                           double scale)
    : slots_(slots), pool_(pool), classes_(classes), scale_(scale) {
  if (classes < 1 || classes > 0x7FFF) damaged("the number of classes is out of range");
  if (!std::isfinite(scale) || scale <= 0) damaged("the scale is not a positive number");
  if (slots.empty() || slots.size() > UINT32_MAX) damaged("the index has an impossible size");
  bool an_empty_one = false;
  for (const uint64_t slot : slots) {
    if (static_cast<uint32_t>(slot) == 0) {
      an_empty_one = true;
      continue;
    }
    const auto payload = static_cast<uint32_t>(slot >> 32);
    if ((payload & kInPool) == 0) {
      if (static_cast<Class>(payload >> 16) >= classes) damaged("a weight belongs to no class");
      continue;
    }
    const size_t offset = payload & ~kInPool;
    if (offset >= pool.size()) damaged("a feature lies outside the pool");
    const uint32_t count = pool[offset];
    if (count == kDense) {
      if (pool.size() - offset - 1 < dense_size(classes)) damaged("a feature runs over the end of the pool");
      continue;
    }
    if (count > pool.size() - offset - 1) damaged("a feature runs over the end of the pool");
    for (uint32_t i = 0; i < count; ++i)
      if (static_cast<Class>(pool[offset + 1 + i] >> 16) >= classes) damaged("a weight belongs to no class");
  }
  if (!an_empty_one) damaged("the index has no empty slot");
}

const int32_t* LinearScorer::score(const uint64_t* keys, int32_t count, Scratch& scratch) const {
  const size_t slots = slots_.size();
  // An odd last class may be followed by the half word of a dense row.
  scratch.scores.assign(static_cast<size_t>(classes_) + 1, 0);
  scratch.rows.resize(count);
  int32_t* scores = scratch.scores.data();
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[home_of(keys[i], slots)]);
  size_t rows = 0;
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t check = check_of(keys[i]);
    for (size_t at = home_of(keys[i], slots);;) {
      const uint64_t slot = slots_[at];
      const auto here = static_cast<uint32_t>(slot);
      if (here == 0) break;
      if (here == check) {
        const auto payload = static_cast<uint32_t>(slot >> 32);
        if (payload & kInPool) {
          scratch.rows[rows++] = payload & ~kInPool;
          __builtin_prefetch(&pool_[payload & ~kInPool]);
        } else {
          scores[payload >> 16] += static_cast<int16_t>(payload);
        }
        break;
      }
      if (++at == slots) at = 0;
    }
  }
  for (size_t r = 0; r < rows; ++r) add_row(scratch.rows[r], scores);
  return scores;
}

void LinearScorer::add_row(uint32_t offset, int32_t* scores) const {
  const uint32_t* row = &pool_[offset];
  const uint32_t count = *row++;
  if (count != kDense) {
    for (uint32_t i = 0; i < count; ++i) scores[row[i] >> 16] += static_cast<int16_t>(row[i]);
    return;
  }
  const auto* weights = reinterpret_cast<const int16_t*>(row);
  for (Class c = 0; c < classes_; ++c) scores[c] += weights[c];
}

LinearArrays LinearBuilder::build() const {
  LinearArrays arrays;
  arrays.classes = classes_;
  float most = 0;
  for (float w : weights_) most = std::max(most, std::fabs(w));
  arrays.scale = most > 0 ? most / kMostWeight : 1;

  std::vector<std::pair<uint64_t, uint32_t>> index;  // key and payload
  std::vector<std::pair<uint16_t, int16_t>> row;
  size_t begin = 0;
  for (size_t f = 0; f < keys_.size(); ++f) {
    row.clear();
    for (size_t i = begin; i < ends_[f]; ++i)
      if (const auto q = std::lround(weights_[i] / arrays.scale); q != 0)
        row.emplace_back(moves_[i], static_cast<int16_t>(q));
    begin = ends_[f];
    if (row.empty()) continue;
    arrays.weights += row.size();
    const auto word = [](std::pair<uint16_t, int16_t> e) {
      return static_cast<uint32_t>(e.first) << 16 | static_cast<uint16_t>(e.second);
    };
    if (row.size() == 1) {
      index.emplace_back(keys_[f], word(row[0]));
      continue;
    }
    if (arrays.pool.size() >= kInPool) throw std::length_error("The model has too many weights for its file.");
    index.emplace_back(keys_[f], static_cast<uint32_t>(arrays.pool.size()) | kInPool);
    if (row.size() >= kDenseFrom) {
      std::vector<int16_t> dense(dense_size(classes_) * 2, 0);
      for (const auto& [move, weight] : row) dense[move] = weight;
      arrays.pool.push_back(kDense);
      const size_t at = arrays.pool.size();
      arrays.pool.resize(at + dense_size(classes_));
      std::memcpy(&arrays.pool[at], dense.data(), dense.size() * sizeof(int16_t));
    } else {
      std::sort(row.begin(), row.end());
      arrays.pool.push_back(static_cast<uint32_t>(row.size()));
      for (const auto& e : row) arrays.pool.push_back(word(e));
    }
  }

  // In the order of their keys, so that the same weights make the same file, whatever order they came in.
  arrays.features = index.size();
  arrays.slots.assign(static_cast<size_t>(index.size() * kSlotsForEachFeature) + 2, 0);
  const size_t slots = arrays.slots.size();
  for (const auto& [key, payload] : index) {
    size_t at = home_of(key, slots);
    while (arrays.slots[at] != 0) at = at + 1 == slots ? 0 : at + 1;
    arrays.slots[at] = uint64_t{payload} << 32 | check_of(key);
  }
  return arrays;
}

}  // namespace arcwise
