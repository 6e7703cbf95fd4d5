#include "feature/attributes.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "text/case.h"
#include "text/utf8.h"
#include "tree/tree.h"

namespace arcwise {
namespace {

constexpr std::string_view kRootText = "<ROOT>";

uint64_t seed_of(Attribute attribute) { return mix(static_cast<uint64_t>(attribute) + 1); }

Column column_of(Attribute attribute) {
  switch (attribute) {
    case Attribute::Lemma:
      return Column::Lemma;
    case Attribute::Upos:
      return Column::Upos;
    case Attribute::Xpos:
      return Column::Xpos;
    case Attribute::Feats:
      return Column::Feats;
    default:
      return Column::Form;
  }
}

}  // namespace

std::string_view attribute_text(Attribute attribute, std::string_view form, std::string& buffer) {
  switch (attribute) {
    case Attribute::Prefix1:
      return utf8::prefix(form, 1);
    case Attribute::Prefix2:
      return utf8::prefix(form, 2);
    case Attribute::Prefix3:
      return utf8::prefix(form, 3);
    case Attribute::Prefix4:
      return utf8::prefix(form, 4);
    case Attribute::Suffix1:
      return utf8::suffix(form, 1);
    case Attribute::Suffix2:
      return utf8::suffix(form, 2);
    case Attribute::Suffix3:
      return utf8::suffix(form, 3);
    case Attribute::Suffix4:
      return utf8::suffix(form, 4);
    case Attribute::Lower:
      to_lower(form, buffer);
      return buffer;
    case Attribute::Shape:
      word_shape(form, buffer);
      return buffer;
    default:
      return form;
  }
}

void TokenTable::reset(std::span<const Attribute> attributes, int32_t words) {
  words_ = words;
  const size_t nodes = static_cast<size_t>(words) + 3;
  if (values_.size() < attributes.size() * nodes) values_.resize(attributes.size() * nodes);
  for (size_t i = 0; i < attributes.size(); ++i) {
    const auto a = static_cast<size_t>(attributes[i]);
    offset_[a] = i * nodes + 1;
    uint64_t* column = values_.data() + offset_[a];
    column[kNone] = 0;
    column[kRoot] = column[words + 1] = hash_bytes(kRootText, seed_of(attributes[i]));
  }
}

void TokenTable::fill(const Treebank& treebank, size_t sentence, std::span<const Attribute> attributes) {
  reset(attributes, static_cast<int32_t>(treebank.length(sentence)));
  const size_t first = treebank.first_word(sentence);
  std::string buffer;
  for (Attribute attribute : attributes) {
    const uint64_t seed = seed_of(attribute);
    const Column column = column_of(attribute);
    uint64_t* values = values_.data() + offset_[static_cast<size_t>(attribute)] + 1;
    for (int32_t w = 0; w < words_; ++w) {
      std::string_view text = treebank.text(first + w, column);
      if (column == Column::Form) text = attribute_text(attribute, text, buffer);
      values[w] = hash_bytes(text, seed);
    }
  }
}

}  // namespace arcwise
