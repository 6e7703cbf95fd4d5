#include "train/tagging_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "base/interrupts.h"
#include "train/lemma_reach_trial.h"
#include "tree/tree.h"

namespace arcwise {
namespace {

// `_` says that a word has no features; in other columns, and as the lemma of another form, it says nothing.
bool is_annotated(const Treebank& treebank, size_t word, Column column) {
  return column == Column::Feats || treebank.text(word, column) != kNoValue ||
         (column == Column::Lemma && treebank.text(word, Column::Form) == kNoValue);
}

// Numbers for things in the order in which they come up.
template <class Thing>
class Numbers {
 public:
  int32_t operator()(const Thing& thing) {
    const auto [found, is_new] = numbers_.try_emplace(thing, static_cast<int32_t>(numbers_.size()));
    if (is_new) things_.push_back(thing);
    return found->second;
  }
  const std::vector<Thing>& things() const { return things_; }

 private:
  std::map<Thing, int32_t> numbers_;
  std::vector<Thing> things_;
};

using RuleText = std::array<std::string, 5>;  // which can be sorted
RuleText text_of(const LemmaRule& r) {
  return {std::string(1, static_cast<char>(r.letters)), r.front, r.new_front, r.back, r.new_back};
}

using Analysis = std::vector<std::string>;  // the values of columns

// Seen less often, an analysis is known by its features alone, as one is that was never seen: so training
// learns how far features can be trusted.
constexpr int32_t kFewUses = 3;
// Of rules that are put together from halves, how many forms each half was seen with.
constexpr int64_t kFormsOfHalves = 5;

std::vector<std::string> features_of(const std::string& bundle) {
  std::vector<std::string> features;
  for (size_t at = 0; bundle != kNoValue && at <= bundle.size();) {
    const size_t bar = std::min(bundle.find('|', at), bundle.size());
    features.push_back(bundle.substr(at, bar - at));
    at = bar + 1;
  }
  return features;
}
std::string_view name_of(std::string_view feature) { return feature.substr(0, feature.find('=')); }

// Analyses that were not seen and are likely: those that were, with another value for one of their features.
// Those are likelier whose features have all been seen together, pair by pair, with the same tag; no more
// than one pair may be new. Of each tag no more than were seen.
std::vector<Analysis> new_bundles(const std::map<Analysis, int32_t>& seen) {
  struct Tag {
    std::map<std::string, std::set<std::string>, std::less<>> values;  // of each feature
    std::set<std::pair<std::string, std::string>> pairs;
    size_t bundles = 0;
    // And how many of its pairs are new, and how often what it was made from was seen.
    std::map<Analysis, std::pair<int32_t, int32_t>> made;
  };
  std::map<std::string, Tag> tags;  // by the first column
  for (const auto& [analysis, count] : seen) {
    Tag& tag = tags[analysis.front()];
    ++tag.bundles;
    const auto features = features_of(analysis.back());
    for (const std::string& a : features) {
      tag.values[std::string(name_of(a))].insert(a);
      for (const std::string& b : features) tag.pairs.emplace(a, b);
    }
  }
  for (const auto& [analysis, count] : seen) {
    check_interrupts();
    if (analysis.size() < 2) continue;
    Tag& tag = tags[analysis.front()];
    const auto features = features_of(analysis.back());
    for (size_t i = 0; i < features.size(); ++i)
      for (const std::string& other : tag.values.find(name_of(features[i]))->second) {
        if (other == features[i]) continue;
        const auto is_new = [&](const std::string& feature) {
          return feature != features[i] && !tag.pairs.contains({other, feature});
        };
        const auto new_pairs = std::count_if(features.begin(), features.end(), is_new);
        if (new_pairs > 1) continue;
        Analysis made = analysis;
        made.back().clear();
        for (size_t f = 0; f < features.size(); ++f)
          made.back() += (f > 0 ? "|" : "") + (f == i ? other : features[f]);
        if (seen.contains(made)) continue;
        auto& [pairs, uses] = tag.made[made];
        pairs = static_cast<int32_t>(new_pairs);
        uses -= count;
      }
  }
  std::vector<Analysis> all;
  for (auto& [name, tag] : tags) {
    std::vector<std::pair<std::pair<int32_t, int32_t>, Analysis>> likely;
    for (const auto& [analysis, how] : tag.made) likely.emplace_back(how, analysis);
    std::sort(likely.begin(), likely.end());
    if (likely.size() > tag.bundles) likely.resize(tag.bundles);
    for (auto& [how, analysis] : likely) all.push_back(std::move(analysis));
  }
  return all;
}

// Rules that were not seen and are likely, with the values that they go with: what words begin with in one
// that was, and end with in another. Of each value no more than were seen.
using FormsOfChoices = std::map<std::pair<int32_t, int32_t>, std::set<std::string_view>>;
std::vector<std::pair<int32_t, RuleText>> new_rules(const FormsOfChoices& forms,
                                                    const std::vector<RuleText>& rules) {
  struct Value {
    std::map<RuleText, int64_t> fronts, backs;  // and of how many forms
    std::set<RuleText> seen;
  };
  const RuleText none = text_of(LemmaRule{});
  std::map<int32_t, Value> values;
  for (const auto& [choice, of] : forms) {
    Value& value = values[choice.first];
    const RuleText& rule = rules[choice.second];
    value.seen.insert(rule);
    const auto count = static_cast<int64_t>(of.size());
    value.fronts[{rule[0], rule[1], rule[2], "", ""}] += count;
    value.backs[{none[0], "", "", rule[3], rule[4]}] += count;
  }
  std::vector<std::pair<int32_t, RuleText>> all;
  for (const auto& [number, value] : values) {
    check_interrupts();
    std::vector<std::pair<int64_t, RuleText>> likely;
    for (const auto& [front, of_front] : value.fronts)
      for (const auto& [back, of_back] : value.backs) {
        if (of_front < kFormsOfHalves || of_back < kFormsOfHalves) continue;
        const RuleText made{front[0], front[1], front[2], back[3], back[4]};
        if (!value.seen.contains(made)) likely.emplace_back(-of_front * of_back, made);
      }
    std::sort(likely.begin(), likely.end());
    if (likely.size() > value.seen.size()) likely.resize(value.seen.size());
    for (auto& [count, rule] : likely) all.emplace_back(number, std::move(rule));
  }
  return all;
}

class Maker {
 public:
  Maker(const Treebank& treebank, const TaggingSetOptions& options)
      : treebank_(treebank), options_(options) {}

