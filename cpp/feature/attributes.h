// What a feature can ask of a node: its columns, what can be read off its form, and what the tree built so
// far says of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/treebank.h"

namespace arcwise {

enum class Attribute : uint8_t {
  Form,
  Lower,
  Lemma,
  Upos,
  Xpos,
  Feats,
  Shape,
  Prefix1,
  Prefix2,
  Prefix3,
  Prefix4,
  Suffix1,
  Suffix2,
  Suffix3,
  Suffix4,
  // of the tree so far
  Deprel,
  LeftCount,
  RightCount,
  LeftLabels,
  RightLabels,
};
inline constexpr int kAttributes = 20;
inline constexpr int kTokenAttributes = static_cast<int>(Attribute::Deprel);
inline constexpr std::array<std::string_view, kAttributes> kAttributeNames = {
    "form",    "lower",   "lemma",      "upos",        "xpos",        "feats",       "shape",
    "prefix1", "prefix2", "prefix3",    "prefix4",     "suffix1",     "suffix2",     "suffix3",
    "suffix4", "deprel",  "left-count", "right-count", "left-labels", "right-labels"};

inline bool is_token_attribute(Attribute a) { return static_cast<int>(a) < kTokenAttributes; }

// The hashed attributes of a sentence's nodes: ROOT (0), the words, and ROOT again after the last word.
class TokenTable {
 public:
  // Makes room for these attributes (token attributes only) of `words` words.
  void reset(std::span<const Attribute> attributes, int32_t words);
  // By node; kNone may be looked up, and is 0.
  const uint64_t* column(Attribute attribute) const {
    return values_.data() + offset_[static_cast<size_t>(attribute)];
  }
  int32_t words() const { return words_; }

  void fill(const Treebank& treebank, size_t sentence, std::span<const Attribute> attributes);

 private:
  std::vector<uint64_t> values_;
  std::array<size_t, kTokenAttributes> offset_{};
  int32_t words_ = 0;
};

// The value of an attribute for a word, as text; `buffer` is room for what has to be made.
std::string_view attribute_text(Attribute attribute, std::string_view form, std::string& buffer);

}  // namespace arcwise
