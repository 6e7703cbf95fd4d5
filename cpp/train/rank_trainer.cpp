#include "train/rank_trainer.h"

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

RankingSet checked(RankingSet set, size_t labels) {
  CandidateTrees{set.counts, set.heads, set.labels}.check(set.treebank, labels);
  return set;
}

}  // namespace

RankTrainer::RankTrainer(const std::vector<std::string>& templates, const std::vector<std::string>& labels,
                         RankingSet set, const RankLearnerOptions& options, uint64_t seed)
    : templates_(templates),
      labels_(labels),
      set_(checked(std::move(set), labels.size())),
      starts_(set_.treebank, set_.counts),
      parts_(templates_, labels_, options.bits),
      learner_(options),
      random_(seed) {
  if (set_.losses.size() != starts_.trees.back()) throw std::invalid_argument("Every tree must have a loss.");
  for (size_t s = 0; s < set_.counts.size(); ++s) {
    const auto losses = std::span(set_.losses).subspan(starts_.trees[s], set_.counts[s]);
    if (std::adjacent_find(losses.begin(), losses.end(), std::not_equal_to<>()) != losses.end())
      order_.push_back(static_cast<uint32_t>(s));
  }
  if (order_.empty())
    throw std::invalid_argument(
        "There is nothing to rank: all trees of a sentence are as good as each other. Use a wider beam, or "
        "more sentences.");
  position_ = order_.size();
}

RankProgress RankTrainer::run(size_t sentences) {
  if (epoch_is_done()) {
    random_.shuffle(std::span(order_));
    position_ = 0;
  }
  for (; sentences > 0 && !epoch_is_done(); --sentences, ++position_) {
    const size_t s = order_[position_], words = set_.treebank.length(s);
    parts_.begin(set_.treebank, s);
    for (int32_t t = 0; t < set_.counts[s]; ++t) {
      const size_t at = starts_.words[s] + t * words;
      parts_.add(std::span(set_.heads).subspan(at, words), std::span(set_.labels).subspan(at, words));
    }
    learner_.learn(parts_, std::span(set_.losses).subspan(starts_.trees[s], set_.counts[s]), untold_);
  }
  return std::exchange(untold_, {});
}

}  // namespace arcwise
