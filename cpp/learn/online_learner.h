// Linear learners as the training loop sees them: features are looked up, scored and learnt from at once.
#pragma once

#include "learn/learner.h"

namespace arcwise {

// Weights is Perceptron or AdagradRda; Features has size() and extract(view, tokens, keys).
template <class Weights, class Features, class Tokens>
class OnlineLearner {
 public:
  static constexpr bool kLearnsOnTheWay = true;
  static constexpr const char* kDiverged = "lower the learning rate (alpha) or raise the ridge (rho).";

  OnlineLearner(Weights& weights, const Features& features, size_t moves, Random& random)
      : weights_(weights), features_(features), moves_(moves), random_(random) {}

  // What the features of the walk to come look at.
  void sentence(const Tokens& tokens) { tokens_ = &tokens; }

  void look(size_t /*walk*/, Site& site, const auto& view) {
    site.reset(features_.size(), moves_);
    site.feature_count = features_.extract(view, *tokens_, site.keys.data());
    weights_.score(site);
  }
  void score_again(Site& site) { weights_.score(site); }
  void score() {}
  void fetch(Site&) {}
  double learn(Decision& decision) { return weights_.learn(decision); }
  static bool changed(const Decision& decision) { return Weights::changed(decision); }
  void pass() { weights_.pass(); }
  Random& random() { return random_; }

 private:
  Weights& weights_;
  const Features& features_;
  const size_t moves_;
  Random& random_;
  const Tokens* tokens_ = nullptr;
};

}  // namespace arcwise
