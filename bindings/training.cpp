#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include <cmath>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "in_use.h"
#include "model_parts.h"
#include "network/input_names.h"
#include "sequences.h"
#include "train/trainer.h"
#include "train/unsure.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

constexpr std::array<Named<Violation>, 3> kViolations{
    {{"early", Violation::Early}, {"max", Violation::Max}, {"none", Violation::None}}};
constexpr std::array<Named<Negative>, 2> kNegatives{{{"best", Negative::Best}, {"worst", Negative::Worst}}};

// What every run needs, whatever its learner.
struct RunOptions {
  TrainerOptions trainer;
  PolicyOptions exploration;
  TrainingSetOptions set;
};

using Labels = std::vector<std::tuple<int32_t, int32_t, bool>>;

LabelSet label_set(const Labels& labels, std::vector<int32_t> left, std::vector<int32_t> right,
                   std::vector<int32_t> root, int32_t completion) {
  for (const auto* some : {&left, &right, &root}) {
    demand(!some->empty(), "Every direction has a label.");
    for (const int32_t label : *some)
      demand(label >= 0 && static_cast<size_t>(label) < labels.size(), "There is no such label.");
  }
  demand(completion >= 0 && static_cast<size_t>(completion) < labels.size(), "There is no such label.");
  LabelSet set{{}, {left, right, root, completion}};
  for (const auto& [base, lifted_from, path] : labels) set.labels.push_back({base, lifted_from, path});
  return set;
}

RunOptions run_options(const std::string& system, bool root_first, std::optional<bool> single_root,
                       const std::optional<std::string>& scheme, const std::string& oracle,
                       const std::string& policy, int k, double p, uint64_t seed,
                       const std::optional<LabelSet>& known, const std::shared_ptr<ForeignSystem>& given) {
  RunOptions options;
  options.trainer.system = {system, root_first, true, given};
  options.trainer.oracle = from_name(kOracles, "oracle", oracle);
  options.exploration = {k, p};
  options.trainer.policy = AnyPolicy(policy, options.exploration);
  options.trainer.seed = seed;
  options.set = {true, {}, single_root, known};
  for (const SystemFacts& facts : system_facts())
    if (facts.name == system) options.set.projective = facts.projective;
  if (const auto& foreign = options.trainer.system.foreign) options.set.projective = foreign->projective();
  if (scheme) options.set.lift = scheme_from_name(*scheme);
  return options;
}

std::unique_ptr<Trainer> create_linear(const Treebank& treebank, const RunOptions& options,
                                       const std::string& learner, const std::vector<std::string>& templates,
                                       double alpha, double rho, std::optional<double> penalty, double cutoff,
                                       std::optional<int32_t> beam, const std::string& violation,
                                       bool relaxed, const std::string& negative,
                                       std::optional<double> update_rate, std::optional<int32_t> compact) {
  LinearTrainerOptions linear{learner, templates, {}, {}, {}, penalty};
  if (compact) {
    demand(*compact >= 1 && *compact <= 1024, "The table of a compact model takes from 1 to 1024 MiB.");
    linear.compact_lines = (static_cast<size_t>(*compact) << 20) / sizeof(CompactLine);
  }
  if (beam)
    linear.beam = {*beam, from_name(kViolations, "violation", violation), relaxed,
                   from_name(kNegatives, "negative sample", negative)};
  if (update_rate) {
    demand(*update_rate > 0 && *update_rate <= 1000,
           "The rate of an update is above 0 and no more than 1000.");
    constexpr int32_t unit = Perceptron::kPartsOfAverages;
    linear.perceptron = {unit, static_cast<int32_t>(std::lround(*update_rate * unit)), {}};
  }
  linear.adagrad.alpha = alpha;
  linear.adagrad.rho = rho;
  linear.adagrad.cutoff = cutoff;
  nb::gil_scoped_release release;
  const Templates compiled(templates);
  return Trainer::create(options.trainer, linear,
                         TrainingSet::make(treebank, compiled.token_attributes(), options.set));
}

