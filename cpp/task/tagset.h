// What a tagger may say of a word, as a tree of moves: a value of the first column (UPOS), then one of those
// of the next column (XPOS) that go with it, and so on (FEATS); then one of the rules from forms to lemmas
// that go with the first. Where a lexicon knows the lemma there is nothing to choose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "task/lemma_lexicon.h"
#include "task/lemma_reach.h"
#include "task/moves.h"
#include "task/tagged_word.h"
#include "text/lemma_rule.h"
#include "text/treebank.h"
#include "text/vocabulary.h"

namespace arcwise {

inline constexpr std::array<Column, kMostTagColumns> kTagColumns = {Column::Upos, Column::Xpos,
                                                                    Column::Feats};

// A tagset as a model file has it.
struct TagsetParts {
  std::vector<Column> columns;  // of UPOS, XPOS and FEATS, those that are given to words
  // The values of these columns that occur together. Those with the same first one stand side by side, and
  // among them those with the same second one.
  std::vector<std::vector<std::string>> analyses;
  std::vector<LemmaRule> rules;                      // none: no lemmas are given
  std::vector<std::pair<int32_t, int32_t>> choices;  // value of the first column, rule; in order
  std::vector<uint32_t> lexicon_keys;                // Tagset::key() of form and tag
  std::vector<int32_t> lexicon_rules;                // of each key
  std::vector<uint32_t> lemma_keys;                  // the same of lemma and value of the first column
  // Forms without letters or digits that were seen, each followed by the values of the first column that it
  // may have; by none if it may have any. None at all: nothing is known of such forms.
  std::vector<std::vector<std::string>> signs;
  // Ways to lemmas of the treebank that no choice leads to; none: an older tagger, which also chooses freely
  // if it is the form itself that is a lemma of the treebank.
  std::optional<LemmaReachParts> reach;
};

// For training: which analyses and choices of rules the treebank hardly has, or not at all.
struct RareTags {
  std::vector<uint8_t> analyses, choices;  // of each; empty: none is
};

// What a user knows of some words.
struct TagDictionary {
  struct Line {
    std::string form;
    std::array<std::string, kMostTagColumns> values;  // of UPOS, XPOS and FEATS; `_`: any
    std::string lemma;                                // the same
  };
  std::vector<Line> lines;
  bool restricts = true;  // a word has no other analyses than those of its lines; else lemmas alone count
};

class Tagset {
 public:
  // Throws std::invalid_argument if the parts do not fit together, or the dictionary gives a word what is not
  // in the tagset.
  explicit Tagset(const TagsetParts& parts, const TagDictionary& dictionary = {}, const RareTags& rare = {});

  MoveId size() const { return static_cast<MoveId>(steps_.size()); }  // of all moves
  MoveId tags() const { return tags_; }  // of those that give a value of a column

  const std::vector<Column>& columns() const { return columns_; }
  bool has_lemmas() const { return !rules_.empty(); }

  Range first() const { return first_; }
  // The values of the next column that go with one; after the last column, rules.
  Range next(MoveId tag) const { return steps_[tag].next; }
  bool is_last_column(MoveId tag) const { return steps_[tag].column + 1u == columns_.size(); }

  size_t column(MoveId tag) const { return steps_[tag].column; }
  int32_t value(MoveId tag) const { return steps_[tag].value; }  // its number in the column
  std::string_view text(size_t column, int32_t value) const { return texts_[column][value]; }
  MoveId first_column(MoveId tag) const { return steps_[tag].root; }  // the move there that leads to a tag
  // What an analysis, which is a move of the last column, has in a column.
  std::string_view text_of(MoveId analysis, size_t column) const;
  // visit(column, text) for all that it has.
  template <class F>
  void each_text(MoveId analysis, F&& visit) const {
    for (MoveId tag = analysis; tag >= 0; tag = steps_[tag].before)
      visit(columns_[steps_[tag].column], texts_[steps_[tag].column][steps_[tag].value]);
  }

