// The part of a frozen network (model/network.h) that makes vectors of words: embeddings and encoder. Several
// networks may have one: what a worker has encoded for the one of them, the others can look at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/arrays.h"
#include "base/huge_pages.h"
#include "model/encoded_rows.h"
#include "model/known_words.h"
#include "network/shape.h"
#include "network/token_inputs.h"
#include "text/treebank.h"

namespace arcwise {

// Weights in 8 bits, or in 16, as files before format 6 have them.
template <template <class> class Array>
using WeightsOf = std::variant<Array<int8_t>, Array<int16_t>>;

template <template <class> class Array>
struct EncoderParts {
  Array<uint64_t> keys;              // of the vocabulary
  Array<int8_t> tokens;              // [tokens][width]
  Array<uint8_t> token_shifts;       // [tokens]: a row's numbers are so many times doubled
  WeightsOf<Array> encoder_weights;  // [layers][encoder_inputs][encoder_outputs]
  Array<float> encoder_scales;       // [layers][encoder_outputs]
  Array<float> encoder_bias;         // the same
};

inline constexpr int kMostTokenShift = 8;  // from 8 bits to 16

class NetworkEncoder {
 public:
  // Of the shape, what the encoder has to do with. Throws std::invalid_argument if anything is out of range
  // or does not fit.
  NetworkEncoder(const NetworkShape& shape, const EncoderParts<ConstSpan>& parts, float token_scale);

  const NetworkShape& shape() const { return shape_; }

  // Whether words are multiplied with weights in 8 bits; all networks on an encoder do as it does.
  bool has_bytes() const { return std::holds_alternative<Layers<Int8Matrix>>(layers_); }

  class Workspace;  // a worker's

 private:
  template <class Matrix>
  struct Layer {
    Matrix weights;
    AlignedVector<float> scales, bias;
  };
  template <class Matrix>
  using Layers = std::vector<Layer<Matrix>>;
  void check_shape() const;
  void set_layers(const EncoderParts<ConstSpan>& parts);
  void set_first_layer(std::span<const int8_t> weights);

  NetworkShape shape_;
  Vocabulary vocabulary_;
  HugeVector<int16_t> embeddings_;
  float token_scale_;
  std::variant<Layers<Int8Matrix>, Layers<Int16Matrix>> layers_;
  // In 8 bits, what the first layer makes of a word at each place of a window does not depend on the other
  // words there: [width][places][outputs].
  Layer<Int8Matrix> first_layer_;
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
  // How many words were looked for among those known, and how many were found.
  const KnownWords::Statistics& statistics() const { return known_.statistics(); }

 private:
  void encode_batch(size_t first);
  struct Word {
    size_t number;  // in the treebank
    uint64_t hash;
  };
  void embed();
  // The sum of a word's embeddings, valid until the next is asked for.
  const float* embedded(const Word& word);
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
  std::vector<const int16_t*> embeddings_;

  std::vector<Word> words_;        // of rows
  AlignedVector<float> x_;         // rows of words
  AlignedVector<float> products_;  // of a layer
  AlignedVector<float> carried_;   // from word to word in one direction
  std::variant<EncodedRows<Int8Matrix>, EncodedRows<Int16Matrix>> rows_;

  // Of the first layer: the words whose products are not known, and these.
  std::vector<size_t> fresh_;  // rows
  EncodedRows<Int8Matrix> fresh_rows_;
  AlignedVector<float> fresh_floats_;
  AlignedVector<int16_t> fresh_products_;
  std::vector<float> fresh_scales_;
  std::vector<const int16_t*> found_;  // where the products of each word are
  std::vector<float> found_scales_;
};

}  // namespace arcwise
