#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "constraint/arc_rules.h"
#include "constraint/plan.h"
#include "sequences.h"
#include "text/treebank.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

void bind_constraints(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const ConstraintError& error) {
      nb::object type = nb::module_::import_("arcwise.errors").attr("ConstraintError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });
  nb::enum_<Constraint::Kind>(m, "ConstraintKind", nb::is_arithmetic())
      .value("HEAD", Constraint::Kind::Head)
      .value("NOT_HEAD", Constraint::Kind::NotHead)
      .value("LABEL", Constraint::Kind::Label)
      .value("SUBTREE", Constraint::Kind::Subtree);
  nb::class_<Constraints>(m, "Constraints", "The constraints of all sentences of a treebank.")
      .def(
          "__init__",
          [](Constraints* self, const Treebank& treebank, const std::string& source,
             std::vector<std::string> label_names, Vector<int32_t> sentences, Vector<int32_t> kinds,
             Vector<int32_t> words, Vector<int32_t> values) {
            if (kinds.size() != sentences.size() || words.size() != sentences.size() ||
                values.size() != sentences.size())
              throw nb::value_error("Constraints are given by four arrays of the same length.");
            Constraints given{.label_names = std::move(label_names), .source = source};
            size_t next = 0;
            for (size_t s = 0; s < treebank.sentence_count(); ++s) {
              for (; next < sentences.size() && sentences.data()[next] == int32_t(s); ++next) {
                demand(kinds.data()[next] >= 0 && kinds.data()[next] <= int32_t(Constraint::Kind::Subtree),
                       "There is no such kind of constraint.");
                given.all.push_back({static_cast<Constraint::Kind>(kinds.data()[next]), words.data()[next],
                                     values.data()[next]});
                demand_constraint(given.all.back(), int32_t(treebank.length(s)), given.label_names.size());
              }
              given.first.push_back(given.all.size());
            }
            if (next != sentences.size())
              throw nb::value_error("Constraints come in the order of sentences.");
            new (self) Constraints(std::move(given));
          },
          "treebank"_a, "source"_a, "label_names"_a, "sentences"_a, "kinds"_a, "words"_a, "values"_a,
          "One constraint for each place in the arrays, in the order of sentences: its kind, the word and "
          "the "
          "head or the number of the label, or the first and the last word of a subtree.");
  using Given = std::vector<std::tuple<Constraint::Kind, int32_t, int32_t>>;
  const auto rules_of = [](int32_t words, bool single_root, const Given& constraints) {
    ArcRules rules;
    rules.set(words, single_root, demand_constraints(constraints, words, 0), {});
    return rules;
  };
  m.def(
      "any_tree",
      [rules_of](int32_t words, bool single_root, const Given& constraints) {
        const ArcRules rules = rules_of(words, single_root, constraints);
        nb::gil_scoped_release release;
        return rules.any_tree();
      },
      "words"_a, "single_root"_a, "constraints"_a,
      "Whether any tree of so many words, projective or not, satisfies these constraints, without labels.");
  m.def(
      "any_projective_tree",
      [rules_of](int32_t words, bool single_root, const Given& constraints) {
        const ArcRules rules = rules_of(words, single_root, constraints);
        nb::gil_scoped_release release;
        return rules.any_tree() && any_projective_tree(rules);
      },
      "words"_a, "single_root"_a, "constraints"_a,
      "Whether any projective tree of so many words satisfies these constraints, without labels.");
}
