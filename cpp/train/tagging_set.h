// A treebank made ready for training a tagger: its tagset, the rules of its lemmas, and what each word is to
// be given.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "task/tagset.h"
#include "train/training_set.h"

namespace arcwise {

struct TaggingSetOptions {
  std::vector<Column> leave_out;  // of LEMMA, XPOS and FEATS
  int32_t least_forms = 2;        // a rule that fewer forms ask for is known from the lexicon alone
  // In training, the lexicon knows words that were seen so often: rarer ones teach what to do with new ones.
  int32_t least_uses = 4;
  // So many sentences, the first ones, are the treebank's own; others are variants of them.
  size_t own_sentences = SIZE_MAX;
};

// What a tagger knows that learns from corrections.
struct KnownTags {
  TagsetParts parts;
  size_t corrected = 0;  // so many of the first sentences are corrections; others are learnt again
};

struct TaggingSet {
  TagsetParts parts;
  TaggingSetOptions options;
  std::vector<int32_t> lexicon_uses;  // of each key: how often its word was seen
  RareTags rare;
  TrainingSet training;

  // Columns in which no word has anything are left out as well. Throws std::invalid_argument if
  // UPOS, XPOS and FEATS are all empty.
  static TaggingSet make(const Treebank& treebank, const TaggingSetOptions& options);
  // The same with the tagset of a tagger: values that are not in it count as unknown, and the lemmas of
  // corrected words join its lexicon, or take the place of others there. In training these words teach what
  // to do with new ones, however often they are seen.
  static TaggingSet make(const Treebank& treebank, const TaggingSetOptions& options, const KnownTags& known);

  // The tagset as training knows it. There every lemma would be known.
  Tagset tagset() const;
  // Throws std::invalid_argument if it is not of this treebank, or of one whose sentences are as long.
  void check_fit(const Treebank& treebank) const;
};

// What words of silver trees are to be given, as far as a tagset knows it: values and rules of lemmas that
// are not in it count as unknown.
class SilverTags {
 public:
  // Unless words of the silver trees `have_features`, `_` in FEATS says nothing of any.
  SilverTags(const TaggingSet& set, bool have_features);

  // Of each sentence.
  std::vector<TrainingSentence> of(const Treebank& treebank) const;

 private:
  TaggedWord of_word(const Treebank& treebank, size_t word) const;
  bool is_annotated(const Treebank& treebank, size_t word, Column column) const;

  std::vector<Column> columns_;
  std::vector<std::unordered_map<std::string, int32_t>> values_;  // of each column, and their numbers
  std::map<std::array<std::string, 5>, int32_t> rules_;
  bool have_features_, has_lemmas_;
};

}  // namespace arcwise
