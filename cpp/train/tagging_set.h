// A treebank made ready for training a tagger: its tagset, the rules of its lemmas, and what each word is to
// be given.
#pragma once

#include "task/tagset.h"
#include "train/training_set.h"

namespace arcwise {

struct TaggingSetOptions {
  std::vector<Column> leave_out;  // of LEMMA, XPOS and FEATS
  int32_t least_forms = 2;        // a rule that fewer forms ask for is known from the lexicon alone
  // In training, the lexicon knows words that were seen so often: rarer ones teach what to do with new ones.
  int32_t least_uses = 4;
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

}  // namespace arcwise
