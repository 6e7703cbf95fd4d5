#include "text/arrow_table.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "text/raw_sentence.h"

namespace arcwise {
namespace {

// Numbers of 32 bits say where text ends in a chunk; a row is never cut.
constexpr size_t kChunkBytes = size_t{1} << 29;

struct Range {
  size_t begin, end;
  size_t size() const { return end - begin; }
};

std::optional<std::string_view> if_any(std::string_view value) {
  if (value == kNoValue) return std::nullopt;
  return value;
}

// visit(first, last, form) for each multiword token of a sentence in CoNLL-U; ids count from 1.
template <class F>
void each_multiword(std::string_view sentence, F&& visit) {
  const auto number = [](std::string_view line, size_t& at) {
    size_t value = 0;
    for (; at < line.size() && line[at] >= '0' && line[at] <= '9'; ++at)
      value = value * 10 + static_cast<size_t>(line[at] - '0');
    return value;
  };
  while (!sentence.empty()) {
    const std::string_view line = sentence.substr(0, sentence.find('\n'));
    sentence.remove_prefix(std::min(sentence.size(), line.size() + 1));
    size_t at = 0;
    const size_t first = number(line, at);
    if (at == 0 || at >= line.size() || line[at] != '-') continue;
    const size_t last = number(line, ++at);
    const std::string_view rest = line.substr(std::min(line.size(), at + 1));
    visit(first, last, rest.substr(0, rest.find('\t')));
  }
}

class TableBuilder {
 public:
  TableBuilder(const Treebank& treebank, std::span<const size_t> ends, const ArrowTableOptions& options)
      : treebank_(treebank), options_(options), has_documents_(!ends.empty()) {
    for (const size_t end : ends) {
      if (end < document_starts_.back() || end > treebank.sentence_count())
        throw std::invalid_argument("Documents end one after the other, at sentences that are there.");
      document_starts_.push_back(end);
    }
    if (!has_documents_) document_starts_.push_back(treebank.sentence_count());
    if (document_starts_.back() != treebank.sentence_count())
      throw std::invalid_argument("The last document ends with the last sentence.");
    for (const std::string& name : options.columns) {
      const ArrowNames& known = arrow_names();
      const auto has = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
      };
      if (!has(known.words) && !has(known.sentences) && !has(known.whole))
        throw std::invalid_argument("There is no column " + name + ".");
    }
    if (treebank.format() == Format::ConllU && (wants("start") || wants("end"))) find_spans();
  }

  std::shared_ptr<const ArrowChunks> build() {
    auto chunks = std::make_shared<ArrowChunks>();
    const size_t rows =
        options_.rows == ArrowRows::Document ? document_starts_.size() - 1 : treebank_.sentence_count();
    Range part{0, 0};
    size_t bytes = 0;
    for (size_t row = 0; row < rows; ++row) {
      size_t more = 0;
      const Range sentences = sentences_of(row);
      for (size_t s = sentences.begin; s < sentences.end; ++s) more += treebank_.sentence_text(s).size();
      if (bytes + more > kChunkBytes && part.size() > 0) {
        chunks->push_back(chunk(part));
        part.begin = row;
        bytes = 0;
      }
      part.end = row + 1;
      bytes += more;
    }
    if (part.size() > 0 || chunks->empty()) chunks->push_back(chunk(part));
    return chunks;
  }

 private:
  bool wants(std::string_view name) const {
    return std::find(options_.columns.begin(), options_.columns.end(), name) != options_.columns.end();
  }

