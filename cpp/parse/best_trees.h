// The best trees of each sentence of a treebank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace arcwise {

// Best first, one after the other.
struct BestTrees {
  std::vector<int32_t> counts;  // how many, for each sentence
  std::vector<double> scores;   // of each tree
  std::vector<int32_t> heads, labels;
  int64_t moves = 0;  // made and taken back on the way
};

// The trees of one sentence, no two of them the same.
class DistinctTrees {
 public:
  size_t size() const { return scores_.size(); }
  std::span<const double> scores() const { return scores_; }
  // The words of one after those of the other.
  std::span<const int32_t> heads() const { return heads_; }
  std::span<const int32_t> labels() const { return labels_; }

  void clear() {
    hashes_.clear();
    scores_.clear();
    heads_.clear();
    labels_.clear();
  }
  // Where among them this tree is; it becomes the last, with score 0, if it was not.
  size_t place(std::span<const int32_t> heads, std::span<const int32_t> labels) {
    const uint64_t hash = hash_of(heads, hash_of(labels, 0));
    for (size_t i = 0; i < size(); ++i)
      if (hashes_[i] == hash && is_at(heads_, i, heads) && is_at(labels_, i, labels)) return i;
    hashes_.push_back(hash);
    scores_.push_back(0);
    heads_.insert(heads_.end(), heads.begin(), heads.end());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    return size() - 1;
  }
  double& score(size_t i) { return scores_[i]; }

  // Adds them to those of other sentences, in their order.
  void append_to(BestTrees& all) const { append(in_order(), all); }
  // The k that have the highest scores; of equals, the first.
  void append_best_to(BestTrees& all, size_t k) const {
    std::vector<size_t> order = in_order();
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores_[a] > scores_[b]; });
    order.resize(std::min(k, order.size()));
    append(order, all);
  }

 private:
  using Ints = std::vector<int32_t>;
  std::vector<size_t> in_order() const {
    std::vector<size_t> order(size());
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
  }
  void append(std::span<const size_t> order, BestTrees& all) const {
    const size_t words = size() == 0 ? 0 : heads_.size() / size();
    for (size_t i : order) {
      all.scores.push_back(scores_[i]);
      all.heads.insert(all.heads.end(), at(heads_, i, words), at(heads_, i + 1, words));
      all.labels.insert(all.labels.end(), at(labels_, i, words), at(labels_, i + 1, words));
    }
    all.counts.push_back(static_cast<int32_t>(order.size()));
  }
  static Ints::const_iterator at(const Ints& all, size_t i, size_t words) {
    return all.begin() + static_cast<std::ptrdiff_t>(i * words);
  }
  static bool is_at(const Ints& all, size_t i, std::span<const int32_t> one) {
    return std::equal(one.begin(), one.end(), at(all, i, one.size()));
  }
  static uint64_t hash_of(std::span<const int32_t> values, uint64_t seed) {
    return hash_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()}, seed);
  }

  std::vector<uint64_t> hashes_;
  std::vector<double> scores_;
  Ints heads_, labels_;
};

}  // namespace arcwise
