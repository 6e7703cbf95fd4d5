#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "bindings.h"
#include "sequences.h"
#include "text/characters.h"
#include "text/treebank.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

template <class T>
using ReadOnlyArray = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
using Int32s = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

std::vector<int32_t> to_vector(const Int32s& array) { return {array.data(), array.data() + array.size()}; }

size_t checked(size_t index, size_t size) {
  if (index >= size) throw nb::index_error("index out of range");
  return index;
}

nb::bytes to_bytes(const Treebank& treebank, Format format) {
  std::string out;
  {
    nb::gil_scoped_release release;
    treebank.write(format, out);
  }
  return nb::bytes(out.data(), out.size());
}

nb::bytes sentence_to_bytes(const Treebank& treebank, size_t sentence, Format format) {
  std::string out;
  treebank.write(checked(sentence, treebank.sentence_count()), format, out);
  return nb::bytes(out.data(), out.size());
}

ReadOnlyArray<int64_t> first_words(const Treebank& treebank) {
  const size_t size = treebank.sentence_count() + 1;
  auto* copy = new int64_t[size];
  nb::capsule owner(copy, [](void* data) noexcept { delete[] static_cast<int64_t*>(data); });
  for (size_t s = 0; s < size; ++s) copy[s] = static_cast<int64_t>(treebank.first_word(s));
  return {copy, {size}, owner};
}

// A value for every word, not a number where there is none.
ReadOnlyArray<float> probabilities(const Treebank& treebank,
                                   std::optional<float> (Treebank::*of)(size_t) const) {
  const size_t size = treebank.word_count();
  auto* copy = new float[size];
  nb::capsule owner(copy, [](void* data) noexcept { delete[] static_cast<float*>(data); });
  for (size_t word = 0; word < size; ++word)
    copy[word] = (treebank.*of)(word).value_or(std::numeric_limits<float>::quiet_NaN());
  return {copy, {size}, owner};
}

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
std::vector<T> to_values(const Values<T>& array) {
  return {array.data(), array.data() + array.size()};
}

std::optional<double> value_at(const std::vector<double>& values, size_t sentence) {
  if (values.empty() || std::isnan(values[checked(sentence, values.size())])) return std::nullopt;
  return values[sentence];
}

template <class T>
ReadOnlyArray<T> to_array(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
  return {kept->data(), {kept->size()}, owner};
}

// In the order in which values are met.
std::pair<nb::object, std::vector<std::string>> categories(const Treebank& t, Column column) {
  std::vector<int32_t> codes(t.word_count());
  std::vector<std::string> values;
  std::unordered_map<std::string_view, int32_t> known;
  for (size_t word = 0; word < t.word_count(); ++word) {
    const auto [at, is_new] = known.try_emplace(t.text(word, column), static_cast<int32_t>(values.size()));
    if (is_new) values.emplace_back(at->first);
    codes[word] = at->second;
  }
  return {nb::cast(to_array(std::move(codes))), std::move(values)};
}

using BadParts = std::tuple<std::string, size_t, std::string, std::string>;
using PartsTuple =
    std::tuple<nb::bytes, Format, nb::object, nb::object, std::vector<std::string>, nb::object, nb::object,
               nb::object, nb::object, nb::object, nb::object, float, std::vector<BadParts>>;

PartsTuple to_parts(const Treebank& treebank) {
  Treebank::Parts parts;
  {
    nb::gil_scoped_release release;
    parts = treebank.parts();
  }
  std::vector<BadParts> bad;
  for (const BadSentence& b : parts.bad) bad.emplace_back(b.source, b.line, b.sentence_id, b.reason);
  const auto array = [](auto values) { return nb::cast(to_array(std::move(values))); };
  Probabilities& known = parts.probabilities;
  return {nb::bytes(parts.text.data(), parts.text.size()),
          parts.format,
          array(std::move(parts.heads)),
          array(std::move(parts.labels)),
          std::move(parts.label_names),
          array(std::move(parts.replaced)),
          array(std::vector<uint64_t>(parts.lines.begin(), parts.lines.end())),
          array(std::move(known.heads)),
          array(std::move(known.deprels)),
          array(std::move(known.log_probabilities)),
          array(std::move(known.entropies)),
          known.least,
          std::move(bad)};
}

