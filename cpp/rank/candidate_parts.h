// The trees of one sentence as sets of parts. What several trees share is one part, found by its key, and its
// features are found once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rank/rank_templates.h"

namespace arcwise {

// What a ranker's features are made of besides words: the labels of the trees.
struct RankLabels {
  explicit RankLabels(const std::vector<std::string>& names);
  std::vector<uint64_t> hashes;
  std::vector<LabelRole> roles;
};

class CandidateParts {
 public:
  // Features are numbers of `bits` bits.
  CandidateParts(const RankTemplates& templates, const RankLabels& labels, int bits)
      : templates_(templates), labels_(labels), shift_(64 - bits), memo_(1 << 12) {}

  void begin(const Treebank& treebank, size_t sentence);
  void add(std::span<const int32_t> heads, std::span<const int32_t> labels);

  size_t trees() const { return tree_ends_.size() - 1; }
  size_t parts() const { return feature_ends_.size() - 1; }
  std::span<const uint32_t> parts_of(size_t tree) const { return slice(parts_, tree_ends_, tree); }
  std::span<const uint32_t> features_of(size_t part) const { return slice(features_, feature_ends_, part); }

  // The score of each tree: the sum of the weights of its features, in the type of the totals.
  template <class Weight, class Total>
  void score(const Weight* weights, std::vector<Total>& of_parts, std::vector<Total>& of_trees) const {
    constexpr size_t kAhead = 16;
    of_parts.assign(parts(), Total{});
    size_t f = 0;
    for (size_t p = 0; p < parts(); ++p)
      for (; f < feature_ends_[p + 1]; ++f) {
        if (f + kAhead < features_.size()) __builtin_prefetch(weights + features_[f + kAhead]);
        of_parts[p] += weights[features_[f]];
      }
    of_trees.assign(trees(), Total{});
    for (size_t t = 0; t < trees(); ++t)
      for (const uint32_t p : parts_of(t)) of_trees[t] += of_parts[p];
  }

 private:
  struct Known {
    uint64_t key = 0;
    uint32_t part = 0;
    uint32_t sentence = 0;  // what was known of other sentences is forgotten
  };
  static std::span<const uint32_t> slice(const std::vector<uint32_t>& all, const std::vector<size_t>& ends,
                                         size_t i) {
    return {all.data() + ends[i], ends[i + 1] - ends[i]};
  }
  uint32_t part_of(PartKind kind, const PartNodes& nodes);
  void grow();

  const RankTemplates& templates_;
  const RankLabels& labels_;
  const int shift_;
  TokenTable tokens_;
  FinishedTree tree_;
  RankTemplates::View view_;
  std::vector<Known> memo_;
  uint32_t sentence_ = 0;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> parts_, features_;
  std::vector<size_t> tree_ends_{0}, feature_ends_{0};
};

}  // namespace arcwise