  TaggingSet make(const KnownTags& known) {
    set_.options = options_;
    set_.parts = known.parts;
    const Tagset tags(set_.parts);
    take_words(tags, known.corrected);
    if (tags.has_lemmas()) add_lemmas(tags, known.corrected);
    return std::move(set_);
  }

  TaggingSet make() {
    set_.options = options_;
    for (Column c : kTagColumns)
      if (is_learnt(c)) set_.parts.columns.push_back(c);
    if (set_.parts.columns.empty())
      throw std::invalid_argument(
          "There is nothing to train a tagger on: no word has anything in UPOS, XPOS or FEATS.");
    find_analyses();
    const Tagset tags(set_.parts);
    take_words(tags, treebank_.sentence_count());
    if (is_learnt(Column::Lemma)) take_lemmas(tags);
    return std::move(set_);
  }

 private:
  bool is_learnt(Column column) const {
    const auto& out = options_.leave_out;
    if (std::find(out.begin(), out.end(), column) != out.end()) return false;
    return is_used(column, 0, treebank_.sentence_count());
  }

  // Whether some of these sentences have the column at all: others say nothing of it.
  bool is_used(Column column, size_t first, size_t end) const {
    for (size_t w = treebank_.first_word(first); w < treebank_.first_word(end); ++w)
      if (treebank_.text(w, column) != kNoValue) return true;
    return false;
  }

  // The most frequent first, as far as their order allows.
  void find_analyses() {
    std::vector<std::map<std::string, size_t>> uses(set_.parts.columns.size());
    std::map<Analysis, int32_t> seen;
    for (size_t w = 0; w < treebank_.word_count(); ++w) {
      Analysis analysis;
      for (Column c : set_.parts.columns) {
        if (!is_annotated(treebank_, w, c)) break;
        analysis.emplace_back(treebank_.text(w, c));
      }
      if (analysis.size() < set_.parts.columns.size()) continue;
      for (size_t c = 0; c < analysis.size(); ++c) ++uses[c][analysis[c]];
      ++seen[std::move(analysis)];
    }
    if (seen.empty())
      throw std::invalid_argument(
          "There is nothing to train a tagger on: no word has a value in all of the columns UPOS, XPOS and "
          "FEATS that the treebank uses. Fill them in, or leave a column empty everywhere.");
    auto& analyses = set_.parts.analyses;
    for (const auto& [analysis, count] : seen) analyses.push_back(analysis);
    if (set_.parts.columns.back() == Column::Feats)
      for (Analysis& made : new_bundles(seen)) analyses.push_back(std::move(made));
    std::stable_sort(analyses.begin(), analyses.end(), [&](const auto& a, const auto& b) {
      for (size_t c = 0; c < a.size(); ++c)
        if (a[c] != b[c]) {
          const size_t of_a = uses[c][a[c]], of_b = uses[c][b[c]];
          return of_a != of_b ? of_a > of_b : a[c] < b[c];
        }
      return false;
    });
    for (const Analysis& analysis : analyses) {
      const auto found = seen.find(analysis);
      set_.rare.analyses.push_back(found == seen.end() || found->second < kFewUses);
    }
  }

