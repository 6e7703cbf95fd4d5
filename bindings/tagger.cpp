#include "parse/tagger.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "sequences.h"
#include "task/tagging.h"
#include "text/tag_columns.h"
#include "train/tagging_set.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using Texts = std::tuple<std::string, std::string, std::string, std::string, std::string>;
using DictionaryLine = Texts;
// The case of the letters; what the form begins with and the lemma has in its place; what it ends with.
using RuleTexts = Texts;

RuleTexts to_texts(const LemmaRule& rule) {
  return {std::string(kLetterCaseNames[static_cast<size_t>(rule.letters)]), rule.front, rule.new_front,
          rule.back, rule.new_back};
}

LemmaRule to_rule(const RuleTexts& texts) {
  const auto& [letters, front, new_front, back, new_back] = texts;
  const auto found = std::find(kLetterCaseNames.begin(), kLetterCaseNames.end(), letters);
  if (found == kLetterCaseNames.end())
    throw nb::value_error("The model is damaged: a rule of lemmas has letters in no known case.");
  return {static_cast<LetterCase>(found - kLetterCaseNames.begin()), front, new_front, back, new_back};
}

// Which ways to known lemmas can be trusted, as LemmaReachParts have it.
using ReachTexts =
    std::tuple<std::vector<int32_t>, std::vector<int32_t>, std::vector<std::pair<int32_t, int32_t>>>;

LemmaReachParts to_reach(const ReachTexts& reach) {
  return {std::get<0>(reach), std::get<1>(reach), std::get<2>(reach)};
}

std::optional<std::string> lemma_of(const RuleTexts& texts, const std::string& form) {
  CasedForm cased;
  cased.set(form);
  const LemmaRule rule = to_rule(texts);
  if (!cased.fits(rule)) return std::nullopt;
  std::string lemma;
  cased.append_lemma(rule, lemma);
  return lemma;
}

// A walk through the moves of a sentence, for looking at from outside.
class TaggingWalk {
 public:
  TaggingWalk(const TaggingSet& set, const Treebank& treebank, size_t sentence)
      : treebank_(treebank), task_(std::make_shared<const Tagset>(set.tagset())) {
    if (sentence >= treebank.sentence_count()) throw nb::index_error("There is no such sentence.");
    set.check_fit(treebank);
    gold_.set(set.training.sentences.at(sentence));
    task_.start(state_, {&treebank_, sentence});
  }

  bool done() const { return task_.done(state_); }
  int32_t word() const { return state_.next - 1; }
  // Each legal move with what it costs.
  std::vector<std::pair<MoveId, float>> costs() const {
    std::vector<float> all(static_cast<size_t>(task_.moves().size()));
    task_.costs(state_, gold_, all.data());
    std::vector<std::pair<MoveId, float>> costs;
    task_.legal(state_).each([&](MoveId c) { costs.emplace_back(c, all[c]); });
    return costs;
  }
  void apply(MoveId move) {
    if (done() || !task_.legal(state_).contains(move)) throw nb::value_error("The move is not legal.");
    task_.apply(state_, move);
  }
  // The values of a word, from 0, in the tagger's columns.
  std::vector<std::string> values(int32_t word) const {
    demand_tagged(word);
    std::vector<std::string> values;
    for (size_t c = 0; c < task_.moves().columns().size(); ++c)
      values.emplace_back(task_.moves().text_of(state_.labels[word + 1], c));
    return values;
  }
  int32_t rule(int32_t word) const {
    demand_tagged(word);
    return state_.rules[word + 1];
  }

 private:
  void demand_tagged(int32_t word) const {
    if (word < 0 || word >= this->word())
      throw nb::index_error("There is no such word, or it has no tags yet.");
  }

  Treebank treebank_;
  Tagging task_;
  Tagging::State state_;
  Tagging::Gold gold_;
};

