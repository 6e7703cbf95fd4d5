// The legal moves of a state and the probability of each, for whoever wants to know more than the best.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <vector>

#include "search/odds.h"
#include "task/moves.h"

namespace arcwise {

class Choices {
 public:
  explicit Choices(const Odds& odds) : odds_(odds) {}

  // The score of class c is at places[c].
  void look(const Legal& legal, const int32_t* scores, const uint16_t* places) {
    legal_ = legal;
    own_.clear();
    legal.each([&](Class c) { own_.push_back(scores[places[c]]); });
    best_ = static_cast<size_t>(std::max_element(own_.begin(), own_.end()) - own_.begin());
    mass_ = odds_.shares(own_, own_[best_], shares_);
    ends_.clear();
  }

  const Mass& mass() const { return mass_; }
  double log_odds(Class c) const { return odds_.log_odds(own_[place_of(c)]); }
  double share(Class c) const { return shares_[place_of(c)]; }
  // visit(move, share) for the moves of the same action as c.
  template <class F>
  void each_like(Class c, F&& visit) const {
    const double* share = shares_.data();
    for (Range r : legal_.ranges()) {
      if (r.contains(c))
        for (Class like = r.begin; like < r.end; ++like) visit(like, share[like - r.begin]);
      share += r.size();
    }
  }
  std::array<double, kActions> shares_of_actions(const Moves& moves) const {
    std::array<double, kActions> totals{};
    const double* share = shares_.data();
    for (Range r : legal_.ranges()) {
      double& total = totals[static_cast<size_t>(moves[r.begin].action)];
      for (Class c = r.begin; c < r.end; ++c) total += *share++;
    }
    return totals;
  }

  // The move that a number from [0, 1) falls on: each has an interval as long as its share.
  Class draw(double number) {
    if (ends_.empty()) std::partial_sum(shares_.begin(), shares_.end(), std::back_inserter(ends_));
    const double begin = best_ == 0 ? 0 : ends_[best_ - 1];
    if (begin <= number && number < ends_[best_]) return class_at(best_);  // as a rule
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), number);
    // Rounding may leave the last one to end before 1.
    return class_at(end == ends_.end() ? best_ : static_cast<size_t>(end - ends_.begin()));
  }

 private:
  size_t place_of(Class c) const {
    size_t place = 0;
    for (Range r : legal_.ranges()) {
      if (r.contains(c)) return place + static_cast<size_t>(c - r.begin);
      place += static_cast<size_t>(r.size());
    }
    return place;
  }
  Class class_at(size_t place) const {
    for (Range r : legal_.ranges()) {
      if (place < static_cast<size_t>(r.size())) return r.begin + static_cast<Class>(place);
      place -= static_cast<size_t>(r.size());
    }
    return legal_.first();
  }

  const Odds& odds_;
  Legal legal_;
  Mass mass_;
  size_t best_ = 0;
  std::vector<int32_t> own_;
  std::vector<double> shares_;
  std::vector<double> ends_;  // where each interval ends; filled when something is drawn
};

}  // namespace arcwise
