// A trained parser: a task, a model that scores its moves, and what its labels mean. Immutable and shared;
// each worker has a workspace of its own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "constraint/constraint.h"
#include "model/linear_model.h"
#include "model/network_workspace.h"
#include "model/search_model.h"
#include "oracle/pseudo_projective.h"
#include "oracle/walk.h"
#include "rank/ranker.h"
#include "task/systems.h"
#include "text/treebank.h"

namespace arcwise {

struct ParserOptions {
  SystemOptions system;
  ArcLabels arcs;
  std::vector<LiftedLabel> labels;
  std::optional<Scheme> lift;
  bool probabilistic = false;  // the model's scores are log-odds
};

// The kinds of models. Those that score moves have classes(), slots() and a Workspace, made of the model and
// how states are visited, that a search can score with (search/scoring.h). That of learning to search is
// asked by the decoder it was trained with.
using Model = std::variant<std::shared_ptr<const LinearModel>, std::shared_ptr<const NetworkModel>,
                           std::shared_ptr<const SearchModel>>;

// The C-step of HC-search: a ranker chooses among the trees of a beam, and the beam's own scores count as
// much as alpha.
struct Ranking {
  const Ranker* ranker = nullptr;  // none: the beam's best tree is taken
  double alpha = 0;
};

// How trees are searched for.
struct ParseOptions {
  std::optional<int32_t> beam;  // its width; none: greedily
  int threads = 1;              // the result does not depend on their number
  Ranking ranking{};            // needs a beam
  // What the trees must be like. Their labels are the parser's, and others that only they know.
  const Constraints* constraints = nullptr;
};

// The best trees of each sentence of a treebank, best first, one after the other.
struct BestTrees {
  std::vector<int32_t> counts;  // how many, for each sentence
  std::vector<double> scores;   // of each tree
  std::vector<int32_t> heads, labels;
  int64_t moves = 0;  // made and taken back on the way
};

class ConstraintPlan;
struct KnownLabels;

class Parser {
 public:
  // Throws std::invalid_argument if the parts do not fit together.
  Parser(ParserOptions options, Model model);

  // Heads and base labels of all words. Throws std::invalid_argument if the task does not go from left to
  // right and a beam is asked for, and ConstraintError if no tree satisfies the constraints of a sentence.
  void parse(const Treebank& treebank, const ParseOptions& search, std::span<int32_t> heads,
             std::span<int32_t> labels) const;
  // Up to k trees of each sentence, no two of them the same, with the scores of their best derivations.
  // Needs a beam.
  BestTrees best(const Treebank& treebank, const ParseOptions& search, size_t k) const;

  // The scores of all classes before each move of a walk through a sentence, for looking at from outside.
  // Throws std::invalid_argument if a move is not legal.
  std::vector<int32_t> scores(const Treebank& treebank, size_t sentence,
                              std::span<const SiteMove> moves) const;
  double scale() const;  // a score times this is the learner's own

 private:
  // visit(task, model), as what they are.
  template <class F>
  void with_parts(F&& visit) const;
  // What a worker needs besides a search.
  struct Room {
    std::vector<LiftedLabel> lifted;
    const ConstraintPlan* plan = nullptr;  // of the sentence at hand, if it has constraints
    // Trees of one sentence, no two the same, best first: the words of one after those of the other.
    std::vector<double> scores;
    std::vector<int32_t> heads, labels;
    std::optional<Ranker::Workspace> ranking;
  };

  template <class Make, class Visit>
  void each_parse(const Treebank& treebank, const ParseOptions& search, const Make& make,
                  const Visit& visit) const;
  KnownLabels known_labels(const Constraints& constraints) const;
  void write(const Tree& tree, std::span<int32_t> heads, std::span<int32_t> labels, Room& room) const;
  // Leaves up to k trees of a search in the room.
  template <class Search>
  void collect(const Search& search, size_t words, size_t k, Room& room) const;

  ParserOptions options_;
  Model model_;
  bool lowers_ = false;  // some label says that a word was lifted
};

}  // namespace arcwise
