// Scores of moves as log-odds: what share of the probability each legal move of a state has (Goldberg 2013,
// 3.3, footnote 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

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

// With a larger scale the log-odds of 32-bit scores would not fit in floats.
inline constexpr double kMostScale = 1e20;

class Softmax {
 public:
  // A score times the scale is a move's log-odds. Beyond the largest scale, the best move has all of them.
  explicit Softmax(double scale) : scale_(scale < kMostScale ? scale : kMostScale) {}

  double log_odds(int32_t score) const { return scale_ * score; }

  // Sums over moves whose log-odds are x below the best: of exp(-x), and of x * exp(-x).
  struct Sum {
    double total = 0, deficit = 0;
    void operator+=(const Sum& o) {
      total += o.total;
      deficit += o.deficit;
    }
    // Of these moves, if the best one has these log-odds.
    Mass mass(double most) const { return {most + std::log(total), most - deficit / total}; }
  };
  // Writes exp(-x) for each score, where `most` is the highest of all: off by 1e-6 of it, or less.
  Sum against(int32_t most, std::span<const int32_t> scores, float* odds) const;
  // The logarithm of the odds of all moves together, to the bit what the mass of that sum has.
  double log_total(int32_t most, std::span<const int32_t> scores) const;

 private:
  double scale_;
};

}  // namespace arcwise
