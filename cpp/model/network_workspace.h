// What a worker needs to score with a network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/network.h"
#include "search/scoring.h"
#include "text/treebank.h"

namespace arcwise {

class NetworkModel::Workspace {
 public:
  Workspace(const NetworkModel& model, Visits visits);

  void begin(const Treebank& treebank, size_t first, size_t last);
  void sentence(size_t sentence);
  int32_t words() const { return words_; }
  const Treebank& treebank() const { return *treebank_; }
  const int32_t* score(const Tree& tree, const SlotNodes& nodes);
  const int32_t* score(const Tree& tree, const SlotNodes& nodes, Range moves);
  const uint16_t* places() const { return model_.places_.data(); }
  double scale() const { return model_.scale_; }

 private:
  // The sums of words' embeddings, by a hash of their columns: most words have been there before. A slot has
  // room for one word; a newer one takes it over.
  class KnownWords {
   public:
    explicit KnownWords(size_t width);
    // Where the word's sum is, or is to be written if it was not there.
    std::pair<float*, bool> find(uint64_t hash);

   private:
    size_t width_;
    std::vector<uint64_t> hashes_;
    std::unique_ptr<float[]> sums_;  // touched only where there is a word
  };

  // The scores of states that derivations side by side come to again and again, by a hash of all that the
  // network sees of them. A newer state takes a slot over.
  struct Kept {
    uint64_t hash = 0;
    std::vector<int32_t> scores;
  };
  // The hidden units of the state that was looked at last; the scores of all moves there.
  void compute_units();
  const int32_t* score(std::vector<int32_t>& scores);

  // Does all that can be done before the first move, for the sentences from this one on that make a batch.
  void prepare(size_t first);
  void lay_out();
  void embed();
  void embed_word(size_t word, float* x);
  void encode();
  void multiply_positions();
  Int16Rows rows(const std::vector<int16_t*>& pointers) const {
    return {pointers.data(), scales_.data(), pointers.size()};
  }

  const NetworkModel& model_;
  const size_t width_, hidden_;
  const Treebank* treebank_ = nullptr;
  size_t last_ = 0;                          // of the sentences that were begun
  size_t batch_first_ = 0, batch_last_ = 0;  // of the sentences that are ready
  std::vector<size_t> first_row_;            // of each of them, and where the last one ends
  KnownWords known_;
  std::string buffer_;
  std::vector<const int16_t*> embeddings_;

  // Rows of words, ROOT after the last of each sentence.
  std::vector<float> x_;
  std::vector<float> products_;     // of a layer of the encoder
  std::vector<int16_t> at_places_;  // the products with the weights of every position

  // The same rows in integers, with rows of 0 before, between and after sentences where a window reaches.
  std::vector<int16_t> integers_;
  std::vector<float> scales_;
  std::vector<int16_t*> windows_;  // where each row's window begins
  std::vector<int16_t*> vectors_;  // where it begins itself

  int32_t words_ = 0;
  const int16_t* sentence_ = nullptr;  // in at_places_
  std::vector<int32_t> nodes_, extras_;
  std::vector<const int16_t*> sums_;
  std::vector<int16_t> units_;
  std::vector<int32_t> scores_;
  std::vector<Kept> kept_;
  uint64_t sentences_ = 0;  // so far: states of different ones are different
};

}  // namespace arcwise
