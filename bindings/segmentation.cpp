#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "in_use.h"
#include "linear_arrays.h"
#include "model_parts.h"
#include "parse/segmenter.h"
#include "sequences.h"
#include "text/cutting.h"
#include "text/treebank.h"
#include "text/utf8.h"
#include "train/segmentation_trainer.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using KnownSplit = std::tuple<std::string, std::vector<std::string>, bool>;
using SplitRule = std::tuple<std::string, std::string, std::vector<std::string>>;

Splits make_splits(const std::vector<KnownSplit>& known, const std::vector<SplitRule>& rules, bool apart) {
  std::vector<Splits::Known> all_known;
  for (const auto& [form, words, always] : known) all_known.push_back({form, words, always});
  std::vector<Splits::Rule> all_rules;
  for (const auto& [prefix, suffix, words] : rules) all_rules.push_back({prefix, suffix, words});
  return Splits(all_known, all_rules, apart);
}

void make_trainer(SegmentationTrainer* self, const std::vector<std::string>& texts,
                  const std::vector<Vector<uint32_t>>& ends, const std::vector<Vector<uint8_t>>& boundaries,
                  const Splits& splits, double alpha, double rho, double penalty, double cutoff, int k,
                  uint64_t seed, double prune, size_t plain) {
  demand(ends.size() == texts.size() && boundaries.size() == texts.size(),
         "Every text has ends of tokens and boundaries.");
  demand(alpha > 0 && rho > 0 && penalty >= 0 && cutoff >= 0 && cutoff < 1 && prune >= 0 && k >= 0,
         "An option of the segmenter's learner is out of range.");
  SegmentationTrainerOptions options;
  options.adagrad.alpha = alpha;
  options.adagrad.rho = rho;
  options.adagrad.cutoff = cutoff;
  options.penalty = penalty;
  options.how.policy = SamplePolicy({.k = k});
  options.seed = seed;
  options.prune = prune;
  options.plain = plain;
  std::vector<SegmentedText> all;
  for (size_t t = 0; t < texts.size(); ++t) {
    demand(ends[t].size() == boundaries[t].size(), "Every end of a token has a boundary.");
    all.push_back({texts[t], {}});
    for (size_t i = 0; i < ends[t].size(); ++i) {
      demand(boundaries[t].data()[i] < kBoundaries, "There is no such boundary.");
      all.back().ends.push_back({ends[t].data()[i], static_cast<Boundary>(boundaries[t].data()[i])});
    }
  }
  nb::gil_scoped_release release;
  new (self) SegmentationTrainer(std::move(all), splits, options);
}

void make_segmenter(Segmenter* self, Vector<uint8_t> pairs, Vector<uint64_t> cut_runs,
                    Vector<uint64_t> seen_words, const Splits& splits, Vector<uint32_t> lines,
                    Vector<uint32_t> lists, Vector<int8_t> dense, Vector<int8_t> wide,
                    Vector<uint16_t> columns, double scale, double bias, bool bias_among_ends) {
  new (self)
      Segmenter(BoundaryRules(to_span(pairs), to_span(cut_runs)), SeenWords(to_span(seen_words)), splits,
                linear_scorer(lines, lists, dense, wide, columns, scale), {bias, bias_among_ends});
}

std::vector<uint64_t> boundary_keys(const std::string& text, int32_t character) {
  RawText paragraph;
  paragraph.read(text, {});
  if (character < 0 || character >= paragraph.size()) throw nb::index_error("There is no such character.");
  const SeenWords seen;
  const BoundaryFeatures features(seen);
  std::vector<uint64_t> keys(features.size());
  keys.resize(static_cast<size_t>(features.extract({0, 0, character}, paragraph, keys.data())));
  return keys;
}

std::string_view checked_text(const nb::bytes& text) {
  const std::string_view bytes(text.c_str(), text.size());
  if (utf8::first_invalid(bytes) != utf8::kAllValid || bytes.find('\0') != std::string_view::npos)
    throw std::invalid_argument("The text is not valid UTF-8, or has NULs in it: convert it first.");
  return bytes;
}

using Cut = std::tuple<int64_t, int64_t, int32_t, int32_t>;

std::tuple<Treebank, size_t, std::vector<Cut>> segment(const Segmenter& self, const nb::bytes& text,
                                                       TextPosition& position, bool line_is_sentence,
                                                       bool blank_lines, int32_t max_words, bool ranges,
                                                       bool whole) {
  demand(max_words >= 1, "A sentence has room for at least one word (max_words).");
  SegmentOptions options{{line_is_sentence}, {}, ranges, whole, max_words};
  options.reading.blank_lines_end = blank_lines;
  TextPosition after = position;  // which is the caller's only when all is done
  std::tuple<Treebank, size_t, std::vector<Cut>> segmented;
  {
    nb::gil_scoped_release release;
    auto& [treebank, size, cut] = segmented;
    TreebankBuilder sentences;
    std::vector<CutSentence> found;
    size = self.segment(checked_text(text), options, after, sentences, found);
    for (const CutSentence& c : found) cut.emplace_back(c.number, c.words, c.pieces, c.characters);
    treebank = std::move(sentences).build();
  }
  position = after;
  return segmented;
}

