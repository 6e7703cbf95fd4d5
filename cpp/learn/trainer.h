// A training run: which learner learns which task by which policy. It can be stopped after any sentence,
// stored, and taken up again to end in the same model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learn/adagrad_rda.h"
#include "learn/training_set.h"
#include "model/linear.h"
#include "task/systems.h"

namespace arcwise {

struct TrainerOptions {
  SystemOptions system;  // its single_root is the training set's
  std::string learner = "perceptron";
  Oracle oracle = Oracle::Dynamic;
  Policy policy;
  AdagradRda::Options adagrad;
  std::optional<double> lambda;  // adagrad's; none: 1 / (20 * words in the training set), as in Goldberg 2013
  uint64_t seed = 1;
};

// All that a run is at some moment, but for its training set and options.
struct TrainerState {
  uint64_t random = 0;
  int64_t epoch = 0, position = 0, steps = 0;
  std::vector<uint32_t> order;
  std::vector<uint64_t> keys;
  std::vector<uint16_t> sizes;
  std::vector<uint8_t> entries;
};

// A weight that is not zero.
struct Weight {
  uint64_t key = 0;  // of the feature
  Class move = 0;
  float value = 0;
};

class Trainer {
 public:
  virtual ~Trainer() = default;

  // Throws std::invalid_argument if the oracle, policy, learner and system do not go together.
  static std::unique_ptr<Trainer> create(const TrainerOptions& options,
                                         const std::vector<std::string>& templates, TrainingSet set);

  // Goes on until this many words are done or the epoch ends.
  virtual TrainingProgress run(int64_t words) = 0;
  virtual bool epoch_is_done() const = 0;
  virtual int64_t epoch() const = 0;  // the one under way, or just done; 1 is the first
  virtual const TrainingSet& set() const = 0;
  virtual Class classes() const = 0;
  // What has been learnt so far, in the order of features and moves.
  virtual std::vector<Weight> weights() const = 0;
  virtual LinearArrays freeze() const = 0;
  virtual TrainerState state() = 0;
  virtual void restore(const TrainerState& state) = 0;
};

}  // namespace arcwise
