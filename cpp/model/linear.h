// A linear scorer, frozen for parsing: the weights that are not zero, in 16 bits, behind a hash index.
//
// Classes are renumbered as columns, those that most features have weights for first. The index is made of
// lines of four slots; a feature is in its home line or, where that is full, in the next with room. A slot
// has the low half of the feature's key as a check (0: empty), and up to three weights, each a column and a
// weight of 16 bits. A feature with more has a mark for its first column, and for its second weight where it
// lies: a list of kList weights; a dense row, which has a weight for each of the first columns, and which
// list has its other weights (0: none); or a wide row, which has a weight for every column. Rows have 8 bits
// for a weight and a power of two for all of them, and fit in one cache line if dense. Short lists are filled
// up with weights of 0, so that nothing depends on their lengths.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/arrays.h"
#include "task/moves.h"

namespace arcwise {

inline constexpr size_t kLine = 4;    // slots
inline constexpr size_t kInSlot = 3;  // weights
inline constexpr size_t kList = 8;    // weights

// A dense row: three bytes for the number of a list, one for the row's power of two, then weights.
inline constexpr size_t kDenseRow = 64;
inline constexpr size_t kRowHeader = 4;
inline constexpr size_t kDenseColumns = kDenseRow - kRowHeader;

// How many numbers a wide row, or a vector of scores, has for this many classes: laid out as a dense row,
// in whole cache lines.
constexpr size_t linear_width(size_t classes) {
  return (classes + kRowHeader + kDenseRow - 1) / kDenseRow * kDenseRow;
}

struct LinearLine {  // a cache line
  uint32_t checks[kLine];
  uint32_t weights[kLine][kInSlot];
};

inline constexpr size_t kWordsInLine = sizeof(LinearLine) / sizeof(uint32_t);

template <template <class> class Array>
struct LinearParts {
  Array<LinearLine> lines;
  Array<uint32_t> lists;      // of kList; the first is no list
  Array<int8_t> dense;        // rows of kDenseRow
  Array<int8_t> wide;         // rows of linear_width
  Array<uint16_t> columns{};  // the classes, in the order of their columns
};

class LinearScorer {
  static constexpr size_t kKinds = 4;  // of features, by how their weights are kept

 public:
  struct Scratch {
    std::array<std::vector<const uint32_t*>, kKinds> queues;
    std::vector<const uint32_t*> lists;
    std::vector<const int8_t*> rows;
  };

  // Checks every slot, list and row before it takes them over; throws std::invalid_argument if anything
  // points outside.
  LinearScorer(const LinearParts<ConstSpan>& parts, double scale);

  MoveId classes() const { return static_cast<MoveId>(parts_.columns.size()); }
  double scale() const { return scale_; }  // a score times this is what the learner's would have been

  // How many numbers a vector of scores has: more than there are classes.
  size_t width() const { return width_; }
  // Adds the weights of these features to a vector of scores.
  void add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const;
  // Where in a vector of scores that of each class is.
  const uint16_t* columns() const { return places_.data(); }

  // The index as it lies, for one that keeps the same slots in another way: how many lines it has, the checks
  // of each, and visit(line, slot, weights of all classes) for every slot that is taken.
  size_t lines() const { return parts_.lines.size(); }
  const uint32_t* checks(size_t line) const { return parts_.lines[line].checks; }
  void each_slot(const std::function<void(size_t, size_t, std::span<const int32_t>)>& visit) const;

 private:
  const uint32_t* find(uint64_t key) const;
  void add_slot(const uint32_t* weights, int32_t* scores) const;

  LinearParts<HugeVector> parts_;
  double scale_;
  size_t width_ = 0;
  std::vector<uint16_t> places_;
};

// The arrays of a linear scorer, as they are made.
struct LinearArrays : LinearParts<PlainVector> {
  double scale = 1;
  size_t features = 0, weights = 0;  // that are not zero
};

class LinearBuilder {
 public:
  explicit LinearBuilder(MoveId classes) : classes_(static_cast<size_t>(classes)) {}
  // The weights of one feature come one after the other.
  void add(uint64_t key, MoveId move, float weight) {
    if (keys_.empty() || keys_.back() != key) {
      keys_.push_back(key);
      ends_.push_back(moves_.size());
    }
    moves_.push_back(static_cast<uint16_t>(move));
    weights_.push_back(weight);
    ends_.back() = moves_.size();
  }
  // With this scale, to which weights that are too large for it are cut; 0: one that fits them all.
  LinearArrays build(double scale = 0) const;

 private:
  size_t classes_;
  std::vector<uint64_t> keys_;
  std::vector<size_t> ends_;
  std::vector<uint16_t> moves_;
  std::vector<float> weights_;
};

}  // namespace arcwise
