// A network (network/shape.h), frozen for parsing: what words are multiplied with in 8 bits (or in 16, as in
// older files), what comes after in 16.
//
// - The words' embeddings are integers with one scale for all, so that a word's are added up exactly
//   (model/embeddings.h).
// - The weights of each output of the encoder, and of each hidden unit at each position, have a scale of
//   their own: so small that their products with a word's integers cannot overflow, and no smaller.
// - Words' vectors are floats between layers; they are rounded to integers with a scale of their own, or of
//   their sentence: nothing depends on what else is parsed.
// - Hidden units have one scale, and so have the weights of moves: scores are integers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arrays.h"
#include "model/network_encoder.h"
#include "network/int16_kernels.h"
#include "network/shape.h"
#include "network/state_inputs.h"
#include "network/token_inputs.h"
#include "task/moves.h"

namespace arcwise {

// What a network has besides its encoder.
template <template <class> class Array>
struct HeadParts {
  WeightsOf<Array> positions;    // [width][positions][hidden]
  Array<float> position_scales;  // [positions][hidden], in hidden units' integers
  Array<int16_t> absent;         // [positions][hidden]
  Array<int16_t> extras;         // [extras][hidden]
  Array<int16_t> hidden_bias;    // [hidden]
  Array<int16_t> moves;          // [hidden][classes]
  Array<int32_t> move_bias;      // [classes]
};

// The arrays of a network, as they are made.
struct EncoderArrays : EncoderParts<PlainVector> {
  float token_scale = 1;  // of the words' embeddings
};
struct HeadArrays : HeadParts<PlainVector> {
  float score_scale = 1;
};

// The weights that a learner leaves: rare embeddings in 8 bits or in 4, and what words are multiplied with in
// 8 or in 16. most_hidden is how far from 0 the sum of a hidden unit, before relu, has got in training;
// somewhat larger ones still fit, much larger ones are cut off. Both throw std::invalid_argument if a weight
// is not a number.
EncoderArrays freeze_encoder(const NetworkShape& shape, const NetworkWeights& weights,
                             std::span<const uint64_t> keys, int embedding_bits = 8, int bits = 8);
HeadArrays freeze_head(const NetworkShape& shape, const NetworkWeights& weights, float most_hidden,
                       int bits = 8);

// What a network looks at: its inputs, by name, and how many labels arcs may have.
struct NetworkInputs {
  TokenInputOptions tokens;
  std::vector<std::string> states;
  int32_t labels = 0;
};

class IdleEncoders;
struct KnownWordStatistics;

class NetworkModel {
 public:
  // Throws std::invalid_argument if anything is out of range or does not fit.
  NetworkModel(std::shared_ptr<const NetworkEncoder> encoder, int32_t hidden, const NetworkInputs& inputs,
               const HeadParts<ConstSpan>& parts, float score_scale);

  MoveId classes() const { return shape_.classes; }
  int32_t labels() const { return labels_; }
  std::vector<Slot> slots() const { return states_.slots(); }
  double scale() const { return scale_; }  // a score times this is what the learner's would have been
  const NetworkEncoder& encoder() const { return *encoder_; }
  // Whether this one, too, sees nothing of words but these inputs.
  bool has_inputs_of(const NetworkModel& other) const { return tokens_.options() == other.tokens_.options(); }

  class Workspace;  // a worker's (model/network_workspace.h)
  // Words that workers have looked for among those known, and found, since the model was made.
  KnownWordStatistics statistics() const;

 private:
  std::shared_ptr<NetworkEncoder::Workspace> encoder_workspace() const;

  std::shared_ptr<const NetworkEncoder> encoder_;
  NetworkShape shape_;
  int32_t labels_;
  TokenInputs tokens_;
  StateInputs states_;
  std::variant<Int8Matrix, Int16Matrix> positions_;
  std::vector<float> position_scales_;
  AlignedVector<int16_t> absent_, extras_, hidden_;
  Int16Matrix moves_;
  AlignedVector<int32_t> bias_;  // filled up as the weights of moves are
  std::vector<uint16_t> places_;
  double scale_ = 1;
  std::shared_ptr<IdleEncoders> idle_;
};

}  // namespace arcwise
