// A trained parser: a task, a model that scores its moves, and what its labels mean. Immutable and shared;
// each worker has a workspace of its own.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "model/linear_model.h"
#include "model/network_workspace.h"
#include "oracle/pseudo_projective.h"
#include "oracle/walk.h"
#include "task/systems.h"
#include "text/treebank.h"

namespace arcwise {

struct ParserOptions {
  SystemOptions system;
  ArcLabels arcs;
  std::vector<LiftedLabel> labels;
  std::optional<Scheme> lift;
};

// The kinds of models. Each has classes(), slots() and a Workspace, made of the model and whether the task
// goes from left to right, that a search can score with (search/scoring.h).
using Model = std::variant<std::shared_ptr<const LinearModel>, std::shared_ptr<const NetworkModel>>;

class Parser {
 public:
  // Throws std::invalid_argument if the parts do not fit together.
  Parser(ParserOptions options, Model model);

  // Heads and base labels of all words. The result does not depend on the number of threads.
  void parse(const Treebank& treebank, int threads, std::span<int32_t> heads,
             std::span<int32_t> labels) const;

  // The scores of all classes before each move of a walk through a sentence, for looking at from outside.
  // Throws std::invalid_argument if a move is not legal.
  std::vector<int32_t> scores(const Treebank& treebank, size_t sentence,
                              std::span<const SiteMove> moves) const;
  double scale() const;  // a score times this is the learner's own

 private:
  template <Task T, class M>
  void parse_all(const T& task, const M& model, const Treebank& treebank, int threads,
                 std::span<int32_t> heads, std::span<int32_t> labels) const;

  ParserOptions options_;
  Model model_;
  bool lowers_ = false;  // some label says that a word was lifted
};

}  // namespace arcwise
