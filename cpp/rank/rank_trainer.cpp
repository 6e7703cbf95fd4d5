#include "rank/rank_trainer.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace arcwise {

RankTrainer::RankTrainer(const std::vector<std::string>& templates, const std::vector<std::string>& labels,
                         RankingSet set, const RankLearnerOptions& options, uint64_t seed)
    : templates_(templates),
      labels_(labels),
      set_(std::move(set)),
      parts_(templates_, labels_, options.bits),
      learner_(options),
      random_(seed) {
  CandidateTrees{set_.counts, set_.heads, set_.labels}.check(set_.treebank, labels.size());
  size_t tree = 0, word = 0;
  for (size_t s = 0; s < set_.counts.size(); ++s) {
    first_tree_.push_back(tree);
    first_word_.push_back(word);
    tree += set_.counts[s];
    word += set_.counts[s] * set_.treebank.length(s);
  }
  if (set_.losses.size() != tree) throw std::invalid_argument("Every tree must have a loss.");
  for (size_t s = 0; s < set_.counts.size(); ++s) {
    const auto losses = std::span(set_.losses).subspan(first_tree_[s], set_.counts[s]);
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
  RankProgress progress;
  for (; sentences > 0 && !epoch_is_done(); --sentences, ++position_) {
    const size_t s = order_[position_], words = set_.treebank.length(s);
    parts_.begin(set_.treebank, s);
    for (int32_t t = 0; t < set_.counts[s]; ++t) {
      const size_t at = first_word_[s] + t * words;
      parts_.add(std::span(set_.heads).subspan(at, words), std::span(set_.labels).subspan(at, words));
    }
    learner_.learn(parts_, std::span(set_.losses).subspan(first_tree_[s], set_.counts[s]), progress);
  }
  return progress;
}

}  // namespace arcwise
