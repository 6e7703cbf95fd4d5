#include "search/move_probabilities.h"

#include <algorithm>
#include <limits>

namespace arcwise {

void MoveProbabilities::look(const Legal& legal, const int32_t* scores, const uint16_t* columns) {
  legal_ = legal;
  scores_.resize(static_cast<size_t>(legal.size()));
  odds_.resize(scores_.size());
  size_t place = 0;
  int32_t most = std::numeric_limits<int32_t>::lowest();
  for (Range r : legal.ranges())
    for (MoveId c = r.begin; c < r.end; ++c) {
      const int32_t score = scores_[place++] = scores[columns[c]];
      most = std::max(most, score);
    }
  Softmax::Sum sum;
  place = 0;
  for (size_t r = 0; r < legal.ranges().size(); ++r) {
    const auto size = static_cast<size_t>(legal.ranges()[r].size());
    const auto of_range =
        odds_of_.against(most, std::span(scores_).subspan(place, size), odds_.data() + place);
    sum += of_range;
    totals_[r] = of_range.total;
    place += size;
  }
  mass_ = sum.mass(odds_of_.log_odds(most));
  unit_ = 1 / sum.total;
  intervals_.clear();
}

MoveId MoveProbabilities::draw(double number) {
  if (intervals_.empty()) divide();
  const Interval& best = intervals_[best_];
  if (best.begin <= number && number < best.end) return best.move;  // as a rule
  for (const Interval& i : intervals_)
    if (number < i.end) return i.move;
  return best.move;  // rounding may leave the last one to end before 1
}

void MoveProbabilities::divide() {
  const float* odds = odds_.data();
  double end = 0;
  best_ = 0;
  legal_.each([&](MoveId c) {
    const double share = unit_ * *odds++;
    if (share < kLeastShare) return;
    if (intervals_.size() > 0 && share > intervals_[best_].end - intervals_[best_].begin)
      best_ = intervals_.size();
    intervals_.push_back({end, end + share, c});
    end += share;
  });
}

}  // namespace arcwise