TagsetParts tagset_parts(std::vector<Column> columns, std::vector<std::vector<std::string>> analyses,
                         const std::vector<RuleTexts>& rules,
                         std::vector<std::pair<int32_t, int32_t>> choices,
                         const Vector<uint32_t>& lexicon_keys, const Vector<int32_t>& lexicon_rules,
                         const Vector<uint32_t>& lemma_keys) {
  TagsetParts parts{std::move(columns),   std::move(analyses),     {},
                    std::move(choices),   to_vector(lexicon_keys), to_vector(lexicon_rules),
                    to_vector(lemma_keys)};
  std::transform(rules.begin(), rules.end(), std::back_inserter(parts.rules), to_rule);
  return parts;
}

void make_tagger(Tagger* self, std::vector<Column> columns, std::vector<std::vector<std::string>> analyses,
                 const std::vector<RuleTexts>& rules, std::vector<std::pair<int32_t, int32_t>> choices,
                 const Vector<uint32_t>& lexicon_keys, const Vector<int32_t>& lexicon_rules,
                 const Vector<uint32_t>& lemma_keys, std::shared_ptr<NetworkModel> model,
                 const std::vector<DictionaryLine>& dictionary, bool restricts,
                 std::vector<std::vector<std::string>> signs, const std::optional<ReachTexts>& reach) {
  TagsetParts parts = tagset_parts(std::move(columns), std::move(analyses), rules, std::move(choices),
                                   lexicon_keys, lexicon_rules, lemma_keys);
  parts.signs = std::move(signs);
  if (reach) parts.reach = to_reach(*reach);
  TagDictionary lines{{}, restricts};
  for (const auto& [form, upos, xpos, feats, lemma] : dictionary)
    lines.lines.push_back({form, {upos, xpos, feats}, lemma});
  new (self) Tagger(parts, lines, std::move(model));
}

}  // namespace

