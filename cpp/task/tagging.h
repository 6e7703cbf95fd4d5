// Tagging: from the first word to the last, each is given a value of every column and a rule from its form to
// its lemma, one after the other (tagset.h).
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "task/slots.h"
#include "task/tagset.h"
#include "text/treebank.h"
#include "tree/tree.h"

namespace arcwise {

struct TreebankSentence {
  const Treebank* treebank = nullptr;
  size_t number = 0;
};

class Tagging {
 public:
  struct State {
    std::vector<int32_t> labels;  // of each node, from 0: the move that gave a word its last value
    std::vector<int32_t> rules;   // of each word's lemma, from 1
    int32_t next = 1;             // the word that is being tagged
    MoveId at = kNone;            // the value that it was given last
    const Treebank* treebank = nullptr;
    size_t first = 0;                      // of the sentence's words in it
    CasedForm form;                        // of the word
    const Tagset::Entry* entry = nullptr;  // in the dictionary
    std::span<const Range> of_sign;        // of the first column, if the form is a sign that may not have all
    std::vector<Range> fitting;            // rules to choose from, once it has all values
    std::vector<Range> preferred;          // room to choose among these
    std::string lemma;                     // the same

    int32_t words() const { return static_cast<int32_t>(rules.size()) - 1; }
  };
  struct Gold {
    std::vector<TaggedWord> words;
    void set(const auto& sentence) { words = sentence.tags; }
  };

  using Input = TreebankSentence;
  using View = LabelView;

  static constexpr bool kDynamicOracle = true;
  // Of many moves few are legal at a time, and these stand side by side.
  static constexpr bool kNarrow = true;

  explicit Tagging(std::shared_ptr<const Tagset> tagset) : tagset_(std::move(tagset)) {}

  const Tagset& moves() const { return *tagset_; }

  void start(State& s, const TreebankSentence& sentence) const {
    const Treebank& treebank = *sentence.treebank;
    s.rules.assign(treebank.length(sentence.number) + 1, kNone);
    s.labels.assign(s.rules.size() + 1, kNone);
    s.treebank = &treebank;
    s.first = treebank.first_word(sentence.number);
    s.next = 1;
    begin_word(s);
  }
  bool done(const State& s) const { return s.next > s.words(); }

  // Back to a word that was tagged: what it was given is forgotten, and what those after it were.
  void go_back(State& s, int32_t word) const {
    std::fill(s.labels.begin() + word, s.labels.end(), kNone);
    s.next = word;
    begin_word(s);
  }

  Legal legal(const State& s) const {
    if (s.at != kNone && tagset_->is_last_column(s.at)) return Legal(s.fitting);
    const Range range = s.at == kNone ? tagset_->first() : tagset_->next(s.at);
    if (s.entry && !s.entry->moves.empty()) return within(s.entry->moves, range);
    if (s.at == kNone && !s.of_sign.empty()) return Legal(s.of_sign);
    return Legal(range);
  }

  void apply(State& s, MoveId move) const {
    if (tagset_->is_rule(move)) {
      finish_word(s, tagset_->rule_number(move));
      return;
    }
    s.at = s.labels[s.next] = move;
    if (tagset_->is_last_column(move))
      look_for_lemma(s);
    else if (tagset_->column(move) == 0)
      tagset_->prefetch_rule(s.form, move);
  }

  // The columns that will be wrong at best. A wrong value may leave no way to the right one of the next
  // column; what becomes of the lemma is not foreseen.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const TaggedWord& word = gold.words[s.next - 1];
    legal(s).each([&](MoveId c) {
      costs[c] = static_cast<float>(tagset_->is_rule(c) ? wrong(word.rule, tagset_->rule_number(c))
                                                        : least_wrong(word, c));
    });
  }

