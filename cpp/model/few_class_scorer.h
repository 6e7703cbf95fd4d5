// A linear scorer of few classes: every slot of its index has the weights of all of them, so that no feature
// leads anywhere else. It finds the same slots in the same lines as the LinearScorer that it is made of, and
// gives the same scores.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/arrays.h"
#include "model/linear.h"

namespace arcwise {

class FewClassScorer {
 public:
  static constexpr size_t kMostClasses = 6;
  // That of class c is at kFirst + c; what comes before is of no class.
  static constexpr size_t kFirst = 2;
  using Scores = std::array<int32_t, kFirst + kMostClasses>;

  // Throws std::invalid_argument if there are more classes, or weights of more than 16 bits.
  explicit FewClassScorer(const LinearScorer& scorer);

  MoveId classes() const { return classes_; }
  double scale() const { return scale_; }
  // Adds the weights of these features.
  void add(const uint64_t* keys, int32_t count, Scores& scores) const;

 private:
  struct Line {  // a cache line
    uint32_t checks[kLine];
    int16_t weights[kLine][kMostClasses];
  };
  static_assert(sizeof(Line) == 64);

  // Most features have no weights, and are told so by a bit, which a small table has for many keys together.
  static constexpr size_t kBitsForEachFeature = 8;
  bool may_have_weights(uint64_t key) const;
  const int16_t* find(uint64_t key) const;

  MoveId classes_;
  double scale_;
  HugeVector<Line> lines_;
  std::vector<uint64_t> known_;  // a bit for each place of checks
  int shift_ = 0;                // from 32 bits to such a place
};

}  // namespace arcwise
