// A treebank made ready for a trainer: trees that the systems can build, labels as numbers, features'
// attributes hashed.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "feature/attributes.h"
#include "task/moves.h"
#include "task/tagged_word.h"
#include "text/treebank.h"
#include "tree/pseudo_projective.h"

namespace arcwise {

struct TrainingSentence {
  size_t number = 0;                   // in the treebank
  const Treebank* treebank = nullptr;  // if it is another than the one that is trained on
  TokenTable tokens;
  // What the treebank says of its words, as far as the task asks.
  std::vector<int32_t> heads;
  std::vector<int32_t> labels;
  std::vector<TaggedWord> tags;
  bool is_taught = false;  // it says nothing: teachers do (teachers.h)

  int32_t words() const { return static_cast<int32_t>(std::max(heads.size(), tags.size())); }
};

// What the numbers of labels mean, and where each may stand.
struct LabelSet {
  std::vector<LiftedLabel> labels;
  ArcLabels arcs;
};

struct TrainingSetOptions {
  bool projective = true;                     // the system builds no others
  std::optional<Scheme> lift = Scheme::Head;  // none: non-projective trees are left out
  std::optional<bool> single_root;            // none: as the treebank has it
  std::optional<LabelSet> known;              // the labels of a model; none: those of the treebank
  bool headless = false;                      // sentences without any head are not left out
  bool may_be_empty = false;                  // there need not be a tree to train on
  bool taught = false;                        // trees are of no account: teachers know better
};

struct TrainingSet : LabelSet {  // bases of labels are the treebank's
  std::vector<TrainingSentence> sentences;
  bool single_root = true;
  int64_t words = 0;
  int64_t left_out = 0;  // sentences that are non-projective, or have no head annotated
  int64_t lifted = 0;    // arcs

  // With a single root, a tree with more keeps the first that bears the usual label; the heads of its other
  // roots count as unknown. So do labels that are not among the known ones. Throws std::invalid_argument if
  // nothing is left to train on.
  static TrainingSet make(const Treebank& treebank, std::span<const Attribute> attributes,
                          const TrainingSetOptions& options);
};

// What share of the trees must have one word under ROOT for a treebank to count as single-rooted.
inline constexpr double kSingleRootedShare = 0.99;

}  // namespace arcwise
