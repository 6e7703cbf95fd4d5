#include "model/linear.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "model/rows.h"

namespace arcwise {
namespace {

// In place of a column.
constexpr uint32_t kIsList = 0xFFFD, kIsDense = 0xFFFE, kIsWide = 0xFFFF;
constexpr size_t kMostClasses = kIsList;
constexpr size_t kInSlot = 3;
constexpr double kSlotsForEachFeature = 1.5;
// Weights of neighbouring features are added up apart, so that none waits for another.
constexpr size_t kLanes = 4;

uint32_t check_of(uint64_t key) {
  const auto check = static_cast<uint32_t>(key);
  return check == 0 ? 1 : check;
}
// The key's high half, spread evenly over the lines.
size_t home_of(uint64_t key, size_t lines) { return ((key >> 32) * lines) >> 32; }

uint32_t tail_of(const int16_t* row) {
  uint32_t tail;
  std::memcpy(&tail, row, sizeof tail);
  return tail;
}

uint32_t entry(uint16_t column, int16_t weight) {
  return static_cast<uint32_t>(column) << 16 | static_cast<uint16_t>(weight);
}

bool is_full(const LinearSlot* line) { return line[kLine - 1].check != 0; }

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(std::string("The weights are damaged: ") + what + ".");
}

constexpr LinearSlot kNothing{0, {0, 0, 0}};

}  // namespace

LinearScorer::LinearScorer(const LinearParts<ConstSpan>& parts, double scale) : scale_(scale) {
  const size_t classes = parts.columns.size();
  if (classes < 1 || classes > kMostClasses) damaged("the number of classes is out of range");
  width_ = linear_width(classes);
  places_.assign(classes, 0);
  for (size_t c = 0; c < classes; ++c) {
    if (parts.columns[c] >= classes || places_[parts.columns[c]] != 0) damaged("the columns are not the classes");
    places_[parts.columns[c]] = static_cast<uint16_t>(c + kDenseTail);
  }
  if (!std::isfinite(scale) || scale <= 0) damaged("the scale is not a positive number");
  if (parts.slots.empty() || parts.slots.size() % kLine != 0 || parts.slots.size() > UINT32_MAX)
    damaged("the index has an impossible size");
  if (parts.lists.size() % kList != 0) damaged("a list is cut short");
  if (parts.dense.size() % kDenseRow != 0 || parts.wide.size() % width_ != 0) damaged("a row is cut short");
  const size_t lists = parts.lists.size() / kList;
  for (uint32_t w : parts.lists)
    if (w >> 16 >= classes) damaged("a weight belongs to no class");
  for (size_t r = 0; r < parts.dense.size(); r += kDenseRow)
    if (tail_of(&parts.dense[r]) >= std::max<size_t>(lists, 1)) damaged("there is no such list");
  bool room = false;
  for (size_t s = 0; s < parts.slots.size(); ++s) {
    const LinearSlot& slot = parts.slots[s];
    room |= s % kLine == kLine - 1 && slot.check == 0;
    const uint32_t column = slot.weights[0] >> 16, where = slot.weights[1];
    if (column == kIsList) {
      if (where >= lists) damaged("there is no such list");
    } else if (column == kIsDense) {
      if (where >= parts.dense.size() / kDenseRow) damaged("there is no such dense row");
    } else if (column == kIsWide) {
      if (where >= parts.wide.size() / width_) damaged("there is no such wide row");
    } else {
      for (uint32_t w : slot.weights)
        if (w >> 16 >= classes) damaged("a weight belongs to no class");
    }
  }
  if (!room) damaged("the index is full");
  parts_.slots.assign(parts.slots.begin(), parts.slots.end());
  parts_.lists.assign(parts.lists.begin(), parts.lists.end());
  parts_.dense.assign(parts.dense.begin(), parts.dense.end());
  parts_.wide.assign(parts.wide.begin(), parts.wide.end());
  parts_.columns.assign(parts.columns.begin(), parts.columns.end());
}

// Almost all features are in their home line, or nowhere; which slot of it is found without a branch.
inline const LinearSlot* LinearScorer::find(uint64_t key) const {
  const size_t lines = parts_.slots.size() / kLine;
  const uint32_t check = check_of(key);
  size_t home = home_of(key, lines);
  for (;;) {
    const LinearSlot* line = parts_.slots.data() + home * kLine;
    const unsigned hits = (line[0].check == check) | (line[1].check == check) << 1 |
                          (line[2].check == check) << 2 | (line[3].check == check) << 3;
    if (hits == 0 && is_full(line)) [[unlikely]] {
      if (++home == lines) home = 0;
      continue;
    }
    return hits != 0 ? line + std::countr_zero(hits) : &kNothing;
  }
}

