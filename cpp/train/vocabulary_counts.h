// Which inputs of words there are in a treebank and how often each of them is seen, and the vocabulary that
// follows: those that have an embedding.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/token_inputs.h"
#include "text/treebank.h"

namespace arcwise {

class VocabularyCounts {
 public:
  struct Seen {
    TokenInput input{};
    int32_t count = 0;
  };

  void count(TokenInput input, uint64_t key) {
    Seen& seen = counts_[key];
    seen.input = input;
    seen.count += seen.count < INT32_MAX;
  }
  int32_t operator[](uint64_t key) const {
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second.count;
  }
  const std::unordered_map<uint64_t, Seen>& all() const { return counts_; }

 private:
  std::unordered_map<uint64_t, Seen> counts_;
};

// What is known of silver trees before training: counted in one pass over all of them, a part at a time.
class SilverCounts {
 public:
  explicit SilverCounts(TokenInputOptions tokens) : inputs_(std::move(tokens)) {}

  void add(const Treebank& treebank);

  const VocabularyCounts& counts() const { return counts_; }
  const TokenInputOptions& tokens() const { return inputs_.options(); }
  // Whether any word has something in FEATS: only then does `_` there say that a word has no features.
  bool has_features() const { return has_features_; }

 private:
  TokenInputs inputs_;
  VocabularyCounts counts_;
  bool has_features_ = false;
};

// The keys that have an embedding, the most frequent first: those that are frequent enough in the treebank,
// where a prefix, a suffix or a shape must be seen so often. With silver trees, beside these so many words,
// and as many inputs of other kinds, that are the most frequent in both together. Tags are the treebank's.
std::vector<uint64_t> frequent_keys(const VocabularyCounts& gold, int32_t least_affix,
                                    const VocabularyCounts* silver = nullptr, size_t of_silver = 0);

}  // namespace arcwise
