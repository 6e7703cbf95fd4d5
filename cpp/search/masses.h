// The probabilities of all moves of a state together, whether it has one site or many: every site has moves
// of its own, and all of them share the probability. A tree of sums over the sites takes log n for a change,
// and for a draw.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "model/softmax.h"
#include "task/sites.h"

namespace arcwise {

template <Task T>
class Masses {
 public:
  void start(int32_t /*last_site*/) { mass_ = {}; }
  void set(int32_t, const Mass& mass) { mass_ = mass; }
  const Mass& total() const { return mass_; }
  int32_t draw(double&) const { return 0; }

 private:
  Mass mass_;
};

template <ManySites T>
class Masses<T> {
 public:
  // For sites up to this one, which have no moves yet.
  void start(int32_t last_site) {
    leaves_ = 1;
    while (leaves_ <= static_cast<size_t>(last_site)) leaves_ *= 2;
    sums_.assign(2 * leaves_, Mass{});
  }
  void set(int32_t site, const Mass& mass) {
    size_t node = leaves_ + static_cast<size_t>(site);
    sums_[node] = mass;
    while (node /= 2) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }
  const Mass& total() const { return sums_[1]; }

  // The site that a number from [0, 1) falls on; leaves in it where between 0 and 1 it falls there.
  int32_t draw(double& number) const {
    size_t node = 1;
    while (node < leaves_) {
      const Mass &left = sums_[2 * node], &right = sums_[2 * node + 1];
      const double share = left.empty() ? 0 : std::exp(left.log_total - sums_[node].log_total);
      const bool goes_left = right.empty() || number < share;
      number = goes_left ? number / share : (number - share) / (1 - share);
      node = 2 * node + (goes_left ? 0 : 1);
    }
    return static_cast<int32_t>(node - leaves_);
  }

 private:
  size_t leaves_ = 1;
  std::vector<Mass> sums_{2};
};

}  // namespace arcwise
