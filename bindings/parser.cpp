#include "model/parser.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

void bind_parser(nb::module_& m) {
  nb::class_<Parser>(m, "Parser", "A trained parser: immutable, safe to share between threads.")
      .def(
          "__init__",
          [](Parser* self, const std::string& system, bool root_first, bool single_root,
             const std::vector<std::tuple<int32_t, int32_t, bool>>& labels, std::vector<int32_t> left,
             std::vector<int32_t> right, std::vector<int32_t> root, int32_t completion,
             const std::optional<std::string>& scheme, bool probabilistic, Model model) {
            ParserOptions options{.system = {system, root_first, single_root},
                                  .arcs = {left, right, root, completion},
                                  .probabilistic = probabilistic};
            for (const auto& [base, lifted_from, path] : labels)
              options.labels.push_back({base, lifted_from, path});
            if (scheme) options.lift = scheme_from_name(*scheme);
            new (self) Parser(std::move(options), std::move(model));
          },
          nb::kw_only(), "system"_a, "root_first"_a, "single_root"_a, "labels"_a, "left"_a, "right"_a,
          "root"_a, "completion"_a, "scheme"_a.none(), "probabilistic"_a, "model"_a)
      .def(
          "parse",
          [](const Parser& self, const Treebank& treebank, int threads, std::optional<int32_t> beam,
             const Ranker* ranker, double alpha, const Constraints* constraints) {
            std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
            {
              nb::gil_scoped_release release;
              self.parse(treebank, {beam, threads, {ranker, alpha}, constraints}, heads, labels);
            }
            return std::pair(to_numpy(std::move(heads)), to_numpy(std::move(labels)));
          },
          "treebank"_a, "threads"_a = 1, "beam"_a = nb::none(), "ranker"_a.none() = nb::none(),
          "alpha"_a = 0.0, "constraints"_a = nb::none(),
          "Heads and labels of all words, as arrays. With a ranker, it chooses among the trees of the beam, "
          "whose own scores count as much as alpha.")
      .def(
          "best",
          [](const Parser& self, const Treebank& treebank, size_t k, int32_t beam, int threads,
             const Constraints* constraints) {
            BestTrees best;
            {
              nb::gil_scoped_release release;
              best = self.best(treebank, {beam, threads, {}, constraints}, k);
            }
            Fields d;
            d["counts"] = to_numpy(std::move(best.counts));
            d["scores"] = to_numpy(std::move(best.scores));
            d["heads"] = to_numpy(std::move(best.heads));
            d["labels"] = to_numpy(std::move(best.labels));
            d["moves"] = best.moves;
            return d;
          },
          "treebank"_a, "k"_a, "beam"_a, "threads"_a = 1, "constraints"_a = nb::none(),
          "Up to k different trees of each sentence, best first: how many (counts), the score of each, heads "
          "and labels of their words one after the other, and how many moves were made and taken back.")
      .def(
          "scores",
          [](const Parser& self, const Treebank& treebank, size_t sentence,
             const std::vector<std::pair<int32_t, Class>>& moves) {
            if (sentence >= treebank.sentence_count()) throw nb::index_error("There is no such sentence.");
            std::vector<SiteMove> walk;
            for (const auto& [site, move] : moves) walk.push_back({site, move});
            return to_numpy(self.scores(treebank, sentence, walk));
          },
          "treebank"_a, "sentence"_a, "moves"_a,
          "The scores of all classes before each move of a walk, one after the other.")
      .def_prop_ro("scale", &Parser::scale, "A score times this is the learner's own.");
}
