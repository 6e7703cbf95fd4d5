// Moves that share a class. The rare labels of an action are told apart after it has been decided that it is
// one of them: so a scorer has a few classes to choose between, however many labels a treebank has.
//
// The moves of a class lie side by side. The first moves of an action have the labels that are the most
// frequent ones, and have classes to themselves; the others share the last class of the action.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "task/moves.h"

namespace arcwise {

class MoveClasses {
 public:
  static constexpr size_t kMost = 28;

  MoveClasses() = default;
  explicit MoveClasses(const Moves& moves);
  // Where each class begins, and how many moves there are. Throws std::invalid_argument if these are none.
  MoveClasses(std::span<const uint16_t> begins, MoveId moves);

  size_t size() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  bool empty() const { return begins_.empty(); }
  MoveId moves() const { return begins_.empty() ? 0 : begins_.back(); }
  Range operator[](size_t c) const { return {begins_[c], begins_[c + 1]}; }
  bool is_shared(size_t c) const { return (*this)[c].size() > 1; }
  size_t of(MoveId move) const {
    return static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), move) - begins_.begin()) - 1;
  }
  std::span<const MoveId> begins() const { return std::span(begins_).first(size()); }

  // The scores of all moves: that of a class is its best move's, and the others are as far behind as what
  // of_member says of them.
  template <class Score>
  void score_moves(auto&& of_class, auto&& of_member, Score* moves) const {
    for (size_t c = 0; c < size(); ++c) {
      const auto [begin, end] = (*this)[c];
      const Score best = of_class(c);
      if (end - begin == 1) {
        moves[begin] = best;
        continue;
      }
      Score most = of_member(begin);
      for (MoveId m = begin + 1; m < end; ++m) most = std::max<Score>(most, of_member(m));
      for (MoveId m = begin; m < end; ++m) moves[m] = best + (of_member(m) - most);
    }
  }

 private:
  std::vector<MoveId> begins_;  // of each class, and the end of the last
};

}  // namespace arcwise
