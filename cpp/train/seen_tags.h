// What a treebank says of a word elsewhere: the tags that other words of the same form have.
//
// A word that was seen once has no embedding of its own, and that of one that was seen twice has learnt
// little. So tags have embeddings, which all words share, and a word shows the network those of the tags that
// its form has at other places of the treebank. What is learnt of them is added to the embedding of each form
// in the end: a parser looks up one row, as ever.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/treebank.h"
#include "train/training_set.h"

namespace arcwise {

class SeenTags {
 public:
  SeenTags() = default;
  // Those of some columns in the first `own` sentences of the treebank; the others are variants of these, and
  // would tell what they have themselves. Embeddings of tags have the rows from `first_row` on.
  SeenTags(const Treebank& treebank, const TrainingSet& set, std::span<const Column> columns, int64_t own,
           int32_t first_row);

  size_t rows() const { return static_cast<size_t>(next_row_ - first_row_); }  // of tags
  // The rows of tags that the form of a word has elsewhere; none if it was seen nowhere else.
  std::vector<int32_t> elsewhere(const Treebank& treebank, size_t word, std::string& buffer) const;
  // The same of words of other treebanks, which are not among them.
  std::vector<int32_t> anywhere(const Treebank& treebank, size_t word, std::string& buffer) const;
  // Of each form, in the order of their keys: the key, as an input in lower case has it, and the rows of all
  // its tags.
  std::vector<std::pair<uint64_t, std::vector<int32_t>>> of_forms() const;

 private:
  struct Analysis {
    int32_t uses = 0;
    std::vector<int32_t> rows;
  };
  using Counts = std::vector<std::pair<int32_t, int32_t>>;  // analysis, and how often a form has it

  std::string text_of(const Treebank& treebank, size_t word) const;
  void add_rows();
  std::vector<int32_t> rows_of(const Counts& counts, int32_t but_once) const;

  std::vector<Column> columns_;
  std::map<std::string, int32_t> numbers_;  // of analyses
  std::vector<Analysis> analyses_;
  std::unordered_map<uint64_t, Counts> forms_;
  int32_t first_row_ = 0, next_row_ = 0;
};

}  // namespace arcwise
