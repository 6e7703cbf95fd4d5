// Probabilities of heads and labels, in MISC: HeadProb=0.987|DeprelProb=0.971, and LowConfidence=Yes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/json.h"
#include "text/rows.h"

namespace arcwise {
namespace {

constexpr std::string_view kHeadKey = "HeadProb", kDeprelKey = "DeprelProb", kLowKey = "LowConfidence";
constexpr int kDigits = 3;

// The name of an item `key=value` of MISC; empty where there is no `=`.
std::string_view key_of(std::string_view item) {
  const size_t equals = item.find('=');
  return equals == std::string_view::npos ? std::string_view() : item.substr(0, equals);
}

std::optional<float> parse_probability(std::string_view value) {
  if (!is_plain_probability(value)) return std::nullopt;
  float probability = 0;
  std::from_chars(value.data(), value.data() + value.size(), probability);
  return probability;
}

void append_item(std::string_view key, float probability, std::string& out) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), probability,
                                    std::chars_format::fixed, kDigits);
  ((out += key) += '=').append(digits.data(), result.ptr);
}

template <class V>
void demand_count(const std::vector<V>& values, size_t count, const char* what) {
  if (values.empty() || values.size() == count) return;
  throw TreebankError("There are " + std::to_string(values.size()) + " " + what + ", and " +
                      std::to_string(count) + " are needed: one for each, or none at all.");
}

void demand_probabilities(const std::vector<float>& values) {
  for (float p : values)
    if (!(p >= 0 && p <= 1))
      throw TreebankError("A probability is " + std::to_string(p) + "; it must be from 0 to 1.");
}

bool is_known(const std::vector<float>& values, size_t word) {
  return !values.empty() && !std::isnan(values[word]);
}

}  // namespace

Treebank Treebank::with_probabilities(Probabilities p) const {
  demand_count(p.heads, word_count(), "probabilities of heads");
  demand_count(p.deprels, word_count(), "probabilities of labels");
  demand_count(p.log_probabilities, sentence_count(), "probabilities of sentences");
  demand_count(p.entropies, sentence_count(), "entropies of sentences");
  if (p.heads.size() != p.deprels.size())
    throw TreebankError("Probabilities of heads and of labels go together: give both, or none.");
  demand_probabilities(p.heads);
  demand_probabilities(p.deprels);
  Treebank result = *this;
  result.probabilities_ = std::move(p);
  return result;
}

Treebank Treebank::with_least_probability(float least, bool drop) const {
  if (!writes_probabilities())
    throw TreebankError("These trees have no probabilities: parse with probabilities first.");
  demand_probabilities({least});
  Treebank result = *this;
  result.probabilities_.least = least;
  if (!drop) return result;
  for (size_t word = 0; word < word_count(); ++word) {
    if (!(probabilities_.deprels[word] < least)) continue;
    result.replaced_[word] = true;
    result.heads_[word] = kUnknownHead;
    result.labels_[word] = kUnknownLabel;
  }
  return result;
}

std::optional<float> Treebank::head_probability(size_t word) const {
  if (is_known(probabilities_.heads, word)) return probabilities_.heads[word];
  return misc_probability(word, kHeadKey);
}

std::optional<float> Treebank::deprel_probability(size_t word) const {
  if (is_known(probabilities_.deprels, word)) return probabilities_.deprels[word];
  return misc_probability(word, kDeprelKey);
}

// What MISC says is said of the trees that were read. Said twice it is not known which is meant.
std::optional<float> Treebank::misc_probability(size_t word, std::string_view wanted) const {
  if (replaced_[word] || format_ != Format::ConllU) return std::nullopt;
  std::optional<float> found;
  int times = 0;
  each_item(text(word, Column::Misc), [&](std::string_view item) {
    if (key_of(item) == wanted && ++times == 1) found = parse_probability(item.substr(wanted.size() + 1));
  });
  return times == 1 ? found : std::nullopt;
}

// What stood there stays, but for earlier probabilities.
void Treebank::write_misc(size_t word, std::string_view misc, std::string& out) const {
  if (!is_known(probabilities_.heads, word)) {
    out += misc;
    return;
  }
  if (misc != kNoValue)
    each_item(misc, [&](std::string_view item) {
      const std::string_view key = key_of(item);
      if (key != kHeadKey && key != kDeprelKey && key != kLowKey) (out += item) += '|';
    });
  append_item(kHeadKey, probabilities_.heads[word], out);
  out += '|';
  append_item(kDeprelKey, probabilities_.deprels[word], out);
  if (probabilities_.deprels[word] < probabilities_.least) ((out += '|') += kLowKey) += "=Yes";
}

}  // namespace arcwise
