// A cost-sensitive learner: for the features of a decision it predicts what each action will cost, and it
// learns from what the actions did cost.
//
// Reductions, to regressions with the squared loss:
//   oaa  One against all: the prediction for an action is its cost.
//   wap  Weighted all pairs (Beygelzimer et al. 2005; Beygelzimer, Langford & Zadrozny 2008): of two actions
//        the cheaper one is to be predicted lower by 1, and pairs count by how much depends on them. With the
//        costs in ascending order, an action stands at the integral from 0 to its cost of 1 / (how many
//        actions cost no more than t) dt, and a pair weighs the distance of its two. All pairs of a decision
//        are learnt in one step.
// Updates: see regression.h. With hidden units, the predictions are linear in one layer of tanh units (and,
// if direct, in the features too), shared by the actions of a policy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "feature/namespaces.h"

namespace arcwise {

struct CostSensitiveOptions {
  int32_t actions = 2;   // they are 0 ... actions - 1, whatever the policy
  int32_t policies = 1;  // kinds of predictions, each with weights of its own: an action and a label, say
  int bits = 22;         // the table has 2^bits weights
  std::string reduction = "oaa";    // or wap
  std::string update = "default";   // or sgd, ftrl
  int hidden = 0;                   // units
  bool direct = true;               // with hidden units: the features have weights for the actions as well
  std::optional<double> rate;       // of learning; none: the update's own
  double power_t = 0;               // sgd: after t decisions, the rate is rate / t^power_t
  double beta = 1, l1 = 0, l2 = 0;  // ftrl
  // Namespaces that are combined, two or three at a time. One with itself: its features, two (three)
  // different ones at a time.
  std::vector<std::vector<std::string>> interactions;
  uint64_t seed = 1;  // of the first weights of hidden units
};

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
  class Workspace {
   public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

   private:
    friend class CostSensitiveLearner;
    struct Scratch;
    std::unique_ptr<Scratch> scratch_;
  };

  // Throws std::invalid_argument if an option is out of range.
  explicit CostSensitiveLearner(const CostSensitiveOptions& options);
  ~CostSensitiveLearner();
  CostSensitiveLearner(CostSensitiveLearner&&) noexcept;
  CostSensitiveLearner& operator=(CostSensitiveLearner&&) noexcept;

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

  // With `training`, a learner restored goes on as this one would; without, it can only predict.
  CostSensitiveState state(bool training = true) const;
  // Throws std::invalid_argument if the state is not of a learner with these options.
  void restore(const CostSensitiveState& state);

 private:
  struct Parts;
  CostSensitiveOptions options_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace arcwise