void bind_tagger(nb::module_& m) {
  m.def(
      "lemma_rule",
      [](const std::string& form, const std::string& lemma) {
        return to_texts(LemmaRule::between(form, lemma));
      },
      "form"_a, "lemma"_a, "The rule from a form to a lemma that replaces the fewest letters.");
  m.def("lemma", &lemma_of, "rule"_a, "form"_a, "What a rule makes of a form, or None if it does not fit.");

  nb::class_<TaggingSet>(m, "TaggingSet", "What a treebank teaches a tagger.")
      .def(nb::new_([](const Treebank& treebank, std::vector<Column> leave_out, int32_t least_forms,
                       int32_t least_uses, std::optional<size_t> own_sentences) {
             nb::gil_scoped_release release;
             return TaggingSet::make(
                 treebank, {std::move(leave_out), least_forms, least_uses, own_sentences.value_or(SIZE_MAX)});
           }),
           "treebank"_a, nb::kw_only(), "leave_out"_a, "least_forms"_a, "least_uses"_a,
           "own_sentences"_a = nb::none())
      .def_static(
          "known",
          [](const Treebank& treebank, size_t corrected, std::vector<Column> columns,
             std::vector<std::vector<std::string>> analyses, const std::vector<RuleTexts>& rules,
             std::vector<std::pair<int32_t, int32_t>> choices, const Vector<uint32_t>& lexicon_keys,
             const Vector<int32_t>& lexicon_rules, const Vector<uint32_t>& lemma_keys, int32_t least_forms,
             int32_t least_uses) {
            const KnownTags known{tagset_parts(std::move(columns), std::move(analyses), rules,
                                               std::move(choices), lexicon_keys, lexicon_rules, lemma_keys),
                                  corrected};
            return TaggingSet::make(treebank, {{}, least_forms, least_uses}, known);
          },
          "treebank"_a, "corrected"_a, nb::kw_only(), "columns"_a, "analyses"_a, "rules"_a, "choices"_a,
          "lexicon_keys"_a, "lexicon_rules"_a, "lemma_keys"_a, "least_forms"_a, "least_uses"_a,
          "What a tagger with this tagset learns from a treebank whose first sentences were corrected.")
      .def_prop_ro("columns", [](const TaggingSet& s) { return s.parts.columns; })
      .def_prop_ro("analyses", [](const TaggingSet& s) { return s.parts.analyses; })
      .def_prop_ro(
          "rare",
          [](const TaggingSet& s) {
            const Tagset tagset = s.tagset();
            return std::vector<bool>(tagset.is_rare().begin(), tagset.is_rare().end());
          },
          "Of each move, whether it is known by its parts alone.")
      .def_prop_ro("rules",
                   [](const TaggingSet& s) {
                     std::vector<RuleTexts> rules;
                     std::transform(s.parts.rules.begin(), s.parts.rules.end(), std::back_inserter(rules),
                                    to_texts);
                     return rules;
                   })
      .def_prop_ro("choices", [](const TaggingSet& s) { return s.parts.choices; })
      .def_prop_ro(
          "reach",
          [](const TaggingSet& s) {
            std::optional<ReachTexts> reach;
            if (const auto& own = s.parts.reach) reach.emplace(own->once, own->twice, own->astray);
            return reach;
          },
          "Which ways to known lemmas can be trusted.")
      .def_prop_ro(
          "lexicon_keys", [](const TaggingSet& s) { return to_numpy(s.parts.lexicon_keys); },
          nb::rv_policy::move)
      .def_prop_ro(
          "lexicon_rules", [](const TaggingSet& s) { return to_numpy(s.parts.lexicon_rules); },
          nb::rv_policy::move)
      .def_prop_ro(
          "lemma_keys", [](const TaggingSet& s) { return to_numpy(s.parts.lemma_keys); }, nb::rv_policy::move)
      .def_prop_ro("tags", [](const TaggingSet& s) { return s.tagset().tags(); })
      .def_prop_ro(
          "parts", [](const TaggingSet& s) { return s.tagset().parts(); },
          "What each move has in common with others, by number.");

  nb::class_<TaggingWalk>(m, "TaggingWalk", "The moves of a sentence, for looking at from outside.")
      .def(nb::init<const TaggingSet&, const Treebank&, size_t>(), "set"_a, "treebank"_a, "sentence"_a)
      .def_prop_ro("done", &TaggingWalk::done)
      .def_prop_ro("word", &TaggingWalk::word, "The one that is being tagged, from 0.")
      .def("costs", &TaggingWalk::costs, "Each legal move with what it costs.")
      .def("apply", &TaggingWalk::apply, "move"_a)
      .def("values", &TaggingWalk::values, "word"_a)
      .def("rule", &TaggingWalk::rule, "word"_a, "The number of a word's rule; -1: its form as it is.");

  m.def(
      "sentences_with",
      [](const Treebank& treebank, const std::vector<Column>& columns) {
        return to_numpy(sentences_with(treebank, columns));
      },
      "treebank"_a, "columns"_a, nb::rv_policy::move,
      "Which sentences have something in a column, as 0 and 1.");
  m.def(
      "sentences_alike",
      [](const Treebank& treebank, const Treebank& other, const std::vector<Column>& columns) {
        return to_numpy(sentences_alike(treebank, other, columns));
      },
      "treebank"_a, "other"_a, "columns"_a, nb::rv_policy::move,
      "Which sentences have what the other's have in the columns in which they have anything, as 0 and 1.");
  m.def(
      "with_columns_of",
      [](const Treebank& treebank, const Treebank& other, const std::vector<Column>& columns,
         const Vector<uint8_t>& sentences) {
        return with_columns_of(treebank, other, columns, to_span(sentences));
      },
      "treebank"_a, "other"_a, "columns"_a, "sentences"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The treebank with another's values in these columns of some sentences.");

  nb::class_<Tagger>(m, "Tagger", "A trained tagger: immutable, safe to share between threads.")
      .def("__init__", &make_tagger, nb::kw_only(), "columns"_a, "analyses"_a, "rules"_a, "choices"_a,
           "lexicon_keys"_a, "lexicon_rules"_a, "lemma_keys"_a, "model"_a, "dictionary"_a, "restricts"_a,
           "signs"_a, "reach"_a = nb::none(),
           "Lines of the dictionary have form, UPOS, XPOS, FEATS and lemma; _ is any. Signs have a form and "
           "the values of the first column that it may have; none: any.")
      .def(
          "tag",
          [](const Tagger& self, const Treebank& treebank, int threads) {
            return self.write(treebank, self.choose(treebank, threads));
          },
          "treebank"_a, "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>());
}