  bool is_rule(MoveId move) const { return move >= tags_; }
  int32_t rule_number(MoveId move) const { return steps_[move].value; }
  const LemmaRule& rule(int32_t number) const { return rules_[number]; }
  // What a rule makes of a form that it fits, or a way to a known lemma, which has a number as rules have.
  void append_lemma(CasedForm& form, int32_t number, std::string& out) const;
  // The rule for a word that is in the lexicon with an analysis, or with its first column.
  std::optional<int32_t> known_rule(CasedForm& form, MoveId analysis) const;
  // Asks for what known_rule() will look at if a word is given this value of the first column.
  void prefetch_rule(CasedForm& form, MoveId first) const {
    lexicon_.prefetch(key(form.in(LetterCase::Same), first));
  }
  // Whether words of the treebank have this lemma, with the first column of an analysis.
  bool is_known_lemma(std::string_view lemma, MoveId analysis) const {
    return lemmas_.row(key(lemma, first_column(analysis))) != Vocabulary::kMissing;
  }

  bool prefers_own_forms() const { return reach_.has_value(); }
  // The way to a known lemma if no choice leads to one.
  std::optional<int32_t> way_to_known_lemma(CasedForm& form, MoveId analysis) const;

  // What moves have in common: single features, and what rules do. Each has a number.
  const std::vector<std::vector<int32_t>>& parts() const { return parts_; }
  int32_t part_count() const { return part_count_; }
  // Of each move: whether it is known by its parts alone, so that training learns how far these can be
  // trusted.
  const std::vector<uint8_t>& is_rare() const { return is_rare_; }

  // What the dictionary has for a word.
  struct Entry {
    std::vector<Range> moves;                       // one by one, those that lead to its analyses; none: all
    std::vector<std::pair<MoveId, int32_t>> rules;  // of its analyses
  };
  const Entry* entry(CasedForm& form) const;
  // The values of the first column that a form without letters or digits may have, one by one; none: any. It
  // may have what it was seen with. If it was not seen, it is what the guidelines of Universal Dependencies
  // call such forms, PUNCT or SYM, or has what the one character was seen with that it repeats.
  std::span<const Range> of_sign(std::string_view form) const;

  static uint32_t key(std::string_view text, MoveId tag);

 private:
  struct StringHash {  // finds what is part of a longer string
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Step {
    uint8_t column = 0;
    int32_t value = 0;   // or the rule
    MoveId before = -1;  // in the column before
    MoveId root = 0;     // in the first column
    Range next;
  };

  void add_columns(const TagsetParts& parts);
  void add_rules(const TagsetParts& parts);
  void add_rare(const RareTags& rare);
  void add_parts();
  void add_dictionary(const TagDictionary& dictionary);
  void add_signs(const TagsetParts& parts);
  // The analyses that a line of the dictionary lets a word have.
  std::vector<MoveId> analyses(const TagDictionary::Line& line) const;
  std::optional<int32_t> find(size_t column, std::string_view text) const;
  std::optional<int32_t> look_up(std::string_view form, MoveId analysis) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> texts_;
  std::vector<Step> steps_;
  Range first_;
  MoveId tags_ = 0;
  std::vector<LemmaRule> rules_;
  std::vector<std::vector<int32_t>> parts_;
  int32_t part_count_ = 0;
  std::vector<uint8_t> is_rare_;
  LemmaLexicon lexicon_;
  Vocabulary lemmas_;
  std::optional<LemmaReach> reach_;
  std::unordered_map<std::string, Entry, StringHash, std::equal_to<>> dictionary_;
  std::unordered_map<std::string, std::vector<Range>, StringHash, std::equal_to<>> signs_, repeated_;
  std::vector<Range> new_signs_, new_symbols_;  // what those may have that are not there
};

}  // namespace arcwise