  // The first sentences may be somebody's who writes no features, whatever those have that follow.
  void take_words(const Tagset& tags, size_t corrected) {
    const size_t sentences = treebank_.sentence_count();
    const bool has_features[] = {is_used(Column::Feats, 0, corrected),
                                 is_used(Column::Feats, corrected, sentences)};
    std::vector<std::unordered_map<std::string_view, int32_t>> numbers(tags.columns().size());
    for (MoveId tag = 0; tag < tags.tags(); ++tag)
      numbers[tags.column(tag)].emplace(tags.text(tags.column(tag), tags.value(tag)), tags.value(tag));
    for (size_t s = 0; s < sentences; ++s) {
      TrainingSentence& sentence = set_.training.sentences.emplace_back();
      sentence.number = s;
      for (size_t w = treebank_.first_word(s); w < treebank_.first_word(s + 1); ++w) {
        check_interrupts();
        TaggedWord& word = sentence.tags.emplace_back();
        for (size_t c = 0; c < numbers.size(); ++c) {
          const Column column = tags.columns()[c];
          if (!is_annotated(treebank_, w, column)) continue;
          if (column == Column::Feats && !has_features[s >= corrected]) continue;
          const auto found = numbers[c].find(treebank_.text(w, column));
          if (found != numbers[c].end()) word.values[c] = found->second;
        }
      }
      set_.training.words += sentence.words();
    }
  }

  // The move of the last column that gives a word all its values, or none.
  static MoveId analysis(const Tagset& tags, const TaggedWord& word) {
    Range range = tags.first();
    for (size_t c = 0;; ++c) {
      MoveId at = range.begin;
      while (at < range.end && tags.value(at) != word.values[c]) ++at;
      if (at == range.end) return kNone;
      if (tags.is_last_column(at)) return at;
      range = tags.next(at);
    }
  }

