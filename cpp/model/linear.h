// A linear scorer, frozen for parsing: the weights that are not zero, in 16 bits, behind a hash index.
// The arrays are what the model file holds, and may be memory-mapped; nothing is built on loading.
//
// A slot of the index is 64 bits: the low half of the feature's key as a check (0: empty), and above it
// either the feature's only weight (15 bits of class, 16 of weight) or, with the top bit set, where in the
// pool its weights lie. In the pool a feature has its number of weights and then class and weight of each,
// 16 bits each, or the mark kDense and then a weight for every class.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "task/moves.h"

namespace arcwise {

class LinearScorer {
 public:
  struct Scratch {
    std::vector<int32_t> scores;
    std::vector<uint32_t> rows;
  };

  // Checks every slot and row; throws std::invalid_argument if anything points outside.
  LinearScorer(std::span<const uint64_t> slots, std::span<const uint32_t> pool, Class classes, double scale);

  Class classes() const { return classes_; }
  double scale() const { return scale_; }  // a score times this is what the learner's would have been

  // The score of every class, valid until the scratch is used again.
  const int32_t* score(const uint64_t* keys, int32_t count, Scratch& scratch) const;

 private:
  void add_row(uint32_t offset, int32_t* scores) const;

  std::span<const uint64_t> slots_;
  std::span<const uint32_t> pool_;
  Class classes_;
  double scale_;
};

// The arrays of a linear scorer, as they are made.
struct LinearArrays {
  std::vector<uint64_t> slots;
  std::vector<uint32_t> pool;
  Class classes = 0;
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
