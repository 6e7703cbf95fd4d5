#include "train/unsure.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "text/json.h"
#include "text/rows.h"

namespace arcwise {
namespace {

constexpr std::string_view kTagKey = "TagProb=";

std::optional<float> tag_probability(const Treebank& treebank, size_t word) {
  std::optional<float> found;
  if (treebank.format() != Format::ConllU) return found;
  each_item(treebank.text(word, Column::Misc), [&](std::string_view item) {
    if (!item.starts_with(kTagKey)) return;
    const std::string_view value = item.substr(kTagKey.size());
    if (!is_plain_probability(value)) return;
    float probability = 0;
    std::from_chars(value.data(), value.data() + value.size(), probability);
    found = probability;
  });
  return found;
}

}  // namespace

Treebank without_unsure(const Treebank& treebank, float least) {
  std::vector<int32_t> heads(treebank.heads().begin(), treebank.heads().end());
  std::vector<int32_t> labels(treebank.labels().begin(), treebank.labels().end());
  std::vector<uint8_t> untagged(treebank.word_count());
  const auto is_less = [&](std::optional<float> p) { return p && *p < least; };
  for (size_t word = 0; word < treebank.word_count(); ++word) {
    const auto of_head = treebank.head_probability(word), of_label = treebank.deprel_probability(word);
    if (is_less(of_head ? of_head : of_label)) heads[word] = kUnknownHead;
    if (heads[word] == kUnknownHead || is_less(of_label)) labels[word] = kUnknownLabel;
    untagged[word] = is_less(tag_probability(treebank, word));
  }
  return treebank.with_trees(
      std::move(heads), std::move(labels), treebank.label_names(),
      [&](size_t word, Treebank::Values& values) {
        if (!untagged[word]) return;
        for (Column column : {Column::Lemma, Column::Upos, Column::Xpos, Column::Feats})
          values[static_cast<size_t>(column)] = kNoValue;
      });
}

}  // namespace arcwise
