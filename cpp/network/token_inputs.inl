#pragma once

#include "text/case.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace arcwise {

inline constexpr size_t kNgram = 3;  // characters

template <class F>
void TokenInputs::each(const Treebank& treebank, size_t word, std::string& buffer, F&& visit) const {
  const std::string_view form = treebank.text(word, Column::Form);
  if (has(TokenInput::Form)) visit(TokenInput::Form, key(TokenInput::Form, form));
  const auto column = [&](TokenInput input, Column c) {
    if (has(input)) visit(input, key(input, treebank.text(word, c)));
  };
  column(TokenInput::Lemma, Column::Lemma);
  if (has(TokenInput::Shape)) {
    word_shape(form, buffer);
    visit(TokenInput::Shape, key(TokenInput::Shape, buffer));
  }
  if (has(TokenInput::Kind)) {
    kinds_of(form, buffer);
    visit(TokenInput::Kind, key(TokenInput::Kind, buffer));
  }
  to_lower(form, buffer);
  if (has(TokenInput::Lower)) visit(TokenInput::Lower, key(TokenInput::Lower, buffer));
  if (has(TokenInput::Word)) visit(TokenInput::Word, vector_key(TokenInput::Word, buffer));
  const utf8::CodePoints characters(buffer);
  if (has(TokenInput::Prefix)) {
    auto at = characters.begin();
    for (int n = 1; n <= options_.longest_affix && at != characters.end(); ++n) {
      ++at;
      const auto length = static_cast<size_t>(at.position() - buffer.data());
      visit(TokenInput::Prefix, key(TokenInput::Prefix, std::string_view(buffer).substr(0, length), n));
    }
  }
  if (has(TokenInput::Suffix)) {
    size_t shorter = 0;
    for (int n = 1; n <= options_.longest_affix; ++n) {
      const std::string_view suffix = utf8::suffix(buffer, static_cast<size_t>(n));
      if (suffix.size() == shorter) break;
      shorter = suffix.size();
      visit(TokenInput::Suffix, key(TokenInput::Suffix, suffix, n));
    }
  }
  if (has(TokenInput::Ngram)) {
    auto to = characters.begin();
    size_t ahead = 0;
    for (auto from = to; from != characters.end(); ++from, --ahead) {
      for (; ahead < kNgram && to != characters.end(); ++ahead) ++to;
      if (ahead < kNgram) break;
      const auto length = static_cast<size_t>(to.position() - from.position());
      visit(TokenInput::Ngram, key(TokenInput::Ngram, {from.position(), length}));
    }
  }
  // No features are a value of FEATS, but a word that has not been tagged says nothing of them.
  const auto is_empty = [&](Column c) { return treebank.text(word, c) == kNoValue; };
  if (is_empty(Column::Upos) && is_empty(Column::Xpos) && is_empty(Column::Feats)) return;
  column(TokenInput::Upos, Column::Upos);
  column(TokenInput::Xpos, Column::Xpos);
  column(TokenInput::Feats, Column::Feats);
  if (has(TokenInput::Feature)) {
    std::string_view left = treebank.text(word, Column::Feats);
    while (!left.empty() && left != kNoValue) {
      const size_t bar = left.find('|');
      visit(TokenInput::Feature, key(TokenInput::Feature, left.substr(0, bar)));
      left = bar == std::string_view::npos ? std::string_view{} : left.substr(bar + 1);
    }
  }
}

template <class F>
void TokenInputs::each_row(const Vocabulary& vocabulary, const Treebank& treebank, size_t word,
                           std::string& buffer, F&& visit) const {
  const std::string_view form = treebank.text(word, Column::Form);
  each(treebank, word, buffer, [&](TokenInput input, uint64_t key) {
    int32_t row = Vocabulary::kMissing;
    if (input == TokenInput::Word) row = vocabulary.row(vector_key(input, form));
    if (row == Vocabulary::kMissing) row = row_of(vocabulary, input, key);
    if (row != Vocabulary::kMissing) visit(input, row);
  });
  if (!has(TokenInput::Vector)) return;
  int32_t row = vocabulary.row(key(TokenInput::Vector, form));
  if (row == Vocabulary::kMissing) {
    to_lower(form, buffer);
    row = vocabulary.row(key(TokenInput::Vector, buffer));
  }
  if (row != Vocabulary::kMissing) visit(TokenInput::Vector, row);
}

}  // namespace arcwise