void LinearScorer::add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const {
  const size_t lines = parts_.slots.size() / kLine, width = width_;
  for (int32_t i = 0; i < count; ++i)
    __builtin_prefetch(parts_.slots.data() + home_of(keys[i], lines) * kLine);

  const size_t most = static_cast<size_t>(count) + 1;
  if (scratch.rows.size() < most) {
    scratch.rows.resize(most);
    scratch.wide.resize(most);
    scratch.lists.resize(2 * most);
  }
  scratch.lanes.assign(kLanes * width, 0);
  int32_t* lanes = scratch.lanes.data() + kDenseTail;
  size_t rows = 0, wide = 0, lists = 0;
  for (int32_t i = 0; i < count; ++i) {
    const LinearSlot* slot = find(keys[i]);
    const uint32_t column = slot->weights[0] >> 16, where = slot->weights[1];
    // Which kind a feature is can not be guessed, so each is dealt with as if it were of all kinds, and
    // counts for its own.
    const bool is_dense = column == kIsDense, is_wide = column == kIsWide, is_list = column == kIsList;
    const int16_t* row = parts_.dense.data() + (is_dense ? where : 0) * kDenseRow;
    const uint32_t* list = parts_.lists.data() + (is_list ? where : 0) * kList;
    scratch.rows[rows] = row;
    rows += is_dense;
    scratch.wide[wide] = parts_.wide.data() + (is_wide ? where : 0) * width;
    wide += is_wide;
    scratch.lists[lists] = list;
    lists += is_list;
    __builtin_prefetch(is_list ? static_cast<const void*>(list) : row);
    __builtin_prefetch(row + kDenseRow / 2);
    const uint32_t mask = column >= kIsList ? 0 : ~uint32_t{0};
    int32_t* lane = lanes + (static_cast<size_t>(i) % kLanes) * width;
    for (uint32_t w : slot->weights) lane[(w & mask) >> 16] += static_cast<int16_t>(w & mask);
  }
  for (size_t r = 0; r < rows; ++r) {
    const uint32_t tail = tail_of(scratch.rows[r]);
    scratch.lists[lists] = parts_.lists.data() + tail * kList;
    __builtin_prefetch(scratch.lists[lists]);
    lists += tail != 0;
  }
  add_rows(scratch.wide.data(), wide, width, scores);
  add_rows(scratch.rows.data(), rows, kDenseRow, scores);
  for (size_t l = 0; l < lists; ++l) {
    int32_t* lane = lanes + (l % kLanes) * width;
    for (size_t i = 0; i < kList; ++i)
      lane[scratch.lists[l][i] >> 16] += static_cast<int16_t>(scratch.lists[l][i]);
  }
  add_lanes(scratch.lanes.data(), kLanes, width, scores);
}

LinearArrays LinearBuilder::build() const {
  LinearArrays arrays;
  float most = 0;
  for (float w : weights_) most = std::max(most, std::fabs(w));
  arrays.scale = most > 0 ? most / kMostWeight : 1;

  const size_t width = linear_width(classes_);
  std::vector<size_t> uses(classes_, 0);
  for (uint16_t move : moves_) ++uses[move];
  arrays.columns.resize(classes_);
  std::iota(arrays.columns.begin(), arrays.columns.end(), uint16_t{0});
  std::stable_sort(arrays.columns.begin(), arrays.columns.end(),
                   [&](uint16_t a, uint16_t b) { return uses[a] > uses[b]; });
  std::vector<uint16_t> column_of(classes_);
  for (size_t c = 0; c < classes_; ++c) column_of[arrays.columns[c]] = static_cast<uint16_t>(c);

  arrays.lists.assign(kList, 0);  // the first is none
  const auto add_list = [&](auto begin, auto end) {
    const size_t number = arrays.lists.size() / kList;
    if (number > UINT32_MAX) throw std::length_error("The model has too many weights for its file.");
    arrays.lists.resize(arrays.lists.size() + kList, 0);
    for (uint32_t* e = &arrays.lists[number * kList]; begin != end; ++begin) *e++ = entry(begin->first, begin->second);
    return static_cast<uint32_t>(number);
  };
  std::vector<std::pair<uint64_t, LinearSlot>> index;
  std::vector<std::pair<uint16_t, int16_t>> row;
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
    LinearSlot slot{check_of(keys_[f]), {0, 0, 0}};
    if (row.size() <= kInSlot) {
      for (size_t i = 0; i < row.size(); ++i) slot.weights[i] = entry(row[i].first, row[i].second);
    } else if (row.size() <= kList) {
      slot.weights[0] = kIsList << 16;
      slot.weights[1] = add_list(row.begin(), row.end());
    } else {
      auto rare = std::find_if(row.begin(), row.end(), [](const auto& e) { return e.first >= kDenseColumns; });
      const bool is_wide = row.end() - rare > static_cast<ptrdiff_t>(kList);
      if (is_wide) rare = row.end();
      const uint32_t tail = rare == row.end() ? 0 : add_list(rare, row.end());
      std::vector<int16_t>& rows = is_wide ? arrays.wide : arrays.dense;
      const size_t at = rows.size(), size = is_wide ? width : kDenseRow;
      slot.weights[0] = (is_wide ? kIsWide : kIsDense) << 16;
      slot.weights[1] = static_cast<uint32_t>(at / size);
      rows.resize(at + size, 0);
      std::memcpy(&rows[at], &tail, sizeof tail);
      for (auto e = row.begin(); e != rare; ++e) rows[at + kDenseTail + e->first] = e->second;
    }
    index.emplace_back(keys_[f], slot);
  }

  arrays.features = index.size();
  const auto lines = static_cast<size_t>(static_cast<double>(index.size()) * kSlotsForEachFeature) / kLine + 1;
  arrays.slots.assign(lines * kLine, LinearSlot{});
  for (const auto& [key, slot] : index) {
    size_t home = home_of(key, lines);
    while (is_full(&arrays.slots[home * kLine])) home = home + 1 == lines ? 0 : home + 1;
    LinearSlot* at = &arrays.slots[home * kLine];
    while (at->check != 0) ++at;
    *at = slot;
  }
  return arrays;
}

}  // namespace arcwise
