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
};
inline constexpr int kTokenInputs = 11;
inline constexpr std::array<std::string_view, kTokenInputs> kTokenInputNames = {
    "form", "lower", "lemma", "vector", "shape", "prefix", "suffix", "upos", "xpos", "feats", "feature"};

// A word itself, as opposed to what it has in common with others. Unknown ones have an embedding of their
// own.
inline bool is_word(TokenInput input) { return input <= TokenInput::Lemma; }
inline bool is_tag(TokenInput input) { return input >= TokenInput::Upos; }

struct TokenInputOptions {
  std::vector<TokenInput> inputs;
  int longest_affix = 3;  // in characters

  bool operator==(const TokenInputOptions&) const = default;
};

// Which row of the embeddings a key has. The first rows are ROOT's and the unknown words'.
class Vocabulary {
 public:
  static constexpr int32_t kMissing = -1;
  static constexpr int32_t kRootRow = 0;
  static constexpr int32_t unknown_row(TokenInput input) { return 1 + static_cast<int32_t>(input); }
  static constexpr int32_t kFirstRow = 4;  // of a key

  Vocabulary() = default;
  // The keys in the order of their rows. Throws std::invalid_argument if one is there twice.
  explicit Vocabulary(std::span<const uint64_t> keys);

  int32_t rows() const { return kFirstRow + static_cast<int32_t>(count_); }
  int32_t row(uint64_t key) const {
    for (size_t at = key & mask_;; at = (at + 1) & mask_) {
      if (slots_[at].row == kMissing || slots_[at].key == key) return slots_[at].row;
    }
  }
  // The row of an input: its key's, or that of unknown words, or kMissing.
  int32_t row(TokenInput input, uint64_t key) const {
    const int32_t known = row(key);
    return known != kMissing || !is_word(input) ? known : unknown_row(input);
  }

 private:
  struct Slot {
    uint64_t key = 0;
    int32_t row = kMissing;
  };
  std::vector<Slot> slots_{Slot{}};
  size_t mask_ = 0;
  size_t count_ = 0;
};

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

 private:
  TokenInputOptions options_;
  std::array<bool, kTokenInputs> has_{};
};

}  // namespace arcwise

#include "network/token_inputs.inl"
