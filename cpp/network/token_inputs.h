// What a network knows of a word before it looks at its neighbours: the word's columns and what can be read
// off its form, each as a key, and the vocabulary of keys that have an embedding.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/treebank.h"
#include "text/vocabulary.h"

namespace arcwise {

enum class TokenInput : uint8_t {
  Form,
  Lower,
  Lemma,
  Vector,  // the pre-trained vector of the form, or of the lower-cased form
  Shape,
  Prefix,  // of the lower-cased form
  Suffix,  // the same
  Upos,
  Xpos,
  Feats,    // as a whole
  Feature,  // each of them
  Kind,     // which kinds of characters the form has, so that a new sign looks like others of its kind
  Ngram,    // of the lower-cased form, each stretch of three characters
  Word,     // Lower and Vector in one row
};
inline constexpr int kTokenInputs = 14;
inline constexpr std::array<std::string_view, kTokenInputs> kTokenInputNames = {
    "form", "lower", "lemma", "vector",  "shape", "prefix", "suffix",
    "upos", "xpos",  "feats", "feature", "kind",  "ngram",  "word"};

// A word itself, as opposed to what it has in common with others. Unknown ones have an embedding of their
// own.
inline bool is_word(TokenInput input) { return input <= TokenInput::Lemma || input == TokenInput::Word; }
inline bool is_tag(TokenInput input) { return input >= TokenInput::Upos && input <= TokenInput::Feature; }

struct TokenInputOptions {
  std::vector<TokenInput> inputs;
  int longest_affix = 3;  // in characters

  bool operator==(const TokenInputOptions&) const = default;
};

// The row of unknown words, which have one for each kind of word input.
constexpr int32_t unknown_row(TokenInput input) {
  return 1 + static_cast<int32_t>(input == TokenInput::Word ? TokenInput::Lower : input);
}
// The row of an input: its key's, or that of unknown words, or kMissing.
inline int32_t row_of(const Vocabulary& vocabulary, TokenInput input, uint64_t key) {
  const int32_t known = vocabulary.row(key);
  return known != Vocabulary::kMissing || !is_word(input) ? known : unknown_row(input);
}

class TokenInputs {
 public:
  // Throws std::invalid_argument if an input is there twice, or an affix has no characters.
  explicit TokenInputs(TokenInputOptions options);

  const TokenInputOptions& options() const { return options_; }
  bool has(TokenInput input) const { return has_[static_cast<size_t>(input)]; }

  // visit(input, key) for each of a word's inputs but Vector, in a fixed order.
  template <class F>
  void each(const Treebank& treebank, size_t word, std::string& buffer, F&& visit) const;
  // visit(input, row) for each of them, Vector last, that has a row.
  template <class F>
  void each_row(const Vocabulary& vocabulary, const Treebank& treebank, size_t word, std::string& buffer,
                F&& visit) const;

  static uint64_t key(TokenInput input, std::string_view text, int characters = 0);
  // That of a word for Word or Vector, whose row is that of the form as it is, or else in lower case. Words
  // in lower case have the same one for Word as for Lower.
  static uint64_t vector_key(TokenInput input, std::string_view text) {
    return key(input == TokenInput::Word ? TokenInput::Lower : input, text);
  }

 private:
  TokenInputOptions options_;
  std::array<bool, kTokenInputs> has_{};
};

}  // namespace arcwise

#include "network/token_inputs.inl"
