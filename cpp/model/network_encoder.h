// The part of a frozen network (model/network.h) that makes vectors of words: embeddings and encoder. Several
// networks may have one: what a worker has encoded for the one of them, the others can look at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/arrays.h"
#include "base/huge_pages.h"
#include "network/int16_kernels.h"
#include "network/shape.h"
#include "network/token_inputs.h"
#include "text/treebank.h"

namespace arcwise {

template <template <class> class Array>
struct EncoderParts {
  Array<uint64_t> keys;            // of the vocabulary
  Array<int8_t> tokens;            // [tokens][width]
  Array<uint8_t> token_shifts;     // [tokens]: a row's numbers are so many times doubled
  Array<int16_t> encoder_weights;  // [layers][encoder_inputs][encoder_outputs]
  Array<float> encoder_scales;     // [layers][encoder_outputs]
  Array<float> encoder_bias;       // the same
};

inline constexpr int kMostTokenShift = 8;  // from 8 bits to 16

class NetworkEncoder {
 public:
  // Of the shape, what the encoder has to do with. Throws std::invalid_argument if anything is out of range
  // or does not fit.
  NetworkEncoder(const NetworkShape& shape, const EncoderParts<ConstSpan>& parts, float token_scale);

  const NetworkShape& shape() const { return shape_; }

  class Workspace;  // a worker's

 private:
  struct Layer {
    Int16Matrix weights;
    AlignedVector<float> scales, bias;
  };
  void check_shape() const;

  NetworkShape shape_;
  Vocabulary vocabulary_;
  HugeVector<int16_t> embeddings_;
  float token_scale_;
  std::vector<Layer> layers_;
};

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
  // Of a sentence of the batch: its first row. ROOT's comes after those of its words.
  size_t first_row(size_t sentence) const { return first_row_[sentence - first_]; }
  // The words of the batch, encoded.
  Int16Rows rows() const { return {vectors_.data(), scales_.data(), vectors_.size()}; }

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

  void encode_batch(size_t first);
  void lay_out();
  void embed();
  void embed_word(size_t word, float* x);
  void run_layers();

  const NetworkEncoder& encoder_;
  const TokenInputs& inputs_;
  const size_t width_;
  const Treebank* treebank_ = nullptr;
  size_t end_ = 0;               // of the sentences that were begun
  size_t first_ = 0, last_ = 0;  // of the sentences of the batch
  uint64_t batch_ = 0;
  std::vector<size_t> first_row_;  // of each of them, and where the last one ends
  KnownWords known_;
  std::string buffer_;
  std::vector<const int16_t*> embeddings_;

  AlignedVector<float> x_;         // rows of words
  AlignedVector<float> products_;  // of a layer
  AlignedVector<float> carried_;   // from word to word in one direction

  // The same rows in integers, with rows of 0 before, between and after sentences where a window reaches.
  AlignedVector<int16_t> integers_;
  std::vector<float> scales_;
  std::vector<int16_t*> windows_;  // where each row's window begins
  std::vector<int16_t*> vectors_;  // where it begins itself
};

}  // namespace arcwise
