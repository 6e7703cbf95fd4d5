#include "parse/parser.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include "arrays.h"
#include "bindings.h"
#include "sequences.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

Fields fields_of_trees(BestTrees best) {
  Fields d;
  d["counts"] = to_numpy(std::move(best.counts));
  d["scores"] = to_numpy(std::move(best.scores));
  d["heads"] = to_numpy(std::move(best.heads));
  d["labels"] = to_numpy(std::move(best.labels));
  d["moves"] = best.moves;
  return d;
}

void demand_trees(const Treebank& treebank, const Vector<int32_t>& heads, const Vector<int32_t>& labels) {
  if (heads.size() != treebank.word_count() || labels.size() != treebank.word_count())
    throw nb::value_error("Give a head and a label for each word of the treebank.");
}

// The names of tags; rules: the number of the kind (task/grammar.h), a label, and what it never goes with;
// and labels for words of each tag that a system gives a head for want of another.
using GivenGrammar = std::tuple<std::vector<std::string>, std::vector<std::tuple<uint8_t, int32_t, int32_t>>,
                                std::vector<std::vector<int32_t>>>;

Grammar to_grammar(const GivenGrammar& given, std::span<const LiftedLabel> labels) {
  const auto& [tags, numbered, completions] = given;
  std::vector<GrammarRule> rules;
  for (const auto& [kind, label, other] : numbered)
    rules.push_back({static_cast<RuleKind>(kind), label, other});
  return Grammar(tags, rules, labels, completions);
}

// What a tagger is to do along the way: to tag sentences, all or those that have a 1, and to say which words
// have other tags than it would give them, since these go with their trees.
class TagsAlongTheWay {
 public:
  TagsAlongTheWay(const Tagger* tagger, const std::optional<Vector<uint8_t>>& sentences,
                  const Treebank& treebank)
      : tagger_(tagger) {
    if (tagger_ == nullptr) return;
    if (sentences && sentences->size() != treebank.sentence_count())
      throw nb::value_error("Say of each sentence whether it is to be tagged.");
    if (sentences) to_tag_ = to_vector(*sentences);
    analyses_.resize(treebank.word_count());
    retagged_.resize(treebank.word_count());
  }
  void tell(ParseOptions& options) {
    options.tagger = tagger_;
    options.to_tag = to_tag_;
    options.analyses = analyses_;
    options.retagged = retagged_;
  }
  // The treebank with the other tags; none if there are none.
  std::optional<Treebank> retagged(const Treebank& treebank) {
    bool any = false;
    for (size_t w = 0; w < retagged_.size(); ++w) {
      any |= retagged_[w] != 0;
      if (!retagged_[w]) analyses_[w] = {};
    }
    return any ? std::optional(tagger_->write(treebank, analyses_)) : std::nullopt;
  }

 private:
  const Tagger* tagger_;
  std::vector<uint8_t> to_tag_, retagged_;
  std::vector<Tagger::Analysis> analyses_;
};

}  // namespace

