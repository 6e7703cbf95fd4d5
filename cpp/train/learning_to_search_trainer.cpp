#include <stdexcept>

#include "train/trainer.h"

namespace arcwise {
namespace {

class LearningToSearchTrainer final : public Trainer {
 public:
  LearningToSearchTrainer(std::unique_ptr<SystemTraining> system, const TrainerOptions& options,
                          const LearningToSearchTrainerOptions& search, CostSensitiveOptions learner,
                          TrainingSet set)
      : Trainer(options, std::move(set)),
        system_(std::move(system)),
        templates_(search.templates),
        decoder_(system_->decoder(templates_, search.decoder, learner)),
        learner_(learner),
        engine_(seeded(search.search, options.seed), learner_) {}

  LearntModels learnt() const override {
    CostSensitiveState state = learner_.state(false);
    ModelParts parts;
    parts.emplace_back("slots", std::move(state.slots));
    parts.emplace_back("weights", std::move(state.weights));
    parts.emplace_back("counts", std::move(state.counts));
    parts.emplace_back("actions", int64_t{learner_.options().actions});
    parts.emplace_back("policies", int64_t{learner_.options().policies});
    return one_model(std::move(parts));
  }

 private:
  static LearningToSearchOptions seeded(LearningToSearchOptions options, uint64_t seed) {
    options.seed = seed;
    return options;
  }

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    const TrainingSentence& sentence = set_.sentences[sentences[0]];
    decoder_->sentence(sentence.tokens, sentence.heads, sentence.labels);
    const auto examined = engine_.examine(*decoder_, static_cast<int>(epoch()), sentence.number);
    Lesson own;
    try {
      own = engine_.learn(examined);
    } catch (...) {
      tear();
      throw;
    }
    ++progress.sentences;
    progress.words += sentence.words();
    progress.decisions += own.decisions;
    progress.wrong += own.wrong;
    progress.loss += own.loss;
    return 1;
  }

  void store(TrainerCheckpoint& state) const override {
    const CostSensitiveState learnt = learner_.state();
    state.steps = engine_.progress().decisions;
    state.learner["slots"] = to_bytes(learnt.slots);
    state.learner["weights"] = to_bytes(learnt.weights);
    state.learner["squares"] = to_bytes(learnt.squares);
    state.learner["extras"] = to_bytes(learnt.extras);
    state.learner["counts"] = to_bytes(learnt.counts);
  }
  void take_up(const TrainerCheckpoint& state) override {
    learner_.restore({from_bytes<uint32_t>(state, "slots"), from_bytes<float>(state, "weights"),
                      from_bytes<float>(state, "squares"), from_bytes<float>(state, "extras"),
                      from_bytes<double>(state, "counts")});
    engine_.resume(state.steps);
  }

  const std::unique_ptr<SystemTraining> system_;
  const Templates templates_;
  const std::unique_ptr<TreeDecoder> decoder_;
  CostSensitiveLearner learner_;
  LearningToSearch engine_;
};

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options,
                                         const LearningToSearchTrainerOptions& search, TrainingSet set) {
  CostSensitiveOptions learner = search.learner;
  learner.seed = options.seed;
  auto system = system_training(options.system, set);
  return std::make_unique<LearningToSearchTrainer>(std::move(system), options, search, learner,
                                                   std::move(set));
}

}  // namespace arcwise
