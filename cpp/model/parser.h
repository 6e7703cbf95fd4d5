// A trained parser: a task, its features, a scorer and what its labels mean. Immutable and shared; each
// worker has a workspace of its own.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "feature/templates.h"
#include "model/linear.h"
#include "oracle/pseudo_projective.h"
#include "task/systems.h"
#include "text/treebank.h"

namespace arcwise {

struct ParserOptions {
  SystemOptions system;
  ArcLabels arcs;
  std::vector<LiftedLabel> labels;
  std::optional<Scheme> lift;
};

class Parser {
 public:
  // Throws std::invalid_argument if the parts do not fit together.
  Parser(ParserOptions options, const std::vector<std::string>& templates, LinearScorer scorer);

  // Heads and base labels of all words. The result does not depend on the number of threads.
  void parse(const Treebank& treebank, int threads, std::span<int32_t> heads,
             std::span<int32_t> labels) const;

 private:
  template <Task T>
  void parse_all(const T& task, const Treebank& treebank, int threads, std::span<int32_t> heads,
                 std::span<int32_t> labels) const;

  ParserOptions options_;
  Templates templates_;
  LinearScorer scorer_;
  bool lowers_ = false;  // some label says that a word was lifted
};

}  // namespace arcwise
