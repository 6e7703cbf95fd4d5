// A linear model as a parser has it: features, and their weights.
#pragma once

#include <vector>

#include "model/feature_scoring.h"
#include "model/linear.h"

namespace arcwise {

extern template class FeatureScoring<LinearScorer>;

struct LinearModel {
  Templates templates;
  LinearScorer scorer;

  MoveId classes() const { return scorer.classes(); }
  std::vector<Slot> slots() const { return templates.slots(); }
  double scale() const { return scorer.scale(); }

  struct Workspace : FeatureScoring<LinearScorer> {  // a worker's
    Workspace(const LinearModel& model, Visits visits)
        : FeatureScoring(model.templates, model.scorer, visits) {}
  };
};

}  // namespace arcwise
