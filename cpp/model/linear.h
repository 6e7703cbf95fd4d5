// A linear scorer, frozen for parsing: the weights that are not zero, in 16 bits, behind a hash index.
// The arrays are what the model file holds, and may be memory-mapped; nothing is built on loading.
//
// A slot of the index is 64 bits: the low half of the feature's key as a check (0: empty) and above it,
// after two bits that say which, the feature's only weight (14 bits of class, 16 of weight), or where its
// list lies in the pool, or which its dense row is. A list is its length and then class and weight of each
// entry, 16 bits each. A dense row has the weights of the classes that most features have weights for, and
// where in the pool the list of its other weights lies (0: nowhere).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "task/moves.h"

namespace arcwise {

// A dense row: two halves of an offset into the pool, then weights.
inline constexpr int kDenseRow = 64;
inline constexpr int kDenseTail = 2;
inline constexpr int kDenseColumns = kDenseRow - kDenseTail;

struct LinearView {
  std::span<const uint64_t> slots;
  std::span<const uint32_t> pool;
  std::span<const int16_t> dense;     // rows of kDenseRow
  std::span<const uint16_t> columns;  // the classes, in the order in which rows have them
  double scale = 1;
};

class LinearScorer {
 public:
  struct Scratch {
    std::vector<int32_t> scores;
    std::vector<const int16_t*> rows;
    std::vector<uint32_t> lists;
  };

  // Checks every slot, list and row; throws std::invalid_argument if anything points outside.
  explicit LinearScorer(const LinearView& view);

  Class classes() const { return static_cast<Class>(view_.columns.size()); }
  double scale() const { return view_.scale; }  // a score times this is what the learner's would have been

  // The score of every class, valid until the scratch is used again.
  const int32_t* score(const uint64_t* keys, int32_t count, Scratch& scratch) const;

 private:
  void check_list(size_t offset) const;
  void add_list(uint32_t offset, int32_t* scores) const;

  LinearView view_;
};

// The arrays of a linear scorer, as they are made.
struct LinearArrays {
  std::vector<uint64_t> slots;
  std::vector<uint32_t> pool;
  std::vector<int16_t> dense;
  std::vector<uint16_t> columns;
  double scale = 1;
  size_t features = 0, weights = 0;  // that are not zero
};

class LinearBuilder {
 public:
  explicit LinearBuilder(Class classes) : classes_(classes) {}
  // The weights of one feature come one after the other.
  void add(uint64_t key, Class move, float weight) {
    if (keys_.empty() || keys_.back() != key) {
      keys_.push_back(key);
      ends_.push_back(moves_.size());
    }
    moves_.push_back(static_cast<uint16_t>(move));
    weights_.push_back(weight);
    ends_.back() = moves_.size();
  }
  LinearArrays build() const;

 private:
  Class classes_;
  std::vector<uint64_t> keys_;
  std::vector<size_t> ends_;
  std::vector<uint16_t> moves_;
  std::vector<float> weights_;
};

}  // namespace arcwise
