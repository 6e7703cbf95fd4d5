#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "features_from_python.h"
#include "in_use.h"
#include "learner.h"
#include "search/decoder_beam.h"
#include "search_actions.h"
#include "sequences.h"
#include "task/systems.h"
#include "train/learning_to_search.h"
#include "train/system_training.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

// What a task's run is given. A program may keep it for longer than the run lasts, and show it to others.
struct Asker {
  std::shared_ptr<SearchActions> actions;
  DecoderRun* run;  // until it ends
  const unsigned long thread = PyThread_get_thread_ident();

  nb::object predict(nb::handle features, nb::handle reference, nb::handle allowed, nb::handle costs,
                     int policy) {
    DecoderRun& search = running("A prediction was asked for");
    const SearchActions::Reading reading(*actions);
    Question question;
    try {
      question.allowed = actions->allowed(allowed);
      if (search.is_training()) {
        question.reference = actions->reference(reference);
        question.costs = actions->costs(costs, question.allowed);
      }
    } catch (const SearchError& error) {
      throw SearchError(search.place_of_next() + error.what());
    }
    question.policy = policy;
    const int32_t action = search.predict(question, [&](Features& f) {
      if (PyCallable_Check(features.ptr()))
        features_from_python(features(), f);
      else
        features_from_python(features, f);
    });
    return actions->value(action);
  }

  void loss(nb::handle value) {
    DecoderRun& search = running("A loss was stated");
    const SearchActions::Reading reading(*actions);
    if (!search.is_training()) return;
    float number = 0;
    try {
      number = SearchActions::number_of(value, "The loss");
    } catch (const SearchError& error) {
      throw SearchError(search.place_of_run() + error.what());
    }
    search.loss(number);
  }

  DecoderRun& running(const char* what) const {
    if (run == nullptr) throw SearchError(std::string(what) + " outside a run: call it inside run only.");
    if (thread != PyThread_get_thread_ident())
      throw SearchError(std::string(what) + " in another thread than that of the run: call it in the same.");
    return *run;
  }
};

class PythonDecoder final : public Decoder {
 public:
  PythonDecoder(std::shared_ptr<SearchActions> actions, nb::handle method, nb::handle example)
      : actions_(std::move(actions)), method_(method), example_(example) {}

  void run(DecoderRun& search) override {
    struct Lent {
      std::shared_ptr<Asker> asker;
      ~Lent() { asker->run = nullptr; }
    } lent{std::make_shared<Asker>(Asker{actions_, &search})};
    output_ = method_(lent.asker, example_);
  }
  std::string name_of(int32_t action) const override { return actions_->text(action); }

  nb::object output() { return std::move(output_); }

 private:
  std::shared_ptr<SearchActions> actions_;
  nb::handle method_, example_;
  nb::object output_;
};

template <class E>
E from_name(const std::string& name, const char* what,
            std::initializer_list<std::pair<const char*, E>> known) {
  std::string names;
  for (const auto& [text, value] : known) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(text);
  }
  throw nb::value_error(
      ("There is no " + std::string(what) + " called '" + name + "': choose one of " + names + ".").c_str());
}

LearningToSearchOptions options_from(const std::string& rollin, const std::string& rollout,
                                     const std::string& mixing, const std::string& per, double alpha,
                                     double beta, int32_t deviations, uint64_t seed) {
  using O = LearningToSearchOptions;
  O options;
  options.rollin = from_name<O::RollIn>(
      rollin, "roll-in",
      {{"reference", O::RollIn::Reference}, {"learned", O::RollIn::Learned}, {"mix", O::RollIn::Mix}});
  options.rollout = from_name<O::RollOut>(rollout, "roll-out",
                                          {{"reference", O::RollOut::Reference},
                                           {"learned", O::RollOut::Learned},
                                           {"mix", O::RollOut::Mix},
                                           {"none", O::RollOut::None},
                                           {"exact", O::RollOut::Exact}});
  options.mixing = from_name<O::Mixing>(
      mixing, "mixing",
      {{"anneal", O::Mixing::Anneal}, {"constant", O::Mixing::Constant}, {"epochs", O::Mixing::Epochs}});
  options.per = from_name<O::Per>(per, "unit of mixing",
                                  {{"state", O::Per::State}, {"trajectory", O::Per::Trajectory}});
  options.annealing = alpha;
  options.beta = beta;
  options.deviations = deviations;
  options.seed = seed;
  return options;
}

