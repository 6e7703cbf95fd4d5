// A cost-sensitive learner: for the features of a decision it predicts what each action will cost, and it
// learns from what the actions did cost.
//
// Reductions, to regressions with the squared loss:
//   oaa  One against all: the prediction for an action is its cost.
//   wap  Weighted all pairs: the cheaper one of two actions is predicted lower. All pairs of a decision are
//        learnt in one step. See all_pairs.h.
// Updates: see regression.h. With hidden units, the predictions are linear in one layer of tanh units (and,
// if direct, in the features too).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "feature/interactions.h"
#include "feature/namespaces.h"
#include "learn/all_pairs.h"
#include "learn/regression.h"

namespace arcwise {

struct CostSensitiveOptions {
  int32_t actions = 2;   // they are 0 ... actions - 1, whatever the policy
  int32_t policies = 1;  // kinds of predictions, each with weights of its own: an action and a label, say
  int bits = 22;         // the table has 2^bits weights
  std::string reduction = "oaa";    // or wap
  std::string update = "default";   // or sgd, ftrl
  int hidden = 0;                   // units
  bool shared = false;              // by all actions of a policy; else each action has so many of its own
  bool direct = true;               // with hidden units: the features have weights for the actions as well
  std::optional<double> rate;       // of learning; none: the update's own
  double power_t = 0;               // sgd: after t decisions, the rate is rate / t^power_t
  double beta = 1, l1 = 0, l2 = 0;  // ftrl
  // Namespaces that are combined, two or three at a time. One with itself: its features, two (three)
  // different ones at a time.
  std::vector<std::vector<std::string>> interactions;
  uint64_t seed = 1;  // of the first weights of hidden units
};

// The rate of an update if none is given.
double default_rate(const std::string& update);

// What a learner is at some moment, but for its options. Slots that were never touched are left out.
struct CostSensitiveState {
  std::vector<uint32_t> slots;  // ascending
  std::vector<float> weights;
  std::vector<float> squares, extras;  // what learning needs besides; empty: only for prediction
  std::vector<double> counts;
};

class CostSensitiveLearner {
 public:
  // What a caller lends for the time of a call; one for each thread. Its memory is reused.
  struct Workspace {
    Interactions::Scratch interactions;
    Regressors::Scratch regression, hidden_regression;
    SparseRegressors::Scratch prediction;
    std::vector<HashedFeature> features;
    std::vector<Row> rows, hidden_rows;
    std::vector<LaneRow> unit_rows;
    std::vector<int32_t> blocks, unit_blocks, lines, unit_lines, block_of, lanes;
    std::vector<float> predictions, importances, residuals, units, projections, unit_importances,
        unit_residuals;
    AllPairs pairs;
    std::vector<float> by_action, action_residuals;
  };

  // Throws std::invalid_argument if an option is out of range.
  explicit CostSensitiveLearner(const CostSensitiveOptions& options)
      : CostSensitiveLearner(options, /*to_learn=*/true) {}
  // As one that was restored. One that can only predict takes no more memory than the state does.
  CostSensitiveLearner(const CostSensitiveOptions& options, const CostSensitiveState& state)
      : CostSensitiveLearner(options, /*to_learn=*/!state.counts.empty()) {
    restore(state);
  }

  const CostSensitiveOptions& options() const { return options_; }

  // These throw std::invalid_argument where an action or policy does not exist, no action is allowed, or a
  // number is not finite.

  // The predicted costs of these actions (of wap: numbers in the same order).
  void costs(const Features& features, std::span<const int32_t> allowed, std::span<float> out, Workspace& w,
             int policy = 0) const;
  // The action of the lowest predicted cost; of several, the first in the order of `allowed`.
  int32_t best(const Features& features, std::span<const int32_t> allowed, Workspace& w,
               int policy = 0) const;
  // Learns the costs of these actions and returns the loss of the prediction before. An action comes once.
  double learn(const Features& features, std::span<const int32_t> allowed, std::span<const float> costs,
               Workspace& w, int policy = 0, float importance = 1);

  // Where the weights of a decision's features (and of their combinations) begin, and their values. `units`:
  // the weights for hidden units and not for actions.
  std::vector<Row> rows(const Features& features, Workspace& w, int policy = 0, bool units = false) const;

  // With `training`, a learner restored goes on as this one would; without, it can only predict.
  CostSensitiveState state(bool training = true) const;
  // Throws std::invalid_argument if the state is not of a learner with these options.
  void restore(const CostSensitiveState& state);

 private:
  // Features have their rows in the first 2^bits slots, wherever their hashes say. After them every policy
  // has rows that no others collide with: the constant's, and for hidden units the constant's of theirs and
  // one for each unit. Units of
  // one action each are side by side: the first unit of every action, the second ...
  struct Layout {
    size_t width = 0, unit_width = 0;  // of rows for actions and for units
    size_t align = 1, places = 1;      // a feature's row begins at one of so many places, so far apart
    size_t hashed = 0, policy = 0;     // slots

    explicit Layout(const CostSensitiveOptions& options);
    uint32_t row(uint64_t hash) const {
      return static_cast<uint32_t>((((hash >> 32) * places) >> 32) * align);
    }
    size_t constant(int p) const { return hashed + static_cast<size_t>(p) * policy; }
    size_t unit_constant(int p) const { return constant(p) + width; }
    size_t unit(int p, size_t u) const { return unit_constant(p) + unit_width + u * width; }
  };

  CostSensitiveLearner(const CostSensitiveOptions& options, bool to_learn);
  size_t slots() const { return layout_.constant(options_.policies); }
  void check(int policy) const;
  void check(std::span<const int32_t> allowed, int policy) const;
  // Which lanes the actions are in; throws if one comes twice.
  void find_lanes(std::span<const int32_t> allowed, Workspace& w) const;
  // The rows of the features and, once the hidden units are known, of these.
  void find_rows(const Features& features, Workspace& w, int policy, bool to_learn) const;
  void project(size_t plain, Workspace& w) const;
  void activate(Workspace& w, int policy) const;
  void predict(const Features& features, std::span<const int32_t> allowed, Workspace& w, int policy) const;
  // What each lane's regression is to learn, and the loss.
  void weigh(std::span<const float> costs, float importance, Workspace& w) const;
  double compare(std::span<const float> costs, float importance, Workspace& w) const;
  void learn_hidden(Workspace& w, int policy);

  CostSensitiveOptions options_;
  Layout layout_;
  Interactions interactions_;
  bool can_learn_;
  Regressors regressors_;    // if it can learn
  SparseRegressors frozen_;  // if not
  bool pairs_;
  uint64_t projection_seed_ = 0;
  std::vector<UpdateCounts> counts_;  // of each policy, and then of its hidden units
};

}  // namespace arcwise
