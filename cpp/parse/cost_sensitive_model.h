// What learning to search leaves behind: a cost-sensitive learner that only predicts, and how the decoder
// asks it.
#pragma once

#include <vector>

#include "feature/templates.h"
#include "learn/cost_sensitive.h"
#include "search/task_decoder.h"

namespace arcwise {

struct CostSensitiveModel {
  Templates templates;
  TaskDecoderOptions decoder;
  CostSensitiveLearner learner;

  std::vector<Slot> slots() const { return templates.slots(); }
};

}  // namespace arcwise
