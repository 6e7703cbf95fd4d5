// The cost-sensitive learner as Python has it.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "feature/namespaces.h"
#include "learn/cost_sensitive.h"

// A learner with what its calls borrow: Python calls it from one thread at a time.
struct Learner {
  arcwise::CostSensitiveLearner learner;
  arcwise::CostSensitiveLearner::Workspace workspace;
  arcwise::Features features;
  std::vector<int32_t> every, allowed;

  explicit Learner(const arcwise::CostSensitiveOptions& options) : learner(options) {
    every.resize(static_cast<size_t>(options.actions));
    std::iota(every.begin(), every.end(), 0);
  }
};
