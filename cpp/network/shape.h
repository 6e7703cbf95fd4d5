// The network, in one place:
//
//   x_t  = the sum of the embeddings of word t's inputs
//   each layer of the encoder adds to x what it makes of the words around (2 * window + 1 of them, side by
//   side in one row of u, 0 where there is no word; ROOT comes after the last word):
//     conv  a = u W + b, two halves:  x += max(a1, a2)
//     rnn   a = u W + b, for each of two directions three parts of half the width:
//           z = tanh a1, f = sigmoid a2, o = sigmoid a3
//           c_t = f c_{t-1} + (1 - f) z  (from the left; from the right c_{t+1})
//           x += (o c of the one, o c of the other)
//   a state's hidden units: h = relu(b + the sum over positions p of x_{word at p} W_p, or of a vector of
//   its own where there is no word + the sum of the embeddings of its extra inputs)
//   scores of moves: h V + b
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace arcwise {

enum class Encoder : uint8_t { None, Conv, Rnn };

struct NetworkShape {
  Encoder encoder = Encoder::Rnn;
  int32_t layers = 2;
  int32_t window = 1;
  int32_t width = 64;    // of a word's vector
  int32_t hidden = 128;  // units
  int32_t tokens = 0;    // rows of the words' embeddings
  int32_t positions = 0;
  int32_t extras = 0;  // rows of the embeddings of extra inputs
  int32_t classes = 0;

  int32_t encoder_layers() const { return encoder == Encoder::None ? 0 : layers; }
  int32_t encoder_inputs() const { return (2 * window + 1) * width; }
  int32_t encoder_outputs() const { return (encoder == Encoder::Conv ? 2 : 3) * width; }
  int32_t hidden_inputs() const { return positions * hidden; }  // the products of a word with every W_p
};

// All weights, row by row.
struct NetworkWeights {
  std::vector<float> tokens;  // [tokens][width]
  struct Layer {
    std::vector<float> weights;  // [encoder_inputs][encoder_outputs]
    std::vector<float> bias;     // [encoder_outputs]
  };
  std::vector<Layer> encoder;
  std::vector<float> positions;  // [width][positions][hidden]
  std::vector<float> absent;     // [positions][hidden]
  std::vector<float> extras;     // [extras][hidden]
  std::vector<float> hidden;     // bias, [hidden]
  std::vector<float> moves;      // [hidden][classes]
  std::vector<float> bias;       // [classes]
};

}  // namespace arcwise
