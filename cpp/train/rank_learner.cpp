#include "train/rank_learner.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace arcwise {

RankLearner::RankLearner(const RankLearnerOptions& options) : options_(options) {
  if (options.bits < Ranker::kLeastBits || options.bits > Ranker::kMostBits)
    throw std::invalid_argument("The number of a ranker's bits must be from 10 to 30.");
  if (!(options.aggressiveness > 0))
    throw std::invalid_argument("The aggressiveness of a ranker must be positive.");
  const size_t size = size_t{1} << options.bits;
  weights_.assign(size, 0);
  weighted_.assign(size, 0);
  feature_counts_.assign(size, 0);
}

void RankLearner::learn(const CandidateParts& trees, std::span<const int32_t> losses,
                        RankProgress& progress) {
  ++progress.sentences;
  groups_.assign(losses.begin(), losses.end());
  std::sort(groups_.begin(), groups_.end());
  groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
  if (groups_.size() < 2) return;
  trees.score(weights_.data(), of_parts_, of_trees_);
  const size_t pairs = options_.fine ? groups_.size() - 1 : 1;
  for (size_t j = 0; j < pairs; ++j) {
    ++progress.pairs;
    constexpr size_t kNoTree = -1;
    size_t better = kNoTree, worse = kNoTree;
    for (size_t t = 0; t < losses.size(); ++t) {
      if (losses[t] == groups_[j] && (better == kNoTree || of_trees_[t] < of_trees_[better])) better = t;
      if (losses[t] > groups_[j] && (worse == kNoTree || of_trees_[t] > of_trees_[worse])) worse = t;
    }
    const double margin = losses[worse] - losses[better] - (of_trees_[better] - of_trees_[worse]);
    if (margin > 0 && update(trees, better, worse, margin)) {
      ++progress.updates;
      trees.score(weights_.data(), of_parts_, of_trees_);
    }
  }
}

bool RankLearner::update(const CandidateParts& trees, size_t better, size_t worse, double margin) {
  part_counts_.assign(trees.parts(), 0);
  for (const uint32_t p : trees.parts_of(better)) ++part_counts_[p];
  for (const uint32_t p : trees.parts_of(worse)) --part_counts_[p];
  touched_.clear();
  for (size_t p = 0; p < part_counts_.size(); ++p) {
    if (part_counts_[p] == 0) continue;
    for (const uint32_t f : trees.features_of(p)) {
      if (feature_counts_[f] == 0) touched_.push_back(f);
      feature_counts_[f] += part_counts_[p];
    }
  }
  // A feature may have come and gone: what is left of each is taken once.
  changes_.clear();
  double norm = 0;
  for (const uint32_t f : touched_) {
    const int32_t count = std::exchange(feature_counts_[f], 0);
    if (count == 0) continue;
    changes_.emplace_back(f, count);
    norm += static_cast<double>(count) * count;
  }
  if (norm == 0) return false;
  const double step = std::min(options_.aggressiveness, margin / norm);
  for (const auto& [f, count] : changes_) {
    weights_[f] += static_cast<float>(step * count);
    weighted_[f] += step * count * static_cast<double>(updates_);
  }
  ++updates_;
  return true;
}

std::vector<double> RankLearner::averaged() const {
  const auto updates = static_cast<double>(updates_);
  std::vector<double> mean(weights_.size());
  for (size_t f = 0; f < mean.size(); ++f) mean[f] = (weights_[f] * updates - weighted_[f]) / (updates + 1);
  return mean;
}

RankWeights RankLearner::frozen() const {
  const std::vector<double> mean = averaged();
  double most = 0;
  for (const double w : mean) most = std::max(most, std::abs(w));
  RankWeights frozen{std::vector<int16_t>(mean.size()), most > 0 ? most / INT16_MAX : 1};
  for (size_t f = 0; f < mean.size(); ++f)
    frozen.weights[f] = static_cast<int16_t>(std::lround(mean[f] / frozen.scale));
  return frozen;
}

}  // namespace arcwise
