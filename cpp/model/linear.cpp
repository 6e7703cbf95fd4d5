#include "model/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "model/dense_rows.h"

namespace arcwise {
namespace {

constexpr uint32_t kKind = 0xC0000000u;
constexpr uint32_t kInline = 0, kList = 0x80000000u, kDense = 0xC0000000u;
// From this many weights on a feature gets a dense row.
constexpr size_t kDenseFrom = 8;
constexpr double kSlotsForEachFeature = 1.5;
constexpr int32_t kMostWeight = 32767;
constexpr size_t kMostClasses = 0x3FFF;

uint32_t check_of(uint64_t key) {
  const auto check = static_cast<uint32_t>(key);
  return check == 0 ? 1 : check;
}
// The key's high half, spread evenly over the slots.
size_t home_of(uint64_t key, size_t slots) { return ((key >> 32) * slots) >> 32; }

uint32_t tail_of(const int16_t* row) {
  uint32_t tail;
  std::memcpy(&tail, row, sizeof tail);
  return tail;
}

uint32_t entry(uint16_t column, int16_t weight) {
  return static_cast<uint32_t>(column) << 16 | static_cast<uint16_t>(weight);
}

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(std::string("The weights are damaged: ") + what + ".");
}

}  // namespace

LinearScorer::LinearScorer(const LinearView& view) : view_(view) {
  const size_t classes = view.columns.size();
  if (classes < 1 || classes > kMostClasses) damaged("the number of classes is out of range");
  std::vector<uint8_t> seen(classes, 0);
  for (uint16_t c : view.columns)
    if (c >= classes || seen[c]++) damaged("the columns are not the classes");
  if (!std::isfinite(view.scale) || view.scale <= 0) damaged("the scale is not a positive number");
  if (view.slots.empty() || view.slots.size() > UINT32_MAX) damaged("the index has an impossible size");
  if (view.dense.size() % kDenseRow != 0) damaged("a dense row is cut short");
  for (size_t r = 0; r < view.dense.size(); r += kDenseRow)
    if (const uint32_t tail = tail_of(&view.dense[r])) check_list(tail);
  bool an_empty_one = false;
  for (const uint64_t slot : view.slots) {
    if (static_cast<uint32_t>(slot) == 0) {
      an_empty_one = true;
      continue;
    }
    const auto payload = static_cast<uint32_t>(slot >> 32);
    switch (payload & kKind) {
      case kInline:
        if (payload >> 16 >= classes) damaged("a weight belongs to no class");
        break;
      case kList:
        check_list(payload & ~kKind);
        break;
      case kDense:
        if ((payload & ~kKind) >= view.dense.size() / kDenseRow) damaged("there is no such dense row");
        break;
      default:
        damaged("a slot is of no known kind");
    }
  }
  if (!an_empty_one) damaged("the index has no empty slot");
}

void LinearScorer::check_list(size_t offset) const {
  const auto pool = view_.pool;
  if (offset >= pool.size() || pool[offset] > pool.size() - offset - 1)
    damaged("a list runs out of the pool");
  for (uint32_t i = 0; i < pool[offset]; ++i)
    if (pool[offset + 1 + i] >> 16 >= view_.columns.size()) damaged("a weight belongs to no class");
}

const int32_t* LinearScorer::score(const uint64_t* keys, int32_t count, Scratch& scratch) const {
  const uint64_t* slots = view_.slots.data();
  const size_t slot_count = view_.slots.size();
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(slots + home_of(keys[i], slot_count));

  // Scores by column; twice the room, for the scores by class behind them.
  const size_t classes = view_.columns.size(), room = std::max<size_t>(classes, kDenseColumns);
  scratch.scores.assign(kDenseTail + room + classes, 0);
  scratch.rows.resize(count);
  scratch.lists.resize(2 * static_cast<size_t>(count));
  int32_t* by_column = scratch.scores.data() + kDenseTail;
  size_t row_count = 0, list_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t check = check_of(keys[i]);
    for (size_t at = home_of(keys[i], slot_count);;) {
      const uint64_t slot = slots[at];
      const auto here = static_cast<uint32_t>(slot);
      if (here == 0) break;
      if (here == check) {
        const auto payload = static_cast<uint32_t>(slot >> 32);
        if ((payload & kKind) == kDense) {
          const int16_t* row = view_.dense.data() + static_cast<size_t>(payload & ~kKind) * kDenseRow;
          __builtin_prefetch(row);
          __builtin_prefetch(row + kDenseRow / 2);
          scratch.rows[row_count++] = row;
        } else if ((payload & kKind) == kList) {
          __builtin_prefetch(&view_.pool[payload & ~kKind]);
          scratch.lists[list_count++] = payload & ~kKind;
        } else {
          by_column[payload >> 16] += static_cast<int16_t>(payload);
        }
        break;
      }
      if (++at == slot_count) at = 0;
    }
  }
  for (size_t l = 0; l < list_count; ++l) add_list(scratch.lists[l], by_column);
  size_t tails = 0;
  for (size_t r = 0; r < row_count; ++r)
    if (const uint32_t tail = tail_of(scratch.rows[r])) scratch.lists[tails++] = tail;
  for (size_t l = 0; l < tails; ++l) add_list(scratch.lists[l], by_column);
  add_dense_rows(scratch.rows.data(), row_count, scratch.scores.data());

  int32_t* by_class = by_column + room;
  for (size_t c = 0; c < classes; ++c) by_class[view_.columns[c]] = by_column[c];
  return by_class;
}

