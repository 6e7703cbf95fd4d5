// The training loop of a task for networks (system_training.h).
#pragma once

#include "task/tagging.h"
#include "train/loop.h"
#include "train/system_training.h"

namespace arcwise {

template <OneSite T>
class MiniBatchTrainingOf final : public MiniBatchTraining {
 public:
  MiniBatchTrainingOf(const T& task, const OracleAndPolicy& how)
      : task_(task), loop_(task_, how.oracle, how.policy) {}

  void train(const Treebank& treebank, std::span<const TrainingSentence* const> sentences, int epoch,
             NetworkShard& shard, TrainingProgress& progress, Teachers* teachers) override {
    MiniBatchLearner learner(shard, task_.moves().size(), kIsNarrow<T>);
    loop_.train(
        learner, sentences, [&](const TrainingSentence& s) { return input(treebank, s); }, epoch, progress,
        teachers);
  }

 private:
  static typename T::Input input(const Treebank& treebank, const TrainingSentence& sentence) {
    if constexpr (BuildsTrees<T>)
      return sentence.words();
    else
      return {sentence.treebank ? sentence.treebank : &treebank, sentence.number};
  }

  const T task_;
  TrainingLoop<T> loop_;
};

}  // namespace arcwise
