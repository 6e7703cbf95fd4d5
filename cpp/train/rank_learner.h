// Learning to rank (Liu et al. 2015, Algorithm 4). The trees of a sentence are grouped by their losses; from
// each group that is chosen, the lowest-scored tree y+ must win over the highest-scored one of all worse
// groups, y-, by the difference of their losses. Where it does not, a passive-aggressive update sees to it.
// What is kept in the end is the mean of the weights after each update.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rank/candidate_parts.h"
#include "rank/ranker.h"

namespace arcwise {

struct RankLearnerOptions {
  int bits = 22;
  bool fine = true;  // every group against those worse than it; otherwise the best group alone
  // The longest step (the C of PA-I); without a bound, the constraint always holds after an update.
  double aggressiveness = std::numeric_limits<double>::infinity();
};

struct RankProgress {
  int64_t sentences = 0, pairs = 0, updates = 0;
};

class RankLearner {
 public:
  explicit RankLearner(const RankLearnerOptions& options);

  // Learns from the trees of a sentence, one loss for each.
  void learn(const CandidateParts& trees, std::span<const int32_t> losses, RankProgress& progress);

  std::vector<double> averaged() const;
  // The averaged weights as a ranker has them.
  RankWeights frozen() const;

 private:
  // Returns whether there was anything to change.
  bool update(const CandidateParts& trees, size_t better, size_t worse, double margin);

  RankLearnerOptions options_;
  std::vector<float> weights_;
  std::vector<double> weighted_;  // the sum of the changes, each times the number of updates before it
  int64_t updates_ = 0;

  // To work in.
  std::vector<double> of_parts_, of_trees_;
  std::vector<int32_t> groups_, part_counts_, feature_counts_;
  std::vector<uint32_t> touched_;
  std::vector<std::pair<uint32_t, int32_t>> changes_;
};

}  // namespace arcwise
