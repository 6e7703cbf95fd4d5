// The ranker of HC-search (Liu et al. 2015): C(x, y) = w · Φ(x, y), with features of the whole tree y.
// Immutable and shared; each worker has a workspace of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/arrays.h"
#include "rank/candidate_parts.h"

namespace arcwise {

// Trees of the sentences of a treebank, one after the other.
struct CandidateTrees {
  std::span<const int32_t> counts;  // how many, for each sentence
  std::span<const int32_t> heads, labels;
  // Throws std::invalid_argument if they are no trees of this treebank with so many labels.
  void check(const Treebank& treebank, size_t labels) const;
};

// Where the trees of each sentence begin, and the words of the first of them; and where the last ones end.
struct CandidateStarts {
  CandidateStarts(const Treebank& treebank, std::span<const int32_t> counts);
  std::vector<size_t> trees{0}, words{0};
};

// Feature f has the weight scale * weights[f]. Their number is a power of two.
struct RankWeights {
  std::vector<int16_t> weights;
  double scale = 1;
};

class Ranker {
 public:
  static constexpr int kLeastBits = 10, kMostBits = 30;

  // Throws std::invalid_argument if the parts do not fit together.
  Ranker(const std::vector<std::string>& templates, const std::vector<std::string>& labels,
         std::span<const int16_t> weights, double scale);

  // C of each tree.
  std::vector<double> scores(const Treebank& treebank, const CandidateTrees& trees, int threads) const;

  class Workspace;

 private:
  RankTemplates templates_;
  RankLabels labels_;
  HugeVector<int16_t> weights_;
  double scale_;
  int bits_;
};

class Ranker::Workspace {
 public:
  explicit Workspace(const Ranker& ranker)
      : ranker_(ranker), parts_(ranker.templates_, ranker.labels_, ranker.bits_) {}
  // C of each tree of a sentence; heads and labels one tree after the other. Constraints may bring labels
  // that no tree of the training had: they count as unknown.
  std::span<const double> score(const Treebank& treebank, size_t sentence, std::span<const int32_t> heads,
                                std::span<const int32_t> labels);

 private:
  const Ranker& ranker_;
  CandidateParts parts_;
  std::vector<int64_t> of_parts_, of_trees_;
  std::vector<double> scores_;
  std::vector<int32_t> known_;
};

// Which tree has the best α H' + (1 - α) C', where H' and C' are H and C rescaled to [0, 1] over the trees;
// the first among equals.
size_t best_mixture(std::span<const double> h, std::span<const double> c, double beam_weight);

}  // namespace arcwise
