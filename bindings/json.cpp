#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "bindings.h"
#include "sequences.h"
#include "text/json.h"
#include "text/raw_sentence.h"
#include "text/spaced_tokens.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using Spans = std::vector<TextSpan>;
using RawTokenTuple = std::tuple<std::string, std::string, std::optional<std::string>,
                                 std::vector<std::string>, std::optional<TextSpan>>;

void demand_sentence(const Treebank& treebank, size_t sentence) {
  if (sentence >= treebank.sentence_count()) throw nb::index_error("index out of range");
}

Spans word_spans(const Treebank& treebank, TextCursor& cursor) {
  Spans spans;
  spans.reserve(treebank.word_count());
  for (size_t s = 0; s < treebank.sentence_count(); ++s) cursor.place(treebank.sentence_text(s), spans);
  cursor.settle();
  return spans;
}

void skip(TextCursor& cursor, const Treebank& treebank) {
  nb::gil_scoped_release release;
  cursor.skip(treebank.sentence_count(), [&](size_t s) { return treebank.sentence_text(s); });
}

std::string rebuilt(const Treebank& treebank) {
  std::string text;
  TextCursor cursor;
  for (size_t s = 0; s < treebank.sentence_count(); ++s)
    cursor.rebuild(RawSentence(treebank.sentence_text(s)), text);
  return text += cursor.space();
}

// Lists as spaCy takes them: texts, spaces, sentence starts; the token of each word; multiword tokens.
nb::typed<nb::tuple, nb::any, nb::any, nb::any, nb::any, nb::any, bool> to_spaced_tokens(
    const Treebank& treebank, std::string_view text) {
  const SpacedTokens tokens = spaced_tokens(treebank, text);
  const auto to_str = [](std::string_view own) { return nb::str(own.data(), own.size()); };
  nb::list texts, spaces, starts, multiword;
  for (const std::string_view own : tokens.texts) texts.append(to_str(own));
  for (const bool space : tokens.spaces) spaces.append(space);
  for (const bool start : tokens.starts) starts.append(start);
  for (const auto& [begin, end, own] : tokens.multiword)
    multiword.append(nb::make_tuple(begin, end, to_str(own)));
  return nb::make_tuple(texts, spaces, starts, to_numpy(tokens.words), multiword, tokens.differs);
}

std::pair<std::vector<RawTokenTuple>, bool> raw_sentence(const Treebank& treebank, size_t sentence) {
  demand_sentence(treebank, sentence);
  const RawSentence raw(treebank.sentence_text(sentence));
  std::vector<RawTokenTuple> tokens;
  for (const RawToken& token : raw.tokens)
    tokens.emplace_back(token.text(), token.before, token.after,
                        std::vector<std::string>(token.words.begin(), token.words.end()), token.span);
  return {std::move(tokens), raw.starts_paragraph};
}

// All sentences; of CoNLL-X, places are not known.
nb::bytes sentences_to_json(const Treebank& treebank, TextCursor& cursor, bool keeps_ranges,
                            const std::string& before, const std::string& between, const std::string& after) {
  Buffer out;
  {
    nb::gil_scoped_release release;
    size_t bytes = 0;
    for (size_t s = 0; s < treebank.sentence_count(); ++s) bytes += treebank.sentence_text(s).size();
    out.reserve(before.size() + 3 * bytes);  // more than most take
    out += before;
    const bool has_places = treebank.format() == Format::ConllU;
    Spans spans;
    for (size_t s = 0; s < treebank.sentence_count(); ++s) {
      spans.clear();
      if (has_places) cursor.place(treebank.sentence_text(s), spans);
      if (s > 0) out += between;
      append_json(treebank, s, spans, keeps_ranges, {}, out);
    }
    cursor.settle();
    out += after;
  }
  return nb::bytes(out.view().data(), out.size());
}

std::string sentence_to_json(const Treebank& treebank, size_t sentence, const Spans& spans, bool keeps_ranges,
                             std::string fields, std::vector<std::string> keys) {
  demand_sentence(treebank, sentence);
  if (!spans.empty() && spans.size() != treebank.length(sentence))
    throw std::invalid_argument("Every word has a place, or none.");
  Buffer out;
  append_json(treebank, sentence, spans, keeps_ranges, {std::move(fields), std::move(keys)}, out);
  return std::string(out.view());
}

std::pair<Treebank, std::optional<std::string>> read_text(const nb::bytes& json, TextCursor& cursor,
                                                          std::string source, bool check_trees, bool skip_bad,
                                                          size_t max_words, size_t first_line,
                                                          size_t first_sentence) {
  nb::gil_scoped_release release;
  const ReadJsonOptions options{{.check_trees = check_trees,
                                 .skip_bad = skip_bad,
                                 .max_words = max_words,
                                 .source = std::move(source),
                                 .first_line = first_line},
                                first_sentence};
  JsonDocument document = read_json({json.c_str(), json.size()}, options, cursor);
  return {std::move(document.treebank), std::move(document.text)};
}

}  // namespace

void bind_json(nb::module_& m) {
  nb::class_<TextCursor>(m, "TextCursor",
                         "How far a text has been put together: what the parts of a stream hand on to each "
                         "other.")
      .def(nb::init<>())
      .def(nb::init<const TextCursor&>(), "other"_a)
      .def("skip", &skip, "treebank"_a, "Goes past the sentences of a part.")
      .def_prop_ro("end", &TextCursor::end, "Of the last token, in code points.")
      .def_prop_ro("space", &TextCursor::space, "The white space after the last token.");

  m.def("word_spans", &word_spans, "treebank"_a, "cursor"_a, "Where each word begins and ends in the text.");
  m.def("rebuild", &rebuilt, "treebank"_a, "The text that a treebank was made of.");
  m.def("spaced_tokens", &to_spaced_tokens, "treebank"_a, "text"_a,
        "Tokens that leave nothing of a text out, as spaCy has them.");
  m.def("raw_sentence", &raw_sentence, "treebank"_a, "sentence"_a,
        "The tokens of a sentence: text, white space before and after, words and place; whether it starts a "
        "paragraph.");
  m.def(
      "sentence_text",
      [](const Treebank& treebank, size_t sentence) {
        demand_sentence(treebank, sentence);
        return text_of_sentence(treebank.sentence_text(sentence));
      },
      "treebank"_a, "sentence"_a, "The tokens of a sentence with the white space between them.");

  m.def("sentences_to_json", &sentences_to_json, "treebank"_a, "cursor"_a, nb::kw_only(), "keeps_ranges"_a,
        "before"_a, "between"_a, "after"_a, "An object for each sentence, in UTF-8.");
  m.def("sentence_to_json", &sentence_to_json, "treebank"_a, "sentence"_a, "spans"_a, nb::kw_only(),
        "keeps_ranges"_a, "fields"_a = "", "keys"_a = std::vector<std::string>());
  m.def("read_json", &read_text, "json"_a, "cursor"_a, nb::kw_only(), "source"_a, "check_trees"_a = true,
        "skip_bad"_a = false, "max_words"_a = 0, "first_line"_a = 1, "first_sentence"_a = 1,
        "A treebank from JSON, and the text of the whole, if it says one.");
}
