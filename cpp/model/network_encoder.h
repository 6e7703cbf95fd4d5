// The part of a frozen network (model/network.h) that makes vectors of words: embeddings and encoder. Several
// networks may have one: what a worker has encoded for the one of them, the others can look at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/arrays.h"
#include "model/embeddings.h"
#include "network/int16_kernels.h"
#include "network/int8_kernels.h"
#include "network/shape.h"
#include "network/token_inputs.h"
#include "text/vocabulary.h"

namespace arcwise {

// Weights in 8 bits, or in 16, as files before format 6 have them.
template <template <class> class Array>
using WeightsOf = std::variant<Array<int8_t>, Array<int16_t>>;

// Keys, or the five bytes that newer files have of each (text/vocabulary.h).
template <template <class> class Array>
using KeysOf = std::variant<Array<uint64_t>, Array<uint8_t>>;

template <template <class> class Array>
struct EncoderParts {
  KeysOf<Array> keys;                // of the vocabulary
  EmbeddingParts<Array> tokens;      // [tokens][width]
  WeightsOf<Array> encoder_weights;  // [layers][encoder_inputs][encoder_outputs]
  Array<float> encoder_scales;       // [layers][encoder_outputs]
  Array<float> encoder_bias;         // the same
};

class NetworkEncoder {
 public:
  // Of the shape, what the encoder has to do with. Throws std::invalid_argument if anything is out of range
  // or does not fit.
  NetworkEncoder(const NetworkShape& shape, const EncoderParts<ConstSpan>& parts, float token_scale);

  const NetworkShape& shape() const { return shape_; }

  // Whether words are multiplied with weights in 8 bits; all networks on an encoder do as it does.
  bool has_bytes() const { return std::holds_alternative<Layers<Int8Matrix>>(layers_); }

  class Workspace;  // a worker's (model/encoder_workspace.h)

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
  Embeddings embeddings_;
  std::variant<Layers<Int8Matrix>, Layers<Int16Matrix>> layers_;
  // In 8 bits, what the first layer makes of a word at each place of a window does not depend on the other
  // words there: [width][places][outputs].
  Layer<Int8Matrix> first_layer_;
};

}  // namespace arcwise
