#include "learn/cost_sensitive.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "features_from_python.h"
#include "in_use.h"
#include "learner.h"
#include "sequences.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using Actions = std::optional<std::vector<int32_t>>;
template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

struct Busy : OneAtATime<> {
  explicit Busy(PythonLearner& l)
      : OneAtATime(l.is_busy,
                   "The learner is at work already: features must not come back to it when they are read.") {}
};

// All of them if none are named.
std::span<const int32_t> allowed_in(const PythonLearner& l, const Actions& allowed) {
  return allowed ? std::span<const int32_t>(*allowed) : std::span<const int32_t>(l.every);
}

Fields state_of(const PythonLearner& l, bool training) {
  CostSensitiveState state = l.learner.state(training);
  Fields d;
  d["slots"] = to_numpy(std::move(state.slots));
  d["weights"] = to_numpy(std::move(state.weights));
  d["squares"] = to_numpy(std::move(state.squares));
  d["extras"] = to_numpy(std::move(state.extras));
  d["counts"] = to_numpy(std::move(state.counts));
  return d;
}

}  // namespace

void bind_cost_sensitive(nb::module_& m) {
  nb::class_<PythonLearner>(
      m, "CostSensitiveLearner",
      "Predicts what the actions of a decision will cost, and learns from what they did.")
      .def(
          "__init__",
          [](PythonLearner* self, int32_t actions, int32_t policies, int bits, const std::string& reduction,
             const std::string& update, int hidden, bool shared, bool direct, std::optional<double> rate,
             double power_t, double beta, double l1, double l2,
             const std::vector<std::vector<std::string>>& interactions, uint64_t seed,
             const std::optional<Vector<uint32_t>>& slots, const std::optional<Vector<float>>& weights) {
            CostSensitiveOptions o;
            o.actions = actions;
            o.policies = policies;
            o.bits = bits;
            o.reduction = reduction;
            o.update = update;
            o.hidden = hidden;
            o.shared = shared;
            o.direct = direct;
            o.rate = rate;
            o.power_t = power_t;
            o.beta = beta;
            o.l1 = l1;
            o.l2 = l2;
            o.interactions = interactions;
            o.seed = seed;
            if (slots && weights)
              new (self) PythonLearner(
                  CostSensitiveLearner(o, {to_vector(*slots), to_vector(*weights), {}, {}, {}}));
            else
              new (self) PythonLearner(CostSensitiveLearner(o));
          },
          "actions"_a, nb::kw_only(), "policies"_a = 1, "bits"_a = 22, "reduction"_a = "oaa",
          "update"_a = "default", "hidden"_a = 0, "shared"_a = CostSensitiveOptions().shared,
          "direct"_a = CostSensitiveOptions().direct, "rate"_a.none() = nb::none(), "power_t"_a = 0.0,
          "beta"_a = CostSensitiveOptions().beta, "l1"_a = 0.0, "l2"_a = 0.0,
          "interactions"_a = std::vector<std::vector<std::string>>(), "seed"_a = 1,
          "slots"_a.none() = nb::none(), "weights"_a.none() = nb::none(),
          "With slots and their weights, what it has learnt: it can only predict, and is as small as these.")
      .def(
          "costs",
          [](PythonLearner& l, nb::handle features, const Actions& allowed, int policy) {
            const Busy busy(l);
            features_from_python(features, l.features);
            const auto actions = allowed_in(l, allowed);
            std::vector<float> costs(actions.size());
            l.learner.costs(l.features, actions, costs, l.workspace, policy);
            return to_numpy(std::move(costs));
          },
          "features"_a.none(), "allowed"_a.none() = nb::none(), "policy"_a = 0,
          "The predicted costs of the allowed actions, in their order.")
      .def(
          "best",
          [](PythonLearner& l, nb::handle features, const Actions& allowed, int policy) {
            const Busy busy(l);
            features_from_python(features, l.features);
            return l.learner.best(l.features, allowed_in(l, allowed), l.workspace, policy);
          },
          "features"_a.none(), "allowed"_a.none() = nb::none(), "policy"_a = 0,
          "The allowed action of the lowest predicted cost.")
      .def(
          "learn",
          [](PythonLearner& l, nb::handle features, const std::vector<float>& costs, const Actions& allowed,
             int policy, float importance) {
            const Busy busy(l);
            features_from_python(features, l.features);
            return l.learner.learn(l.features, allowed_in(l, allowed), costs, l.workspace, policy,
                                   importance);
          },
          "features"_a.none(), "costs"_a, "allowed"_a.none() = nb::none(), "policy"_a = 0,
          "importance"_a = 1.0f,
          "Learns what the allowed actions cost; returns the loss of the prediction before.")
      .def(
          "rows",
          [](PythonLearner& l, nb::handle features, int policy, bool units) {
            const Busy busy(l);
            features_from_python(features, l.features);
            std::vector<uint32_t> slots;
            std::vector<float> values;
            for (const Row& row : l.learner.rows(l.features, l.workspace, policy, units)) {
              slots.push_back(row.slot);
              values.push_back(row.value);
            }
            return std::pair(to_numpy(std::move(slots)), to_numpy(std::move(values)));
          },
          "features"_a.none(), "policy"_a = 0, "units"_a = false,
          "Where the weights begin that a decision uses, for actions or for hidden units: the constant's, "
          "those of the features and those of their combinations; and the features' values.")
      .def("state", &state_of, "training"_a = true,
           "All that the learner is but for its options; without `training`, enough to predict.")
      .def(
          "restore",
          [](PythonLearner& l, const Vector<uint32_t>& slots, const Vector<float>& weights,
             const Vector<float>& squares, const Vector<float>& extras, const Vector<double>& counts) {
            l.learner.restore({to_vector(slots), to_vector(weights), to_vector(squares), to_vector(extras),
                               to_vector(counts)});
          },
          "slots"_a, "weights"_a, "squares"_a, "extras"_a, "counts"_a);
  m.def(
      "features_in",
      [](nb::handle features) {
        Features f;
        features_from_python(features, f);
        std::vector<uint64_t> names, keys;
        std::vector<float> values;
        for (const auto& group : f.groups()) {
          for (uint64_t key : f.keys(group)) {
            names.push_back(group.name);
            keys.push_back(key);
          }
          for (float value : f.values(group)) values.push_back(value);
        }
        Fields d;
        d["names"] = to_numpy(std::move(names));
        d["keys"] = to_numpy(std::move(keys));
        d["values"] = to_numpy(std::move(values));
        return d;
      },
      "features"_a,
      "Features as the core sees them, one by one: of which namespace, which key, which value.");
}