using Keys = std::variant<Vector<uint64_t>, Vector<uint8_t>>;

NetworkTrainerOptions network_options(
    const std::string& encoder, int layers, int window, int width, int hidden,
    const std::vector<std::string>& token_inputs, int longest_affix,
    const std::vector<std::string>& state_inputs, double rate, double decay, double average, double clip,
    double dropout, double hidden_dropout, double word_dropout, int batch, int epochs, int threads,
    const std::optional<Vector<float>>& vectors, const std::optional<Vector<uint64_t>>& vector_keys,
    const std::optional<Vector<uint64_t>>& lowered_keys, bool tune_vectors, int least_affix,
    const std::optional<Keys>& vocabulary, double shown_tags, double sure, bool given_rates,
    int embedding_bits, const std::optional<SilverOptions>& silver, std::optional<int64_t> own_sentences) {
  NetworkTrainerOptions network;
  network.shape.encoder = encoder_from_name(encoder);
  network.shape.layers = layers;
  network.shape.window = window;
  network.shape.width = width;
  network.shape.hidden = hidden;
  network.learning = {rate,         decay,      average, clip, dropout,    hidden_dropout,
                      word_dropout, shown_tags, batch,   sure, given_rates};
  network.tokens = token_inputs_from_names(token_inputs, longest_affix);
  network.least_affix = least_affix;
  network.states = state_inputs;
  network.embedding_bits = embedding_bits;
  network.epochs = epochs;
  network.threads = threads;
  demand(epochs >= 1, "Training takes at least one epoch.");
  if (vectors && vector_keys && vector_keys->size() > 0) {
    demand(vectors->size() > 0 && vectors->size() % vector_keys->size() == 0, "Every key has a vector.");
    demand(lowered_keys && lowered_keys->size() == vector_keys->size(),
           "Every key has one of the word in lower case.");
    network.vectors.width = vectors->size() / vector_keys->size();
    network.vectors.values = to_vector(*vectors);
    network.vectors.tuned = tune_vectors;
    network.vector_keys = to_vector(*vector_keys);
    network.lowered_keys = to_vector(*lowered_keys);
  }
  if (vocabulary && std::holds_alternative<Vector<uint64_t>>(*vocabulary)) {
    network.vocabulary = to_vector(std::get<Vector<uint64_t>>(*vocabulary));
  } else if (vocabulary) {
    network.vocabulary = from_short_keys(to_span(std::get<Vector<uint8_t>>(*vocabulary)));
    network.vocabulary_bits = kShortKeyBits;
  }
  network.silver = silver;
  if (own_sentences) network.own_sentences = *own_sentences;
  return network;
}

std::unique_ptr<Trainer> create_network(const Treebank& treebank, const RunOptions& options,
                                        NetworkTrainerOptions network) {
  nb::gil_scoped_release release;
  network.silver_set = options.set;
  return Trainer::create(options.trainer, network, treebank, TrainingSet::make(treebank, {}, options.set));
}

std::unique_ptr<Trainer> create_joint(const Treebank& treebank, const RunOptions& options,
                                      NetworkTrainerOptions network, const TaggingSet& tags,
                                      const NetworkTrainerOptions& tagger) {
  nb::gil_scoped_release release;
  network.silver_set = options.set;
  // A tagger explores, whatever the parser does.
  const MultiTaskTagger along{tags, tagger, {Oracle::Dynamic, ExplorePolicy(options.exploration)}};
  TrainingSetOptions set = options.set;
  set.headless = set.known.has_value();  // who corrects tags need not have trees
  return Trainer::create(options.trainer, network, treebank, TrainingSet::make(treebank, {}, set), &along);
}

std::unique_ptr<Trainer> create_tagger(const Treebank& treebank, const RunOptions& options,
                                       const NetworkTrainerOptions& network, const TaggingSet& set) {
  nb::gil_scoped_release release;
  return Trainer::create(options.trainer, network, treebank, set);
}

