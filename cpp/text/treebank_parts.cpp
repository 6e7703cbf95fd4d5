// Treebanks that are put together: of several, of their pieces, and with corrections.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/interrupts.h"
#include "text/treebank.h"

namespace arcwise {
namespace {

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

// Gives names their numbers, and new ones the next.
class LabelNumbers {
 public:
  explicit LabelNumbers(std::vector<std::string>& names) : names_(names) {
    for (size_t i = 0; i < names.size(); ++i) numbers_.emplace(names[i], static_cast<int32_t>(i));
  }
  int32_t of(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, int32_t> numbers_;
};

// So that values of some treebanks are found at their places among those of all.
template <class T>
void fill(std::vector<T>& values, size_t count) {
  values.resize(count, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace

Treebank Treebank::with_corrections(std::span<const Correction> corrections) const {
  std::vector<const Correction*> in_order(corrections.size());
  std::transform(corrections.begin(), corrections.end(), in_order.begin(), [](const auto& c) { return &c; });
  const auto key = [](const Correction* c) { return std::pair(c->word, c->column); };
  std::stable_sort(in_order.begin(), in_order.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  bool changes_text = false;
  for (const Correction* c : in_order) {
    if (c->word >= word_count() || c->column < Column::Lemma || c->value.empty() ||
        c->value.find_first_of(std::string_view("\t\r\n\0", 4)) != std::string::npos)
      throw TreebankError("A correction is of no word, of no column, or cannot be written.");
    changes_text |= c->column != Column::Head && c->column != Column::Deprel;
  }
  Treebank result = *this;
  if (changes_text) {
    auto next = in_order.begin();
    result = with_columns([&](size_t word, Values& values) {
      for (; next != in_order.end() && (*next)->word == word; ++next)
        values[static_cast<size_t>((*next)->column)] = (*next)->value;
    });
  }
  LabelNumbers numbers(result.label_names_);
  size_t sentence = 0;
  for (const Correction* c : in_order) {
    if (c->column != Column::Head && c->column != Column::Deprel) continue;
    while (first_word(sentence + 1) <= c->word) ++sentence;
    if (c->column == Column::Deprel) {
      result.labels_[c->word] = c->value == kNoValue ? kUnknownLabel : numbers.of(c->value);
    } else {
      result.heads_[c->word] = c->value == kNoValue ? kUnknownHead : std::stoi(c->value);
    }
    result.replaced_[c->word] = true;
    auto& known = result.probabilities_;
    for (auto* of_words : {&known.heads, &known.deprels})
      if (!of_words->empty()) (*of_words)[c->word] = kNotKnown;
    for (auto* of_sentences : {&known.log_probabilities, &known.entropies})
      if (!of_sentences->empty()) (*of_sentences)[sentence] = kNotKnown;
  }
  check_trees_in_range(result.heads_, result.labels_, result.label_names_.size());
  return result;
}

Treebank Treebank::concat(std::span<const Treebank* const> treebanks) {
  Treebank result;
  if (treebanks.empty()) return result;
  result.format_ = treebanks[0]->format_;
  size_t bytes = treebanks[0]->prologue_end_;
  std::optional<float> least;
  for (const Treebank* from : treebanks) {
    if (from->format_ != result.format_)
      throw TreebankError("Treebanks in different formats cannot be put together: convert some of them.");
    for (const Extent& extent : from->extents_) bytes += extent.end - extent.begin;
    if (!from->writes_probabilities()) continue;
    if (least.value_or(from->probabilities_.least) != from->probabilities_.least)
      throw TreebankError(
          "Trees that were marked by different least probabilities cannot be put together: mark them alike.");
    least = from->probabilities_.least;
  }
  if (bytes > kMaxTextBytes) throw TreebankError("Together, the treebanks are larger than 4 GiB.");
  std::string text;
  text.reserve(bytes);
  text.append(*treebanks[0]->text_, 0, treebanks[0]->prologue_end_);
  result.prologue_end_ = treebanks[0]->prologue_end_;
  LabelNumbers numbers(result.label_names_);
  Probabilities& known = result.probabilities_;
  known.least = least.value_or(0);
  for (const Treebank* from : treebanks) {
    const Probabilities& own = from->probabilities_;
    if (!own.heads.empty()) fill(known.heads, result.word_count());
    if (!own.deprels.empty()) fill(known.deprels, result.word_count());
    if (!own.log_probabilities.empty()) fill(known.log_probabilities, result.sentence_count());
    if (!own.entropies.empty()) fill(known.entropies, result.sentence_count());
    const size_t first = result.word_count();
    for (size_t s = 0; s < from->sentence_count(); ++s) {
      check_interrupts(10);
      result.append(*from, s);
      Extent& extent = result.extents_.back();
      // Unsigned numbers wrap around, and back.
      const auto shift = static_cast<uint32_t>(text.size()) - extent.begin;
      text += from->sentence_text(s);
      for (size_t w = result.first_word_[result.sentence_count() - 1]; w < result.word_count(); ++w)
        for (uint32_t& start : result.columns_[w]) start += shift;
      extent = {extent.begin + shift, extent.end + shift};
    }
    std::vector<int32_t> renamed;
    for (const std::string& name : from->label_names_) renamed.push_back(numbers.of(name));
    for (size_t w = first; w < result.word_count(); ++w) {
      int32_t& label = result.labels_[w];
      if (label != kUnknownLabel) label = renamed[static_cast<size_t>(label)];
    }
    result.bad_.insert(result.bad_.end(), from->bad_.begin(), from->bad_.end());
  }
  if (!known.heads.empty()) fill(known.heads, result.word_count());
  if (!known.deprels.empty()) fill(known.deprels, result.word_count());
  if (!known.log_probabilities.empty()) fill(known.log_probabilities, result.sentence_count());
  if (!known.entropies.empty()) fill(known.entropies, result.sentence_count());
  result.text_ = std::make_shared<const std::string>(std::move(text));
  return result;
}

Treebank::Parts Treebank::parts() const {
  std::string text(*text_, 0, prologue_end_);
  for (size_t s = 0; s < sentence_count(); ++s) text += sentence_text(s);
  return {std::move(text), format_, heads_, labels_, label_names_, replaced_, lines_, probabilities_, bad_};
}

Treebank Treebank::from_parts(Parts parts) {
  Treebank result = read(std::move(parts.text), {.format = parts.format, .check_trees = false});
  result.check_trees_in_range(parts.heads, parts.labels, parts.label_names.size());
  const Probabilities& known = parts.probabilities;
  const auto fits = [](const auto& values, size_t count) { return values.empty() || values.size() == count; };
  const size_t words = result.word_count(), sentences = result.sentence_count();
  if (parts.replaced.size() != words || parts.lines.size() != sentences || !fits(known.heads, words) ||
      known.deprels.size() != known.heads.size() || !fits(known.log_probabilities, sentences) ||
      !fits(known.entropies, sentences))
    throw TreebankError("The parts of a treebank do not fit together: they are damaged.");
  result.heads_ = std::move(parts.heads);
  result.labels_ = std::move(parts.labels);
  result.label_names_ = std::move(parts.label_names);
  result.replaced_ = std::move(parts.replaced);
  result.lines_ = std::move(parts.lines);
  result.probabilities_ = std::move(parts.probabilities);
  result.bad_ = std::move(parts.bad);
  return result;
}

}  // namespace arcwise
