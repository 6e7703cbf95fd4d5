// A linear model as a parser has it: features, and their weights, in 16 bits or compact.
#pragma once

#include <memory>
#include <vector>

#include "feature/templates.h"
#include "model/scoring.h"

namespace arcwise {

class LinearScorer;
class CompactScorer;
class CompactScoring;
template <class Scorer>
class FeatureScoring;

class LinearModel {
 public:
  LinearModel(Templates templates, LinearScorer scorer);
  // Throws std::invalid_argument if there are more features than the scorer can add up.
  LinearModel(Templates templates, CompactScorer scorer);

  MoveId classes() const { return classes_; }
  std::vector<Slot> slots() const { return templates_.slots(); }
  double scale() const { return scale_; }

  class Workspace;  // a worker's

 private:
  Templates templates_;
  MoveId classes_;
  double scale_;
  // One of these.
  std::shared_ptr<const LinearScorer> plain_;
  std::shared_ptr<const CompactScorer> compact_;
};

class LinearModel::Workspace {
 public:
  Workspace(const LinearModel& model, Visits visits);
  ~Workspace();

  void begin(const Treebank& treebank, size_t first, size_t last);
  void sentence(size_t sentence);
  const int32_t* score(const TreeView& view);
  const uint16_t* columns() const;
  double scale() const;
  bool finds_best() const { return finds_best_; }
  ScoredMove best(const TreeView& view, const Legal& legal);

 private:
  // One of these.
  std::unique_ptr<FeatureScoring<LinearScorer>> plain_;
  std::unique_ptr<CompactScoring> compact_;
  bool finds_best_ = false;
};

}  // namespace arcwise
