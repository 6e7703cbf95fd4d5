#include "learn/trainer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "learn/perceptron.h"
#include "search/train.h"

namespace arcwise {
namespace {

template <Task T, class Learner>
class TaskTrainer final : public Trainer {
 public:
  TaskTrainer(const T& task, const TrainerOptions& options, const typename Learner::Options& learner,
              const std::vector<std::string>& templates, TrainingSet set)
      : task_(task),
        templates_(templates),
        set_(std::move(set)),
        learner_(learner),
        random_(options.seed),
        search_(task_, templates_, options.oracle, options.policy),
        order_(set_.sentences.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    position_ = order_.size();
  }

  TrainingProgress run(int64_t words) override {
    if (epoch_is_done()) {
      random_.shuffle(std::span(order_));
      position_ = 0;
      ++epoch_;
    }
    TrainingProgress progress;
    while (!epoch_is_done() && progress.words < words)
      search_.train(set_.sentences[order_[position_++]], static_cast<int>(epoch_), learner_, random_,
                    progress);
    return progress;
  }
  bool epoch_is_done() const override { return position_ == order_.size(); }
  int64_t epoch() const override { return epoch_; }
  const TrainingSet& set() const override { return set_; }
  Class classes() const override { return task_.moves().size(); }

  LinearArrays freeze() const override {
    LinearBuilder builder(task_.moves().size());
    learner_.each_weight([&](uint64_t key, Class move, float weight) { builder.add(key, move, weight); });
    return builder.build();
  }
  std::vector<Weight> weights() const override {
    std::vector<Weight> all;
    learner_.each_weight([&](uint64_t key, Class move, float value) { all.push_back({key, move, value}); });
    std::sort(all.begin(), all.end(), [](const Weight& a, const Weight& b) {
      return a.key != b.key ? a.key < b.key : a.move < b.move;
    });
    return all;
  }

  TrainerState state() override {
    TrainerState state{
        random_.state(), epoch_, static_cast<int64_t>(position_), learner_.steps(), order_, {}, {}, {}};
    std::vector<Entry> entries;
    learner_.table().dump(state.keys, state.sizes, entries);
    state.entries.resize(entries.size() * sizeof(Entry));
    std::memcpy(state.entries.data(), entries.data(), state.entries.size());
    return state;
  }
  void restore(const TrainerState& state) override {
    if (state.order.size() != order_.size() || state.position < 0 ||
        state.position > static_cast<int64_t>(order_.size()) || state.keys.size() != state.sizes.size() ||
        state.entries.size() % sizeof(Entry) != 0)
      throw std::invalid_argument("The checkpoint does not belong to this training set.");
    for (uint32_t s : state.order)
      if (s >= order_.size())
        throw std::invalid_argument("The checkpoint is damaged: a sentence is out of range.");
    std::vector<Entry> entries(state.entries.size() / sizeof(Entry));
    std::memcpy(entries.data(), state.entries.data(), state.entries.size());
    for (const Entry& e : entries)
      if (e.move >= task_.moves().size())
        throw std::invalid_argument("The checkpoint is damaged: no such move.");
    learner_.table().restore(state.keys, state.sizes, entries);
    learner_.steps() = state.steps;
    random_ = Random(state.random);
    epoch_ = state.epoch;
    position_ = static_cast<size_t>(state.position);
    order_ = state.order;
  }

 private:
  using Entry = typename Learner::Entry;

  T task_;
  Templates templates_;
  TrainingSet set_;
  Learner learner_;
  Random random_;
  TrainingSearch<T, Learner> search_;
  std::vector<uint32_t> order_;
  size_t position_;
  int64_t epoch_ = 0;
};

void check(const TrainerOptions& o, bool has_static, bool has_dynamic, bool probabilistic) {
  using Kind = Policy::Kind;
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  if (o.oracle == Oracle::Dynamic && !has_dynamic)
    refuse(
        "There is no dynamic oracle for " + o.system.name +
        ", which is not arc-decomposable: use --oracle static or nondeterministic, with --policy static or "
        "ambiguity.");
  if (o.oracle == Oracle::Static && !has_static)
    refuse("There is no static oracle for " + o.system.name +
           ", where arcs may come in any order: use --oracle nondeterministic with --policy static.");
  if (o.policy.leaves_the_gold_path() && o.oracle != Oracle::Dynamic)
    refuse(
        "Exploring states off the gold path needs the dynamic oracle: use --oracle dynamic, or --policy "
        "static.");
  if (o.policy.kind == Kind::Ambiguity && o.oracle == Oracle::Static)
    refuse(
        "The static oracle knows one correct move, so there is no ambiguity to follow: use --policy static, "
        "or "
        "--oracle nondeterministic or dynamic.");
  if (o.policy.kind == Kind::Sample && !probabilistic)
    refuse(
        "To sample moves the learner must give probabilities: use --learner adagrad, or --policy explore.");
  if (o.policy.k < 0) refuse("The number of epochs before exploration (k) must not be negative.");
  if (!(o.policy.p >= 0 && o.policy.p <= 1))
    refuse("The probability of exploration (p) must lie between 0 and 1.");
  const auto& a = o.adagrad;
  if (!(a.alpha > 0)) refuse("The learning rate (alpha) must be positive.");
  if (!(a.rho > 0)) refuse("The ridge (rho) must be positive.");
  if (!(o.lambda.value_or(0) >= 0)) refuse("The penalty (lambda) must not be negative.");
  if (!(a.cutoff >= 0 && a.cutoff < 1)) refuse("The gradient cutoff must be at least 0 and below 1.");
}

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options,
                                         const std::vector<std::string>& templates, TrainingSet set) {
  SystemOptions system = options.system;
  system.single_root = set.single_root;
  const ArcLabels labels = set.arcs;
  return with_system(system, labels, [&](const auto& task) -> std::unique_ptr<Trainer> {
    using T = std::decay_t<decltype(task)>;
    constexpr bool has_static = requires(typename T::State s, Gold g) { task.static_move(s, g); };
    const auto make =
        [&]<class Learner>(const typename Learner::Options& learner) -> std::unique_ptr<Trainer> {
      check(options, has_static, T::kDynamicOracle, Learner::kProbabilistic);
      return std::make_unique<TaskTrainer<T, Learner>>(task, options, learner, templates, std::move(set));
    };
    if (options.learner == "perceptron") return make.template operator()<Perceptron>({});
    if (options.learner == "adagrad") {
      AdagradRda::Options adagrad = options.adagrad;
      adagrad.lambda = options.lambda.value_or(1.0 / (20.0 * static_cast<double>(set.words)));
      return make.template operator()<AdagradRda>(adagrad);
    }
    throw std::invalid_argument("There is no learner called '" + options.learner +
                                "': choose perceptron or adagrad.");
  });
}

}  // namespace arcwise
