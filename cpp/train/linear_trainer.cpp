#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "learn/perceptron.h"
#include "train/beam_training.h"
#include "train/loop.h"
#include "train/trainer.h"

namespace arcwise {
namespace {

// Search trains on a sentence: TrainingSearch by a policy, BeamTraining by its options.
template <Task T, class Learner, class Search>
class LinearTrainer final : public Trainer {
 public:
  LinearTrainer(const T& task, const TrainerOptions& options, const typename Learner::Options& learner,
                const std::vector<std::string>& templates, const auto& of_search, TrainingSet set)
      : Trainer(options, std::move(set)),
        task_(task),
        templates_(templates),
        learner_(learner),
        search_(task_, templates_, learner_, options.oracle, of_search) {}

  LearntModels learnt() const override {
    LinearBuilder builder(task_.moves().size());
    learner_.each_weight([&](uint64_t key, Class move, float weight) { builder.add(key, move, weight); });
    return one_model(to_parts(builder.build()));
  }
  std::optional<std::vector<Weight>> weights() const override {
    std::vector<Weight> all;
    learner_.each_weight([&](uint64_t key, Class move, float value) { all.push_back({key, move, value}); });
    std::sort(all.begin(), all.end(), [](const Weight& a, const Weight& b) {
      return a.key != b.key ? a.key < b.key : a.move < b.move;
    });
    return all;
  }

 private:
  using Entry = typename Learner::Entry;

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    try {
      search_.train(set_.sentences[sentences[0]], static_cast<int>(epoch()), random_, progress);
    } catch (...) {
      if constexpr (Search::kLearnsOnTheWay) tear();
      throw;
    }
    return 1;
  }

  void store(TrainerState& state) const override {
    state.steps = learner_.steps();
    store_entries(state, [](const Entry& e) { return e; });
  }
  void settle(TrainerState& state) const override {
    state.steps = learner_.settled_steps();
    store_entries(state, [&](const Entry& e) { return learner_.settled(e); });
  }
  void store_entries(TrainerState& state, const auto& as) const {
    std::vector<uint64_t> keys;
    std::vector<uint16_t> sizes;
    std::vector<Entry> entries;
    learner_.table().dump(keys, sizes, entries);
    std::transform(entries.begin(), entries.end(), entries.begin(), as);
    state.learner["keys"] = to_bytes(keys);
    state.learner["sizes"] = to_bytes(sizes);
    state.learner["entries"] = to_bytes(entries);
  }
  void take_up(const TrainerState& state) override {
    const auto keys = from_bytes<uint64_t>(state, "keys");
    const auto sizes = from_bytes<uint16_t>(state, "sizes");
    const auto entries = from_bytes<Entry>(state, "entries");
    if (keys.size() != sizes.size())
      throw std::invalid_argument("The checkpoint does not belong to this training set.");
    for (const Entry& e : entries) {
      if (e.move >= task_.moves().size())
        throw std::invalid_argument("The checkpoint is damaged: no such move.");
      if (!Learner::is_sound(e))
        throw std::invalid_argument("The checkpoint is damaged: a weight is out of range.");
    }
    if (state.steps < Learner::kFewestSteps)
      throw std::invalid_argument("The checkpoint is damaged: it does not say how far it came.");
    learner_.table().restore(keys, sizes, entries);
    learner_.steps() = state.steps;
  }

  T task_;
  Templates templates_;
  Learner learner_;
  Search search_;
};

void check_linear(const LinearTrainerOptions& o) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  const auto& a = o.adagrad;
  if (!(a.alpha > 0)) refuse("The learning rate (alpha) must be positive.");
  if (!(a.rho > 0)) refuse("The ridge (rho) must be positive.");
  if (!(o.lambda.value_or(0) >= 0)) refuse("The penalty (lambda) must not be negative.");
  if (o.perceptron.step < 1) refuse("The rate of an update is too small: choose one of at least 0.001.");
  if (!(a.cutoff >= 0 && a.cutoff < 1)) refuse("The gradient cutoff must be at least 0 and below 1.");
}

void check_beam(const BeamTrainingOptions& o) {
  if (o.width < 1) throw std::invalid_argument("A beam is at least 1 wide.");
}

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options, const LinearTrainerOptions& linear,
                                         TrainingSet set) {
  SystemOptions system = options.system;
  system.single_root = set.single_root;
  check_linear(linear);
  const ArcLabels labels = set.arcs;
  return with_system(system, labels, [&](const auto& task) -> std::unique_ptr<Trainer> {
    using T = std::decay_t<decltype(task)>;
    const auto make =
        [&]<class Learner>(const typename Learner::Options& learner) -> std::unique_ptr<Trainer> {
      check(options, HasStaticOracle<T>, T::kDynamicOracle, Learner::kProbabilistic);
      return std::make_unique<LinearTrainer<T, Learner, TrainingSearch<T, Learner>>>(
          task, options, learner, linear.templates, options.policy, std::move(set));
    };
    if (linear.beam) {
      if constexpr (LeftToRight<T>) {
        if (linear.learner != "perceptron")
          throw std::invalid_argument(
              "Only the perceptron is trained with a beam (train_beam): choose the learner perceptron.");
        check_beam(*linear.beam);
        check(options, HasStaticOracle<T>, T::kDynamicOracle, Perceptron::kProbabilistic);
        return std::make_unique<LinearTrainer<T, Perceptron, BeamTraining<T, Perceptron>>>(
            task, options, linear.perceptron, linear.templates, *linear.beam, std::move(set));
      } else {
        throw std::invalid_argument("A beam needs a system that goes from left to right, and " + system.name +
                                    " does not: train without one (train_beam).");
      }
    }
    if (linear.learner == "perceptron") return make.template operator()<Perceptron>(linear.perceptron);
    if (linear.learner == "adagrad") {
      AdagradRda::Options adagrad = linear.adagrad;
      adagrad.lambda = linear.lambda.value_or(1.0 / (20.0 * static_cast<double>(set.words)));
      return make.template operator()<AdagradRda>(adagrad);
    }
    throw std::invalid_argument("There is no linear learner called '" + linear.learner +
                                "': choose perceptron or adagrad.");
  });
}

}  // namespace arcwise
