// The scores of the legal moves of a state side by side, for searches that ask which of them are high enough.
// Of a hundred moves that is so of a few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "task/moves.h"

namespace arcwise {

class MoveScores {
 public:
  // The score of move m is at columns[m].
  void set(const Legal& legal, const int32_t* scores, const uint16_t* columns);

  std::span<const int32_t> all() const { return {scores_.data(), size_}; }
  int32_t most() const { return *std::max_element(most_of_lanes_.begin(), most_of_lanes_.end()); }
  // A score that no fewer than `count` moves reach, if there are that many, and not many more.
  int32_t reached_by(size_t count) const;

  // visit(score, move) for the moves that have at least this score, in order. They are those that were set.
  template <class F>
  void each_from(int32_t least, const Legal& legal, F&& visit) const {
    const Range* range = legal.ranges().data();
    size_t first = 0;  // of the range
    for (size_t block = 0; block < size_; block += kBlock)
      for (uint64_t high = from(least, block); high != 0; high &= high - 1) {
        const size_t place = block + static_cast<size_t>(std::countr_zero(high));
        for (; place - first >= static_cast<size_t>(range->size()); ++range)
          first += static_cast<size_t>(range->size());
        visit(scores_[place], range->begin + static_cast<MoveId>(place - first));
      }
  }

 private:
  static constexpr size_t kBlock = 64, kLanes = 16;

  // Of a block of scores, a bit for each that is at least this.
  uint64_t from(int32_t least, size_t block) const;

  size_t size_ = 0;
  AlignedVector<int32_t> scores_;              // filled up to whole lanes
  std::array<int32_t, kLanes> most_of_lanes_;  // every sixteenth, from each on
};

}  // namespace arcwise