std::unique_ptr<Trainer> create_search(const Treebank& treebank, const RunOptions& options,
                                       const LearningToSearchOptions& search,
                                       const std::vector<std::string>& templates, bool label_apart,
                                       bool exact, int bits, const std::string& reduction,
                                       const std::string& update, int hidden, bool direct,
                                       std::optional<double> rate, double power_t, double beta, double l1,
                                       double l2) {
  LearningToSearchTrainerOptions own{templates, {}, search, {}};
  own.decoder.label_apart = label_apart;
  own.decoder.exact = exact;
  own.learner.bits = bits;
  own.learner.reduction = reduction;
  own.learner.update = update;
  own.learner.hidden = hidden;
  own.learner.direct = direct;
  own.learner.rate = rate;
  own.learner.power_t = power_t;
  own.learner.beta = beta;
  own.learner.l1 = l1;
  own.learner.l2 = l2;
  nb::gil_scoped_release release;
  const Templates compiled(templates);
  return Trainer::create(options.trainer, own,
                         TrainingSet::make(treebank, compiled.token_attributes(), options.set));
}

// The moves of a system, as the label of each, -1 where there is none; those of one group stand together.
std::vector<std::vector<int32_t>> move_groups(const std::string& system, const LabelSet& labels,
                                              bool root_first, const std::shared_ptr<ForeignSystem>& given) {
  return with_system({system, root_first, true, given}, labels.arcs, [](const auto& task) {
    std::vector<std::vector<int32_t>> groups;
    for (const Range range : task.moves().groups()) {
      groups.emplace_back();
      for (MoveId c = range.begin; c < range.end; ++c) groups.back().push_back(task.moves()[c].label);
    }
    return groups;
  });
}

// The networks of a parser and, if it has one that teaches too, of a tagger.
using GivenTeacher = std::pair<std::shared_ptr<NetworkModel>, std::optional<std::shared_ptr<NetworkModel>>>;

SilverOptions silver_options(std::shared_ptr<SilverCounts> counts, double weight, int64_t words,
                             int32_t epochs, int32_t vocabulary, const std::vector<GivenTeacher>& teachers) {
  SilverOptions silver{std::move(counts), weight, words, epochs, vocabulary};
  for (const auto& [parser, tagger] : teachers) {
    demand(parser != nullptr, "A teacher has a parser.");
    silver.teachers.push_back({parser, tagger.value_or(nullptr)});
  }
  return silver;
}

FieldsOfModels learnt_of(const Trainer& trainer) {
  const InUse in_use(&trainer);
  LearntModels models;
  {
    nb::gil_scoped_release release;
    models = trainer.learnt();
  }
  return to_fields(std::move(models));
}

std::optional<Fields> weights_of(const Trainer& trainer) {
  const InUse in_use(&trainer);
  const auto all = trainer.weights();
  if (!all) return {};
  std::vector<uint64_t> keys;
  std::vector<int32_t> moves;
  std::vector<float> values;
  for (const Weight& w : *all) {
    keys.push_back(w.key);
    moves.push_back(w.move);
    values.push_back(w.value);
  }
  Fields d;
  d["keys"] = to_numpy(std::move(keys));
  d["moves"] = to_numpy(std::move(moves));
  d["values"] = to_numpy(std::move(values));
  return d;
}

template <TrainerCheckpoint (Trainer::*State)() const>
Fields state_of(const Trainer& trainer) {
  const InUse in_use(&trainer);
  TrainerCheckpoint state;
  {
    nb::gil_scoped_release release;
    state = (trainer.*State)();
  }
  Fields d, learner;
  d["random"] = state.random;
  d["epoch"] = state.epoch;
  d["position"] = state.position;
  d["steps"] = state.steps;
  d["order"] = to_numpy(std::move(state.order));
  for (auto& [name, bytes] : state.learner) learner[name.c_str()] = to_numpy(std::move(bytes));
  d["learner"] = learner;
  return d;
}

}  // namespace

