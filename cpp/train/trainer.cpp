#include "train/trainer.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/interrupts.h"

namespace arcwise {

Trainer::Trainer(const TrainerOptions& options, TrainingSet set)
    : set_(std::move(set)), random_(options.seed), order_(set_.sentences.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  position_ = order_.size();
}

TrainingProgress Trainer::run(int64_t words) {
  demand_whole();
  if (epoch_is_done()) {
    random_.shuffle(std::span(order_));
    position_ = 0;
    ++epoch_;
  }
  while (!epoch_is_done() && untold_.words < words && !wanted_silver()) {
    check_interrupts(100);
    position_ += train(std::span(order_).subspan(position_), untold_);
  }
  return std::exchange(untold_, {});
}

void Trainer::demand_whole() const {
  if (torn_)
    throw std::logic_error(
        "Training ended in the middle of a sentence, and what was learnt from it is neither here nor there: "
        "take up a stored run, or start again.");
}

TrainerCheckpoint Trainer::state() const {
  demand_whole();
  TrainerCheckpoint state{random_.state(), epoch_, static_cast<int64_t>(position_), 0, order_, {}};
  store(state);
  return state;
}

TrainerCheckpoint Trainer::settled() const {
  demand_whole();
  TrainerCheckpoint state;
  settle(state);
  return state;
}

void Trainer::restore(const TrainerCheckpoint& state) {
  if (state.order.size() != order_.size() || state.position < 0 ||
      state.position > static_cast<int64_t>(order_.size()))
    throw std::invalid_argument("The checkpoint does not belong to this training set.");
  if (state.epoch < 0 || state.epoch >= kMostEpochs || state.steps < 0 || state.steps > kMostCount)
    throw std::invalid_argument("The checkpoint is damaged: it does not say how far it came.");
  for (uint32_t s : state.order)
    if (s >= order_.size())
      throw std::invalid_argument("The checkpoint is damaged: a sentence is out of range.");
  take_up(state);
  random_ = Random(state.random);
  epoch_ = state.epoch;
  position_ = static_cast<size_t>(state.position);
  order_ = state.order;
  untold_ = {};
  torn_ = false;
}

std::unique_ptr<SystemTraining> Trainer::system_training(SystemOptions options, const TrainingSet& set) {
  options.single_root = set.single_root;
  return with_system(options, set.arcs, [](const auto& task) { return make_system_training(task); });
}

void Trainer::check(const OracleAndPolicy& how, const SystemFacts& system, bool probabilistic) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  if (how.oracle == Oracle::Dynamic && !system.dynamic_oracle)
    refuse("There is no dynamic oracle for " + system.name +
           ", which is not arc-decomposable: choose the oracle static or nondeterministic, with the policy "
           "static or ambiguity.");
  if (how.oracle == Oracle::Static && !system.static_oracle)
    refuse("There is no static oracle for " + system.name +
           ", where arcs may come in any order: choose the oracle nondeterministic with the policy static.");
  if (how.policy.leaves_gold_path() && how.oracle != Oracle::Dynamic)
    refuse(
        "Exploring states off the gold path needs the dynamic oracle: choose the oracle dynamic, or the "
        "policy static.");
  if (how.policy.needs_several_correct() && how.oracle == Oracle::Static)
    refuse(
        "The static oracle knows one correct move, so there is no ambiguity to follow: choose the policy "
        "static, or the oracle nondeterministic or dynamic.");
  if (how.policy.needs_probabilities() && !probabilistic)
    refuse(
        "To sample moves the learner must give probabilities: choose the learner network or adagrad, or the "
        "policy explore.");
}

}  // namespace arcwise
