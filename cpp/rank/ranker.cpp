#include "rank/ranker.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/work_queue.h"
#include "model/softmax.h"
#include "tree/pseudo_projective.h"

namespace arcwise {

CandidateStarts::CandidateStarts(const Treebank& treebank, std::span<const int32_t> counts) {
  for (size_t s = 0; s < counts.size(); ++s) {
    trees.push_back(trees.back() + counts[s]);
    words.push_back(words.back() + counts[s] * treebank.length(s));
  }
}

void CandidateTrees::check(const Treebank& treebank, size_t label_count) const {
  const auto refuse = [](const char* why) { throw std::invalid_argument(why); };
  if (counts.size() != treebank.sentence_count())
    refuse("There must be as many counts of trees as sentences.");
  size_t words = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] < 1) refuse("Every sentence must have a tree.");
    words += counts[s] * treebank.length(s);
  }
  if (heads.size() != words || labels.size() != words)
    refuse("Every word of every tree must have a head and a label.");
  for (const int32_t label : labels)
    if (label < kUnknownLabel || label >= static_cast<int32_t>(label_count))
      refuse("There is no such label.");
  size_t at = 0;
  for (size_t s = 0; s < counts.size(); ++s)
    for (int32_t i = 0; i < counts[s]; ++i, at += treebank.length(s)) {
      const auto tree = heads.subspan(at, treebank.length(s));
      if (std::find(tree.begin(), tree.end(), kUnknownHead) != tree.end())
        refuse("Every word of a tree must have a head.");
      is_projective(tree);  // which refuses cycles, and heads that are out of range
    }
}

Ranker::Ranker(const std::vector<std::string>& templates, const std::vector<std::string>& labels,
               std::span<const int16_t> weights, double scale)
    : templates_(templates), labels_(labels), weights_(weights.begin(), weights.end()), scale_(scale) {
  bits_ = std::bit_width(weights.size()) - 1;
  if (!std::has_single_bit(weights.size()) || bits_ < kLeastBits || bits_ > kMostBits)
    throw std::invalid_argument("The ranker is damaged: it has an impossible number of weights.");
  if (!(scale > 0 && scale <= kMostScale))
    throw std::invalid_argument("The ranker is damaged: its scale is out of range.");
}

std::vector<double> Ranker::scores(const Treebank& treebank, const CandidateTrees& trees, int threads) const {
  trees.check(treebank, labels_.hashes.size());
  const CandidateStarts starts(treebank, trees.counts);
  std::vector<double> all(starts.trees.back());
  WorkQueue(treebank.sentence_count()).run(threads, [&](WorkQueue& queue) {
    Workspace workspace(*this);
    while (const auto range = queue.take())
      for (size_t s = range->begin; s < range->end; ++s) {
        const size_t first = starts.words[s], words = starts.words[s + 1] - first;
        const auto own = workspace.score(treebank, s, trees.heads.subspan(first, words),
                                         trees.labels.subspan(first, words));
        std::copy(own.begin(), own.end(), all.begin() + static_cast<ptrdiff_t>(starts.trees[s]));
      }
  });
  return all;
}

std::span<const double> Ranker::Workspace::score(const Treebank& treebank, size_t sentence,
                                                 std::span<const int32_t> heads,
                                                 std::span<const int32_t> labels) {
  const size_t words = treebank.length(sentence);
  const auto count = static_cast<int32_t>(ranker_.labels_.hashes.size());
  known_.assign(labels.begin(), labels.end());
  std::replace_if(known_.begin(), known_.end(), [&](int32_t l) { return l >= count; }, kUnknownLabel);
  parts_.begin(treebank, sentence);
  for (size_t at = 0; at < heads.size(); at += words)
    parts_.add(heads.subspan(at, words), std::span(known_).subspan(at, words));
  parts_.score(ranker_.weights_.data(), of_parts_, of_trees_);
  scores_.clear();
  for (const int64_t total : of_trees_) scores_.push_back(ranker_.scale_ * static_cast<double>(total));
  return scores_;
}

size_t best_mixture(std::span<const double> h, std::span<const double> c, double beam_weight) {
  const auto [least_h, most_h] = std::minmax_element(h.begin(), h.end());
  const auto [least_c, most_c] = std::minmax_element(c.begin(), c.end());
  const auto rescaled = [](double value, double least, double most) {
    return most > least ? (value - least) / (most - least) : 0.0;
  };
  size_t best = 0;
  double most = -1;
  for (size_t i = 0; i < h.size(); ++i) {
    const double mixed = beam_weight * rescaled(h[i], *least_h, *most_h) +
                         (1 - beam_weight) * rescaled(c[i], *least_c, *most_c);
    if (mixed > most) {
      most = mixed;
      best = i;
    }
  }
  return best;
}

}  // namespace arcwise
