#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/names.h"
#include "train/trainer.h"

namespace arcwise {
namespace {

template <class Learner>
class LinearTrainer final : public Trainer {
 public:
  LinearTrainer(std::unique_ptr<SystemTraining> system, const TrainerOptions& options,
                const typename Learner::Options& learner, const LinearTrainerOptions& linear, TrainingSet set)
      : Trainer(options, std::move(set)),
        system_(std::move(system)),
        moves_(system_->moves().size()),
        classes_(linear.perceptron.classes),
        most_lines_(linear.compact_lines.value_or(0)),
        templates_(linear.templates),
        learner_(learner) {
    if constexpr (std::is_same_v<Learner, Perceptron>)
      if (linear.beam) training_ = system_->with_beam(learner_, templates_, options.oracle, *linear.beam);
    if (!training_) training_ = system_->online(&learner_, templates_, options);
  }

  LearntModels learnt() const override {
    const auto fill = [&](auto& builder) {
      learner_.each_weight([&](uint64_t key, MoveId move, float weight) { builder.add(key, move, weight); });
    };
    if (!classes_.empty()) {
      CompactBuilder builder(classes_);
      fill(builder);
      return one_model(to_parts(builder.build(most_lines_)));
    }
    LinearBuilder builder(moves_);
    fill(builder);
    return one_model(to_parts(builder.build()));
  }
  std::optional<std::vector<Weight>> weights() const override {
    std::vector<Weight> all;
    learner_.each_weight([&](uint64_t key, MoveId move, float value) { all.push_back({key, move, value}); });
    std::sort(all.begin(), all.end(), [](const Weight& a, const Weight& b) {
      return a.key != b.key ? a.key < b.key : a.move < b.move;
    });
    return all;
  }

 private:
  using Entry = typename Learner::Entry;

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    try {
      training_->train(set_.sentences[sentences[0]], static_cast<int>(epoch()), random_, progress);
    } catch (...) {
      if (training_->learns_on_the_way()) tear();
      throw;
    }
    return 1;
  }

  void store(TrainerCheckpoint& state) const override {
    state.steps = learner_.steps();
    store_entries(state, [](const Entry& e) { return e; });
  }
  void settle(TrainerCheckpoint& state) const override {
    state.steps = learner_.settled_steps();
    store_entries(state, [&](const Entry& e) { return learner_.settled(e); });
  }
  void store_entries(TrainerCheckpoint& state, const auto& as) const {
    std::vector<uint64_t> keys;
    std::vector<uint16_t> sizes;
    std::vector<Entry> entries;
    learner_.table().dump(keys, sizes, entries);
    std::transform(entries.begin(), entries.end(), entries.begin(), as);
    state.learner["keys"] = to_bytes(keys);
    state.learner["sizes"] = to_bytes(sizes);
    state.learner["entries"] = to_bytes(entries);
  }
  void take_up(const TrainerCheckpoint& state) override {
    const auto keys = from_bytes<uint64_t>(state, "keys");
    const auto sizes = from_bytes<uint16_t>(state, "sizes");
    const auto entries = from_bytes<Entry>(state, "entries");
    if (keys.size() != sizes.size())
      throw std::invalid_argument("The checkpoint does not belong to this training set.");
    for (const Entry& e : entries) {
      if (e.move >= moves_ + static_cast<MoveId>(classes_.size()))
        throw std::invalid_argument("The checkpoint is damaged: no such move.");
      if (!Learner::is_sound(e))
        throw std::invalid_argument("The checkpoint is damaged: a weight is out of range.");
    }
    if (state.steps < Learner::kFewestSteps)
      throw std::invalid_argument("The checkpoint is damaged: it does not say how far it came.");
    learner_.table().restore(keys, sizes, entries);
    learner_.steps() = state.steps;
  }

  const std::unique_ptr<SystemTraining> system_;
  const MoveId moves_;
  const MoveClasses classes_;  // of a compact model
  const size_t most_lines_;    // of its table
  const Templates templates_;
  Learner learner_;
  std::unique_ptr<OnlineTraining> training_;
};

void check_linear(const LinearTrainerOptions& o) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  const auto& a = o.adagrad;
  if (!(a.alpha > 0)) refuse("The learning rate (alpha) must be positive.");
  if (!(a.rho > 0)) refuse("The ridge (rho) must be positive.");
  if (!(o.lambda.value_or(0) >= 0)) refuse("The penalty (lambda) must not be negative.");
  if (o.perceptron.step < 1) refuse("The rate of an update is too small: choose one of at least 0.001.");
  if (!(a.cutoff >= 0 && a.cutoff < 1)) refuse("The gradient cutoff must be at least 0 and below 1.");
  if (!o.compact_lines) return;
  if (o.learner != Perceptron::kName)
    refuse("Only the perceptron makes compact models: choose that learner.");
  if (o.beam) refuse("A compact model is trained without a beam: leave out one of compact and train_beam.");
  if (*o.compact_lines < 1 || *o.compact_lines > UINT32_MAX)
    refuse("The table of a compact model has an impossible size.");
  if (o.templates.size() > CompactScorer::kMostFeatures)
    refuse("A compact model has at most " + std::to_string(CompactScorer::kMostFeatures) +
           " feature templates, and there are " + std::to_string(o.templates.size()) + ".");
}

template <class Learner>
typename Learner::Options options_of(const LinearTrainerOptions& linear, const TrainingSet& set);
template <>
Perceptron::Options options_of<Perceptron>(const LinearTrainerOptions& linear, const TrainingSet&) {
  return linear.perceptron;
}
template <>
AdagradRda::Options options_of<AdagradRda>(const LinearTrainerOptions& linear, const TrainingSet& set) {
  AdagradRda::Options options = linear.adagrad;
  options.lambda = linear.lambda.value_or(1.0 / (20.0 * static_cast<double>(set.words)));
  return options;
}

void check_beam(const BeamTrainingOptions& o) {
  if (o.width < 1) throw std::invalid_argument("A beam is at least 1 wide.");
}

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options, LinearTrainerOptions linear,
                                         TrainingSet set) {
  check_linear(linear);
  auto system = system_training(options.system, set);
  if (linear.compact_lines) linear.perceptron.classes = MoveClasses(system->moves());
  if (linear.beam) {
    if (linear.learner != Perceptron::kName)
      throw std::invalid_argument(
          "Only the perceptron is trained with a beam (train_beam): choose the learner perceptron.");
    check_beam(*linear.beam);
  }
  std::unique_ptr<Trainer> trainer;
  const bool known = LinearLearners::with(linear.learner, [&]<class Learner>() {
    check(options, system->facts(), Learner::kProbabilistic);
    trainer = std::make_unique<LinearTrainer<Learner>>(
        std::move(system), options, options_of<Learner>(linear, set), linear, std::move(set));
  });
  if (known) return trainer;
  throw std::invalid_argument("There is no linear learner called '" + linear.learner + "': choose " +
                              one_of(LinearLearners::names()) + ".");
}

}  // namespace arcwise