void bind_parser(nb::module_& m) {
  nb::class_<Parser>(m, "Parser", "A trained parser: immutable, safe to share between threads.")
      .def(
          "__init__",
          [](Parser* self, const std::string& system, bool root_first, bool single_root,
             const std::vector<std::tuple<int32_t, int32_t, bool>>& labels, std::vector<int32_t> left,
             std::vector<int32_t> right, std::vector<int32_t> root, int32_t completion,
             const std::optional<std::string>& scheme, bool probabilistic, Model model,
             const std::shared_ptr<ForeignSystem>& given, const std::optional<GivenGrammar>& grammar) {
            ParserOptions options{.system = {system, root_first, single_root, given},
                                  .arcs = {left, right, root, completion},
                                  .probabilistic = probabilistic};
            for (const auto& [base, lifted_from, path] : labels)
              options.labels.push_back({base, lifted_from, path});
            if (scheme) options.lift = scheme_from_name(*scheme);
            if (grammar) options.grammar.emplace(to_grammar(*grammar, options.labels));
            new (self) Parser(std::move(options), std::move(model));
          },
          nb::kw_only(), "system"_a, "root_first"_a, "single_root"_a, "labels"_a, "left"_a, "right"_a,
          "root"_a, "completion"_a, "scheme"_a.none(), "probabilistic"_a, "model"_a, "given"_a = nb::none(),
          "grammar"_a = nb::none())
      .def(
          "parse",
          [](const Parser& self, const Treebank& treebank, int threads, std::optional<int32_t> beam,
             const Ranker* ranker, double alpha, const Constraints* constraints, bool grammar,
             const Treebank* tags, const Tagger* tagger, const std::optional<Vector<uint8_t>>& to_tag) {
            std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
            TagsAlongTheWay tagging(tagger, to_tag, treebank);
            std::optional<Treebank> retagged;
            {
              nb::gil_scoped_release release;
              ParseOptions options{beam, threads, {ranker, alpha}, 1, constraints};
              options.grammar = grammar;
              options.tags = tags;
              tagging.tell(options);
              self.parse(treebank, options, heads, labels);
              retagged = tagging.retagged(tags ? *tags : treebank);
            }
            return std::tuple(to_numpy(std::move(heads)), to_numpy(std::move(labels)), std::move(retagged));
          },
          "treebank"_a, "threads"_a = 1, "beam"_a = nb::none(), "ranker"_a.none() = nb::none(),
          "alpha"_a = 0.0, "constraints"_a = nb::none(), "grammar"_a = false, "tags"_a.none() = nb::none(),
          "tagger"_a.none() = nb::none(), "to_tag"_a = nb::none(),
          "Heads and labels of all words, as arrays. With a ranker, it chooses among the trees of the beam, "
          "whose own scores count as much as alpha. Trees are kept to the grammar, if the parser has one and "
          "it is wanted, by the tags of the treebank or of another that has the same words. Where a tagger "
          "tags the sentences along the way, or some of them (a 1 for each), a tag may give way to another; "
          "then the treebank with these comes third.")
      .def(
          "annotate",
          [](const Parser& self, const Treebank& treebank, const Tagger& tagger,
             std::vector<std::string> label_names, int threads, std::optional<int32_t> beam, bool grammar) {
            if (!self.shares_encoder_with(tagger))
              throw nb::value_error("The tagger does not share the parser's network.");
            nb::gil_scoped_release release;
            std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
            std::vector<Tagger::Analysis> analyses(treebank.word_count());
            ParseOptions options{beam, threads};
            options.tagger = &tagger;
            options.grammar = grammar;
            options.analyses = analyses;
            self.parse(treebank, options, heads, labels);
            return treebank.with_trees(std::move(heads), std::move(labels), std::move(label_names),
                                       tagger.values(treebank, analyses));
          },
          "treebank"_a, "tagger"_a, "label_names"_a, nb::kw_only(), "threads"_a = 1, "beam"_a = nb::none(),
          "grammar"_a = false,
          "The treebank with the tags of a tagger that shares the network, and trees as of parse.")
      .def("shares_encoder_with", &Parser::shares_encoder_with, "tagger"_a,
           "Whether a tagger can tag words along the way.")
      .def(
          "estimates",
          [](const Parser& self, const Treebank& treebank, int threads, std::optional<int32_t> beam,
             const Ranker* ranker, double alpha, const Constraints* constraints, bool grammar,
             const Treebank* tags, const Tagger* tagger, const std::optional<Vector<uint8_t>>& to_tag,
             double temperature) {
            std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
            Estimates estimates;
            TagsAlongTheWay tagging(tagger, to_tag, treebank);
            std::optional<Treebank> retagged;
            {
              nb::gil_scoped_release release;
              ParseOptions options{beam, threads, {ranker, alpha}, temperature, constraints};
              options.grammar = grammar;
              options.tags = tags;
              tagging.tell(options);
              self.parse(treebank, options, heads, labels, &estimates);
              retagged = tagging.retagged(tags ? *tags : treebank);
            }
            Fields d;
            d["retagged"] = std::move(retagged);
            d["heads"] = to_numpy(std::move(heads));
            d["labels"] = to_numpy(std::move(labels));
            d["head_probs"] = to_numpy(std::move(estimates.heads));
            d["deprel_probs"] = to_numpy(std::move(estimates.deprels));
            d["log_probs"] = to_numpy(std::move(estimates.log_probabilities));
            d["entropies"] = to_numpy(std::move(estimates.entropies));
            return d;
          },
          "treebank"_a, "threads"_a = 1, "beam"_a = nb::none(), "ranker"_a.none() = nb::none(),
          "alpha"_a = 0.0, "constraints"_a = nb::none(), "grammar"_a = false, "tags"_a.none() = nb::none(),
          "tagger"_a.none() = nb::none(), "to_tag"_a = nb::none(), "temperature"_a = 1.0,
          "As parse, with the probabilities of each word's head and of its label with it, estimated from the "
          "moves, and the log-probability and the entropy of each sentence's moves.")
      .def(
          "marginals",
          [](const Parser& self, const Treebank& treebank, const Vector<int32_t>& heads,
             const Vector<int32_t>& labels, int32_t samples, uint64_t seed, int threads, bool all_arcs,
             double temperature, const Constraints* constraints) {
            demand_trees(treebank, heads, labels);
            const auto own_heads = to_vector(heads), own_labels = to_vector(labels);
            Marginals marginals;
            {
              nb::gil_scoped_release release;
              marginals = self.marginals(treebank, own_heads, own_labels, {samples, seed},
                                         {{}, threads, {}, temperature, constraints}, all_arcs);
            }
            Fields d;
            d["head_probs"] = to_numpy(std::move(marginals.heads));
            d["deprel_probs"] = to_numpy(std::move(marginals.deprels));
            d["entropies"] = to_numpy(std::move(marginals.entropies));
            d["counts"] = to_numpy(std::move(marginals.counts));
            d["heads"] = to_numpy(std::move(marginals.arc_heads));
            d["labels"] = to_numpy(std::move(marginals.arc_labels));
            d["shares"] = to_numpy(std::move(marginals.shares));
            return d;
          },
          "treebank"_a, "heads"_a, "labels"_a, "samples"_a, "seed"_a, "threads"_a = 1, "all_arcs"_a = false,
          "temperature"_a = 1.0, "constraints"_a = nb::none(),
          "The shares of trees drawn from the model that have these heads, and labels with them; with "
          "all_arcs "
          "how many different arcs to each word were drawn (counts), and these with their shares.")
      .def(
          "best",
          [](const Parser& self, const Treebank& treebank, size_t k, int32_t beam, int threads,
             const Constraints* constraints, bool grammar, const Treebank* tags, const Tagger* tagger,
             const std::optional<Vector<uint8_t>>& to_tag) {
            BestTrees best;
            TagsAlongTheWay tagging(tagger, to_tag, treebank);
            std::optional<Treebank> retagged;
            {
              nb::gil_scoped_release release;
              ParseOptions options{beam, threads, {}, 1, constraints};
              options.grammar = grammar;
              options.tags = tags;
              tagging.tell(options);
              best = self.best(treebank, options, k);
              retagged = tagging.retagged(tags ? *tags : treebank);
            }
            Fields d = fields_of_trees(std::move(best));
            d["retagged"] = std::move(retagged);
            return d;
          },
          "treebank"_a, "k"_a, "beam"_a, "threads"_a = 1, "constraints"_a = nb::none(), "grammar"_a = false,
          "tags"_a.none() = nb::none(), "tagger"_a.none() = nb::none(), "to_tag"_a = nb::none(),
          "Up to k different trees of each sentence, best first: how many (counts), the score of each, heads "
          "and labels of their words one after the other, and how many moves were made and taken back.")
      .def(
          "drawn",
          [](const Parser& self, const Treebank& treebank, size_t k, int32_t samples, uint64_t seed,
             int threads, double temperature, const Constraints* constraints) {
            BestTrees best;
            {
              nb::gil_scoped_release release;
              best = self.drawn(treebank, {samples, seed}, {{}, threads, {}, temperature, constraints}, k);
            }
            return fields_of_trees(std::move(best));
          },
          "treebank"_a, "k"_a, "samples"_a, "seed"_a, "threads"_a = 1, "temperature"_a = 1.0,
          "constraints"_a = nb::none(),
          "As best, of trees drawn from the model: those of most draws, with the logarithms of their shares.")
      .def(
          "check_moves",
          [](const Parser& self, const Treebank& treebank, const Vector<int32_t>& heads,
             const Vector<int32_t>& labels, const std::vector<double>& temperatures, int threads) {
            demand_trees(treebank, heads, labels);
            const auto own_heads = to_vector(heads), own_labels = to_vector(labels);
            MoveStatistics moves;
            {
              nb::gil_scoped_release release;
              moves = self.check_moves(treebank, own_heads, own_labels, temperatures, threads);
            }
            Fields d;
            d["probs"] = to_numpy(std::move(moves.probabilities));
            d["right"] = to_numpy(std::move(moves.right));
            d["forced"] = moves.forced;
            return d;
          },
          "treebank"_a, "heads"_a, "labels"_a, "temperatures"_a, "threads"_a = 1,
          "How probable each choice of greedy search is at each temperature, whether no other move loses "
          "less "
          "against these trees, and how many moves were no choices.")
      .def(
          "trace",
          [](const Parser& self, const Treebank& treebank, double temperature, bool grammar,
             const Treebank* tags, const Tagger* tagger, const nb::object& choose) {
            if (treebank.sentence_count() != 1) throw nb::value_error("One sentence is traced at a time.");
            using Traced = std::tuple<std::vector<std::pair<int32_t, MoveId>>, std::vector<int32_t>,
                                      std::vector<double>, size_t>;
            const auto told = [](const TracedState& state) {
              std::vector<std::pair<int32_t, MoveId>> legal;
              for (const SiteMove& m : state.legal) legal.emplace_back(m.site, m.move);
              return Traced(std::move(legal), state.scores, state.probabilities, state.best);
            };
            std::function<size_t(const TracedState&)> chosen;
            if (!choose.is_none())
              chosen = [&](const TracedState& state) {
                nb::gil_scoped_acquire acquire;
                size_t move = 0;
                if (!nb::try_cast(nb::object(std::apply(choose, told(state))), move))
                  throw nb::type_error("Which of the legal moves is taken is said by its place among them.");
                return move;
              };
            std::vector<TracedState> traced;
            TagsAlongTheWay tagging(tagger, {}, treebank);
            {
              nb::gil_scoped_release release;
              ParseOptions options{.temperature = temperature, .grammar = grammar, .tags = tags};
              tagging.tell(options);
              traced = self.trace(treebank, options, chosen);
            }
            std::vector<Traced> states;
            for (const TracedState& state : traced) states.push_back(told(state));
            return states;
          },
          "treebank"_a, "temperature"_a = 1.0, "grammar"_a = false, "tags"_a.none() = nb::none(),
          "tagger"_a.none() = nb::none(), "choose"_a = nb::none(),
          "For each state on the way to the tree of the one sentence, as of parse without a beam: the legal "
          "moves, their scores, their probabilities if there are any, and which of them is taken. `choose` "
          "is "
          "called with the same, once a state, and says which is taken instead.")
      .def(
          "scores",
          [](const Parser& self, const Treebank& treebank, size_t sentence,
             const std::vector<std::pair<int32_t, MoveId>>& moves) {
            if (sentence >= treebank.sentence_count()) throw nb::index_error("There is no such sentence.");
            std::vector<SiteMove> walk;
            for (const auto& [site, move] : moves) walk.push_back({site, move});
            std::vector<int32_t> scores;
            {
              nb::gil_scoped_release release;
              scores = self.scores(treebank, sentence, walk);
            }
            return to_numpy(std::move(scores));
          },
          "treebank"_a, "sentence"_a, "moves"_a,
          "The scores of all classes before each move of a walk, one after the other.")
      .def_prop_ro("scale", &Parser::scale, "A score times this is the learner's own.");
}