  void take_lemmas(const Tagset& tags) {
    Numbers<RuleText> numbers;
    numbers(text_of(LemmaRule{}));  // the form as it is
    std::map<std::pair<std::string_view, std::string_view>, int32_t> between;
    std::map<std::pair<int32_t, int32_t>, std::set<std::string_view>> forms;  // of value and rule
    std::set<uint32_t> lemmas;
    std::set<SeenForm> all;
    struct Seen {
      std::map<int32_t, int32_t> rules;
      int32_t uses = 0;
      int32_t usual() const {
        return std::max_element(rules.begin(), rules.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
      }
    };
    std::map<std::pair<std::string_view, MoveId>, Seen> in_first, in_last;
    each_lemma(tags, [&](const TrainingSentence& sentence, TaggedWord& word, MoveId last,
                         std::string_view form, std::string_view lemma) {
      const auto [known, is_new] = between.try_emplace({form, lemma}, 0);
      if (is_new) known->second = numbers(text_of(LemmaRule::between(form, lemma)));
      word.rule = known->second;
      forms[{word.values[0], word.rule}].insert(form);
      lemmas.insert(Tagset::key(lemma, word.values[0]));
      if (sentence.number < options_.own_sentences) all.insert({word.values[0], form, lemma, word.rule});
      for (Seen* seen : {&in_first[{form, word.values[0]}], &in_last[{form, last}]}) {
        ++seen->rules[word.rule];
        ++seen->uses;
      }
    });
    std::map<std::pair<int32_t, int32_t>, bool> choices;  // and whether each is rare
    for (const auto& [choice, of] : forms)
      if (static_cast<int32_t>(of.size()) >= options_.least_forms)
        choices.emplace(choice, static_cast<int32_t>(of.size()) < kFewUses);
    for (const auto& [value, rule] : new_rules(forms, numbers.things()))
      choices.emplace(std::pair(value, numbers(rule)), true);
    for (const auto& [choice, is_rare] : choices) {
      set_.parts.choices.push_back(choice);
      set_.rare.choices.push_back(is_rare);
    }
    for (const RuleText& r : numbers.things())
      set_.parts.rules.push_back({static_cast<LetterCase>(r[0][0]), r[1], r[2], r[3], r[4]});
    set_.parts.lemma_keys.assign(lemmas.begin(), lemmas.end());
    set_.parts.reach = try_reach(std::vector(all.begin(), all.end()), set_.parts.rules, options_.least_forms);
    std::set<uint32_t> keys;
    const auto add = [&](std::string_view form, MoveId tag, const Seen& seen) {
      if (!keys.insert(Tagset::key(form, tag)).second) return;
      set_.parts.lexicon_keys.push_back(Tagset::key(form, tag));
      set_.parts.lexicon_rules.push_back(seen.usual());
      set_.lexicon_uses.push_back(seen.uses);
    };
    for (const auto& [word, seen] : in_first) add(word.first, word.second, seen);
    // What goes without saying is not said.
    for (const auto& [word, seen] : in_last)
      if (seen.usual() != in_first[{word.first, tags.first_column(word.second)}].usual())
        add(word.first, word.second, seen);
  }

  // Visits the words that have an analysis and a lemma, with both and with their form.
  template <class Visit>
  void each_lemma(const Tagset& tags, const Visit& visit) {
    for (TrainingSentence& sentence : set_.training.sentences) {
      size_t w = treebank_.first_word(sentence.number);
      for (TaggedWord& word : sentence.tags) {
        check_interrupts();
        const size_t at = w++;
        const MoveId last = analysis(tags, word);
        if (last != kNone && is_annotated(treebank_, at, Column::Lemma))
          visit(sentence, word, last, treebank_.text(at, Column::Form), treebank_.text(at, Column::Lemma));
      }
    }
  }

  // Rules, choices of rules and words that the tagger has not got are added where corrections ask for them.
  void add_lemmas(const Tagset& tags, size_t corrected) {
    auto& parts = set_.parts;
    Numbers<RuleText> numbers;
    for (const LemmaRule& rule : parts.rules) numbers(text_of(rule));
    auto rules = static_cast<int32_t>(parts.rules.size());  // with those of corrections, which come first
    std::unordered_map<uint32_t, size_t> places;            // in the lexicon
    for (size_t i = 0; i < parts.lexicon_keys.size(); ++i) places.emplace(parts.lexicon_keys[i], i);
    set_.lexicon_uses.assign(parts.lexicon_keys.size(), options_.least_uses);
    const auto learn = [&](std::string_view form, MoveId tag, int32_t rule) {
      const auto [place, is_new] = places.try_emplace(Tagset::key(form, tag), parts.lexicon_keys.size());
      if (is_new) {
        parts.lexicon_keys.push_back(place->first);
        parts.lexicon_rules.push_back(rule);
        set_.lexicon_uses.push_back(0);
      }
      parts.lexicon_rules[place->second] = rule;
      set_.lexicon_uses[place->second] = 0;
    };
    std::set<uint32_t> lemmas(parts.lemma_keys.begin(), parts.lemma_keys.end());
    std::map<std::pair<int32_t, int32_t>, std::set<std::string_view>> forms;  // of value and rule
    std::unordered_map<uint32_t, int32_t> uses;  // of words that are learnt again
    std::map<std::pair<std::string_view, MoveId>, std::map<int32_t, int32_t>> asked;  // by form and analysis
    CasedForm form;
    each_lemma(tags, [&](const TrainingSentence& sentence, TaggedWord& word, MoveId last,
                         std::string_view text, std::string_view lemma) {
      const int32_t rule = numbers(text_of(LemmaRule::between(text, lemma)));
      if (sentence.number >= corrected) {
        if (rule >= rules) return;
        word.rule = rule;
        for (const MoveId tag : {word.values[0], last}) ++uses[Tagset::key(text, tag)];
        if (const auto found = asked.find({text, last}); found != asked.end()) ++found->second[rule];
        return;
      }
      word.rule = rule;
      rules = std::max(rules, rule + 1);
      forms[{word.values[0], rule}].insert(text);
      lemmas.insert(Tagset::key(lemma, word.values[0]));
      ++asked[{text, last}][rule];
    });
    for (const auto& [word, rules_of_word] : asked) {
      const auto& [text, last] = word;
      form.set(text);
      const auto known = tags.known_rule(form, last);
      // A word that has the known lemma here or there is of several meanings, and its usual one stays.
      if (known && rules_of_word.contains(*known)) continue;
      const auto usual = std::max_element(rules_of_word.begin(), rules_of_word.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
      learn(text, known ? last : tags.first_column(last), usual->first);
    }
    // What was learnt in training as rare words are still teaches what to do with new ones.
    for (const auto& [key, count] : uses)
      if (const auto place = places.find(key); place != places.end())
        set_.lexicon_uses[place->second] = std::min(set_.lexicon_uses[place->second], count);
    for (auto r = static_cast<int32_t>(parts.rules.size()); r < rules; ++r) {
      const RuleText& text = numbers.things()[r];
      parts.rules.push_back({static_cast<LetterCase>(text[0][0]), text[1], text[2], text[3], text[4]});
    }
    std::set<std::pair<int32_t, int32_t>> choices(parts.choices.begin(), parts.choices.end());
    for (const auto& [choice, of] : forms)
      if (static_cast<int32_t>(of.size()) >= options_.least_forms) choices.insert(choice);
    parts.choices.assign(choices.begin(), choices.end());
    parts.lemma_keys.assign(lemmas.begin(), lemmas.end());
  }

  const Treebank& treebank_;
  const TaggingSetOptions& options_;
  TaggingSet set_;
};

}  // namespace

TaggingSet TaggingSet::make(const Treebank& treebank, const TaggingSetOptions& options) {
  return Maker(treebank, options).make();
}

TaggingSet TaggingSet::make(const Treebank& treebank, const TaggingSetOptions& options,
                            const KnownTags& known) {
  return Maker(treebank, options).make(known);
}

void TaggingSet::check_fit(const Treebank& treebank) const {
  for (const TrainingSentence& sentence : training.sentences)
    if (sentence.number >= treebank.sentence_count() ||
        sentence.tags.size() != treebank.length(sentence.number))
      throw std::invalid_argument("The tags are those of another treebank.");
}

SilverTags::SilverTags(const TaggingSet& set, bool have_features) : have_features_(have_features) {
  const Tagset tags(set.parts);
  columns_ = tags.columns();
  has_lemmas_ = tags.has_lemmas();
  values_.resize(columns_.size());
  for (MoveId tag = 0; tag < tags.tags(); ++tag)
    values_[tags.column(tag)].emplace(tags.text(tags.column(tag), tags.value(tag)), tags.value(tag));
  for (size_t r = 0; r < set.parts.rules.size(); ++r)
    rules_.emplace(text_of(set.parts.rules[r]), static_cast<int32_t>(r));
}

// A word without tags says nothing of its features either.
bool SilverTags::is_annotated(const Treebank& treebank, size_t word, Column column) const {
  if (column != Column::Feats || treebank.text(word, column) != kNoValue)
    return arcwise::is_annotated(treebank, word, column);
  return have_features_ &&
         (treebank.text(word, Column::Upos) != kNoValue || treebank.text(word, Column::Xpos) != kNoValue);
}

TaggedWord SilverTags::of_word(const Treebank& treebank, size_t w) const {
  TaggedWord word;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!is_annotated(treebank, w, columns_[c])) continue;
    const auto found = values_[c].find(std::string(treebank.text(w, columns_[c])));
    if (found != values_[c].end()) word.values[c] = found->second;
  }
  if (!has_lemmas_ || !is_annotated(treebank, w, Column::Lemma)) return word;
  const auto rule = LemmaRule::between(treebank.text(w, Column::Form), treebank.text(w, Column::Lemma));
  if (const auto found = rules_.find(text_of(rule)); found != rules_.end()) word.rule = found->second;
  return word;
}

std::vector<TrainingSentence> SilverTags::of(const Treebank& treebank) const {
  std::vector<TrainingSentence> sentences(treebank.sentence_count());
  for (size_t s = 0; s < sentences.size(); ++s) {
    sentences[s].number = s;
    sentences[s].treebank = &treebank;
    for (size_t w = treebank.first_word(s); w < treebank.first_word(s + 1); ++w) {
      check_interrupts();
      sentences[s].tags.push_back(of_word(treebank, w));
    }
  }
  return sentences;
}

Tagset TaggingSet::tagset() const {
  TagsetParts known = parts;
  known.lemma_keys.clear();
  known.lexicon_keys.clear();
  known.lexicon_rules.clear();
  for (size_t i = 0; i < lexicon_uses.size(); ++i)
    if (lexicon_uses[i] >= options.least_uses) {
      known.lexicon_keys.push_back(parts.lexicon_keys[i]);
      known.lexicon_rules.push_back(parts.lexicon_rules[i]);
    }
  return Tagset(known, {}, rare);
}

}  // namespace arcwise
