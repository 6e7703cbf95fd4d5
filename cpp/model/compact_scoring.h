// Scores of states by a compact scorer. A greedy parser that goes from left to right asks for the best move
// alone, and of most states only the classes are scored for it; others are scored as any linear model's are.
#pragma once

#include <cstdint>
#include <vector>

#include "model/compact.h"
#include "model/feature_scoring.h"

namespace arcwise {

class CompactScoring {
 public:
  CompactScoring(const Templates& templates, const CompactScorer& scorer, Visits visits);

  void begin(const Treebank& treebank) { treebank_ = &treebank; }
  void sentence(size_t sentence);

  const int32_t* score(const TreeView& view);
  const uint16_t* columns() const { return columns_.data(); }
  double scale() const { return scorer_.scale(); }

  bool finds_best() const { return visits_ == Visits::LeftToRight; }
  ScoredMove best(const TreeView& view, const Legal& legal);

 private:
  using Part = Templates::Part;

  void score_words();
  uint32_t classes_of(const Legal& legal);
  ScoredMove best_of_all(const TreeView& view, const Legal& legal, const CompactSums& classes, size_t best,
                         int32_t count);

  const Templates& templates_;
  const CompactScorer& scorer_;
  const Visits visits_;
  FeatureScoring<CompactScorer> any_;
  const Treebank* treebank_ = nullptr;
  TokenTable tokens_;
  bool any_is_at_sentence_ = false;
  std::vector<uint16_t> columns_;

  std::vector<int32_t> sums_, scores_;  // of classes and members, and of moves
  CompactScorer::Scratch scratch_;
  const size_t keys_of_word_;
  std::vector<uint64_t> keys_;  // of a state, or of some words

  // What each word brings along to the front of the buffer and to the top of the stack. The first are no
  // word's.
  struct OfWord {
    CompactSums front, top;
  };
  std::vector<OfWord> of_words_;

  // The classes of a range of moves, a bit each, as far as they have been asked for: by where it begins.
  struct OfRange {
    MoveId end = 0;
    uint32_t classes = 0;
  };
  std::vector<OfRange> of_ranges_;
};

}  // namespace arcwise
