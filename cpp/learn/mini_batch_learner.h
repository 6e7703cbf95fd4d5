// The network as the training loop sees it: the states of a mini-batch are scored together, and gradients add
// up until the step that follows. The loss is that of Goldberg 2013: minus the log of the total probability
// of the correct moves; or, where teachers say how probable moves are, the cross entropy. What is not gold is
// weighted, and where nothing is known, so that no move would be wrong, there is no loss.
#pragma once

#include <algorithm>
#include <cmath>

#include "learn/learner.h"
#include "learn/network.h"

namespace arcwise {

class MiniBatchLearner {
 public:
  static constexpr bool kLearnsOnTheWay = false;
  static constexpr const char* kDiverged = "lower the learning rate (rate), or the longest gradient (clip).";

  // In a narrow task, few of the moves are legal at a time, and no others are scored.
  MiniBatchLearner(NetworkShard& shard, MoveId moves, bool is_narrow)
      : shard_(shard), moves_(moves), is_narrow_(is_narrow), sure_(shard.sure()) {}

  void look(size_t walk, Site& site, const auto& view) {
    site.state = shard_.states();
    shard_.add(walk, view, scored(site));
  }
  void score_again(Site&) {}
  void score() { shard_.score(); }
  void fetch(Site& site) {
    site.reset(static_cast<size_t>(moves_));
    const float* scores = shard_.scores(site.state);
    const Range range = scored(site);
    std::copy(scores + range.begin, scores + range.end, site.scores.begin() + range.begin);
  }
  // A legal move's gradient is its share of all probability, less its share of the correct moves'.
  double learn(Decision& decision) {
    Site& site = *decision.sites.front();
    float* const gradient = shard_.gradient(site.state);
    const Range range = scored(site);
    std::fill(gradient + range.begin, gradient + range.end, 0.0f);
    const float most = decision.predicted.score();
    float total = 0, correct = 0;
    for (Range r : site.legal.ranges())
      total += exponentials(site.scores.data() + r.begin, most, r.size(), gradient + r.begin);
    if (decision.has_targets) return learn_targets(site, most, total, gradient);
    site.legal.each([&](MoveId c) {
      if (site.costs[c] == decision.least_cost) correct += gradient[c];
    });
    site.legal.each([&](MoveId c) {
      const float share = site.costs[c] == decision.least_cost ? gradient[c] / correct : 0.0f;
      site.probabilities[c] = gradient[c] / total;
      gradient[c] = site.probabilities[c] - share;
    });
    const std::optional<float>& weight = shard_.weight(site.state);
    const bool teaches = !weight || has_wrong_move(decision);
    if (teaches) shard_.count(weight.value_or(1));
    if (!teaches || correct >= static_cast<float>(sure_) * total)
      std::fill(gradient + range.begin, gradient + range.end, 0.0f);
    else if (weight)
      for (MoveId c = range.begin; c < range.end; ++c) gradient[c] *= *weight;
    // A score that is no number would hide behind the comparisons that came before.
    return std::log(total / correct) + 0 * most;
  }
  static bool changed(const Decision&) { return false; }
  void pass() {}
  Random& random() { return shard_.random(); }

 private:
  static bool has_wrong_move(const Decision& decision) {
    bool found = false;
    decision.each([&](const DecidedMove& move) { found |= !decision.is_correct(move); });
    return found;
  }

  // The gradient, which holds the odds of moves, becomes their probabilities less their targets.
  double learn_targets(Site& site, float most, float total, float* gradient) {
    const float weight = shard_.weight(site.state).value_or(1);
    const double log_total = std::log(total);
    double loss = 0;
    site.legal.each([&](MoveId c) {
      site.probabilities[c] = gradient[c] / total;
      gradient[c] = weight * (site.probabilities[c] - site.targets[c]);
      loss += site.targets[c] * (log_total + most - site.scores[c]);
    });
    shard_.count(weight);
    return loss;
  }

  Range scored(const Site& site) const { return is_narrow_ ? site.legal.extent() : Range{0, moves_}; }

  NetworkShard& shard_;
  const MoveId moves_;
  const bool is_narrow_;
  const double sure_;
};

}  // namespace arcwise
