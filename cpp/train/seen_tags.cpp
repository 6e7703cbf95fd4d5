#include "train/seen_tags.h"

#include <algorithm>

#include "base/interrupts.h"
#include "network/token_inputs.h"
#include "text/case.h"

namespace arcwise {
namespace {

// Seen less often, an analysis is known by its single values alone.
constexpr int32_t kFewAnalyses = 3;
// A row each says whether a form was seen once, up to 3 times, up to 9 times, or more.
constexpr int32_t kOften[] = {1, 3, 9};
constexpr auto kOftenRows = static_cast<int32_t>(std::size(kOften)) + 1;

uint64_t key_of(const Treebank& treebank, size_t word, std::string& buffer) {
  to_lower(treebank.text(word, Column::Form), buffer);
  return TokenInputs::key(TokenInput::Lower, buffer);
}

}  // namespace

SeenTags::SeenTags(const Treebank& treebank, const TrainingSet& set, std::span<const Column> columns,
                   int64_t own, int32_t first_row)
    : columns_(columns.begin(), columns.end()), first_row_(first_row) {
  std::string buffer;
  for (const TrainingSentence& s : set.sentences) {
    if (static_cast<int64_t>(s.number) >= own) continue;
    for (size_t w = treebank.first_word(s.number); w < treebank.first_word(s.number + 1); ++w) {
      check_interrupts();
      const std::string text = text_of(treebank, w);
      if (text.empty()) continue;
      const auto number = static_cast<int32_t>(analyses_.size());
      const auto [analysis, is_new] = numbers_.try_emplace(text, number);
      if (is_new) analyses_.emplace_back();
      ++analyses_[analysis->second].uses;
      Counts& counts = forms_[key_of(treebank, w, buffer)];
      const auto found = std::find_if(counts.begin(), counts.end(),
                                      [&](const auto& seen) { return seen.first == analysis->second; });
      if (found == counts.end())
        counts.emplace_back(analysis->second, 1);
      else
        ++found->second;
    }
  }
  add_rows();
}

// The values of all columns, each behind the name of its column. A word that has none says nothing.
std::string SeenTags::text_of(const Treebank& treebank, size_t word) const {
  std::string text;
  bool any = false;
  for (const Column column : columns_) {
    const std::string_view value = treebank.text(word, column);
    any |= value != kNoValue;
    (text += value) += '\t';
  }
  return any ? text : std::string();
}

void SeenTags::add_rows() {
  next_row_ = first_row_ + kOftenRows;
  std::map<std::string, int32_t> rows;
  const auto row = [&](const std::string& value) {
    const auto [found, is_new] = rows.try_emplace(value, next_row_);
    next_row_ += is_new;
    return found->second;
  };
  for (const auto& [text, number] : numbers_) {
    Analysis& analysis = analyses_[number];
    std::string_view left = text;
    for (size_t column = 0; column < columns_.size(); ++column) {
      std::string_view values = left.substr(0, left.find('\t'));
      left.remove_prefix(values.size() + 1);
      const std::string of_column = std::to_string(column) + " ";
      while (!values.empty()) {
        const std::string_view value = values.substr(0, values.find('|'));
        values.remove_prefix(std::min(values.size(), value.size() + 1));
        analysis.rows.push_back(row(of_column + std::string(value)));
      }
    }
    if (analysis.uses >= kFewAnalyses) analysis.rows.push_back(row(text));
  }
}

std::vector<int32_t> SeenTags::rows_of(const Counts& counts, int32_t but_once) const {
  std::vector<int32_t> rows;
  int32_t times = 0;
  for (const auto& [number, count] : counts) {
    const int32_t left = count - (number == but_once);
    if (left == 0) continue;
    times += left;
    rows.insert(rows.end(), analyses_[number].rows.begin(), analyses_[number].rows.end());
  }
  if (times == 0) return {};
  rows.push_back(first_row_ +
                 static_cast<int32_t>(std::lower_bound(std::begin(kOften), std::end(kOften), times) -
                                      std::begin(kOften)));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<int32_t> SeenTags::elsewhere(const Treebank& treebank, size_t word, std::string& buffer) const {
  const auto form = forms_.find(key_of(treebank, word, buffer));
  if (form == forms_.end()) return {};
  const auto analysis = numbers_.find(text_of(treebank, word));
  return rows_of(form->second, analysis == numbers_.end() ? -1 : analysis->second);
}

std::vector<int32_t> SeenTags::anywhere(const Treebank& treebank, size_t word, std::string& buffer) const {
  const auto form = forms_.find(key_of(treebank, word, buffer));
  return form == forms_.end() ? std::vector<int32_t>() : rows_of(form->second, -1);
}

std::vector<std::pair<uint64_t, std::vector<int32_t>>> SeenTags::of_forms() const {
  std::vector<std::pair<uint64_t, std::vector<int32_t>>> all;
  for (const auto& [key, counts] : forms_) all.emplace_back(key, rows_of(counts, -1));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace arcwise
