#include "train/vocabulary_counts.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/interrupts.h"

namespace arcwise {
namespace {

// An input that is rarer than this has no embedding.
int32_t least_count(TokenInput input, int32_t of_affixes) {
  switch (input) {
    case TokenInput::Form:
    case TokenInput::Lower:
    case TokenInput::Lemma:
    case TokenInput::Word:
      return 2;
    case TokenInput::Shape:
    case TokenInput::Prefix:
    case TokenInput::Suffix:
    case TokenInput::Ngram:
      return of_affixes;
    default:
      return 1;
  }
}

using Ranked = std::pair<int64_t, uint64_t>;  // minus how often, and the key

}  // namespace

void SilverCounts::add(const Treebank& treebank) {
  std::string buffer;
  for (size_t w = 0; w < treebank.word_count(); ++w) {
    check_interrupts();
    inputs_.each(treebank, w, buffer, [&](TokenInput input, uint64_t key) { counts_.count(input, key); });
    has_features_ |= treebank.text(w, Column::Feats) != kNoValue;
  }
}

std::vector<uint64_t> frequent_keys(const VocabularyCounts& gold, int32_t least_affix,
                                    const VocabularyCounts* silver, size_t of_silver) {
  std::vector<Ranked> frequent;
  const auto in_both = [&](uint64_t key) { return int64_t{gold[key]} + (silver ? (*silver)[key] : 0); };
  std::unordered_set<uint64_t> own;
  for (const auto& [key, seen] : gold.all())
    if (seen.count >= least_count(seen.input, least_affix)) {
      frequent.emplace_back(-in_both(key), key);
      if (silver) own.insert(key);
    }
  if (silver) {
    std::vector<Ranked> words, others;
    for (const auto& [key, seen] : silver->all()) {
      if (is_tag(seen.input) || own.contains(key)) continue;
      if (const int64_t count = in_both(key); count >= least_count(seen.input, least_affix))
        (is_word(seen.input) ? words : others).emplace_back(-count, key);
    }
    for (auto* some : {&words, &others}) {
      std::sort(some->begin(), some->end());
      if (some->size() > of_silver) some->resize(of_silver);
      frequent.insert(frequent.end(), some->begin(), some->end());
    }
  }
  std::sort(frequent.begin(), frequent.end());
  std::vector<uint64_t> keys;
  keys.reserve(frequent.size());
  for (const auto& [count, key] : frequent) keys.push_back(key);
  return keys;
}

}  // namespace arcwise
