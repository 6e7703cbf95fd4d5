// Scores of moves as log-odds: what share of the probability each legal move of a state has (Goldberg 2013,
// 3.3, footnote 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

// What is to be known of a set of moves that others may be added to. A move of log-odds x has probability
// exp(x - log_total) among them.
struct Mass {
  double log_total = -std::numeric_limits<double>::infinity();  // of exp(log-odds)
  double mean = 0;  // of the log-odds, each weighted with its probability

  bool empty() const { return std::isinf(log_total); }
  // Of the choice between the moves, in nats.
  double entropy() const { return empty() ? 0 : std::max(0.0, log_total - mean); }

  friend Mass operator+(const Mass& a, const Mass& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    const Mass &more = a.log_total < b.log_total ? b : a, &less = a.log_total < b.log_total ? a : b;
    const double odds = std::exp(less.log_total - more.log_total), share = odds / (1 + odds);
    return {more.log_total + std::log1p(odds), more.mean + share * (less.mean - more.mean)};
  }
};

// Scores are integers, so that two small tables have exp(-scale * d) for any that are d apart: one for the
// high part of d and one for the low.
class Odds {
 public:
  explicit Odds(double scale) : scale_(scale) {
    // Beyond this, odds are lost in the rounding of a sum that contains 1.
    const double farthest = kNothing / scale;
    for (size_t i = 0; i <= kLow; ++i) low_.push_back(std::exp(-scale * static_cast<double>(i)));
    for (double d = 0; d < farthest && high_.size() < kMostHigh; d += kLow + 1)
      high_.push_back(std::exp(-scale * d));
  }

  double log_odds(int32_t score) const { return scale_ * score; }

  // The logarithm of the sum of exp(scale * score), the highest of which is `most`.
  double log_total(std::span<const int32_t> scores, int32_t most) const {
    double total = 0;
    for (int32_t score : scores) total += below(most, score);
    return scale_ * most + std::log(total);
  }

  // Leaves in `shares` the probability of each of these scores, the highest of which is `most`.
  Mass shares(std::span<const int32_t> scores, int32_t most, std::vector<double>& shares) const {
    shares.clear();
    double total = 0, apart = 0;
    for (int32_t score : scores) {
      const double odds = below(most, score);
      shares.push_back(odds);
      total += odds;
      apart += odds * static_cast<double>(int64_t{most} - score);
    }
    for (double& share : shares) share /= total;
    return {scale_ * most + std::log(total), scale_ * (most - apart / total)};
  }

 private:
  // exp(scale * score) against that of the highest.
  double below(int32_t most, int32_t score) const {
    const size_t apart = static_cast<size_t>(int64_t{most} - score), high = apart >> kLowBits;
    return high < high_.size() ? high_[high] * low_[apart & kLow] : 0;
  }

  static constexpr size_t kLowBits = 10, kLow = (size_t{1} << kLowBits) - 1;
  static constexpr size_t kMostHigh = size_t{1} << 22;  // then all differences of 32 bits are there
  static constexpr double kNothing = 40;

  double scale_;
  std::vector<double> low_, high_;
};

}  // namespace arcwise
