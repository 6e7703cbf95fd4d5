#include <stdexcept>

#include "search/task_decoder.h"
#include "train/trainer.h"

namespace arcwise {
namespace {

template <Task T>
class SearchTrainer final : public Trainer {
 public:
  SearchTrainer(const T& task, const TrainerOptions& options, const SearchTrainerOptions& search,
                const CostSensitiveOptions& learner, TrainingSet set)
      : Trainer(options, std::move(set)),
        task_(task),
        templates_(search.templates),
        learner_(learner),
        engine_(seeded(search.search, options.seed), learner_),
        decoder_(task_, templates_, search.decoder) {}

  LearntModels learnt() const override {
    CostSensitiveState state = learner_.state(false);
    ModelParts parts;
    parts.emplace_back("slots", std::move(state.slots));
    parts.emplace_back("weights", std::move(state.weights));
    parts.emplace_back("counts", std::move(state.counts));
    parts.emplace_back("actions", int64_t{learner_.options().actions});
    return one_model(std::move(parts));
  }

 private:
  static SearchOptions seeded(SearchOptions options, uint64_t seed) {
    options.seed = seed;
    return options;
  }

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    const TrainingSentence& sentence = set_.sentences[sentences[0]];
    decoder_.sentence(sentence.tokens, sentence.heads, sentence.labels);
    const auto examined = engine_.examine(decoder_, static_cast<int>(epoch()), sentence.number);
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

  void store(TrainerState& state) const override {
    const CostSensitiveState learnt = learner_.state();
    state.steps = engine_.progress().decisions;
    state.learner["slots"] = to_bytes(learnt.slots);
    state.learner["weights"] = to_bytes(learnt.weights);
    state.learner["squares"] = to_bytes(learnt.squares);
    state.learner["extras"] = to_bytes(learnt.extras);
    state.learner["counts"] = to_bytes(learnt.counts);
  }
  void take_up(const TrainerState& state) override {
    learner_.restore({from_bytes<uint32_t>(state, "slots"), from_bytes<float>(state, "weights"),
                      from_bytes<float>(state, "squares"), from_bytes<float>(state, "extras"),
                      from_bytes<double>(state, "counts")});
    engine_.resume(state.steps);
  }

  T task_;
  Templates templates_;
  CostSensitiveLearner learner_;
  LearningToSearch engine_;
  TaskDecoder<T> decoder_;
};

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options, const SearchTrainerOptions& search,
                                         TrainingSet set) {
  SystemOptions system = options.system;
  system.single_root = set.single_root;
  const ArcLabels labels = set.arcs;
  return with_system(system, labels, [&](const auto& task) -> std::unique_ptr<Trainer> {
    using T = std::decay_t<decltype(task)>;
    if constexpr (!T::kSingleSite) {
      throw std::invalid_argument(
          "Learning to search takes one decision after the other: use another learner "
          "with " +
          options.system.name + ".");
    } else {
      if (!T::kDynamicOracle)
        throw std::invalid_argument(
            "The reference of learning to search is the dynamic oracle, and there is none for " +
            options.system.name + ": use arc-hybrid or arc-eager, or another learner.");
      CostSensitiveOptions learner = search.learner;
      learner.actions = TaskDecoder<T>::actions(task, search.decoder);
      learner.policies = kTaskPolicies;
      learner.seed = options.seed;
      return std::make_unique<SearchTrainer<T>>(task, options, search, learner, std::move(set));
    }
  });
}

}  // namespace arcwise
