#include "task/tagset.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "base/hash.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(std::string("The model is damaged: ") + what + ".");
}

LemmaLexicon checked_lexicon(const TagsetParts& parts) {
  if (parts.lexicon_keys.size() != parts.lexicon_rules.size()) damaged("its lexicon has keys without rules");
  for (int32_t rule : parts.lexicon_rules)
    if (rule < 0 || rule >= static_cast<int32_t>(parts.rules.size())) damaged("its lexicon names no rule");
  return {parts.lexicon_keys, parts.lexicon_rules};
}

}  // namespace

Tagset::Tagset(const TagsetParts& parts, const TagDictionary& dictionary, const RareTags& rare)
    : columns_(parts.columns),
      rules_(parts.rules),
      lexicon_(checked_lexicon(parts)),
      lemmas_(std::vector<uint64_t>(parts.lemma_keys.begin(), parts.lemma_keys.end())) {
  add_columns(parts);
  add_rules(parts);
  add_rare(rare);
  add_parts();
  if (parts.reach) reach_.emplace(*parts.reach, parts.choices, first_.size(), rules_);
  add_dictionary(dictionary);
  add_signs(parts);
}

void Tagset::add_columns(const TagsetParts& parts) {
  if (columns_.empty() || columns_.size() > kMostTagColumns) damaged("it has no column, or too many");
  for (const auto& analysis : parts.analyses)
    if (analysis.size() != columns_.size()) damaged("an analysis has too few or too many values");
  if (parts.analyses.empty()) damaged("it has no analysis");
  texts_.resize(columns_.size());
  std::vector<MoveId> above(parts.analyses.size(), -1);  // each analysis's move in the column before
  for (size_t column = 0; column < columns_.size(); ++column) {
    const MoveId from = size();
    for (size_t a = 0; a < parts.analyses.size(); ++a) {
      const std::string& text = parts.analyses[a][column];
      const bool same_as_last = a > 0 && size() > from && above[a] == steps_.back().before &&
                                texts_[column][steps_.back().value] == text;
      if (!same_as_last) {
        auto value = find(column, text);
        if (!value) {
          value = static_cast<int32_t>(texts_[column].size());
          texts_[column].push_back(text);
        }
        Step step{static_cast<uint8_t>(column), *value, above[a], size(), {}};
        if (column > 0) {
          step.root = steps_[step.before].root;
          Range& siblings = steps_[step.before].next;
          if (siblings.size() == 0) siblings.begin = size();
          siblings.end = size() + 1;
        }
        steps_.push_back(step);
      }
      above[a] = size() - 1;
    }
    if (column == 0) first_ = {0, size()};
  }
  tags_ = size();
  for (MoveId tag = 0; tag < tags_; ++tag)
    for (MoveId c = next(tag).begin; c < next(tag).end; ++c)
      if (steps_[c].before != tag) damaged("its analyses are out of order");
  if (first_.size() != static_cast<MoveId>(texts_[0].size())) damaged("its analyses are out of order");
}

void Tagset::add_rules(const TagsetParts& parts) {
  std::vector<Range> of(static_cast<size_t>(first_.size()));
  int32_t last = 0;
  for (const auto& [value, rule] : parts.choices) {
    if (value < last || value >= first_.size() || rule < 0 || rule >= static_cast<int32_t>(rules_.size()))
      damaged("a rule of lemmas goes with no value");
    last = value;
    if (of[value].size() == 0) of[value].begin = size();
    of[value].end = size() + 1;
    steps_.push_back({0, rule, -1, value, {}});
  }
  for (MoveId tag = 0; tag < tags_; ++tag)
    if (is_last_column(tag)) steps_[tag].next = of[steps_[tag].root];
}

// Moves of the last column are analyses, in their order; values of other columns are not rare.
void Tagset::add_rare(const RareTags& rare) {
  is_rare_.assign(steps_.size(), 0);
  size_t analysis = 0;
  for (MoveId tag = 0; tag < tags_ && !rare.analyses.empty(); ++tag)
    if (is_last_column(tag)) is_rare_[tag] = rare.analyses[analysis++];
  std::copy(rare.choices.begin(), rare.choices.end(), is_rare_.begin() + tags_);
}

