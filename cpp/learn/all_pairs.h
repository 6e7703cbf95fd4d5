// Weighted all pairs (Beygelzimer et al. 2005; Beygelzimer, Langford & Zadrozny 2008): of two actions the
// cheaper one is to be predicted lower by 1, and pairs count by how much depends on them. With the costs in
// ascending order, an action stands at the integral from 0 to its cost of 1 / (how many actions cost no more
// than t) dt, and a pair weighs the distance of its two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace arcwise {

// The pairs of one decision. Its memory is reused for the next.
class AllPairs {
 public:
  // How much each action counts: as much as all its pairs.
  void weigh(std::span<const float> costs, std::vector<float>& weights) {
    const size_t n = costs.size();
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return costs[a] < costs[b]; });
    standings_.assign(n, 0.0);
    for (size_t i = 1; i < n; ++i) {
      const double more = static_cast<double>(costs[order_[i]]) - static_cast<double>(costs[order_[i - 1]]);
      standings_[i] = standings_[i - 1] + more / static_cast<double>(i);
    }
    weights_.assign(n, 0.0);
    each([&](size_t i, size_t j, double weight) {
      weights_[i] += weight;
      weights_[j] += weight;
    });
    weights.assign(weights_.begin(), weights_.end());
  }

  // After `weigh`: an action's residual is the mean over its pairs, by their weights, of how much further the
  // two should be apart. Returns the loss.
  double compare(std::span<const float> predictions, std::vector<float>& residuals) {
    double loss = 0;
    pulls_.assign(predictions.size(), 0.0);
    each([&](size_t cheaper, size_t dearer, double weight) {
      const double residual = static_cast<double>(predictions[cheaper]) - predictions[dearer] + 1;
      pulls_[cheaper] += weight * residual;
      pulls_[dearer] -= weight * residual;
      loss += weight * residual * residual;
    });
    residuals.assign(predictions.size(), 0.0f);
    for (size_t a = 0; a < predictions.size(); ++a)
      if (weights_[a] > 0) residuals[a] = static_cast<float>(pulls_[a] / weights_[a]);
    return loss / 2;
  }

 private:
  // visit(cheaper, dearer, weight) for each pair that counts.
  template <class F>
  void each(F&& visit) const {
    for (size_t i = 0; i < order_.size(); ++i)
      for (size_t j = i + 1; j < order_.size(); ++j)
        if (const double weight = standings_[j] - standings_[i]; weight > 0)
          visit(order_[i], order_[j], weight);
  }

  std::vector<size_t> order_;  // by costs
  std::vector<double> standings_;
  std::vector<double> weights_, pulls_;
};

}  // namespace arcwise
