// How the training of a system is made (system_training.h). Included where a system is instantiated alone.
#pragma once

#include <stdexcept>
#include <string>

#include "learn/online_learner.h"
#include "train/beam_training.h"
#include "train/mini_batch_training_of.h"
#include "train/system_training.h"
#include "train/task_decoder.h"

namespace arcwise {

template <BuildsTrees T, class Weights>
class OnlineTrainingOf final : public OnlineTraining {
 public:
  OnlineTrainingOf(const T& task, Weights& weights, const Templates& templates, const OracleAndPolicy& how)
      : task_(task), weights_(weights), templates_(templates), loop_(task_, how.oracle, how.policy) {}

  bool learns_on_the_way() const override { return true; }
  void train(const TrainingSentence& sentence, int epoch, Random& random,
             TrainingProgress& progress) override {
    OnlineLearner<Weights, Templates, TokenTable> learner(weights_, templates_,
                                                          static_cast<size_t>(task_.moves().size()), random);
    learner.sentence(sentence.tokens);
    loop_.train(learner, sentence, [](const TrainingSentence& s) { return s.words(); }, epoch, progress);
  }

 private:
  const T task_;
  Weights& weights_;
  const Templates& templates_;
  TrainingLoop<T> loop_;
};

template <LeftToRight T>
class BeamTrainingOf final : public OnlineTraining {
 public:
  BeamTrainingOf(const T& task, Perceptron& learner, const Templates& templates, Oracle oracle,
                 const BeamTrainingOptions& options)
      : task_(task), training_(task_, templates, learner, oracle, options) {}

  bool learns_on_the_way() const override { return false; }
  void train(const TrainingSentence& sentence, int /*epoch*/, Random&, TrainingProgress& progress) override {
    training_.train(sentence, progress);
  }

 private:
  const T task_;
  BeamTraining<T, Perceptron> training_;
};

template <BuildsTrees T>
class SystemTrainingOf final : public SystemTraining {
 public:
  explicit SystemTrainingOf(const T& task) : task_(task) {}

  SystemFacts facts() const override { return facts_of(task_); }
  const Moves& moves() const override { return task_.moves(); }

  std::unique_ptr<OnlineTraining> online(LinearLearners::Pointer learner, const Templates& templates,
                                         const OracleAndPolicy& how) const override {
    return std::visit(
        [&]<class Weights>(Weights* weights) -> std::unique_ptr<OnlineTraining> {
          return std::make_unique<OnlineTrainingOf<T, Weights>>(task_, *weights, templates, how);
        },
        learner);
  }

  std::unique_ptr<OnlineTraining> with_beam(Perceptron& learner, const Templates& templates, Oracle oracle,
                                            const BeamTrainingOptions& options) const override {
    if constexpr (LeftToRight<T>)
      return std::make_unique<BeamTrainingOf<T>>(task_, learner, templates, oracle, options);
    else
      refuse("A beam needs a system that goes from left to right, and ",
             " does not: train without one (train_beam).");
  }

  std::unique_ptr<MiniBatchTraining> mini_batches(const OracleAndPolicy& how) const override {
    if constexpr (OneSite<T>)
      return std::make_unique<MiniBatchTrainingOf<T>>(task_, how);
    else
      refuse(
          "A network scores the states of left-to-right systems only: choose the learner perceptron or "
          "adagrad with ",
          ".");
  }

  std::unique_ptr<TreeDecoder> decoder(const Templates& templates, const TaskDecoderOptions& options,
                                       CostSensitiveOptions& learner) const override {
    if constexpr (!OneSite<T>) {
      refuse("Learning to search takes one decision after the other: choose another learner with ", ".");
    } else if constexpr (!T::kDynamicOracle) {
      refuse("The reference of learning to search is the dynamic oracle, and there is none for ",
             ": choose arc-hybrid or arc-eager, or another learner.");
    } else {
      learner.actions = actions_of(task_.moves(), options.label_apart);
      learner.policies = policies_of(task_.moves());
      return std::make_unique<TaskDecoder<T>>(task_, templates, options);  // this outlives it
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& before, const std::string& after) const {
    throw std::invalid_argument(before + name_of(task_) + after);
  }

  const T task_;
};

template <BuildsTrees T>
std::unique_ptr<SystemTraining> make_system_training(const T& task) {
  return std::make_unique<SystemTrainingOf<T>>(task);
}

}  // namespace arcwise
