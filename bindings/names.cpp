#include <nanobind/stl/string.h>

#include "bindings.h"
#include "learn/linear_learners.h"
#include "learn/policy.h"
#include "sequences.h"
#include "task/system_facts.h"

namespace nb = nanobind;
using namespace arcwise;

namespace {

struct PolicyFacts {
  std::string name;
  bool leaves_the_gold_path = false, draws = false, follows_ambiguity = false;
};
struct LearnerFacts {
  std::string name;
  bool probabilistic = false, trains_beams = false;
};

std::vector<std::string> oracle_names() {
  std::vector<std::string> names;
  for (const auto& oracle : kOracles) names.emplace_back(oracle.name);
  return names;
}

std::vector<PolicyFacts> policy_facts() {
  std::vector<PolicyFacts> all;
  for (const std::string_view name : AnyPolicy::names()) {
    const AnyPolicy policy(name, {});
    all.push_back({std::string(name), policy.leaves_gold_path(), policy.needs_probabilities(),
                   policy.needs_several_correct()});
  }
  return all;
}

std::vector<LearnerFacts> learner_facts() {
  std::vector<LearnerFacts> all;
  for (const std::string_view name : LinearLearners::names())
    LinearLearners::with(name, [&]<class Learner>() {
      all.push_back({std::string(name), Learner::kProbabilistic, Learner::kTrainsBeams});
    });
  return all;
}

}  // namespace

void bind_names(nb::module_& m) {
  nb::class_<SystemFacts>(m, "SystemFacts", "What can be said of a transition system.")
      .def_ro("name", &SystemFacts::name)
      .def_ro("left_to_right", &SystemFacts::left_to_right)
      .def_ro("static_oracle", &SystemFacts::static_oracle)
      .def_ro("dynamic_oracle", &SystemFacts::dynamic_oracle)
      .def_ro("projective", &SystemFacts::projective)
      .def_ro("constraints", &SystemFacts::constraints)
      .def_ro("root_first", &SystemFacts::root_first);
  nb::class_<PolicyFacts>(m, "PolicyFacts", "What can be said of a policy.")
      .def_ro("name", &PolicyFacts::name)
      .def_ro("leaves_the_gold_path", &PolicyFacts::leaves_the_gold_path)
      .def_ro("draws", &PolicyFacts::draws)
      .def_ro("follows_ambiguity", &PolicyFacts::follows_ambiguity);
  nb::class_<LearnerFacts>(m, "LearnerFacts", "What can be said of a linear learner.")
      .def_ro("name", &LearnerFacts::name)
      .def_ro("probabilistic", &LearnerFacts::probabilistic)
      .def_ro("trains_beams", &LearnerFacts::trains_beams);
  m.def("systems", &system_facts, "All transition systems.");
  m.def("oracles", &oracle_names, "The names of all oracles.");
  m.def("policies", &policy_facts, "All policies.");
  m.def("linear_learners", &learner_facts, "All learners of linear models.");
}
