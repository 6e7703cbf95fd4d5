// Trees of another parser as further training material, beside those of the treebank that is trained on (gold
// trees). There may be too many to hold in memory: they are given a chunk at a time, which is shuffled, and
// the next one when all its sentences have been seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "learn/network.h"
#include "train/tagging_set.h"
#include "train/teachers.h"
#include "train/training_set.h"
#include "train/vocabulary_counts.h"

namespace arcwise {

struct SilverOptions {
  std::shared_ptr<const SilverCounts> counts;  // of all of them
  double weight = 0.3;                         // of a decision in the loss, where that of a gold tree has 1
  int64_t words = 0;                           // that are seen in all, in as many passes as that takes
  int32_t epochs = 1;                          // the first, in which they are seen
  int32_t vocabulary = 0;                      // words that gold trees lack and that have an embedding
  std::vector<Teacher> teachers{};             // who know more than trees would say; none: there are trees
};

class SilverTrees {
 public:
  using Embed = std::function<NetworkSentence(const Treebank& treebank, size_t sentence)>;

  // `gold` has the labels, and `how` says which trees can be learnt; `tags` are for a tagger that is learnt
  // along with the parser, if there is one.
  SilverTrees(const SilverOptions& options, const TrainingSet& gold, std::vector<std::string> label_names,
              const TrainingSetOptions& how, std::optional<SilverTags> tags, Embed embed, uint64_t seed);

  struct Sentence {
    TrainingSentence tree;
    NetworkSentence input;
    const TrainingSentence* tags = nullptr;
  };

  // Whether it is the turn of a silver tree, so that both kinds come evenly spread. Gold words are told of.
  bool is_due(int64_t epoch) const {
    return epoch <= options_.epochs &&
           static_cast<double>(place_.seen) < share_ * static_cast<double>(place_.gold);
  }
  bool is_used_up() const { return !is_given_ || place_.position == static_cast<int64_t>(order_.size()); }
  const Sentence& next() {
    const Sentence& sentence = sentences_[order_[place_.position++]];
    place_.seen += sentence.tree.words();
    return sentence;
  }
  void saw_gold(int64_t words) { place_.gold += words; }

  // Whether a run cannot go on before it is given a chunk: the first, the one that it was in when it was
  // stored, or the next.
  bool is_waiting(int64_t epoch) const {
    return epoch <= options_.epochs && (!is_given_ || (is_due(epoch) && is_used_up()));
  }
  // The number of that chunk, from 0, through all passes.
  int64_t wanted() const { return is_given_ ? place_.chunk + 1 : place_.chunk; }
  void give(Treebank chunk);

  // Where a run has come to.
  struct Place {
    int64_t chunk = 0, position = 0;  // in it
    int64_t seen = 0, gold = 0;       // words
  };
  const Place& place() const { return place_; }
  // Goes back a little, within a chunk.
  void go_back(const Place& place) { place_ = place; }
  // Goes on from a stored place, once its chunk is given.
  void take_up(const Place& place);

 private:
  SilverOptions options_;
  LabelSet labels_;
  std::vector<std::string> label_names_;
  TrainingSetOptions how_;
  std::optional<SilverTags> tags_;
  Embed embed_;
  uint64_t seed_;
  double share_;  // silver words for each gold one

  bool is_given_ = false;
  Treebank chunk_;
  std::vector<TrainingSentence> tags_of_chunk_;
  std::vector<Sentence> sentences_;
  std::vector<uint32_t> order_;
  Place place_;
};

}  // namespace arcwise
