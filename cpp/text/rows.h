// The lines of a sentence as CoNLL-U has them, column by column: words, multiword tokens and empty nodes.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "text/treebank.h"

namespace arcwise {

using Row = std::array<std::string_view, kColumns>;

inline std::string_view column(const Row& row, Column c) { return row[static_cast<size_t>(c)]; }

// visit(row) for each line of a sentence, or of several, that is no comment; they must be well-formed.
template <class F>
void each_row(std::string_view sentences, F&& visit) {
  while (!sentences.empty()) {
    std::string_view line = sentences.substr(0, sentences.find('\n'));
    sentences.remove_prefix(std::min(sentences.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    Row row;
    size_t begin = 0, column = 0;
    for (size_t at = 0; at < line.size(); ++at) {
      if (line[at] != '\t' || column + 1 == row.size()) continue;
      row[column++] = line.substr(begin, at - begin);
      begin = at + 1;
    }
    row[column] = line.substr(begin);
    visit(row);
  }
}

// visit(comment) for each line before the first word.
template <class F>
void each_comment(std::string_view sentence, F&& visit) {
  while (sentence.starts_with('#')) {
    std::string_view line = sentence.substr(0, sentence.find('\n'));
    sentence.remove_prefix(std::min(sentence.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
  }
}

// visit(item) for each part of a column such as `Case=Nom|Number=Sing`.
template <class F>
void each_item(std::string_view value, F&& visit) {
  for (bool more = true; more;) {
    const size_t bar = value.find('|');
    more = bar != std::string_view::npos;
    visit(value.substr(0, bar));
    value.remove_prefix(more ? bar + 1 : value.size());
  }
}

}  // namespace arcwise
