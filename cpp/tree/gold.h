// A gold tree, indexed for the questions that costs ask: who heads whom, and which dependents are left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace arcwise {

// Unknown heads (kNone) are legal: a word whose head is not annotated costs nothing, whatever it gets.
class TreeGold {
 public:
  void set(std::span<const int32_t> heads, std::span<const int32_t> labels) {
    n_ = static_cast<int32_t>(heads.size());
    head_.assign(n_ + 2, kNone);
    label_.assign(n_ + 2, -1);
    first_.assign(n_ + 3, 0);
    dependents_.resize(n_);
    for (int32_t d = 1; d <= n_; ++d) {
      head_[d] = heads[d - 1];
      label_[d] = labels[d - 1];
      if (head_[d] != kNone) ++first_[head_[d] + 1];
    }
    complete_ = std::find(heads.begin(), heads.end(), kNone) == heads.end();
    for (int32_t h = 0; h <= n_ + 1; ++h) first_[h + 1] += first_[h];
    cursor_.assign(first_.begin(), first_.end());
    for (int32_t d = 1; d <= n_; ++d)
      if (head_[d] != kNone) dependents_[cursor_[head_[d]]++] = d;
  }

  void set(const auto& sentence) { set(sentence.heads, sentence.labels); }

  int32_t words() const { return n_; }
  bool complete() const { return complete_; }  // no head is unknown
  int32_t head(int32_t word) const { return head_[word]; }
  int32_t label(int32_t word) const { return label_[word]; }

  // In ascending order.
  std::span<const int32_t> dependents(int32_t head) const {
    return {dependents_.data() + first_[head], static_cast<size_t>(first_[head + 1] - first_[head])};
  }
  // How many dependents of `head` are words from `from` on.
  int32_t dependents_from(int32_t head, int32_t from) const {
    const auto all = dependents(head);
    int32_t count = 0;
    for (auto d = all.rbegin(); d != all.rend() && *d >= from; ++d) ++count;
    return count;
  }
  bool has_dependent_from(int32_t head, int32_t from) const {
    const auto all = dependents(head);
    return !all.empty() && all.back() >= from;
  }
  // Does giving this label to the word's gold arc make an error? An unknown gold label never does.
  bool wrong_label(int32_t word, int32_t label) const { return label_[word] >= 0 && label_[word] != label; }

 private:
  int32_t n_ = 0;
  bool complete_ = true;
  std::vector<int32_t> head_, label_, first_, cursor_, dependents_;
};

}  // namespace arcwise
