#include "model/linear.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "base/interrupts.h"
#include "model/linear_lines.h"
#include "model/rows.h"
#include "model/softmax.h"

namespace arcwise {
namespace {

// In place of a column.
constexpr uint32_t kIsList = 0xFFFD, kIsDense = 0xFFFE, kIsWide = 0xFFFF;
constexpr size_t kMostClasses = kIsList;
enum Kind : size_t { kFewKind, kListKind, kDenseKind, kWideKind };
size_t kind_of(const uint32_t* weights) { return std::max(weights[0] >> 16, kIsList - 1) - (kIsList - 1); }
// Full lines are passed by with a branch that the processor guesses wrong: with 1.5, parsing is 10 % slower.
constexpr double kSlotsForEachFeature = 2.0;

uint32_t tail_of(const int8_t* row) {
  const auto byte = [row](int i) { return static_cast<uint32_t>(static_cast<uint8_t>(row[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16;
}
constexpr uint32_t kMostTail = 0xFFFFFF;

uint32_t entry(uint16_t column, int16_t weight) {
  return static_cast<uint32_t>(column) << 16 | static_cast<uint16_t>(weight);
}

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(std::string("The weights are damaged: ") + what + ".");
}

constexpr uint32_t kNothing[kInSlot] = {0, 0, 0};

}  // namespace

LinearScorer::LinearScorer(const LinearParts<ConstSpan>& parts, double scale) : scale_(scale) {
  const size_t classes = parts.columns.size();
  if (classes < 1 || classes > kMostClasses) damaged("the number of classes is out of range");
  width_ = linear_width(classes);
  places_.assign(classes, 0);
  for (size_t c = 0; c < classes; ++c) {
    if (parts.columns[c] >= classes || places_[parts.columns[c]] != 0)
      damaged("the columns are not the classes");
    places_[parts.columns[c]] = static_cast<uint16_t>(c + kRowHeader);
  }
  if (!(scale > 0 && scale <= kMostScale)) damaged("the scale is out of range");
  if (parts.lines.empty() || parts.lines.size() > UINT32_MAX) damaged("the index has an impossible size");
  if (parts.lists.size() % kList != 0) damaged("a list is cut short");
  if (parts.dense.size() % kDenseRow != 0 || parts.wide.size() % width_ != 0) damaged("a row is cut short");
  const size_t lists = parts.lists.size() / kList;
  for (uint32_t w : parts.lists)
    if (w >> 16 >= classes) damaged("a weight belongs to no class");
  for (size_t r = 0; r < parts.dense.size(); r += kDenseRow) {
    if (tail_of(&parts.dense[r]) >= std::max<size_t>(lists, 1)) damaged("there is no such list");
    if (static_cast<uint8_t>(parts.dense[r + kRowShift]) > kMostShift) damaged("a row is too heavy");
  }
  for (size_t r = 0; r < parts.wide.size(); r += width_)
    if (static_cast<uint8_t>(parts.wide[r + kRowShift]) > kMostShift) damaged("a row is too heavy");
  bool room = false;
  for (const LinearLine& line : parts.lines) {
    room |= !is_full(line.checks);
    for (const auto& weights : line.weights) {
      const uint32_t column = weights[0] >> 16, where = weights[1];
      if (column == kIsList) {
        if (where >= lists) damaged("there is no such list");
      } else if (column == kIsDense) {
        if (where >= parts.dense.size() / kDenseRow) damaged("there is no such dense row");
      } else if (column == kIsWide) {
        if (where >= parts.wide.size() / width_) damaged("there is no such wide row");
      } else {
        for (uint32_t w : weights)
          if (w >> 16 >= classes) damaged("a weight belongs to no class");
      }
    }
  }
  if (!room) damaged("the index is full");
  parts_.lines.assign(parts.lines.begin(), parts.lines.end());
  parts_.lists.assign(parts.lists.begin(), parts.lists.end());
  parts_.dense.assign(parts.dense.begin(), parts.dense.end());
  parts_.wide.assign(parts.wide.begin(), parts.wide.end());
  parts_.columns.assign(parts.columns.begin(), parts.columns.end());
}

// The weights of a feature. Almost all features are in their home line, or nowhere; which slot of it is
// found without a branch.
inline const uint32_t* LinearScorer::find(uint64_t key) const {
  const size_t lines = parts_.lines.size();
  const uint32_t check = check_of(key);
  for (size_t home = home_of(key, lines);; home = home + 1 == lines ? 0 : home + 1) {
    const LinearLine& line = parts_.lines[home];
    const unsigned found = hits(line.checks, check);
    if (found == 0 && is_full(line.checks)) [[unlikely]]
      continue;
    return found != 0 ? line.weights[std::countr_zero(found)] : kNothing;
  }
}

void LinearScorer::each_slot(
    const std::function<void(size_t, size_t, std::span<const int32_t>)>& visit) const {
  std::vector<int32_t> scores(width_), classes(parts_.columns.size());
  for (size_t line = 0; line < parts_.lines.size(); ++line)
    for (size_t slot = 0; slot < kLine; ++slot) {
      if (parts_.lines[line].checks[slot] == 0) continue;
      std::fill(scores.begin(), scores.end(), 0);
      add_slot(parts_.lines[line].weights[slot], scores.data());
      for (size_t c = 0; c < classes.size(); ++c) classes[c] = scores[places_[c]];
      visit(line, slot, classes);
    }
}

// Without haste.
void LinearScorer::add_slot(const uint32_t* weights, int32_t* scores) const {
  int32_t* columns = scores + kRowHeader;
  const auto add_entries = [&](const uint32_t* entries, size_t count) {
    for (size_t i = 0; i < count; ++i) columns[entries[i] >> 16] += static_cast<int16_t>(entries[i]);
  };
  const auto add_row = [&](const int8_t* row, size_t width) { add_rows(&row, 1, width, scores); };
  switch (kind_of(weights)) {
    case kListKind:
      return add_entries(&parts_.lists[weights[1] * kList], kList);
    case kDenseKind: {
      const int8_t* row = &parts_.dense[weights[1] * kDenseRow];
      if (const uint32_t tail = tail_of(row)) add_entries(&parts_.lists[tail * kList], kList);
      return add_row(row, kDenseRow);
    }
    case kWideKind:
      return add_row(&parts_.wide[weights[1] * width_], width_);
    default:
      return add_entries(weights, kInSlot);
  }
}

void LinearScorer::add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const {
  const size_t lines = parts_.lines.size(), width = width_;
  for (int32_t i = 0; i < count; ++i) __builtin_prefetch(&parts_.lines[home_of(keys[i], lines)]);

  // Which kind a feature is cannot be guessed, so it is looked up where the next one of its kind goes.
  for (auto& queue : scratch.queues)
    if (queue.size() < static_cast<size_t>(count)) queue.resize(count);
  const uint32_t** next[kKinds];
  for (size_t k = 0; k < kKinds; ++k) next[k] = scratch.queues[k].data();
  const char* const begin[kKinds] = {
      reinterpret_cast<const char*>(parts_.lines.data()), reinterpret_cast<const char*>(parts_.lists.data()),
      reinterpret_cast<const char*>(parts_.dense.data()), reinterpret_cast<const char*>(parts_.wide.data())};
  const size_t size[kKinds] = {0, kList * sizeof(uint32_t), kDenseRow, width};
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t* weights = find(keys[i]);
    const size_t kind = kind_of(weights);
    *next[kind]++ = weights;
    __builtin_prefetch(begin[kind] + weights[1] * size[kind]);
  }
  const auto queue = [&](size_t kind) {
    return std::span(scratch.queues[kind].data(),
                     static_cast<size_t>(next[kind] - scratch.queues[kind].data()));
  };

  scratch.rows.clear();
  scratch.lists.clear();
  for (const uint32_t* at : queue(kListKind)) scratch.lists.push_back(&parts_.lists[at[1] * kList]);
  for (const uint32_t* at : queue(kDenseKind)) {
    const int8_t* row = &parts_.dense[at[1] * kDenseRow];
    scratch.rows.push_back(row);
    if (const uint32_t tail = tail_of(row)) {
      scratch.lists.push_back(&parts_.lists[tail * kList]);
      __builtin_prefetch(scratch.lists.back());
    }
  }
  int32_t* columns = scores + kRowHeader;
  for (const uint32_t* few : queue(kFewKind))
    for (size_t i = 0; i < kInSlot; ++i) columns[few[i] >> 16] += static_cast<int16_t>(few[i]);
  add_rows(scratch.rows.data(), scratch.rows.size(), kDenseRow, scores);
  scratch.rows.clear();
  for (const uint32_t* at : queue(kWideKind)) scratch.rows.push_back(&parts_.wide[at[1] * width]);
  add_rows(scratch.rows.data(), scratch.rows.size(), width, scores);
  for (const uint32_t* list : scratch.lists)
    for (size_t i = 0; i < kList; ++i) columns[list[i] >> 16] += static_cast<int16_t>(list[i]);
}

namespace {

// The smallest power of two with which the heaviest weight fits in 8 bits.
template <class Entry>
void write_row(Entry begin, Entry end, uint32_t tail, int8_t* row) {
  int most = 0, shift = 0;
  for (auto e = begin; e != end; ++e) most = std::max(most, std::abs(static_cast<int>(e->second)));
  while ((most + (1 << shift >> 1)) >> shift > INT8_MAX) ++shift;
  for (int i = 0; i < 3; ++i) row[i] = static_cast<int8_t>(tail >> (8 * i));
  row[kRowShift] = static_cast<int8_t>(shift);
  for (auto e = begin; e != end; ++e) {
    const double weight = static_cast<double>(e->second) / (1 << shift);
    row[kRowHeader + e->first] = static_cast<int8_t>(std::lround(weight));
  }
}

}  // namespace

LinearArrays LinearBuilder::build(double scale) const {
  LinearArrays arrays;
  float most = 0;
  for (float w : weights_) most = std::max(most, std::fabs(w));
  arrays.scale = scale > 0 ? scale : most > 0 ? most / kMostWeight : 1;

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
    for (uint32_t* e = &arrays.lists[number * kList]; begin != end; ++begin)
      *e++ = entry(begin->first, begin->second);
    return static_cast<uint32_t>(number);
  };
  struct Feature {
    uint64_t key;
    uint32_t weights[kInSlot];
  };
  std::vector<Feature> index;
  std::vector<std::pair<uint16_t, int16_t>> row;
  size_t begin = 0;
  for (size_t f = 0; f < keys_.size(); ++f) {
    check_interrupts();
    row.clear();
    for (size_t i = begin; i < ends_[f]; ++i)
      if (const auto q = std::clamp<long>(std::lround(weights_[i] / arrays.scale), -kMostWeight, kMostWeight);
          q != 0)
        row.emplace_back(column_of[moves_[i]], static_cast<int16_t>(q));
    begin = ends_[f];
    if (row.empty()) continue;
    arrays.weights += row.size();
    std::sort(row.begin(), row.end());
    Feature slot{keys_[f], {0, 0, 0}};
    if (row.size() <= kInSlot) {
      for (size_t i = 0; i < row.size(); ++i) slot.weights[i] = entry(row[i].first, row[i].second);
    } else if (row.size() <= kList) {
      slot.weights[0] = kIsList << 16;
      slot.weights[1] = add_list(row.begin(), row.end());
    } else {
      auto rare =
          std::find_if(row.begin(), row.end(), [](const auto& e) { return e.first >= kDenseColumns; });
      const bool is_wide = row.end() - rare > static_cast<ptrdiff_t>(kList);
      if (is_wide) rare = row.end();
      const uint32_t tail = rare == row.end() ? 0 : add_list(rare, row.end());
      if (tail > kMostTail) throw std::length_error("The model has too many weights for its file.");
      std::vector<int8_t>& rows = is_wide ? arrays.wide : arrays.dense;
      const size_t at = rows.size(), size = is_wide ? width : kDenseRow;
      slot.weights[0] = (is_wide ? kIsWide : kIsDense) << 16;
      slot.weights[1] = static_cast<uint32_t>(at / size);
      rows.resize(at + size, 0);
      write_row(row.begin(), rare, tail, &rows[at]);
    }
    index.push_back(slot);
  }

  arrays.features = index.size();
  const auto lines =
      static_cast<size_t>(static_cast<double>(index.size()) * kSlotsForEachFeature) / kLine + 1;
  arrays.lines.assign(lines, LinearLine{});
  for (const Feature& feature : index) {
    size_t home = home_of(feature.key, lines);
    while (is_full(arrays.lines[home].checks)) home = home + 1 == lines ? 0 : home + 1;
    LinearLine& line = arrays.lines[home];
    const auto slot = static_cast<size_t>(std::find(line.checks, line.checks + kLine, 0u) - line.checks);
    line.checks[slot] = check_of(feature.key);
    std::copy_n(feature.weights, kInSlot, line.weights[slot]);
  }
  return arrays;
}

}  // namespace arcwise