// A learner and a way to train it for a Python task. The GIL is held throughout: its decoder is Python, and
// may come back here or let other threads do so.
class PythonSearch {
 public:
  PythonSearch(PythonLearner& learner, ActionTuple actions, const LearningToSearchOptions& options)
      : actions_(std::make_shared<SearchActions>(std::move(actions))),
        search_(options, learner.learner),
        predicting_(learner.learner) {
    if (actions_->size() != learner.every.size())
      throw nb::value_error("The learner was made for another number of actions.");
  }

  nb::object predict(nb::handle run, nb::handle example, uint64_t number, int32_t beam) {
    demand(beam >= 1, "A beam is at least 1 wide.");
    PythonDecoder decoder(actions_, run, example);
    if (beam == 1)
      predicting_.decode(decoder, number);
    else
      decode_with_beam(predicting_, decoder, number, static_cast<size_t>(beam));
    return decoder.output();
  }
  void train(nb::handle run, nb::handle example, int epoch, uint64_t number) {
    const Training training(*this);
    PythonDecoder decoder(actions_, run, example);
    search_.learn(search_.examine(decoder, epoch, number));
  }
  using Steps = nb::typed<nb::list, nb::typed<nb::tuple, int, nb::any, nb::typed<nb::dict, nb::any, float>>>;
  Steps examine(nb::handle run, nb::handle example, int epoch, uint64_t number) {
    const Training training(*this);
    PythonDecoder decoder(actions_, run, example);
    Steps steps;
    for (const CostedStep& costed : search_.examine(decoder, epoch, number)) {
      nb::dict costs;
      const auto& step = search_.trajectory().steps()[costed.step];
      for (size_t i = 0; i < step.allowed.size(); ++i)
        costs[actions_->value(step.allowed[i])] = costed.costs[i];
      steps.append(nb::make_tuple(costed.step, actions_->value(step.taken), costs));
    }
    return steps;
  }
  nb::typed<nb::dict, nb::str, nb::any> progress() const {
    const LearningToSearchProgress& p = search_.progress();
    nb::typed<nb::dict, nb::str, nb::any> d;
    d["examples"] = p.examples;
    d["predictions"] = p.predictions;
    d["decisions"] = p.decisions;
    d["roll_outs"] = p.roll_outs;
    d["shared"] = p.shared;
    d["loss"] = p.loss;
    d["learner_loss"] = p.learner_loss;
    d["rollin_reference"] = search_.run().in_roll_ins().reference;
    d["rollin_learned"] = search_.run().in_roll_ins().learned;
    d["rollout_reference"] = search_.run().in_roll_outs().reference;
    d["rollout_learned"] = search_.run().in_roll_outs().learned;
    return d;
  }
  double reference_share(int epoch) const { return search_.reference_share(epoch); }

 private:
  // One example at a time.
  struct Training : OneAtATime<SearchError> {
    explicit Training(PythonSearch& search)
        : OneAtATime(search.is_training_,
                     "A run was started inside another of the same search: give it a search of its own.") {}
  };

  std::shared_ptr<SearchActions> actions_;
  LearningToSearch search_;
  DecoderRun predicting_;
  bool is_training_ = false;
};

nb::ndarray<nb::numpy, uint32_t, nb::ndim<1>> shuffled(size_t count, uint64_t seed, int epoch) {
  demand(count <= UINT32_MAX, "There are no more than 2^32 - 1 examples.");
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  Random(mix(mix(seed) + static_cast<uint64_t>(epoch))).shuffle(std::span(order));
  return to_numpy(std::move(order));
}

// What a transition system's decisions cost on a trajectory, for looking at them from outside.
using SystemSteps =
    nb::typed<nb::list, nb::typed<nb::tuple, int, int, nb::typed<nb::list, int>, nb::typed<nb::list, float>>>;