void bind_training(nb::module_& m) {
  nb::class_<TrainingProgress>(m, "TrainingProgress")
      .def_ro("sentences", &TrainingProgress::sentences)
      .def_ro("words", &TrainingProgress::words)
      .def_ro("decisions", &TrainingProgress::decisions)
      .def_ro("wrong", &TrainingProgress::wrong)
      .def_ro("loss", &TrainingProgress::loss);

  nb::class_<LabelSet>(m, "LabelSet", "The labels of a model: what they mean, and where each may stand.")
      .def(nb::new_(&label_set), nb::kw_only(), "labels"_a, "left"_a, "right"_a, "root"_a, "completion"_a);
  m.def("move_groups", &move_groups, "system"_a, "labels"_a, "root_first"_a, "given"_a = nb::none(),
        "The moves of a system with these labels: of each, in groups, the number of its label, or -1.");
  nb::class_<RunOptions>(m, "RunOptions", "What every training run needs, whatever its learner.")
      .def(nb::new_(&run_options), nb::kw_only(), "system"_a, "root_first"_a, "single_root"_a.none(),
           "scheme"_a.none(), "oracle"_a, "policy"_a, "k"_a, "p"_a, "seed"_a, "known"_a = nb::none(),
           "given"_a = nb::none());

  m.def("without_unsure", &without_unsure, "treebank"_a, "least"_a, nb::call_guard<nb::gil_scoped_release>(),
        "The trees without what is less probable, by MISC or as they were given.");
  nb::class_<SilverCounts>(m, "SilverCounts", "What is known of silver trees before training.")
      .def(nb::new_([](const std::vector<std::string>& token_inputs, int longest_affix) {
             return std::make_shared<SilverCounts>(token_inputs_from_names(token_inputs, longest_affix));
           }),
           nb::kw_only(), "token_inputs"_a, "longest_affix"_a)
      .def(
          "add",
          [](SilverCounts& counts, const Treebank& treebank) {
            const InUse in_use(&counts);
            nb::gil_scoped_release release;
            counts.add(treebank);
          },
          "treebank"_a, "Counts what is in a part of them.");
  nb::class_<SilverOptions>(m, "SilverOptions", "How silver trees are learnt from, beside gold trees.")
      .def(nb::new_(&silver_options), nb::kw_only(), "counts"_a, "weight"_a, "words"_a, "epochs"_a,
           "vocabulary"_a, "teachers"_a = nb::list());
  nb::class_<NetworkTrainerOptions>(m, "NetworkOptions", "What a network looks like and how it learns.")
      .def(nb::new_(&network_options), nb::kw_only(), "encoder"_a, "layers"_a, "window"_a, "width"_a,
           "hidden"_a, "token_inputs"_a, "longest_affix"_a, "state_inputs"_a, "rate"_a, "decay"_a,
           "average"_a, "clip"_a, "dropout"_a, "hidden_dropout"_a, "word_dropout"_a, "batch"_a, "epochs"_a,
           "threads"_a, "vectors"_a = nb::none(), "vector_keys"_a = nb::none(), "lowered_keys"_a = nb::none(),
           "tune_vectors"_a = false, "least_affix"_a = 3, "vocabulary"_a = nb::none(), "shown_tags"_a = 1.0,
           "sure"_a = 1.0, "given_rates"_a = false, "embedding_bits"_a = 8, "silver"_a = nb::none(),
           "own_sentences"_a = nb::none());

  nb::class_<Trainer>(m, "Trainer", "A training run; it can be stored after any sentence and taken up again.")
      .def_static("linear", &create_linear, "treebank"_a, "options"_a, nb::kw_only(), "learner"_a,
                  "templates"_a, "alpha"_a, "rho"_a, "penalty"_a.none(), "cutoff"_a, "beam"_a = nb::none(),
                  "violation"_a = "max", "relaxed"_a = false, "negative"_a = "best",
                  "update_rate"_a = nb::none(), "compact"_a = nb::none())
      .def_static("network", &create_network, "treebank"_a, "options"_a, "network"_a)
      .def_static("tagger", &create_tagger, "treebank"_a, "options"_a, "network"_a, "set"_a)
      .def_static("joint", &create_joint, "treebank"_a, "options"_a, "network"_a, "tags"_a, "tagger"_a,
                  "A parser and a tagger that look at the same encoded words.")
      .def_static("search", &create_search, "treebank"_a, "options"_a, nb::kw_only(), "search"_a,
                  "templates"_a, "label_apart"_a, "exact"_a, "bits"_a, "reduction"_a, "update"_a, "hidden"_a,
                  "direct"_a, "rate"_a.none(), "power_t"_a, "beta"_a, "l1"_a, "l2"_a)
      .def(
          "run",
          [](Trainer& trainer, int64_t words) {
            const InUse in_use(&trainer);
            nb::gil_scoped_release release;
            return trainer.run(words);
          },
          "words"_a, "Goes on until this many words are done, the epoch ends, or silver trees are wanted.")
      .def_prop_ro("wanted_silver", &Trainer::wanted_silver,
                   "The number of the chunk of silver trees that the run waits for, from 0.")
      .def(
          "give_silver",
          [](Trainer& trainer, const Treebank& chunk) {
            const InUse in_use(&trainer);
            nb::gil_scoped_release release;
            trainer.give_silver(chunk);
          },
          "chunk"_a, "Gives it that chunk.")
      .def("learnt", &learnt_of, "The models as they stand, for parsing: by name, their numbers and arrays.")
      .def("weights", &weights_of, "The weights of a linear model as they stand, one by one.")
      .def("state", &state_of<&Trainer::state>, "All that the run is at this moment, to be stored.")
      .def("settled", &state_of<&Trainer::settled>,
           "What a run on other trees can go on from: the learner's steps and parts.")
      .def(
          "restore",
          [](Trainer& trainer, uint64_t random, int64_t epoch, int64_t position, int64_t steps,
             const Vector<uint32_t>& order, const std::map<std::string, Vector<uint8_t>>& learner) {
            const InUse in_use(&trainer);
            TrainerCheckpoint state{random, epoch, position, steps, to_vector(order), {}};
            for (const auto& [name, bytes] : learner) state.learner[name] = to_vector(bytes);
            trainer.restore(state);
          },
          "random"_a, "epoch"_a, "position"_a, "steps"_a, "order"_a, "learner"_a)
      .def_prop_ro("epoch_is_done", &Trainer::epoch_is_done)
      .def_prop_ro("epoch", &Trainer::epoch)
      .def_prop_ro("parameters", &Trainer::parameters,
                   "How many weights there are; None where there are as many as it takes.")
      .def_prop_ro("words", [](const Trainer& t) { return t.set().words; })
      .def_prop_ro("sentences", [](const Trainer& t) { return t.set().sentences.size(); })
      .def_prop_ro("left_out", [](const Trainer& t) { return t.set().left_out; })
      .def_prop_ro("lifted", [](const Trainer& t) { return t.set().lifted; })
      .def_prop_ro("single_root", [](const Trainer& t) { return t.set().single_root; })
      .def_prop_ro("labels",
                   [](const Trainer& t) {
                     Labels labels;
                     for (const LiftedLabel& l : t.set().labels)
                       labels.emplace_back(l.base, l.lifted_from, l.path);
                     return labels;
                   })
      .def_prop_ro("left", [](const Trainer& t) { return t.set().arcs.left; })
      .def_prop_ro("right", [](const Trainer& t) { return t.set().arcs.right; })
      .def_prop_ro("root", [](const Trainer& t) { return t.set().arcs.root; })
      .def_prop_ro("completion", [](const Trainer& t) { return t.set().arcs.completion; });
}