  static void view(const State& s, View& view) {
    view.labels = s.labels.data();
    SlotNodes& nodes = view.nodes;
    const auto before = [&](int32_t n) { return s.next > n ? s.next - n : kNone; };
    const auto from = [&](int32_t n) { return s.next + n <= s.words() + 1 ? s.next + n : kNone; };
    nodes[Slot::S0] = before(1);
    nodes[Slot::S1] = before(2);
    nodes[Slot::S2] = before(3);
    nodes[Slot::S3] = before(4);
    nodes[Slot::N0] = s.next;
    nodes[Slot::N1] = from(1);
    nodes[Slot::N2] = from(2);
    nodes[Slot::N3] = from(3);
  }

 private:
  static bool wrong(int32_t gold, int32_t value) { return gold >= 0 && gold != value; }

  int32_t least_wrong(const TaggedWord& word, MoveId tag) const {
    const int32_t own = wrong(word.values[tagset_->column(tag)], tagset_->value(tag));
    if (tagset_->is_last_column(tag)) return own;
    int32_t least = static_cast<int32_t>(kMostTagColumns);
    const Range next = tagset_->next(tag);
    if (tagset_->is_last_column(next.begin)) {  // as all of them are; most of the time is spent there
      const int32_t gold = word.values[tagset_->column(next.begin)];
      MoveId c = next.begin;
      while (c < next.end && wrong(gold, tagset_->value(c))) ++c;
      return own + (c == next.end);
    }
    for (MoveId c = next.begin; c < next.end && least > 0; ++c) least = std::min(least, least_wrong(word, c));
    return own + least;
  }

  void look_for_lemma(State& s) const {
    if (!tagset_->has_lemmas()) return finish_word(s, kNone);
    if (s.entry)
      for (const auto& [analysis, rule] : s.entry->rules)
        if (analysis == s.at && s.form.fits(tagset_->rule(rule))) return finish_word(s, rule);
    if (const auto known = tagset_->known_rule(s.form, s.at)) return finish_word(s, *known);
    s.fitting.clear();
    const Range rules = tagset_->next(s.at);
    for (MoveId c = rules.begin; c < rules.end; ++c)
      if (s.form.fits(rule_of(c)) && !s.form.leaves_a_letter(rule_of(c))) s.fitting.push_back({c, c + 1});
    if (prefer_known_lemmas(s)) return;
    if (const auto way = tagset_->way_to_known_lemma(s.form, s.at)) return finish_word(s, *way);
    if (s.fitting.empty()) finish_word(s, kNone);
  }

  // If rules lead to lemmas that words of the treebank have, then there is no choice but these, and to leave
  // the letters of the form as they are. Whether there is one.
  bool prefer_known_lemmas(State& s) const {
    bool any = false;
    s.preferred.clear();
    for (const Range move : s.fitting) {
      const LemmaRule& rule = rule_of(move.begin);
      bool known = false;
      if (!rule.changes_case_alone() || tagset_->prefers_own_forms()) {
        s.lemma.clear();
        s.form.append_lemma(rule, s.lemma);
        any |= known = tagset_->is_known_lemma(s.lemma, s.at);
      }
      if (known || rule.changes_case_alone()) s.preferred.push_back(move);
    }
    if (any) std::swap(s.fitting, s.preferred);
    return any;
  }

  const LemmaRule& rule_of(MoveId move) const { return tagset_->rule(tagset_->rule_number(move)); }

  void begin_word(State& s) const {
    s.at = kNone;
    if (done(s)) return;
    const std::string_view form = s.treebank->text(s.first + static_cast<size_t>(s.next) - 1, Column::Form);
    s.form.set(form);
    s.entry = tagset_->entry(s.form);
    s.of_sign = tagset_->of_sign(form);
  }
  void finish_word(State& s, int32_t rule) const {
    s.rules[s.next] = rule;
    ++s.next;
    begin_word(s);
  }

  // Of moves in order, those in a range.
  static Legal within(std::span<const Range> moves, Range range) {
    const auto before = [](Range move, MoveId c) { return move.begin < c; };
    const auto first = std::lower_bound(moves.begin(), moves.end(), range.begin, before);
    return Legal({first, std::lower_bound(first, moves.end(), range.end, before)});
  }

  std::shared_ptr<const Tagset> tagset_;
};

}  // namespace arcwise
