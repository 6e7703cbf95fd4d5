#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "constraint/arc_rules.h"
#include "constraint/plan.h"
#include "text/treebank.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

// Of a sentence of so many words; the labels are those of the caller.
void check(const Constraint& c, int32_t words, size_t labels) {
  const bool head = c.kind == Constraint::Kind::Head || c.kind == Constraint::Kind::NotHead;
  const bool in_range = c.kind == Constraint::Kind::Label
                            ? c.value >= 0 && c.value < int64_t(labels)
                            : c.value >= (head ? 0 : c.word) && c.value <= words;
  if (c.word < 1 || c.word > words || !in_range || (head && c.value == c.word))
    throw nb::value_error("A constraint names a word, a head or a label that the sentence does not have.");
}

std::vector<Constraint> checked(
    const std::vector<std::tuple<Constraint::Kind, int32_t, int32_t>>& constraints, int32_t words) {
  std::vector<Constraint> given;
  for (const auto& [kind, word, value] : constraints) {
    given.push_back({kind, word, value});
    check(given.back(), words, 0);
  }
  return given;
}

}  // namespace

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
                given.all.push_back({static_cast<Constraint::Kind>(kinds.data()[next]), words.data()[next],
                                     values.data()[next]});
                check(given.all.back(), int32_t(treebank.length(s)), given.label_names.size());
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
  m.def(
      "any_tree",
      [](int32_t words, bool single_root,
         const std::vector<std::tuple<Constraint::Kind, int32_t, int32_t>>& constraints) {
        ArcRules rules;
        rules.set(words, single_root, checked(constraints, words), {});
        return rules.any_tree();
      },
      "words"_a, "single_root"_a, "constraints"_a,
      "Whether any tree of so many words, projective or not, satisfies these constraints, without labels.");
  m.def(
      "any_projective_tree",
      [](int32_t words, bool single_root,
         const std::vector<std::tuple<Constraint::Kind, int32_t, int32_t>>& constraints) {
        ArcRules rules;
        rules.set(words, single_root, checked(constraints, words), {});
        return rules.any_tree() && any_projective_tree(rules);
      },
      "words"_a, "single_root"_a, "constraints"_a);
}
