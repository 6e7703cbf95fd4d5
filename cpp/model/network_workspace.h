// What a worker needs to score with a network.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/network.h"
#include "model/scoring.h"
#include "text/treebank.h"

namespace arcwise {

class NetworkModel::Workspace {
 public:
  Workspace(const NetworkModel& model, Visits visits);
  // Looks at what another workspace has encoded, of sentences that the other has come to. Both models have
  // the same encoder and inputs of words.
  Workspace(const NetworkModel& model, Visits visits, Workspace& other);

  void begin(const Treebank& treebank, size_t first, size_t last);
  void sentence(size_t sentence);
  int32_t words() const { return words_; }
  const Treebank& treebank() const { return *treebank_; }
  const int32_t* score(const TreeView& view);
  // Of the legal moves, and of some others.
  const int32_t* score(const TreeView& view, const Legal& legal);
  // The same in two steps: a hash of all that the network sees of a state, and of the sentence; the scores of
  // the state that was looked at last.
  uint64_t look(const TreeView& view);
  const int32_t* score(const Legal& legal);
  // Of a task that has many moves, few of which are legal at a time: those in a range.
  const int32_t* score(const LabelView& view, Range moves);
  const uint16_t* columns() const { return model_.places_.data(); }
  double scale() const { return model_.scale_; }

 private:
  Workspace(const NetworkModel& model, Visits visits, std::shared_ptr<NetworkEncoder::Workspace> encoded);

  // The scores of states that derivations side by side come to again and again, by a hash of all that the
  // network sees of them. A newer state takes a slot over.
  struct Kept {
    uint64_t hash = 0;
    AlignedVector<int32_t> scores;
  };
  // Multiplies the words of a sentence, and of some that come after it, with the weights of every position.
  void multiply_from(size_t sentence);
  void multiply_rows(size_t first, size_t count, int16_t* products) const;
  // What a row of the batch comes to at a position.
  const int16_t* at_place(size_t row, size_t position);
  // The hidden units of the state that was looked at last; the scores of all moves there.
  void compute_units();
  const int32_t* score(AlignedVector<int32_t>& scores);

  const NetworkModel& model_;
  const bool keeps_all_;  // words of a very long sentence, though the encoder goes on to another
  const size_t hidden_;
  std::shared_ptr<NetworkEncoder::Workspace> encoded_;
  const Treebank* treebank_ = nullptr;
  // The words that were multiplied with the weights of every position: of a batch, rows.
  uint64_t batch_ = 0;
  size_t multiplied_ = 0, multiplied_end_ = 0;
  AlignedVector<int16_t> at_places_;  // these products, or some of those of a long sentence
  // Of a long one: the words whose products are there, a block for each slot; a newer one takes it over.
  std::vector<size_t> blocks_;
  AlignedVector<int16_t> copies_;  // of the rows that a state looks at

  int32_t words_ = 0;
  size_t first_row_ = 0;  // of the sentence, in the batch
  std::vector<int32_t> nodes_, extras_;
  std::vector<const int16_t*> sums_;
  AlignedVector<int16_t> units_;
  AlignedVector<int32_t> scores_;
  std::vector<PanelRange> panels_;  // of the legal moves
  std::vector<Kept> kept_;
  std::vector<uint64_t> multipliers_;  // of nodes and extras, in hashes of states
  uint64_t sentences_ = 0;             // so far: states of different ones are different
};

}  // namespace arcwise
