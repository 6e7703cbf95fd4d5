// What a worker needs to encode sentences (network_encoder.h).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/encoded_rows.h"
#include "model/known_words.h"
#include "model/network_encoder.h"
#include "text/treebank.h"

namespace arcwise {

// Encodes sentences in batches.
class NetworkEncoder::Workspace {
 public:
  Workspace(const NetworkEncoder& encoder, const TokenInputs& inputs);

  // Sentences of a treebank are to come, up to this one.
  void begin(const Treebank& treebank, size_t last);
  // Encodes a sentence, and as many after it as make a batch, unless that has been done.
  void sentence(size_t sentence) {
    if (sentence < first_ || sentence >= last_) encode_batch(sentence);
  }

  const NetworkEncoder& encoder() const { return encoder_; }
  const Treebank& treebank() const { return *treebank_; }
  // Which batch is encoded: the numbers of different ones differ.
  uint64_t batch() const { return batch_; }
  // Of a sentence of the batch, or the one after the last: its first row. ROOT's comes after those of its
  // words.
  size_t first_row(size_t sentence) const { return first_row_[sentence - first_]; }
  // Where the batch ends.
  size_t end_of_batch() const { return last_; }
  // The words of the batch, encoded: visit(rows), in 8 bits or in 16.
  template <class Visit>
  void with_rows(const Visit& visit) const {
    std::visit([&](const auto& rows) { visit(rows.rows()); }, rows_);
  }
  // Whether it has room for so long a sentence that it is not worth keeping.
  bool is_large() const { return x_.capacity() > kMostKept * width_; }
  // How many words were looked for among those known, and how many were found.
  const KnownWordStatistics& statistics() const { return known_.statistics(); }

 private:
  static constexpr size_t kMostKept = 4096;  // words

  void encode_batch(size_t first);
  struct Word {
    size_t number;  // in the treebank
    uint64_t hash;
  };
  void embed();
  // The sum of a word's embeddings.
  void embed(const Word& word, float* x);
  template <class Matrix>
  void run_layers(const Layers<Matrix>& layers, EncodedRows<Matrix>& encoded);
  // The products of the first layer, bias included, of some rows.
  void multiply_known(size_t first, size_t count);
  void multiply_fresh();

  const NetworkEncoder& encoder_;
  const TokenInputs& inputs_;
  const size_t width_, places_, outputs_;  // of a window; of a layer
  const Treebank* treebank_ = nullptr;
  size_t end_ = 0;               // of the sentences that were begun
  size_t first_ = 0, last_ = 0;  // of the sentences of the batch
  uint64_t batch_ = 0;
  std::vector<size_t> first_row_;  // of each of them, and where the last one ends
  KnownWords known_;
  std::string buffer_;
  Embeddings::Rows rows_of_word_;

  std::vector<Word> words_;        // of rows
  AlignedVector<float> x_;         // rows of words
  bool is_embedded_ = false;       // these are still the sums of their embeddings
  AlignedVector<float> products_;  // of a layer
  AlignedVector<float> carried_;   // from word to word in one direction
  std::variant<EncodedRows<Int8Matrix>, EncodedRows<Int16Matrix>> rows_;

  // Words as they are known; those of rows that were not, and what is made of them.
  std::vector<KnownWords::Word> found_;
  std::vector<size_t> fresh_;
  EncodedRows<Int8Matrix> fresh_rows_;
  AlignedVector<float> fresh_sums_, fresh_floats_;
  AlignedVector<int16_t> fresh_products_;
};

}  // namespace arcwise