  bool wants_any(const std::vector<std::string>& names) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return wants(name); });
  }

  // Where each word stands in its document.
  void find_spans() {
    spans_.reserve(treebank_.word_count());
    for (size_t document = 0; document + 1 < document_starts_.size(); ++document) {
      TextCursor cursor;
      for (size_t s = document_starts_[document]; s < document_starts_[document + 1]; ++s)
        cursor.place(treebank_.sentence_text(s), spans_);
      cursor.settle();
    }
  }

  // Rows of words are cut where sentences end.
  Range sentences_of(size_t row) const {
    if (options_.rows != ArrowRows::Document) return {row, row + 1};
    return {document_starts_[row], document_starts_[row + 1]};
  }

  ArrowColumn chunk(Range rows) const {
    if (options_.rows == ArrowRows::Word) return chunk_of_words(rows);
    return options_.rows == ArrowRows::Sentence ? chunk_of_sentences(rows) : chunk_of_documents(rows);
  }

  ArrowColumn chunk_of_words(Range sentences) const {
    std::vector<ArrowColumn> fields;
    const Range words{treebank_.first_word(sentences.begin), treebank_.first_word(sentences.end)};
    add_places(sentences, [&](size_t s) { return treebank_.length(s); }, words.size(), fields);
    add_words(sentences, options_.dictionaries, fields);
    return arrow_struct("", std::move(fields), static_cast<int64_t>(words.size()));
  }

  ArrowColumn chunk_of_sentences(Range sentences) const {
    std::vector<ArrowColumn> fields;
    add_places(sentences, [](size_t) { return size_t{1}; }, sentences.size(), fields);
    add_sentences(sentences, fields);
    if (wants("conllu")) {
      TextColumn conllu(sentences.size());
      for (size_t s = sentences.begin; s < sentences.end; ++s) conllu.add(written({s, s + 1}));
      fields.push_back(conllu.finish("conllu"));
    }
    return arrow_struct("", std::move(fields), static_cast<int64_t>(sentences.size()));
  }

  ArrowColumn chunk_of_documents(Range documents) const {
    std::vector<ArrowColumn> fields;
    const auto length = static_cast<int64_t>(documents.size());
    const Range sentences{document_starts_[documents.begin], document_starts_[documents.end]};
    if (wants("text")) {
      TextColumn texts(documents.size());
      for (size_t d = documents.begin; d < documents.end; ++d) texts.add(rebuilt(sentences_of(d)));
      fields.push_back(texts.finish("text"));
    }
    std::vector<ArrowColumn> of_sentences;
    add_sentences(sentences, of_sentences);
    if (!of_sentences.empty()) {
      std::vector<int32_t> starts;
      for (size_t d = documents.begin; d <= documents.end; ++d)
        starts.push_back(static_cast<int32_t>(document_starts_[d] - sentences.begin));
      ArrowColumn all = arrow_struct("", std::move(of_sentences), static_cast<int64_t>(sentences.size()));
      fields.push_back(arrow_list("sentences", std::move(all), std::move(starts)));
    }
    if (wants("conllu")) {
      TextColumn conllu(documents.size());
      for (size_t d = documents.begin; d < documents.end; ++d) conllu.add(written(sentences_of(d)));
      fields.push_back(conllu.finish("conllu"));
    }
    return arrow_struct("", std::move(fields), length);
  }

  // The number of the document, if there are several, and that of the sentence in it.
  void add_places(Range sentences, const std::function<size_t(size_t)>& rows_of, size_t rows,
                  std::vector<ArrowColumn>& fields) const {
    NumberColumn<int64_t> documents(has_documents_ ? rows : 0), numbers(rows);
    const auto after = std::upper_bound(document_starts_.begin(), document_starts_.end(), sentences.begin);
    auto document = static_cast<size_t>(after - document_starts_.begin()) - 1;
    for (size_t s = sentences.begin; s < sentences.end; ++s) {
      while (document + 1 < document_starts_.size() && document_starts_[document + 1] <= s) ++document;
      for (size_t row = 0; row < rows_of(s); ++row) {
        if (has_documents_) documents.add(static_cast<int64_t>(document));
        numbers.add(static_cast<int64_t>(s - document_starts_[document]));
      }
    }
    if (has_documents_) fields.push_back(documents.finish("document"));
    fields.push_back(numbers.finish("sentence"));
  }

  void add_sentences(Range sentences, std::vector<ArrowColumn>& fields) const {
    if (wants("sent_id")) {
      TextColumn ids(sentences.size());
      for (size_t s = sentences.begin; s < sentences.end; ++s) {
        const std::string_view id = treebank_.sentence_id(s);
        ids.add(id.empty() ? std::nullopt : std::optional(id));
      }
      fields.push_back(ids.finish("sent_id"));
    }
    if (wants("text")) {
      TextColumn texts(sentences.size());
      for (size_t s = sentences.begin; s < sentences.end; ++s) add_text(s, texts);
      fields.push_back(texts.finish("text"));
    }
    if (!wants_any(arrow_names().words)) return;
    std::vector<ArrowColumn> of_words;
    add_words(sentences, false, of_words);
    const size_t begin = treebank_.first_word(sentences.begin);
    std::vector<int32_t> starts;
    for (size_t s = sentences.begin; s <= sentences.end; ++s)
      starts.push_back(static_cast<int32_t>(treebank_.first_word(s) - begin));
    ArrowColumn words = arrow_struct("", std::move(of_words), starts.back());
    fields.push_back(arrow_list("words", std::move(words), std::move(starts)));
  }

  void add_text(size_t sentence, TextColumn& texts) const {
    if (const std::string_view said = treebank_.comment(sentence, "text"); !said.empty())
      return texts.add(said);
    if (treebank_.format() == Format::ConllU)
      return texts.add(text_of_sentence(treebank_.sentence_text(sentence)));
    std::string text;
    for (size_t word = treebank_.first_word(sentence); word < treebank_.first_word(sentence + 1); ++word)
      (text += text.empty() ? "" : " ") += treebank_.text(word, Column::Form);
    texts.add(text);
  }

  std::string rebuilt(Range sentences) const {
    std::string text;
    TextCursor cursor;
    for (size_t s = sentences.begin; s < sentences.end; ++s)
      cursor.rebuild(RawSentence(treebank_.sentence_text(s)), text);
    return text += cursor.space();
  }

  std::string written(Range sentences) const {
    std::string text;
    for (size_t s = sentences.begin; s < sentences.end; ++s) treebank_.write(s, Format::ConllU, text);
    return text;
  }

  // The columns of words that are wanted, in the order of their names.
  void add_words(Range sentences, bool dictionaries, std::vector<ArrowColumn>& fields) const {
    const Range words{treebank_.first_word(sentences.begin), treebank_.first_word(sentences.end)};
    if (wants("id")) {
      NumberColumn<int32_t> ids(words.size());
      for (size_t s = sentences.begin; s < sentences.end; ++s)
        for (size_t i = 1; i <= treebank_.length(s); ++i) ids.add(static_cast<int32_t>(i));
      fields.push_back(ids.finish("id"));
    }
    if (wants("form")) {
      TextColumn forms(words.size());
      for (size_t w = words.begin; w < words.end; ++w) forms.add(treebank_.text(w, Column::Form));
      fields.push_back(forms.finish("form"));
    }
    add_text_of<TextColumn>("lemma", Column::Lemma, words, fields);
    const auto add_tag = [&](const char* name, Column column) {
      if (dictionaries) add_text_of<CategoryColumn>(name, column, words, fields);
      if (!dictionaries) add_text_of<TextColumn>(name, column, words, fields);
    };
    add_tag("upos", Column::Upos);
    add_tag("xpos", Column::Xpos);
    add_tag("feats", Column::Feats);
    if (wants("head")) {
      NumberColumn<int32_t> heads(words.size());
      for (size_t w = words.begin; w < words.end; ++w) {
        const int32_t head = treebank_.heads()[w];
        heads.add(head == kUnknownHead ? std::nullopt : std::optional(head));
      }
      fields.push_back(heads.finish("head"));
    }
    if (wants("deprel") && dictionaries) add_labels<CategoryColumn>(words, fields);
    if (wants("deprel") && !dictionaries) add_labels<TextColumn>(words, fields);
    add_text_of<TextColumn>("deps", Column::Deps, words, fields);
    add_text_of<TextColumn>("misc", Column::Misc, words, fields);
    add_span("start", &TextSpan::first, words, fields);
    add_span("end", &TextSpan::second, words, fields);
    if (wants("token")) add_tokens(sentences, words.size(), fields);
    add_probability("head_prob", &Treebank::head_probability, words, fields);
    add_probability("deprel_prob", &Treebank::deprel_probability, words, fields);
  }

  template <class Builder>
  void add_text_of(const char* name, Column column, Range words, std::vector<ArrowColumn>& fields) const {
    if (!wants(name)) return;
    Builder values(words.size());
    for (size_t w = words.begin; w < words.end; ++w) values.add(if_any(treebank_.text(w, column)));
    fields.push_back(values.finish(name));
  }

  template <class Builder>
  void add_labels(Range words, std::vector<ArrowColumn>& fields) const {
    Builder labels(words.size());
    for (size_t w = words.begin; w < words.end; ++w) {
      const int32_t label = treebank_.labels()[w];
      if (label == kUnknownLabel)
        labels.add(std::nullopt);
      else
        labels.add(treebank_.label_names()[static_cast<size_t>(label)]);
    }
    fields.push_back(labels.finish("deprel"));
  }

  void add_span(const char* name, int64_t TextSpan::* end, Range words,
                std::vector<ArrowColumn>& fields) const {
    if (!wants(name)) return;
    NumberColumn<int64_t> places(words.size());
    for (size_t w = words.begin; w < words.end; ++w)
      places.add(spans_.empty() ? std::nullopt : std::optional(spans_[w].*end));
    fields.push_back(places.finish(name));
  }

  // The forms of multiword tokens, beside each of their words.
  void add_tokens(Range sentences, size_t words, std::vector<ArrowColumn>& fields) const {
    TextColumn tokens(words);
    std::vector<std::optional<std::string_view>> of_words;
    for (size_t s = sentences.begin; s < sentences.end; ++s) {
      of_words.assign(treebank_.length(s), std::nullopt);
      if (treebank_.format() == Format::ConllU)
        each_multiword(treebank_.sentence_text(s), [&](size_t first, size_t last, std::string_view form) {
          for (size_t word = first; word <= std::min(last, of_words.size()); ++word)
            if (word > 0) of_words[word - 1] = form;
        });
      for (const auto& token : of_words) tokens.add(token);
    }
    fields.push_back(tokens.finish("token"));
  }

  void add_probability(const char* name, std::optional<float> (Treebank::*of)(size_t) const, Range words,
                       std::vector<ArrowColumn>& fields) const {
    if (!wants(name)) return;
    NumberColumn<float> values(words.size());
    for (size_t w = words.begin; w < words.end; ++w) values.add((treebank_.*of)(w));
    fields.push_back(values.finish(name));
  }

  const Treebank& treebank_;
  const ArrowTableOptions& options_;
  bool has_documents_;
  std::vector<size_t> document_starts_{0};  // and where the last one ends
  std::vector<TextSpan> spans_;
};

}  // namespace

const ArrowNames& arrow_names() {
  static const ArrowNames names{{"id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps",
                                 "misc", "start", "end", "token", "head_prob", "deprel_prob"},
                                {"sent_id", "text"},
                                {"conllu"}};
  return names;
}

std::shared_ptr<const ArrowChunks> arrow_table(const Treebank& treebank,
                                               std::span<const size_t> document_ends,
                                               const ArrowTableOptions& options) {
  return TableBuilder(treebank, document_ends, options).build();
}

}  // namespace arcwise
