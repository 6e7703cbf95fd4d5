#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.h"
#include "bindings.h"
#include "learn/trainer.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using Fields = nb::typed<nb::dict, nb::str, nb::any>;

Oracle oracle_from_name(const std::string& name) {
  if (name == "static") return Oracle::Static;
  if (name == "nondeterministic") return Oracle::NonDeterministic;
  if (name == "dynamic") return Oracle::Dynamic;
  throw nb::value_error("There is no such oracle: choose static, nondeterministic or dynamic.");
}

Policy::Kind policy_from_name(const std::string& name) {
  if (name == "static") return Policy::Kind::Static;
  if (name == "ambiguity") return Policy::Kind::Ambiguity;
  if (name == "explore") return Policy::Kind::Explore;
  if (name == "sample") return Policy::Kind::Sample;
  throw nb::value_error("There is no such policy: choose static, ambiguity, explore or sample.");
}

std::unique_ptr<Trainer> create(const Treebank& treebank, const std::vector<std::string>& templates,
                                const std::string& system, bool root_first, std::optional<bool> single_root,
                                const std::optional<std::string>& scheme, const std::string& learner,
                                const std::string& oracle, const std::string& policy, int k, double p,
                                double alpha, double rho, std::optional<double> penalty, double cutoff,
                                uint64_t seed) {
  TrainerOptions options;
  options.system = {system, root_first, true};
  options.learner = learner;
  options.oracle = oracle_from_name(oracle);
  options.policy = {policy_from_name(policy), k, p};
  options.adagrad.alpha = alpha;
  options.adagrad.rho = rho;
  options.adagrad.cutoff = cutoff;
  options.lambda = penalty;
  options.seed = seed;
  TrainingSetOptions set_options{{}, single_root};
  if (scheme) set_options.lift = scheme_from_name(*scheme);
  nb::gil_scoped_release release;
  return Trainer::create(options, templates, TrainingSet::make(treebank, Templates(templates), set_options));
}

Fields frozen(const Trainer& trainer) {
  LinearArrays arrays;
  {
    nb::gil_scoped_release release;
    arrays = trainer.freeze();
  }
  Fields d;
  std::vector<uint32_t> lines(arrays.lines.size() * kWordsInLine);
  std::memcpy(lines.data(), arrays.lines.data(), lines.size() * sizeof(uint32_t));
  d["lines"] = to_numpy(std::move(lines));
  d["lists"] = to_numpy(std::move(arrays.lists));
  d["dense"] = to_numpy(std::move(arrays.dense));
  d["wide"] = to_numpy(std::move(arrays.wide));
  d["columns"] = to_numpy(std::move(arrays.columns));
  d["scale"] = arrays.scale;
  d["features"] = arrays.features;
  d["weights"] = arrays.weights;
  return d;
}

Fields weights_of(const Trainer& trainer) {
  std::vector<uint64_t> keys;
  std::vector<int32_t> moves;
  std::vector<float> values;
  for (const Weight& w : trainer.weights()) {
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

Fields state_of(Trainer& trainer) {
  TrainerState state;
  {
    nb::gil_scoped_release release;
    state = trainer.state();
  }
  Fields d;
  d["random"] = state.random;
  d["epoch"] = state.epoch;
  d["position"] = state.position;
  d["steps"] = state.steps;
  d["order"] = to_numpy(std::move(state.order));
  d["keys"] = to_numpy(std::move(state.keys));
  d["sizes"] = to_numpy(std::move(state.sizes));
  d["entries"] = to_numpy(std::move(state.entries));
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

  nb::class_<Trainer>(m, "Trainer", "A training run; it can be stored after any sentence and taken up again.")
      .def_static("create", &create, "treebank"_a, nb::kw_only(), "templates"_a, "system"_a, "root_first"_a,
                  "single_root"_a.none(), "scheme"_a.none(), "learner"_a, "oracle"_a, "policy"_a, "k"_a,
                  "p"_a, "alpha"_a, "rho"_a, "penalty"_a.none(), "cutoff"_a, "seed"_a)
      .def("run", &Trainer::run, "words"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Goes on until this many words are done or the epoch ends.")
      .def("freeze", &frozen, "The weights as they stand, for parsing.")
      .def("weights", &weights_of, "The weights as they stand, one by one, for looking at them.")
      .def("state", &state_of, "All that the run is at this moment, to be stored.")
      .def(
          "restore",
          [](Trainer& trainer, uint64_t random, int64_t epoch, int64_t position, int64_t steps,
             const Vector<uint32_t>& order, const Vector<uint64_t>& keys, const Vector<uint16_t>& sizes,
             const Vector<uint8_t>& entries) {
            trainer.restore({random, epoch, position, steps, to_vector(order), to_vector(keys),
                             to_vector(sizes), to_vector(entries)});
          },
          "random"_a, "epoch"_a, "position"_a, "steps"_a, "order"_a, "keys"_a, "sizes"_a, "entries"_a)
      .def_prop_ro("epoch_is_done", &Trainer::epoch_is_done)
      .def_prop_ro("epoch", &Trainer::epoch)
      .def_prop_ro("words", [](const Trainer& t) { return t.set().words; })
      .def_prop_ro("sentences", [](const Trainer& t) { return t.set().sentences.size(); })
      .def_prop_ro("left_out", [](const Trainer& t) { return t.set().left_out; })
      .def_prop_ro("lifted", [](const Trainer& t) { return t.set().lifted; })
      .def_prop_ro("single_root", [](const Trainer& t) { return t.set().single_root; })
      .def_prop_ro("labels",
                   [](const Trainer& t) {
                     std::vector<std::tuple<int32_t, int32_t, bool>> labels;
                     for (const LiftedLabel& l : t.set().labels)
                       labels.emplace_back(l.base, l.lifted_from, l.path);
                     return labels;
                   })
      .def_prop_ro("left", [](const Trainer& t) { return t.set().arcs.left; })
      .def_prop_ro("right", [](const Trainer& t) { return t.set().arcs.right; })
      .def_prop_ro("root", [](const Trainer& t) { return t.set().arcs.root; })
      .def_prop_ro("completion", [](const Trainer& t) { return t.set().arcs.completion; });
}