// Texts that have nothing to do with each other; where the sentences of each end, and of which text those are
// that were too long.
std::tuple<Treebank, std::vector<size_t>, std::vector<std::pair<size_t, Cut>>> segment_all(
    const Segmenter& self, const std::vector<std::pair<nb::bytes, bool>>& texts, int32_t max_words) {
  demand(max_words >= 1, "A sentence has room for at least one word (max_words).");
  const SegmentOptions options{{false}, {}, false, true, max_words};
  std::vector<size_t> ends;
  std::vector<std::pair<size_t, Cut>> cut;
  nb::gil_scoped_release release;
  TreebankBuilder all;
  size_t sentences = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    TextPosition position;
    position.mark = texts[t].second;
    std::vector<CutSentence> found;
    self.segment(checked_text(texts[t].first), options, position, all, found);
    for (const CutSentence& c : found) cut.emplace_back(t, Cut(c.number, c.words, c.pieces, c.characters));
    ends.push_back(sentences += static_cast<size_t>(position.sentence) - 1);
  }
  return {std::move(all).build(), std::move(ends), std::move(cut)};
}

size_t cut_place_of(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return cut_place(views);
}

}  // namespace

void bind_segmentation(nb::module_& m) {
  m.def("character_kind", [](uint32_t code) { return static_cast<int>(character_kind(code)); }, "code"_a);

  m.def("boundary_keys", &boundary_keys, "text"_a, "character"_a,
        "The keys of the features after a character, in a text that is one token so far.");

  nb::enum_<Boundary>(m, "Boundary", "How a token ends.")
      .value("INSIDE", Boundary::Inside)
      .value("END", Boundary::End)
      .value("END_SPLIT", Boundary::EndSplit)
      .value("SENTENCE", Boundary::Sentence)
      .value("SENTENCE_SPLIT", Boundary::SentenceSplit);

  nb::class_<Splits>(m, "Splits", "How multiword tokens fall into words.")
      .def(nb::new_(&make_splits), "known"_a, "rules"_a, "apart"_a = false,
           "Known ones with their words and whether a token of that form is always one; and rules: how a "
           "token begins, how it ends, and its words with a star for what is between. apart: what is learnt "
           "of one known form is learnt of no other.")
      .def(
          "use", [](const Splits& s, const std::string& form) { return static_cast<int>(s.use(form)); },
          "form"_a, "0 if a token of this form is never split, 1 sometimes, 2 always.")
      .def(
          "words",
          [](const Splits& s, const std::string& form) {
            std::vector<std::string> words;
            s.words(form, words);
            return words;
          },
          "form"_a);

  nb::class_<SegmentationTrainer>(m, "SegmentationTrainer", "Learns to segment from paragraphs.")
      .def("__init__", &make_trainer, "texts"_a, "ends"_a, "boundaries"_a, "splits"_a, nb::kw_only(),
           "alpha"_a, "rho"_a, "penalty"_a, "cutoff"_a, "k"_a, "seed"_a, "prune"_a, "plain"_a,
           "For each text where its tokens end, in bytes, and how.")
      .def("epoch",
           [](SegmentationTrainer& self) {
             const InUse in_use(&self);
             nb::gil_scoped_release release;
             return self.epoch();
           })
      .def("arrays", [](const SegmentationTrainer& self) {
        const InUse in_use(&self);
        LinearArrays arrays;
        {
          nb::gil_scoped_release release;
          arrays = self.linear();
        }
        Fields d = to_fields(to_parts(std::move(arrays)));
        const auto pairs = self.rules().pairs();
        const auto runs = self.rules().cut_runs();
        d["pairs"] = to_numpy(std::vector<uint8_t>(pairs.begin(), pairs.end()));
        d["cut_runs"] = to_numpy(std::vector<uint64_t>(runs.begin(), runs.end()));
        const auto seen = self.seen().words();
        d["seen_words"] = to_numpy(std::vector<uint64_t>(seen.begin(), seen.end()));
        return d;
      });

  nb::class_<TextPosition>(m, "TextPosition", "How far a text is segmented.")
      .def(
          "__init__",
          [](TextPosition* self, bool mark) {
            new (self) TextPosition();
            self->mark = mark;
          },
          "mark"_a = false, "With a mark, a byte order mark comes before the text and counts.");

  nb::class_<Segmenter>(m, "Segmenter", "A trained segmenter: immutable, safe to share between threads.")
      .def("__init__", &make_segmenter, nb::kw_only(), "pairs"_a, "cut_runs"_a, "seen_words"_a, "splits"_a,
           "lines"_a, "lists"_a, "dense"_a, "wide"_a, "columns"_a, "scale"_a, "bias"_a,
           "bias_among_ends"_a = true)
      .def("segment", &segment, "text"_a, "position"_a, nb::kw_only(), "line_is_sentence"_a, "blank_lines"_a,
           "max_words"_a, "ranges"_a, "whole"_a,
           "A treebank of valid UTF-8, which goes on from the position, of how many bytes it is made, and "
           "which sentences were too long: the number of the first piece, words and pieces; or characters, "
           "if these were too many.");

  m.def(
      "boundary_scores",
      [](const Segmenter& self, const std::vector<uint64_t>& keys) {
        const auto scores = self.scores(keys);
        return std::vector<int32_t>(scores.begin(), scores.end());
      },
      "segmenter"_a, "keys"_a, "What features with these keys say of each boundary.");

  m.def("segment_all", &segment_all, "segmenter"_a, "texts"_a, nb::kw_only(), "max_words"_a,
        "A treebank of several texts, each with whether a byte order mark comes before it; where their "
        "sentences end; and which sentences were too long, with the number of their text.");

  m.def("cut_place", &cut_place_of, "words"_a,
        "After which of these words, counted from 1, a sentence that is too long is cut best.");
}
