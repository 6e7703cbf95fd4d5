// The legal moves of a state and the probability of each, for whoever wants to know more than the best.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "model/softmax.h"
#include "task/moves.h"

namespace arcwise {

class MoveProbabilities {
 public:
  explicit MoveProbabilities(const Softmax& odds) : odds_of_(odds) {}

  // The score of move m is at columns[m].
  void look(const Legal& legal, const int32_t* scores, const uint16_t* columns);

  const Mass& mass() const { return mass_; }
  double log_odds(MoveId c) const { return odds_of_.log_odds(scores_[place_of(c)]); }

  // visit(move, share) for the moves of the same action as c.
  template <class F>
  void each_like(MoveId c, F&& visit) const {
    const float* odds = odds_.data();
    for (Range r : legal_.ranges()) {
      if (r.contains(c))
        for (MoveId like = r.begin; like < r.end; ++like) visit(like, unit_ * odds[like - r.begin]);
      odds += r.size();
    }
  }
  std::array<double, kMostActions> shares_of_actions(const Moves& moves) const {
    std::array<double, kMostActions> shares{};
    for (size_t r = 0; r < legal_.ranges().size(); ++r)
      shares[static_cast<size_t>(moves[legal_.ranges()[r].begin].action)] = unit_ * totals_[r];
    return shares;
  }

  // The move that a number from [0, 1) falls on: each has an interval as long as its share.
  MoveId draw(double number);

 private:
  // Of hundreds of moves a few have all of the probability, as far as random numbers can tell.
  static constexpr double kLeastShare = 1e-15;
  struct Interval {
    double begin, end;
    MoveId move;
  };

  size_t place_of(MoveId c) const {
    size_t place = 0;
    for (Range r : legal_.ranges()) {
      if (r.contains(c)) return place + static_cast<size_t>(c - r.begin);
      place += static_cast<size_t>(r.size());
    }
    return place;
  }
  void divide();

  const Softmax& odds_of_;
  Legal legal_;
  std::vector<int32_t> scores_;
  std::vector<float> odds_;                 // of the same, against the best
  std::array<double, kMostGroups> totals_;  // of the odds in each range
  Mass mass_;
  double unit_ = 1;                  // what odds of 1 are as a share
  std::vector<Interval> intervals_;  // filled when something is drawn
  size_t best_ = 0;                  // of them, the longest
};

}  // namespace arcwise
