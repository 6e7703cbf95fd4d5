// The odds of moves against the best of them: exp(-scale * d) for scores that are d apart. Scores are
// integers, so that two small tables have them all: one for the high part of d and one for the low.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class Odds {
 public:
  explicit Odds(double scale) : scale_(scale) {
    // Beyond this, odds are lost in the rounding of a sum that contains 1.
    const double farthest = kNothing / scale;
    for (size_t i = 0; i <= kLow; ++i) low_.push_back(std::exp(-scale * static_cast<double>(i)));
    for (double d = 0; d < farthest && high_.size() < kMostHigh; d += kLow + 1)
      high_.push_back(std::exp(-scale * d));
  }

  // The logarithm of the sum of exp(scale * score), the highest of which is `most`.
  double log_total(std::span<const int32_t> scores, int32_t most) const {
    double total = 0;
    for (int32_t score : scores) {
      const size_t apart = static_cast<size_t>(int64_t{most} - score), high = apart >> kLowBits;
      if (high < high_.size()) total += high_[high] * low_[apart & kLow];
    }
    return scale_ * most + std::log(total);
  }

 private:
  static constexpr size_t kLowBits = 10, kLow = (size_t{1} << kLowBits) - 1;
  static constexpr size_t kMostHigh = size_t{1} << 22;  // then all differences of 32 bits are there
  static constexpr double kNothing = 40;

  double scale_;
  std::vector<double> low_, high_;
};

}  // namespace arcwise
