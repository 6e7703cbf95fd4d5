#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/byte_weights.h"
#include "model/network.h"
#include "model/network_checks.h"

namespace arcwise {
namespace {

// Of the range of hidden units, what training has not reached.
constexpr float kHiddenMargin = 1.5f;
// Of the range of scores, what is for the products; the rest is for the bias.
constexpr double kShareOfProducts = 0.9;

// Where everything is 0, any scale will do.
double positive(double scale) { return scale > 0 ? scale : 1; }

int16_t rounded(double value) {
  return static_cast<int16_t>(std::lround(std::clamp<double>(value, -kMostFactor, kMostFactor)));
}

std::vector<int16_t> divided(std::span<const float> values, double scale) {
  std::vector<int16_t> integers(values.size());
  std::transform(values.begin(), values.end(), integers.begin(),
                 [=](float v) { return rounded(double{v} / scale); });
  return integers;
}

// The largest sum of sizes, and the largest size, of each output's weights.
struct Sizes {
  std::vector<double> sums, most;
};
Sizes sizes_of(std::span<const float> weights, size_t inputs, size_t outputs) {
  largest(weights);
  Sizes sizes{std::vector<double>(outputs, 0), std::vector<double>(outputs, 0)};
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o) {
      const double weight = std::fabs(double{weights[i * outputs + o]});
      sizes.sums[o] += weight;
      sizes.most[o] = std::max(sizes.most[o], weight);
    }
  return sizes;
}

// The smallest scale of each output that keeps its weights' sum in bounds, whichever way they are rounded; 0
// if it has none.
std::vector<double> output_scales(std::span<const float> weights, size_t inputs, size_t outputs,
                                  double most_sum) {
  const Sizes sizes = sizes_of(weights, inputs, outputs);
  std::vector<double> scales(outputs);
  const double room = most_sum - static_cast<double>(inputs) / 2;
  for (size_t o = 0; o < outputs; ++o)
    scales[o] = std::max(sizes.sums[o] / room, sizes.most[o] / kMostFactor);
  return scales;
}

// The same for weights in 8 bits, of which those that are multiplied together have to stay in bounds.
std::vector<double> byte_scales(std::span<const float> weights, size_t inputs, size_t outputs) {
  std::vector<double> scales = sizes_of(weights, inputs, outputs).most;
  for (double& scale : scales) scale /= kMostByteWeight;
  bytes_together(inputs, [&](auto... together) {
    constexpr double kRoom = kMostByteSum - sizeof...(together) / 2.0;
    for (size_t o = 0; o < outputs; ++o)
      scales[o] = std::max(scales[o], (std::fabs(double{weights[together * outputs + o]}) + ...) / kRoom);
  });
  return scales;
}

// Appends a matrix and what products with it are to be multiplied with: its scales over that of the result.
template <class Weight>
void append(std::span<const float> weights, size_t inputs, size_t outputs, double of_result,
            std::vector<Weight>& integers, std::vector<float>& result_scales) {
  std::vector<double> scales;
  if constexpr (sizeof(Weight) == 1)
    scales = byte_scales(weights, inputs, outputs);
  else
    scales = output_scales(weights, inputs, outputs, kMostWeightSum);
  for (double& scale : scales) scale = positive(scale);
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o)
      integers.push_back(static_cast<Weight>(rounded(weights[i * outputs + o] / scales[o])));
  for (double scale : scales) result_scales.push_back(static_cast<float>(scale / of_result));
}

// Of so many bits, as yet empty.
WeightsOf<PlainVector> weights_of(int bits) {
  if (bits == 8) return std::vector<int8_t>();
  if (bits == 16) return std::vector<int16_t>();
  throw std::invalid_argument("Weights are stored in 8 bits or in 16.");
}

}  // namespace

ByteWeights to_byte_weights(std::span<const float> weights, size_t inputs, size_t outputs) {
  ByteWeights bytes;
  append(weights, inputs, outputs, 1, bytes.weights, bytes.scales);
  return bytes;
}

EncoderArrays freeze_encoder(const NetworkShape& shape, const NetworkWeights& weights,
                             std::span<const uint64_t> keys, int embedding_bits, int bits) {
  EncoderArrays arrays;
  if (auto bytes = short_keys(keys))
    arrays.keys = std::move(*bytes);
  else
    arrays.keys = std::vector<uint64_t>(keys.begin(), keys.end());
  EmbeddingArrays tokens = pack_embeddings(weights.tokens, static_cast<size_t>(shape.width), embedding_bits);
  arrays.token_scale = tokens.scale;
  arrays.tokens = std::move(tokens);
  arrays.encoder_weights = weights_of(bits);
  for (const NetworkWeights::Layer& layer : weights.encoder) {
    std::visit(
        [&](auto& integers) {
          append(layer.weights, static_cast<size_t>(shape.encoder_inputs()),
                 static_cast<size_t>(shape.encoder_outputs()), 1, integers, arrays.encoder_scales);
        },
        arrays.encoder_weights);
    largest(layer.bias);
    arrays.encoder_bias.insert(arrays.encoder_bias.end(), layer.bias.begin(), layer.bias.end());
  }
  return arrays;
}

HeadArrays freeze_head(const NetworkShape& shape, const NetworkWeights& weights, float most_hidden,
                       int bits) {
  if (!std::isfinite(most_hidden) || most_hidden <= 0)
    throw std::invalid_argument("How far hidden units go must be a positive number.");
  const auto width = static_cast<size_t>(shape.width), hidden = static_cast<size_t>(shape.hidden),
             classes = static_cast<size_t>(shape.classes);
  HeadArrays arrays;
  const double hidden_scale = double{most_hidden} * kHiddenMargin / kMostFactor;
  arrays.positions = weights_of(bits);
  std::visit(
      [&](auto& integers) {
        append(weights.positions, width, static_cast<size_t>(shape.hidden_inputs()), hidden_scale, integers,
               arrays.position_scales);
      },
      arrays.positions);
  for (const auto* values : {&weights.absent, &weights.extras, &weights.hidden}) largest(*values);
  arrays.absent = divided(weights.absent, hidden_scale);
  arrays.extras = divided(weights.extras, hidden_scale);
  arrays.hidden_bias = divided(weights.hidden, hidden_scale);

  // One scale for all moves, whose scores are compared.
  const std::vector<double> each =
      output_scales(weights.moves, hidden, classes, kMostWeightSum * kShareOfProducts);
  const double room_of_bias = INT32_MAX * (1 - kShareOfProducts) - 1;
  const double move_scale = positive(std::max(*std::max_element(each.begin(), each.end()),
                                              largest(weights.bias) / hidden_scale / room_of_bias));
  arrays.moves = divided(weights.moves, move_scale);
  for (float b : weights.bias)
    arrays.move_bias.push_back(static_cast<int32_t>(std::lround(double{b} / hidden_scale / move_scale)));
  arrays.score_scale = static_cast<float>(hidden_scale * move_scale);
  return arrays;
}

}  // namespace arcwise
