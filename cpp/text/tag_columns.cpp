#include "text/tag_columns.h"

#include <algorithm>

namespace arcwise {
namespace {

template <class Holds>
bool any_word(const Treebank& treebank, size_t sentence, Holds&& holds) {
  for (size_t word = treebank.first_word(sentence); word < treebank.first_word(sentence + 1); ++word)
    if (holds(word)) return true;
  return false;
}

bool has(const Treebank& treebank, size_t sentence, Column column) {
  return any_word(treebank, sentence, [&](size_t word) { return treebank.text(word, column) != kNoValue; });
}

void demand_same_words(const Treebank& treebank, const Treebank& other) {
  bool same = treebank.sentence_count() == other.sentence_count();
  for (size_t s = 0; same && s < treebank.sentence_count(); ++s) same = treebank.length(s) == other.length(s);
  if (!same) throw TreebankError("These are treebanks of other words: give two of the same.");
}

}  // namespace

std::vector<uint8_t> sentences_with(const Treebank& treebank, std::span<const Column> columns) {
  std::vector<uint8_t> with(treebank.sentence_count());
  for (size_t s = 0; s < with.size(); ++s)
    with[s] =
        std::any_of(columns.begin(), columns.end(), [&](Column column) { return has(treebank, s, column); });
  return with;
}

std::vector<uint8_t> sentences_alike(const Treebank& treebank, const Treebank& other,
                                     std::span<const Column> columns) {
  demand_same_words(treebank, other);
  std::vector<uint8_t> alike(treebank.sentence_count());
  for (size_t s = 0; s < alike.size(); ++s)
    alike[s] = std::none_of(columns.begin(), columns.end(), [&](Column column) {
      const auto differs = [&](size_t word) {
        return treebank.text(word, column) != other.text(word, column);
      };
      return any_word(treebank, s, differs) && has(treebank, s, column);
    });
  return alike;
}

Treebank with_columns_of(const Treebank& treebank, const Treebank& other, std::span<const Column> columns,
                         std::span<const uint8_t> sentences) {
  demand_same_words(treebank, other);
  if (sentences.size() != treebank.sentence_count())
    throw TreebankError("There must be a mark for every sentence.");
  size_t sentence = 0;  // words come in order
  return treebank.with_columns([&](size_t word, Treebank::Values& values) {
    while (word >= treebank.first_word(sentence + 1)) ++sentence;
    if (!sentences[sentence]) return;
    for (const Column column : columns) values[static_cast<size_t>(column)] = other.text(word, column);
  });
}

}  // namespace arcwise
