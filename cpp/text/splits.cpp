#include "text/splits.h"

#include <algorithm>
#include <climits>
#include <stdexcept>

#include "text/raw_text.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr char kStem = '*';

std::string ends_of(std::string_view prefix, std::string_view suffix) {
  return std::string(prefix) + '\t' + std::string(suffix);
}

void demand_words(const std::vector<std::string>& words) {
  const bool empty = std::any_of(words.begin(), words.end(), [](const auto& word) { return word.empty(); });
  if (words.empty() || empty)
    throw std::invalid_argument("The segmenter is damaged: a multiword token has no words, or an empty one.");
  for (const std::string& word : words)
    if (word.find_first_of(std::string_view("\t\r\n\0", 4)) != std::string::npos ||
        utf8::first_invalid(word) != utf8::kAllValid)
      throw std::invalid_argument("The segmenter is damaged: a word of a multiword token cannot be written.");
}

}  // namespace

Splits::Splits(const std::vector<Known>& known, const std::vector<Rule>& rules, bool apart) : apart_(apart) {
  for (const Known& token : known) {
    demand_words(token.words);
    if (token.form.empty()) throw std::invalid_argument("The segmenter is damaged: a token is empty.");
    most_words_ = std::max(most_words_, token.words.size());
    may_be_known_.set(outline(token.form));
    known_.insert_or_assign(token.form, Words{token.words, token.always});
  }
  for (const Rule& rule : rules) {
    demand_words(rule.words);
    most_words_ = std::max(most_words_, rule.words.size());
    if (rule.prefix.empty() && rule.suffix.empty())
      throw std::invalid_argument("The segmenter is damaged: a rule splits tokens without looking at them.");
    for (int other = CHAR_MIN; other <= CHAR_MAX; ++other) {
      const auto any = static_cast<char>(other);
      const std::string& prefix = rule.prefix;
      const std::string& suffix = rule.suffix;
      if (suffix.empty()) prefixes_.set(two_bytes(prefix[0], prefix.size() > 1 ? prefix[1] : any));
      if (!suffix.empty())
        suffixes_.set(two_bytes(suffix.size() > 1 ? suffix[suffix.size() - 2] : any, suffix.back()));
    }
    rules_.insert_or_assign(ends_of(rule.prefix, rule.suffix), rule);
    const auto same = [&](const Lengths& l) {
      return l.prefix == rule.prefix.size() && l.suffix == rule.suffix.size();
    };
    auto lengths = std::find_if(lengths_.begin(), lengths_.end(), same);
    if (lengths == lengths_.end())
      lengths = lengths_.insert(lengths, {rule.prefix.size(), rule.suffix.size(), {}});
    lengths->inner.set(lengths->inner_bytes(rule.prefix + rule.suffix));
  }
  std::stable_sort(lengths_.begin(), lengths_.end(), [](const Lengths& a, const Lengths& b) {
    return a.prefix + a.suffix > b.prefix + b.suffix;
  });
}

const Splits::Rule* Splits::rule_of(std::string_view form) const {
  std::string ends;
  for (const Lengths& l : lengths_) {
    if (form.size() <= l.prefix + l.suffix || !l.inner[l.inner_bytes(form)]) continue;
    ends.assign(form.substr(0, l.prefix)).append(1, '\t').append(form.substr(form.size() - l.suffix));
    if (const auto rule = rules_.find(ends); rule != rules_.end()) return &rule->second;
  }
  return nullptr;
}

PossibleSplit Splits::possible(std::string_view form) const {
  const Use of = use(form);
  if (of == Use::Never) return {};
  if (known_.find(form) != known_.end()) return {true, apart_ ? text_hash(form) : 0};
  const Rule& rule = *rule_of(form);
  const auto has_stem = [](const std::string& word) { return word.find(kStem) != std::string::npos; };
  const auto stem = std::find_if(rule.words.begin(), rule.words.end(), has_stem) - rule.words.begin();
  std::vector<std::string> words;
  this->words(form, words);
  // What is learnt of one rule holds for others that put the same word last.
  const std::string& added = stem + 1 < std::ssize(words) ? words.back() : words.front();
  return {true, text_hash(added), stem < std::ssize(words) ? text_hash(words[static_cast<size_t>(stem)]) : 0};
}

void Splits::words(std::string_view form, std::vector<std::string>& words) const {
  if (const auto known = known_.find(form); known != known_.end()) {
    words = known->second.words;
    return;
  }
  const Rule* rule = rule_of(form);
  if (rule == nullptr) throw std::logic_error("A token is split that no rule knows.");
  const std::string_view stem =
      form.substr(rule->prefix.size(), form.size() - rule->prefix.size() - rule->suffix.size());
  words = rule->words;
  for (std::string& word : words)
    if (const size_t at = word.find(kStem); at != std::string::npos) {
      word.replace(at, 1, stem);
      // A token may have a line end in it, which no word has.
      std::replace_if(
          word.begin(), word.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
      break;
    }
}

}  // namespace arcwise