void Tagset::add_parts() {
  std::map<std::string, int32_t> numbers;
  const auto add = [&](MoveId move, const std::string& part) {
    parts_[move].push_back(numbers.try_emplace(part, static_cast<int32_t>(numbers.size())).first->second);
  };
  parts_.resize(steps_.size());
  for (MoveId tag = 0; tag < tags_; ++tag) {
    std::string_view left = texts_[column(tag)][value(tag)];
    const std::string of_column = std::to_string(column(tag)) + " ";
    while (!left.empty()) {
      const size_t bar = left.find('|');
      add(tag, of_column + std::string(left.substr(0, bar)));
      left = bar == std::string_view::npos ? std::string_view{} : left.substr(bar + 1);
    }
  }
  for (MoveId move = 0; move < size(); ++move)
    if (is_rare_[move]) add(move, is_rule(move) ? "rare rule" : "rare");
  for (MoveId move = tags_; move < size(); ++move) {
    const LemmaRule& rule = rules_[rule_number(move)];
    add(move, "case " + std::string(kLetterCaseNames[static_cast<size_t>(rule.letters)]));
    add(move, "front " + rule.front + " " + rule.new_front);
    add(move, "back " + rule.back + " " + rule.new_back);
  }
  part_count_ = static_cast<int32_t>(numbers.size());
}

void Tagset::add_dictionary(const TagDictionary& dictionary) {
  std::unordered_map<std::string_view, std::set<MoveId>> moves;
  for (const TagDictionary::Line& line : dictionary.lines) {
    Entry& entry = dictionary_[line.form];
    for (const MoveId analysis : analyses(line)) {
      for (MoveId tag = analysis; dictionary.restricts && tag >= 0; tag = steps_[tag].before)
        moves[line.form].insert(tag);
      if (line.lemma != kNoValue && has_lemmas())
        entry.rules.emplace_back(analysis, static_cast<int32_t>(rules_.size()));
    }
    if (line.lemma != kNoValue && has_lemmas()) rules_.push_back(LemmaRule::between(line.form, line.lemma));
  }
  for (const auto& [form, of_form] : moves)
    for (const MoveId move : of_form) dictionary_[std::string(form)].moves.push_back({move, move + 1});
}

std::vector<MoveId> Tagset::analyses(const TagDictionary::Line& line) const {
  const auto fits = [&](MoveId analysis) {
    for (size_t i = 0; i < kMostTagColumns; ++i) {
      if (line.values[i] == kNoValue) continue;
      const auto column = std::find(columns_.begin(), columns_.end(), kTagColumns[i]);
      if (column == columns_.end()) return false;
      if (text_of(analysis, static_cast<size_t>(column - columns_.begin())) != line.values[i]) return false;
    }
    return true;
  };
  std::vector<MoveId> fitting;
  for (MoveId tag = 0; tag < tags_; ++tag)
    if (is_last_column(tag) && fits(tag)) fitting.push_back(tag);
  if (fitting.empty())
    throw std::invalid_argument("The dictionary gives '" + line.form +
                                "' what the tagger was not trained on: " + line.values[0] + " " +
                                line.values[1] + " " + line.values[2] +
                                ". Give values that go together in the treebank, or _ for any.");
  return fitting;
}

const Tagset::Entry* Tagset::entry(CasedForm& form) const {
  if (dictionary_.empty()) return nullptr;
  for (const LetterCase letters : {LetterCase::Same, LetterCase::Lower})
    if (const auto found = dictionary_.find(form.in(letters)); found != dictionary_.end())
      return &found->second;
  return nullptr;
}

