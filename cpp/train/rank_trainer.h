// A ranker's training run: the candidates of a treebank, in a new order every epoch.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "train/rank_learner.h"

namespace arcwise {

// Trees to learn from: as CandidateTrees, with the loss of each tree.
struct RankingSet {
  Treebank treebank;
  std::vector<int32_t> counts, heads, labels, losses;
};

class RankTrainer {
 public:
  // Throws std::invalid_argument if the parts do not fit together.
  RankTrainer(const std::vector<std::string>& templates, const std::vector<std::string>& labels,
              RankingSet set, const RankLearnerOptions& options, uint64_t seed);

  // Goes on with so many sentences, or up to the end of the epoch. After an interrupt, which leaves a
  // sentence either learnt from or not, the next call goes on, and tells of what was done before it too.
  RankProgress run(size_t sentences);
  bool epoch_is_done() const { return position_ == order_.size(); }
  // Sentences whose trees are not all as good as each other.
  size_t sentences() const { return order_.size(); }
  const RankLearner& learner() const { return learner_; }

 private:
  RankTemplates templates_;
  RankLabels labels_;
  RankingSet set_;
  CandidateStarts starts_;
  CandidateParts parts_;
  RankLearner learner_;
  Random random_;
  std::vector<uint32_t> order_;
  size_t position_;
  RankProgress untold_;  // what was done by a call that was interrupted
};

}  // namespace arcwise