SystemSteps examine_system(const std::string& system, const std::vector<int32_t>& heads,
                           const std::vector<int32_t>& labels, int32_t label_count, bool root_first,
                           bool single_root, bool label_apart, bool exact, float wrong_head,
                           float wrong_label, const LearningToSearchOptions& options) {
  constexpr int32_t kMostLabels = 10000;
  demand(label_count >= 1 && label_count <= kMostLabels, "There are from 1 to 10,000 labels.");
  demand(heads.size() == labels.size(), "Every word has a head and a label.");
  demand_words(static_cast<int32_t>(std::min<size_t>(heads.size(), INT32_MAX)));
  for (const int32_t head : heads)
    demand(head >= kNone && head <= static_cast<int32_t>(heads.size()),
           "A head is out of range: heads go from -1 (unknown) to the number of words.");
  for (const int32_t label : labels)
    demand(label >= -1 && label <= label_count,
           "A label is out of range: -1 is unknown, and the last ROOT's.");
  demand(std::isfinite(wrong_head) && std::isfinite(wrong_label), "What words lose must be numbers.");
  std::vector<int32_t> arcs;
  for (int32_t l = 0; l < label_count; ++l) arcs.push_back(l);
  TokenTable tokens;
  tokens.reset({}, static_cast<int32_t>(heads.size()));
  const ArcLabels all{arcs, arcs, {label_count}, 0};
  const auto training = with_system({system, root_first, single_root}, all,
                                    [](const auto& task) { return make_system_training(task); });
  const Templates templates({"bias"});
  CostSensitiveOptions learning;
  learning.bits = 10;
  const auto decoder = training->decoder(templates, {label_apart, exact, wrong_head, wrong_label}, learning);
  CostSensitiveLearner learner(learning);
  decoder->sentence(tokens, heads, labels);
  LearningToSearch search(options, learner);
  SystemSteps steps;
  for (const CostedStep& costed : search.examine(*decoder, 1, 0)) {
    const auto& step = search.trajectory().steps()[costed.step];
    steps.append(nb::make_tuple(costed.step, step.policy, step.allowed, costed.costs));
  }
  return steps;
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const SearchError& error) {
      nb::object type = nb::module_::import_("arcwise.errors").attr("SearchError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });

  nb::class_<Asker>(m, "SearchRun", "What a task's run asks for its decisions, one after the other.")
      .def("predict", &Asker::predict, "features"_a.none(), nb::kw_only(), "reference"_a.none() = nb::none(),
           "allowed"_a.none() = nb::none(), "costs"_a.none() = nb::none(), "policy"_a = 0,
           nb::sig("def predict(self, features: typing.Any, *, reference: typing.Any = None, "
                   "allowed: collections.abc.Iterable[typing.Any] | None = None, "
                   "costs: typing.Any = None, policy: int = 0) -> typing.Any"),
           "The action to take, one of the allowed ones: see arcwise.search.Task.run.")
      .def("loss", &Asker::loss, "value"_a.none(), nb::sig("def loss(self, value: float) -> None"),
           "Adds to the loss of this run.")
      .def_prop_ro(
          "is_training", [](const Asker& a) { return a.run != nullptr && a.run->is_training(); },
          "Whether references, costs and losses are of use; in prediction they are ignored.")
      .def_prop_ro(
          "actions", [](const Asker& a) { return a.actions->values(); }, "The task's actions, a tuple.");

  nb::class_<LearningToSearchOptions>(m, "LearningToSearchOptions", "How a search is trained.")
      .def(nb::new_(&options_from), nb::kw_only(), "rollin"_a, "rollout"_a, "mixing"_a, "per"_a, "alpha"_a,
           "beta"_a, "deviations"_a, "seed"_a);

  nb::class_<PythonSearch>(m, "Search", "A learner and a way to train it for a Python task.")
      .def(nb::init<PythonLearner&, ActionTuple, const LearningToSearchOptions&>(), nb::keep_alive<1, 2>(),
           "learner"_a, "actions"_a, "options"_a)
      .def("predict", &PythonSearch::predict, "run"_a, "example"_a.none(), "number"_a, "beam"_a = 1,
           "What the run of the best derivation returns, by the learned policy.")
      .def("train", &PythonSearch::train, "run"_a, "example"_a.none(), "epoch"_a, "number"_a)
      .def("examine", &PythonSearch::examine, "run"_a, "example"_a.none(), "epoch"_a, "number"_a,
           "What would be learnt from: tuples of a step, the action taken and what each action costs.")
      .def("progress", &PythonSearch::progress, "All that has been counted so far.")
      .def("reference_share", &PythonSearch::reference_share, "epoch"_a,
           "How often the reference acts in a mixture at this time.");

  m.def("shuffled", &shuffled, "count"_a, "seed"_a, "epoch"_a, "The order of the examples in an epoch.");
  m.def("examine_system", &examine_system, "system"_a, "heads"_a, "labels"_a, nb::kw_only(), "label_count"_a,
        "root_first"_a, "single_root"_a, "label_apart"_a, "exact"_a, "wrong_head"_a, "wrong_label"_a,
        "options"_a,
        "What the decisions on a trajectory of a transition system cost: tuples of a step, its policy, the "
        "allowed actions and their costs.");
}
