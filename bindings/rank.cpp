#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "in_use.h"
#include "rank/ranker.h"
#include "sequences.h"
#include "train/rank_trainer.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

void bind_rank(nb::module_& m) {
  m.def(
      "check_ranking_templates", [](const std::vector<std::string>& lines) { RankTemplates{lines}; },
      "lines"_a, "Reads ranking templates, raising ValueError if one is wrong.");
  m.def(
      "tree_features",
      [](const std::vector<std::string>& templates, const std::vector<std::string>& labels, int bits,
         const Treebank& treebank, size_t sentence, const std::vector<std::vector<int32_t>>& heads,
         const std::vector<std::vector<int32_t>>& tree_labels) {
        if (sentence >= treebank.sentence_count()) throw nb::index_error("There is no such sentence.");
        demand(bits >= Ranker::kLeastBits && bits <= Ranker::kMostBits, "There are from 10 to 30 bits.");
        demand(heads.size() == tree_labels.size(), "Every tree has heads and labels.");
        const RankTemplates compiled(templates);
        const RankLabels names(labels);
        CandidateParts parts(compiled, names, bits);
        parts.begin(treebank, sentence);
        const std::vector<int32_t> one(1, 1);
        std::vector<std::vector<uint32_t>> all;
        for (size_t t = 0; t < heads.size(); ++t) {
          CandidateTrees{one, heads[t], tree_labels.at(t)}.check(treebank.slice(sentence, sentence + 1),
                                                                 labels.size());
          parts.add(heads[t], tree_labels[t]);
          all.emplace_back();
          for (const uint32_t p : parts.parts_of(t))
            for (const uint32_t f : parts.features_of(p)) all.back().push_back(f);
        }
        return all;
      },
      "templates"_a, "labels"_a, "bits"_a, "treebank"_a, "sentence"_a, "heads"_a, "tree_labels"_a,
      "The features of trees of one sentence, for looking at them.");
  m.def(
      "best_mixture",
      [](Vector<double> h, Vector<double> c, double alpha) {
        if (h.size() != c.size() || h.size() == 0)
          throw nb::value_error("There must be as many scores of one kind as of the other.");
        return best_mixture(to_span(h), to_span(c), alpha);
      },
      "h"_a, "c"_a, "alpha"_a, "Which tree has the best mixture of two scores.");

  nb::class_<Ranker>(m, "Ranker", "Scores whole trees: immutable, safe to share between threads.")
      .def(
          "__init__",
          [](Ranker* self, const std::vector<std::string>& templates, const std::vector<std::string>& labels,
             Vector<int16_t> weights,
             double scale) { new (self) Ranker(templates, labels, to_span(weights), scale); },
          nb::kw_only(), "templates"_a, "labels"_a, "weights"_a, "scale"_a)
      .def(
          "scores",
          [](const Ranker& self, const Treebank& treebank, Vector<int32_t> counts, Vector<int32_t> heads,
             Vector<int32_t> labels, int threads) {
            const auto own_counts = to_vector(counts), own_heads = to_vector(heads),
                       own_labels = to_vector(labels);
            std::vector<double> scores;
            {
              nb::gil_scoped_release release;
              scores = self.scores(treebank, {own_counts, own_heads, own_labels}, threads);
            }
            return to_numpy(std::move(scores));
          },
          "treebank"_a, "counts"_a, "heads"_a, "labels"_a, "threads"_a = 1,
          "The score of each tree; so many of each sentence (counts), their words one after the other.");

  nb::class_<RankProgress>(m, "RankProgress")
      .def_ro("sentences", &RankProgress::sentences)
      .def_ro("pairs", &RankProgress::pairs)
      .def_ro("updates", &RankProgress::updates);

  nb::class_<RankTrainer>(m, "RankTrainer", "A ranker's training run.")
      .def(
          "__init__",
          [](RankTrainer* self, const Treebank& treebank, Vector<int32_t> counts, Vector<int32_t> heads,
             Vector<int32_t> labels, Vector<int32_t> losses, const std::vector<std::string>& label_names,
             const std::vector<std::string>& templates, int bits, bool fine, double aggressiveness,
             uint64_t seed) {
            RankingSet set{treebank, to_vector(counts), to_vector(heads), to_vector(labels),
                           to_vector(losses)};
            nb::gil_scoped_release release;
            new (self)
                RankTrainer(templates, label_names, std::move(set), {bits, fine, aggressiveness}, seed);
          },
          "treebank"_a, nb::kw_only(), "counts"_a, "heads"_a, "labels"_a, "losses"_a, "label_names"_a,
          "templates"_a, "bits"_a, "fine"_a, "aggressiveness"_a, "seed"_a)
      .def(
          "run",
          [](RankTrainer& self, size_t sentences) {
            const InUse in_use(&self);
            nb::gil_scoped_release release;
            return self.run(sentences);
          },
          "sentences"_a, "Goes on with so many sentences, or up to the end of the epoch.")
      .def_prop_ro("epoch_is_done", &RankTrainer::epoch_is_done)
      .def_prop_ro("sentences", &RankTrainer::sentences)
      .def(
          "averaged",
          [](const RankTrainer& self) {
            const InUse in_use(&self);
            return to_numpy(self.learner().averaged());
          },
          "The mean of the weights after each update.")
      .def(
          "frozen",
          [](const RankTrainer& self) {
            const InUse in_use(&self);
            RankWeights frozen = self.learner().frozen();
            return std::pair(to_numpy(std::move(frozen.weights)), frozen.scale);
          },
          "The averaged weights in 16 bits, and their scale.");
}
