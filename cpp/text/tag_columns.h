// Which sentences of a treebank have tags, which have the same as another, and sentences with another's tags.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/treebank.h"

namespace arcwise {

// For each sentence, whether one of its words has something in one of these columns.
std::vector<uint8_t> sentences_with(const Treebank& treebank, std::span<const Column> columns);

// For each sentence, whether another treebank of the same words has the same in these columns. A column in
// which the sentence has nothing makes no difference.
std::vector<uint8_t> sentences_alike(const Treebank& treebank, const Treebank& other,
                                     std::span<const Column> columns);

// The same trees, with another treebank's values in these columns of the sentences that are marked. Throws
// TreebankError unless both have as many words in every sentence, and a mark each.
Treebank with_columns_of(const Treebank& treebank, const Treebank& other, std::span<const Column> columns,
                         std::span<const uint8_t> sentences);

}  // namespace arcwise