Treebank from_parts(const PartsTuple& given) {
  const auto& [text, format, heads, labels, label_names, replaced, lines, head_probs, deprel_probs, log_probs,
               entropies, least, bad] = given;
  const auto vector = []<class T>(const nb::object& array, T) {
    return to_values(nb::cast<Values<T>>(array));
  };
  Treebank::Parts parts{std::string(text.c_str(), text.size()),
                        format,
                        vector(heads, int32_t()),
                        vector(labels, int32_t()),
                        label_names,
                        vector(replaced, uint8_t()),
                        {},
                        {vector(head_probs, float()), vector(deprel_probs, float()),
                         vector(log_probs, double()), vector(entropies, double()), least},
                        {}};
  for (uint64_t line : vector(lines, uint64_t())) parts.lines.push_back(line);
  for (const auto& [source, line, id, reason] : bad) parts.bad.push_back({source, line, id, reason});
  nb::gil_scoped_release release;
  return Treebank::from_parts(std::move(parts));
}

}  // namespace

void bind_text(nb::module_& m) {
  // Looked up when needed: the module can then be imported without the package, to write its stubs.
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const TreebankError& error) {
      nb::object type = nb::module_::import_("arcwise.errors").attr("TreebankError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });

  m.attr("MAX_TEXT_BYTES") = kMaxTextBytes;

  nb::enum_<Format>(m, "Format", "How a treebank is written down.")
      .value("CONLLU", Format::ConllU)
      .value("CONLLX", Format::ConllX);

  nb::enum_<Column>(m, "Column", "A column of CoNLL-U.")
      .value("ID", Column::Id)
      .value("FORM", Column::Form)
      .value("LEMMA", Column::Lemma)
      .value("UPOS", Column::Upos)
      .value("XPOS", Column::Xpos)
      .value("FEATS", Column::Feats)
      .value("HEAD", Column::Head)
      .value("DEPREL", Column::Deprel)
      .value("DEPS", Column::Deps)
      .value("MISC", Column::Misc);

  m.def("max_sentence_bytes", &max_sentence_bytes, "max_words"_a,
        "How many bytes a sentence may have whose words are limited.");

  m.def("is_sign", &is_sign, "form"_a, "Whether a form has signs alone, no letters or digits.");

  nb::class_<Treebank>(m, "Treebank", "The bytes of a treebank, and where each word's columns lie in them.")
      .def_static(
          "read",
          [](const nb::bytes& text, Format format, bool check_trees, bool skip_bad, std::string source,
             size_t first_line, size_t max_words) {
            nb::gil_scoped_release release;
            return Treebank::read(std::string(text.c_str(), text.size()), {.format = format,
                                                                           .check_trees = check_trees,
                                                                           .skip_bad = skip_bad,
                                                                           .max_words = max_words,
                                                                           .source = std::move(source),
                                                                           .first_line = first_line});
          },
          "text"_a, nb::kw_only(), "format"_a, "check_trees"_a = true, "skip_bad"_a = false,
          "source"_a = "<text>", "first_line"_a = 1, "max_words"_a = 0, "Finds the sentences in a text.")
      .def_prop_ro("sentence_count", &Treebank::sentence_count)
      .def_prop_ro("word_count", &Treebank::word_count)
      .def_prop_ro("format", &Treebank::format)
      .def_prop_ro(
          "heads",
          [](const Treebank& t) {
            return ReadOnlyArray<int32_t>(t.heads().data(), {t.heads().size()}, nb::handle());
          },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "labels",
          [](const Treebank& t) {
            return ReadOnlyArray<int32_t>(t.labels().data(), {t.labels().size()}, nb::handle());
          },
          nb::rv_policy::reference_internal)
      .def_prop_ro("label_names", &Treebank::label_names)
      .def_prop_ro("first_words", &first_words, nb::rv_policy::move)
      .def_prop_ro("bad",
                   [](const Treebank& t) {
                     std::vector<std::string> messages;
                     for (const BadSentence& bad : t.bad()) messages.push_back(bad.message());
                     return messages;
                   })
      .def(
          "first_word",
          [](const Treebank& t, size_t s) { return t.first_word(checked(s, t.sentence_count() + 1)); },
          "sentence"_a)
      .def(
          "line", [](const Treebank& t, size_t s) { return t.line(checked(s, t.sentence_count())); },
          "sentence"_a)
      .def(
          "comments",
          [](const Treebank& t, size_t s) {
            nb::typed<nb::list, nb::str> comments;
            for (std::string_view comment : t.comments(checked(s, t.sentence_count()))) {
              comments.append(to_str(comment));
            }
            return comments;
          },
          "sentence"_a)
      .def(
          "comment",
          [](const Treebank& t, size_t s, const std::string& key) {
            return to_str(t.comment(checked(s, t.sentence_count()), key));
          },
          "sentence"_a, "key"_a, "The value of the comment `# key = value`, or an empty string.")
      .def(
          "text",
          [](const Treebank& t, size_t word, Column column) {
            return to_str(t.text(checked(word, t.word_count()), column));
          },
          "word"_a, "column"_a)
      .def(
          "head", [](const Treebank& t, size_t word) { return t.heads()[checked(word, t.word_count())]; },
          "word"_a)
      .def(
          "deprel",
          [](const Treebank& t, size_t word) -> std::optional<std::string> {
            const int32_t label = t.labels()[checked(word, t.word_count())];
            if (label == kUnknownLabel) return std::nullopt;
            return t.label_names()[static_cast<size_t>(label)];
          },
          "word"_a)
      .def(
          "column",
          [](const Treebank& t, Column column) {
            nb::typed<nb::list, nb::str> values;
            for (size_t word = 0; word < t.word_count(); ++word) values.append(to_str(t.text(word, column)));
            return values;
          },
          "column"_a, "A column of all words, as it was read.")
      .def(
          "has",
          [](const Treebank& treebank, Column column) {
            for (size_t word = 0; word < treebank.word_count(); ++word)
              if (treebank.text(word, column) != kNoValue) return true;
            return false;
          },
          "column"_a, nb::call_guard<nb::gil_scoped_release>(), "Whether any word has something there.")
      .def(
          "without",
          [](const Treebank& treebank, const std::vector<Column>& columns) {
            return treebank.with_columns([&](size_t, Treebank::Values& values) {
              for (const Column column : columns) values[static_cast<size_t>(column)] = kNoValue;
            });
          },
          "columns"_a, nb::call_guard<nb::gil_scoped_release>(), "The same with nothing in these columns.")
      .def(
          "with_corrections",
          [](const Treebank& t, const std::vector<std::tuple<size_t, Column, std::string>>& given) {
            std::vector<Correction> corrections;
            for (const auto& [word, column, value] : given) corrections.push_back({word, column, value});
            return t.with_corrections(corrections);
          },
          "corrections"_a, "The same with these values of words' columns.")
      .def_static(
          "concat", [](const std::vector<const Treebank*>& treebanks) { return Treebank::concat(treebanks); },
          "treebanks"_a, nb::call_guard<nb::gil_scoped_release>(), "All sentences of several treebanks.")
      .def("categories", &categories, "column"_a, "Each word's value as a number, and the values.")
      .def("parts", &to_parts, "What from_parts makes the treebank of again.")
      .def_static("from_parts", &from_parts, "parts"_a)
      .def(
          "with_trees",
          [](const Treebank& t, const Int32s& heads, const Int32s& labels,
             std::vector<std::string> label_names) {
            return t.with_trees(to_vector(heads), to_vector(labels), std::move(label_names));
          },
          "heads"_a, "labels"_a, "label_names"_a)
      .def(
          "with_probabilities",
          [](const Treebank& t, const Values<float>& heads, const Values<float>& deprels,
             const Values<double>& log_probs, const Values<double>& entropies) {
            return t.with_probabilities(
                {to_values(heads), to_values(deprels), to_values(log_probs), to_values(entropies), 0});
          },
          "heads"_a, "deprels"_a, "log_probs"_a, "entropies"_a)
      .def("with_least_probability", &Treebank::with_least_probability, "least"_a, "drop"_a)
      .def_prop_ro(
          "head_probs", [](const Treebank& t) { return probabilities(t, &Treebank::head_probability); },
          nb::rv_policy::move, "Not a number where there is none.")
      .def_prop_ro(
          "deprel_probs", [](const Treebank& t) { return probabilities(t, &Treebank::deprel_probability); },
          nb::rv_policy::move, "Not a number where there is none.")
      .def(
          "head_prob",
          [](const Treebank& t, size_t word) { return t.head_probability(checked(word, t.word_count())); },
          "word"_a)
      .def(
          "deprel_prob",
          [](const Treebank& t, size_t word) { return t.deprel_probability(checked(word, t.word_count())); },
          "word"_a)
      .def(
          "log_prob",
          [](const Treebank& t, size_t s) { return value_at(t.probabilities().log_probabilities, s); },
          "sentence"_a)
      .def(
          "entropy", [](const Treebank& t, size_t s) { return value_at(t.probabilities().entropies, s); },
          "sentence"_a)
      .def(
          "select",
          [](const Treebank& t, const std::vector<size_t>& sentences) { return t.select(sentences); },
          "sentences"_a)
      .def("slice", &Treebank::slice, "begin"_a, "end"_a)
      .def("to_bytes", &to_bytes, "format"_a)
      .def("sentence_to_bytes", &sentence_to_bytes, "sentence"_a, "format"_a);
}
