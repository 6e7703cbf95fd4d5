#include "model/parser.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

// The weights belong to numpy (often to a mapped file) and must outlive the parser.
struct BoundParser {
  Vector<uint32_t> lines;
  Vector<uint32_t> lists;
  Vector<int8_t> dense, wide;
  Vector<uint16_t> columns;
  Parser parser;
};

}  // namespace

void bind_parser(nb::module_& m) {
  nb::class_<BoundParser>(m, "Parser", "A trained parser: immutable, safe to share between threads.")
      .def(
          "__init__",
          [](BoundParser* self, const std::string& system, bool root_first, bool single_root,
             const std::vector<std::tuple<int32_t, int32_t, bool>>& labels, std::vector<int32_t> left,
             std::vector<int32_t> right, std::vector<int32_t> root, int32_t completion,
             const std::optional<std::string>& scheme, const std::vector<std::string>& templates,
             Vector<uint32_t> lines, Vector<uint32_t> lists, Vector<int8_t> dense, Vector<int8_t> wide,
             Vector<uint16_t> columns, double scale) {
            ParserOptions options{{system, root_first, single_root}, {left, right, root, completion}, {}, {}};
            for (const auto& [base, lifted_from, path] : labels)
              options.labels.push_back({base, lifted_from, path});
            if (scheme) options.lift = scheme_from_name(*scheme);
            if (lines.size() % kWordsInLine != 0)
              throw nb::value_error("The weights are damaged: a line is cut short.");
            const std::span index(reinterpret_cast<const LinearLine*>(lines.data()),
                                  lines.size() / kWordsInLine);
            LinearScorer scorer({index, to_span(lists), to_span(dense), to_span(wide), to_span(columns)},
                                scale);
            LinearModel model{Templates(templates), std::move(scorer)};
            new (self)
                BoundParser{lines, lists, dense, wide, columns, Parser(std::move(options), std::move(model))};
          },
          nb::kw_only(), "system"_a, "root_first"_a, "single_root"_a, "labels"_a, "left"_a, "right"_a,
          "root"_a, "completion"_a, "scheme"_a.none(), "templates"_a, "lines"_a, "lists"_a, "dense"_a,
          "wide"_a, "columns"_a, "scale"_a)
      .def(
          "parse",
          [](const BoundParser& self, const Treebank& treebank, int threads) {
            std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
            {
              nb::gil_scoped_release release;
              self.parser.parse(treebank, threads, heads, labels);
            }
            return std::pair(to_numpy(std::move(heads)), to_numpy(std::move(labels)));
          },
          "treebank"_a, "threads"_a = 1, "Heads and labels of all words, as arrays.");
}
