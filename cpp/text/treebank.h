// A treebank as it stands in its file: the bytes, and where each word's columns lie in them.
//
// Nothing is copied out of the text and nothing is normalised, so that writing gives back the bytes
// that were read, save for the columns that a parser predicts (HEAD and DEPREL).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

enum class Column : uint8_t { Id, Form, Lemma, Upos, Xpos, Feats, Head, Deprel, Deps, Misc };
inline constexpr int kColumns = 10;

inline constexpr std::string_view kNoValue = "_";
// HEAD is `_` (or was never read): the word's head is not annotated.
inline constexpr int32_t kUnknownHead = -1;
// DEPREL is `_`: the arc's label is not annotated.
inline constexpr int32_t kUnknownLabel = -1;

enum class Format : uint8_t { ConllU, ConllX };

// Columns are found by 32-bit offsets; longer texts are read in parts.
inline constexpr size_t kMaxTextBytes = std::numeric_limits<uint32_t>::max();

// Why a sentence was refused, for people: file, line, sentence id, reason and remedy.
struct BadSentence {
  std::string source;
  size_t line = 0;
  std::string sentence_id;  // empty: the sentence has none
  std::string reason;
  std::string message() const;
};

class TreebankError : public std::runtime_error {
 public:
  explicit TreebankError(const BadSentence& bad) : std::runtime_error(bad.message()) {}
  explicit TreebankError(const std::string& message) : std::runtime_error(message) {}
};