void LinearScorer::add_list(uint32_t offset, int32_t* scores) const {
  const uint32_t* list = &view_.pool[offset];
  const uint32_t count = *list++;
  for (uint32_t i = 0; i < count; ++i) scores[list[i] >> 16] += static_cast<int16_t>(list[i]);
}

LinearArrays LinearBuilder::build() const {
  LinearArrays arrays;
  float most = 0;
  for (float w : weights_) most = std::max(most, std::fabs(w));
  arrays.scale = most > 0 ? most / kMostWeight : 1;

  std::vector<size_t> uses(classes_, 0);
  for (uint16_t move : moves_) ++uses[move];
  arrays.columns.resize(classes_);
  std::iota(arrays.columns.begin(), arrays.columns.end(), uint16_t{0});
  std::stable_sort(arrays.columns.begin(), arrays.columns.end(),
                   [&](uint16_t a, uint16_t b) { return uses[a] > uses[b]; });
  std::vector<uint16_t> column_of(classes_);
  for (size_t c = 0; c < arrays.columns.size(); ++c) column_of[arrays.columns[c]] = static_cast<uint16_t>(c);

  arrays.pool.push_back(0);                          // offset 0 is no list
  std::vector<std::pair<uint64_t, uint32_t>> index;  // key and payload
  std::vector<std::pair<uint16_t, int16_t>> row;
  const auto add_list = [&](auto begin, auto end) {
    const size_t offset = arrays.pool.size();
    if (offset > ~kKind) throw std::length_error("The model has too many weights for its file.");
    arrays.pool.push_back(static_cast<uint32_t>(end - begin));
    for (; begin != end; ++begin) arrays.pool.push_back(entry(begin->first, begin->second));
    return static_cast<uint32_t>(offset);
  };
  size_t begin = 0;
  for (size_t f = 0; f < keys_.size(); ++f) {
    row.clear();
    for (size_t i = begin; i < ends_[f]; ++i)
      if (const auto q = std::lround(weights_[i] / arrays.scale); q != 0)
        row.emplace_back(column_of[moves_[i]], static_cast<int16_t>(q));
    begin = ends_[f];
    if (row.empty()) continue;
    arrays.weights += row.size();
    std::sort(row.begin(), row.end());
    uint32_t payload;
    if (row.size() == 1) {
      payload = entry(row[0].first, row[0].second) | kInline;
    } else if (row.size() < kDenseFrom) {
      payload = add_list(row.begin(), row.end()) | kList;
    } else {
      payload = static_cast<uint32_t>(arrays.dense.size() / kDenseRow) | kDense;
      const auto rare =
          std::find_if(row.begin(), row.end(), [](const auto& e) { return e.first >= kDenseColumns; });
      const uint32_t tail = rare == row.end() ? 0 : add_list(rare, row.end());
      const size_t at = arrays.dense.size();
      arrays.dense.resize(at + kDenseRow, 0);
      std::memcpy(&arrays.dense[at], &tail, sizeof tail);
      for (auto e = row.begin(); e != rare; ++e) arrays.dense[at + kDenseTail + e->first] = e->second;
    }
    index.emplace_back(keys_[f], payload);
  }

  arrays.features = index.size();
  arrays.slots.assign(static_cast<size_t>(static_cast<double>(index.size()) * kSlotsForEachFeature) + 2, 0);
  const size_t slots = arrays.slots.size();
  for (const auto& [key, payload] : index) {
    size_t at = home_of(key, slots);
    while (arrays.slots[at] != 0) at = at + 1 == slots ? 0 : at + 1;
    arrays.slots[at] = uint64_t{payload} << 32 | check_of(key);
  }
  return arrays;
}

}  // namespace arcwise
