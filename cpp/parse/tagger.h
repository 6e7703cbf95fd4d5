// A trained tagger: a tagset and a network that scores its moves. Immutable and shared; each worker has a
// workspace of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/network_workspace.h"
#include "search/greedy.h"
#include "task/tagging.h"
#include "task/tagset.h"
#include "text/treebank.h"

namespace arcwise {

class Tagger {
 public:
  // Throws std::invalid_argument if the parts do not fit together, or the dictionary does not fit them.
  Tagger(const TagsetParts& parts, const TagDictionary& dictionary,
         std::shared_ptr<const NetworkModel> model);

  // What a word is given: the move of its last value, and the number of a rule for its lemma.
  struct Analysis {
    MoveId tags = kNone;
    int32_t rule = kNone;
  };
  // Of all words of a treebank. Does not depend on the number of threads.
  std::vector<Analysis> choose(const Treebank& treebank, int threads) const;
  // What it says in a column, empty if it says nothing there or is none.
  std::string_view text(const Analysis& analysis, Column column) const {
    std::string_view found;
    tagset_->each_text(analysis.tags, [&](Column of, std::string_view text) {
      if (of == column) found = text;
    });
    return found;
  }
  // Whether a form has no letters or digits, and was not seen in training, which saw others.
  bool is_new_sign(std::string_view form) const;
  // The values of the columns that the tagset has, and lemmas if it has any, of words in their order; those
  // without an analysis stay as they are. All that is given must stay where it is.
  Treebank::GiveValues values(const Treebank& treebank, std::span<const Analysis> analyses) const;
  // The same treebank with these.
  Treebank write(const Treebank& treebank, std::span<const Analysis> analyses) const {
    return treebank.with_columns(values(treebank, analyses));
  }

  // Whether it sees of words what another network does, so that one can be told what the other has encoded.
  bool shares_encoder_of(const NetworkModel& other) const {
    return &model_->encoder() == &other.encoder() && model_->has_inputs_of(other);
  }

  class Worker;

 private:
  std::shared_ptr<const Tagset> tagset_;
  std::shared_ptr<const NetworkModel> model_;
  std::vector<std::string> signs_;  // of the treebank, in order
};

// Tags sentences one by one.
class Tagger::Worker {
 public:
  explicit Worker(const Tagger& tagger)
      : task_(tagger.tagset_), scoring_(*tagger.model_, Visits::LeftToRight), search_(task_, scoring_) {}
  // Of sentences that another workspace has come to.
  Worker(const Tagger& tagger, NetworkModel::Workspace& other)
      : task_(tagger.tagset_),
        scoring_(*tagger.model_, Visits::LeftToRight, other),
        search_(task_, scoring_) {}

  void begin(const Treebank& treebank, size_t first, size_t last) { scoring_.begin(treebank, first, last); }
  // Tags a sentence; `analyses` are of all words of the treebank.
  void tag(size_t sentence, std::span<Analysis> analyses);

  // Of the sentence that was tagged last: the UPOS that a word, counted from 1, might have been given in
  // place of its own, and how much less probable they are: by how much the logarithm is lower.
  struct Other {
    MoveId upos;
    std::string_view text;
    double loss;
  };
  std::vector<Other> others(int32_t word);
  // What a word is given if its UPOS is this. All other words keep what they have.
  Analysis with(int32_t word, MoveId upos);

 private:
  Tagging task_;
  NetworkModel::Workspace scoring_;
  GreedySearch<Tagging, NetworkModel::Workspace> search_;
  Tagging::State at_;  // a word again
};

}  // namespace arcwise
