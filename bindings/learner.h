// The cost-sensitive learner as Python has it.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "feature/namespaces.h"
#include "learn/cost_sensitive.h"

// A learner with what its calls borrow: one of them at a time. Reading features may run any Python code.
struct PythonLearner {
  arcwise::CostSensitiveLearner learner;
  arcwise::CostSensitiveLearner::Workspace workspace;
  arcwise::Features features;
  std::vector<int32_t> every;
  bool is_busy = false;

  explicit PythonLearner(arcwise::CostSensitiveLearner given)
      : learner(std::move(given)), every(static_cast<size_t>(learner.options().actions)) {
    std::iota(every.begin(), every.end(), 0);
  }
};
