// A treebank as it stands in its file: the bytes, and where each word's columns lie in them.
//
// Nothing is copied out of the text and nothing is normalised, so that writing gives back the bytes
// that were read, save for the columns that a parser predicts (HEAD and DEPREL).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arcwise {

enum class Column : uint8_t { Id, Form, Lemma, Upos, Xpos, Feats, Head, Deprel, Deps, Misc };
inline constexpr int kColumns = 10;

// HEAD is `_` (or was never read): the word's head is not annotated.
inline constexpr int32_t kUnknownHead = -1;
// DEPREL is `_`: the arc's label is not annotated.
inline constexpr int32_t kUnknownLabel = -1;

enum class Format : uint8_t { ConllU, ConllX };

// Why a sentence was refused, for people: file, line, sentence id, reason and remedy.
struct BadSentence {
  std::string source;
  size_t line = 0;
  std::string sentence_id;
  std::string reason;
  std::string message() const;
};

class TreebankError : public std::runtime_error {
 public:
  explicit TreebankError(const BadSentence& bad) : std::runtime_error(bad.message()) {}
};

struct ReadOptions {
  Format format = Format::ConllU;
  bool check_trees = true;  // refuse cycles, missing roots and heads out of range
  bool skip_bad = false;    // go on without bad sentences, listing them in Treebank::bad()
  std::string source = "<text>";
  size_t first_line = 1;  // the line number of the text's first line, when the text is part of a file
};

class Treebank {
 public:
  // Takes the bytes over and finds the sentences in them. Throws TreebankError at the first bad one,
  // unless options.skip_bad.
  static Treebank read(std::string text, const ReadOptions& options);

  size_t sentence_count() const { return first_word_.size() - 1; }
  size_t word_count() const { return heads_.size(); }

  // Words are numbered through the whole treebank; sentence s holds first_word(s) .. first_word(s + 1) - 1.
  size_t first_word(size_t sentence) const { return first_word_[sentence]; }
  size_t length(size_t sentence) const { return first_word_[sentence + 1] - first_word_[sentence]; }

  std::string_view text(size_t word, Column column) const {
    const auto& start = columns_[word];
    const auto c = static_cast<size_t>(column);
    return std::string_view(text_).substr(start[c], start[c + 1] - 1 - start[c]);
  }

  // Heads count from 1 within the sentence; 0 is ROOT; kUnknownHead is `_`.
  std::span<const int32_t> heads() const { return heads_; }
  // Indices into label_names(); kUnknownLabel is `_`.
  std::span<const int32_t> labels() const { return labels_; }
  const std::vector<std::string>& label_names() const { return label_names_; }

  // The value of `# sent_id = …`, or empty.
  std::string_view sentence_id(size_t sentence) const;
  // The sentence's own bytes, comments and closing blank line included.
  std::string_view sentence_text(size_t sentence) const;
  size_t line(size_t sentence) const { return line_[sentence]; }

  const std::vector<BadSentence>& bad() const { return bad_; }
  Format format() const { return format_; }

  // Appends sentence `sentence` to `out`, with the given HEAD and DEPREL of each of its words in place
  // of its own (empty spans: its own). As another format than the one read, it is converted: CoNLL-X
  // has neither comments, multiword ranges nor empty nodes.
  void write(size_t sentence, Format format, std::span<const int32_t> heads,
             std::span<const std::string_view> labels, std::string& out) const;

 private:
  std::string text_;
  Format format_ = Format::ConllU;
  std::vector<size_t> first_word_{0};
  std::vector<uint32_t> begin_;  // of each sentence in text_, and the end of the last
  std::vector<size_t> line_;
  // Where each column of a word starts; column c ends one byte before column c + 1 starts.
  std::vector<std::array<uint32_t, kColumns + 1>> columns_;
  std::vector<int32_t> heads_;
  std::vector<int32_t> labels_;
  std::vector<std::string> label_names_;
  std::unordered_map<std::string, int32_t> label_ids_;
  std::vector<BadSentence> bad_;

  friend class TreebankReader;
};

}  // namespace arcwise