void Tagset::add_signs(const TagsetParts& parts) {
  const auto add = [&](std::string_view text, std::vector<Range>& moves) {
    const auto value = find(0, text);  // moves of the first column have the numbers of their values
    if (value) moves.push_back({*value, *value + 1});
    return value.has_value();
  };
  const auto before = [](Range a, Range b) { return a.begin < b.begin; };
  const auto in_order = [&](std::vector<Range>& moves) { std::sort(moves.begin(), moves.end(), before); };
  for (const auto& sign : parts.signs) {
    if (sign.empty() || !is_sign(sign[0])) damaged("what it says of signs is not of signs");
    std::vector<Range>& moves = signs_[sign[0]];
    for (size_t i = 1; i < sign.size(); ++i)
      if (!add(sign[i], moves)) damaged("a sign has a tag that no word has");
    in_order(moves);
    for (size_t i = 1; i < moves.size(); ++i)
      if (moves[i].begin == moves[i - 1].begin) damaged("a sign has a tag twice");
  }
  if (columns_[0] != Column::Upos || !find(0, "PUNCT")) return;
  add("SYM", new_symbols_);
  new_signs_ = new_symbols_;
  add("PUNCT", new_signs_);
  in_order(new_signs_);
  for (const auto& [sign, moves] : signs_) {
    if (utf8::sequence_length(sign, 0) != sign.size()) continue;
    std::vector<Range>& of_repeated = repeated_[sign];
    if (moves.empty()) continue;
    std::set_union(moves.begin(), moves.end(), new_signs_.begin(), new_signs_.end(),
                   std::back_inserter(of_repeated), before);
  }
}

std::span<const Range> Tagset::of_sign(std::string_view form) const {
  if (signs_.empty() || form.empty() || !is_sign(form)) return {};
  if (const auto seen = signs_.find(form); seen != signs_.end()) return seen->second;
  const size_t first = utf8::sequence_length(form, 0);
  if (form.substr(first) == form.substr(0, form.size() - first))  // one character again and again
    if (const auto seen = repeated_.find(form.substr(0, first)); seen != repeated_.end()) return seen->second;
  return is_symbol(form) && !new_symbols_.empty() ? new_symbols_ : new_signs_;
}

std::optional<int32_t> Tagset::find(size_t column, std::string_view text) const {
  const auto& texts = texts_[column];
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found == texts.end()) return std::nullopt;
  return static_cast<int32_t>(found - texts.begin());
}

std::string_view Tagset::text_of(MoveId analysis, size_t column) const {
  MoveId tag = analysis;
  while (steps_[tag].column != column) tag = steps_[tag].before;
  return texts_[column][steps_[tag].value];
}

// Half a hash is enough: of a million words that are looked up, a few are taken for another.
uint32_t Tagset::key(std::string_view text, MoveId tag) {
  return static_cast<uint32_t>(hash_bytes(text, mix(static_cast<uint64_t>(tag) + 1)) >> 32);
}

void Tagset::append_lemma(CasedForm& form, int32_t number, std::string& out) const {
  const auto rules = static_cast<int32_t>(rules_.size());
  if (number < rules) return form.append_lemma(rules_[number], out);
  std::string stem;
  form.append_lemma(rules_[number / rules - 1], stem);
  CasedForm between;
  between.set(stem);
  between.append_lemma(rules_[number % rules], out);
}

std::optional<int32_t> Tagset::way_to_known_lemma(CasedForm& form, MoveId analysis) const {
  if (!reach_) return std::nullopt;
  const auto way = reach_->find(form, value(first_column(analysis)),
                                [&](std::string_view lemma) { return is_known_lemma(lemma, analysis); });
  if (!way) return std::nullopt;
  if (way->second < 0) return way->first;
  const auto rules = static_cast<int64_t>(rules_.size());
  const int64_t number = (way->first + 1) * rules + way->second;
  if (number > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(number);
}

std::optional<int32_t> Tagset::look_up(std::string_view form, MoveId analysis) const {
  const uint32_t own = key(form, analysis), of_first = key(form, steps_[analysis].root);
  lexicon_.prefetch(of_first);
  for (const uint32_t key : {own, of_first})
    if (const int32_t rule = lexicon_.find(key); rule != kNone) return rule;
  return std::nullopt;
}

std::optional<int32_t> Tagset::known_rule(CasedForm& form, MoveId analysis) const {
  const std::string_view own = form.in(LetterCase::Same);
  if (const auto rule = look_up(own, analysis)) return form.fits(rules_[*rule]) ? rule : std::nullopt;
  // A word may have a capital where a sentence begins; then its rule is one that would remove it.
  const std::string_view lower = form.in(LetterCase::Lower);
  if (lower == own) return std::nullopt;
  const auto rule = look_up(lower, analysis);
  return rule && rules_[*rule].letters == LetterCase::Lower && form.fits(rules_[*rule]) ? rule : std::nullopt;
}

}  // namespace arcwise