// Of a sentence whose words are limited: comments, empty nodes and long columns take memory too.
inline constexpr size_t max_sentence_bytes(size_t max_words) { return 1'000'000 + 1'000 * max_words; }

struct ReadOptions {
  Format format = Format::ConllU;
  bool check_trees = true;  // refuse cycles, missing roots and heads out of range
  bool skip_bad = false;    // go on without bad sentences, listing them in Treebank::bad()
  size_t max_words = 0;     // in a sentence, and longer ones are bad; 0: any number
  std::string source = "<text>";
  size_t first_line = 1;  // the line number of the text's first line, when the text is part of a file
};

// How sure a parser is of its trees. Each part has a value for every word, or every sentence, or none at all;
// not a number where it is not known.
struct Probabilities {
  std::vector<float> heads;                          // that a word has its head
  std::vector<float> deprels;                        // the same, and with this label
  std::vector<double> log_probabilities, entropies;  // of sentences
  float least = 0;                                   // less probable deprels are marked as such
};

// What a word is given by hand in one of its columns: any but ID and FORM.
struct Correction {
  size_t word = 0;
  Column column = Column::Head;
  std::string value;  // as it is written; `_`: none
};

// The value in a comment line `# key = value`, or nothing if it is another kind of comment.
std::optional<std::string_view> comment_value(std::string_view comment, std::string_view key);

class Treebank {
 public:
  // Takes the bytes over and finds the sentences in them. Throws TreebankError at the first bad one,
  // unless options.skip_bad. Without options.check_trees only the form is checked, and what is no
  // possible head in HEAD counts as unknown.
  static Treebank read(std::string text, const ReadOptions& options);

  size_t sentence_count() const { return first_word_.size() - 1; }
  size_t word_count() const { return heads_.size(); }

  // Words are numbered through the whole treebank; sentence s holds first_word(s) .. first_word(s + 1) - 1.
  size_t first_word(size_t sentence) const { return first_word_[sentence]; }
  size_t length(size_t sentence) const { return first_word_[sentence + 1] - first_word_[sentence]; }

  // A column as it was read, HEAD and DEPREL included: heads() and labels() have what counts.
  std::string_view text(size_t word, Column column) const {
    const auto& start = columns_[word];
    const auto c = static_cast<size_t>(column);
    return {text_->data() + start[c], start[c + 1] - 1 - start[c]};
  }

  // Heads count from 1 within the sentence; 0 is ROOT; kUnknownHead is `_`.
  std::span<const int32_t> heads() const { return heads_; }
  // Indices into label_names(); kUnknownLabel is `_`.
  std::span<const int32_t> labels() const { return labels_; }
  // In the order in which they were met.
  const std::vector<std::string>& label_names() const { return label_names_; }

  // The comment lines in order, `#` included, line ends not.
  std::vector<std::string_view> comments(size_t sentence) const;
  // The value of the first comment `# key = …`, or empty.
  std::string_view comment(size_t sentence, std::string_view key) const;
  // The value of `# sent_id = …`, or empty.
  std::string_view sentence_id(size_t sentence) const { return comment(sentence, "sent_id"); }
  // The bytes that were read for a sentence, comments and closing blank line (or lines) included.
  std::string_view sentence_text(size_t sentence) const {
    const Extent extent = extents_[sentence];
    return {text_->data() + extent.begin, extent.end - extent.begin};
  }
  // Of the sentence's first line, comments included.
  size_t line(size_t sentence) const { return lines_[sentence]; }

  const std::vector<BadSentence>& bad() const { return bad_; }
  Format format() const { return format_; }

  // The same text with these heads and labels for all its words. Heads must be in range and labels have
  // a name; whether the heads make trees is the caller's affair.
  Treebank with_trees(std::vector<int32_t> heads, std::vector<int32_t> labels,
                      std::vector<std::string> label_names) const;

  // What a word is given in its columns; where there is no data, they stay as they stand.
  using Values = std::array<std::string_view, kColumns>;
  // Of LEMMA, UPOS, XPOS, FEATS, DEPS and MISC; the values stay where they are until the next call.
  using GiveValues = std::function<void(size_t word, Values& values)>;
  // The same trees with other values in these columns.
  Treebank with_columns(const GiveValues& give) const;
  // Both at once.
  Treebank with_trees(std::vector<int32_t> heads, std::vector<int32_t> labels,
                      std::vector<std::string> label_names, const GiveValues& give) const;

  // The same with these corrections, the last of those that are of the same word and column. Nothing is known
  // of how probable corrected arcs are.
  Treebank with_corrections(std::span<const Correction> corrections) const;

  // All sentences of several treebanks of the same format, in order.
  static Treebank concat(std::span<const Treebank* const> treebanks);

  // A treebank in pieces, to be put together elsewhere: the bytes that were read, and what they do not tell.
  struct Parts {
    std::string text;
    Format format = Format::ConllU;
    std::vector<int32_t> heads, labels;
    std::vector<std::string> label_names;
    std::vector<uint8_t> replaced;
    std::vector<size_t> lines;
    Probabilities probabilities;
    std::vector<BadSentence> bad;
  };
  Parts parts() const;
  static Treebank from_parts(Parts parts);

  // Says where the sentences are from, if their text was made of another one: the line of each, and which of
  // them were bad.
  void set_origin(std::vector<size_t> lines, std::vector<BadSentence> bad) {
    lines_ = std::move(lines);
    bad_ = std::move(bad);
  }

  // The same trees with these probabilities.
  Treebank with_probabilities(Probabilities probabilities) const;
  // The same, marked where the head with its label is less probable than this, or left without them there.
  Treebank with_least_probability(float least, bool drop) const;
  // What with_probabilities gave, or else what MISC says of trees that were read. Nothing where neither does.
  std::optional<float> head_probability(size_t word) const;
  std::optional<float> deprel_probability(size_t word) const;
  // As with_probabilities gave them.
  const Probabilities& probabilities() const { return probabilities_; }

  // Some of the sentences, in the order given; their text and the label names are shared with the whole.
  Treebank select(std::span<const size_t> sentences) const;
  Treebank slice(size_t begin, size_t end) const;

  // Appends a sentence to `out`: its own bytes, with HEAD and DEPREL replaced if the trees were. As
  // another format than the one read it is converted, with `\n` as line end and `_` in columns 9 and 10:
  // - CoNLL-X has neither comments, multiword ranges nor empty nodes (dropped), nor spaces inside FORM
  //   and LEMMA (written `_`);
  // - CoNLL-U has no PHEAD and PDEPREL (dropped).
  // Probabilities are in MISC, which CoNLL-X has not.
  void write(size_t sentence, Format format, std::string& out) const;
  // Appends all sentences; in the format that was read also what came before the first: a byte order
  // mark, blank lines.
  void write(Format format, std::string& out) const;

 private:
  struct Extent {
    uint32_t begin;
    uint32_t end;
  };

  void append(const Treebank& from, size_t sentence);
  void rewrite(const GiveValues& give, bool with_trees);
  bool is_replaced(size_t sentence) const;
  void check_trees_in_range(std::span<const int32_t> heads, std::span<const int32_t> labels,
                            size_t label_names) const;
  void convert(size_t sentence, Format format, std::string& out) const;
  void write_head(size_t word, std::string& out) const;
  void write_label(size_t word, std::string& out) const;
  bool writes_probabilities() const { return !probabilities_.heads.empty(); }
  void write_misc(size_t word, std::string_view misc, std::string& out) const;
  std::optional<float> misc_probability(size_t word, std::string_view key) const;

  std::shared_ptr<const std::string> text_ = std::make_shared<const std::string>();
  Format format_ = Format::ConllU;
  uint32_t prologue_end_ = 0;  // what comes before is a byte order mark or blank lines
  std::vector<size_t> first_word_{0};
  std::vector<Extent> extents_;
  std::vector<size_t> lines_;
  // Where each column of a word starts; column c ends one byte before column c + 1 starts.
  std::vector<std::array<uint32_t, kColumns + 1>> columns_;
  std::vector<int32_t> heads_;
  std::vector<int32_t> labels_;
  std::vector<uint8_t> replaced_;  // whether a word's head and label are others than those in the text
  std::vector<std::string> label_names_;
  Probabilities probabilities_;
  std::vector<BadSentence> bad_;

  friend class TreebankBuilder;
  friend class TreebankReader;
};

}  // namespace arcwise
