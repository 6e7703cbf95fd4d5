#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/interrupts.h"
#include "model/network.h"

namespace arcwise {
namespace {

// Of the range of hidden units, what training has not reached.
constexpr float kHiddenMargin = 1.5f;
// Of the range of scores, what is for the products; the rest is for the bias.
constexpr double kShareOfProducts = 0.9;

double largest(std::span<const float> values) {
  double most = 0;
  for (float v : values) {
    if (!std::isfinite(v))
      throw std::invalid_argument(
          "A weight of the network is not a number: training has gone astray. Lower its learning rate.");
    most = std::max(most, std::fabs(double{v}));
  }
  return most;
}

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

// The smallest scale of each output that keeps its weights' sum in bounds, whichever way they are rounded; 0
// if it has none.
std::vector<double> output_scales(std::span<const float> weights, size_t inputs, size_t outputs,
                                  double most_sum) {
  largest(weights);
  std::vector<double> sums(outputs, 0), most(outputs, 0), scales(outputs);
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o) {
      const double weight = std::fabs(double{weights[i * outputs + o]});
      sums[o] += weight;
      most[o] = std::max(most[o], weight);
    }
  const double room = most_sum - static_cast<double>(inputs) / 2;
  for (size_t o = 0; o < outputs; ++o) scales[o] = std::max(sums[o] / room, most[o] / kMostFactor);
  return scales;
}

// Appends a matrix and what products with it are to be multiplied with: its scales over that of the result.
void append(std::span<const float> weights, size_t inputs, size_t outputs, double of_result,
            std::vector<int16_t>& integers, std::vector<float>& result_scales) {
  std::vector<double> scales = output_scales(weights, inputs, outputs, kMostWeightSum);
  for (double& scale : scales) scale = positive(scale);
  for (size_t i = 0; i < inputs; ++i)
    for (size_t o = 0; o < outputs; ++o) integers.push_back(rounded(weights[i * outputs + o] / scales[o]));
  for (double scale : scales) result_scales.push_back(static_cast<float>(scale / of_result));
}

// Appends a row with as many of its 16 bits as 8 have room for: those of its largest number.
void append_embedding(std::span<const float> row, double scale, EncoderArrays& arrays) {
  const double most = largest(row) / scale;
  uint8_t shift = 0;
  while (shift < kMostTokenShift && most > INT8_MAX * std::ldexp(1, shift)) ++shift;
  arrays.token_shifts.push_back(shift);
  for (float v : row)
    arrays.tokens.push_back(static_cast<int8_t>(std::lround(std::ldexp(double{v} / scale, -shift))));
}

}  // namespace

EncoderArrays freeze_encoder(const NetworkShape& shape, const NetworkWeights& weights,
                             std::span<const uint64_t> keys) {
  const auto width = static_cast<size_t>(shape.width);
  EncoderArrays arrays;
  arrays.keys.assign(keys.begin(), keys.end());
  const double token_scale = positive(largest(weights.tokens) / (INT8_MAX << kMostTokenShift));
  for (size_t at = 0; at < weights.tokens.size(); at += width) {
    check_interrupts();
    append_embedding(std::span(weights.tokens).subspan(at, width), token_scale, arrays);
  }
  for (const NetworkWeights::Layer& layer : weights.encoder) {
    append(layer.weights, static_cast<size_t>(shape.encoder_inputs()),
           static_cast<size_t>(shape.encoder_outputs()), 1, arrays.encoder_weights, arrays.encoder_scales);
    largest(layer.bias);
    arrays.encoder_bias.insert(arrays.encoder_bias.end(), layer.bias.begin(), layer.bias.end());
  }
  arrays.token_scale = static_cast<float>(token_scale);
  return arrays;
}

HeadArrays freeze_head(const NetworkShape& shape, const NetworkWeights& weights, float most_hidden) {
  if (!std::isfinite(most_hidden) || most_hidden <= 0)
    throw std::invalid_argument("How far hidden units go must be a positive number.");
  const auto width = static_cast<size_t>(shape.width), hidden = static_cast<size_t>(shape.hidden),
             classes = static_cast<size_t>(shape.classes);
  HeadArrays arrays;
  const double hidden_scale = double{most_hidden} * kHiddenMargin / kMostFactor;
  append(weights.positions, width, static_cast<size_t>(shape.hidden_inputs()), hidden_scale, arrays.positions,
         arrays.position_scales);
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
