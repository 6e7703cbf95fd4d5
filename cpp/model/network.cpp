#include "model/network.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace arcwise {
namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw std::invalid_argument("The model is damaged: " + what + ".");
}

constexpr int32_t kMostWidth = 1024, kMostLayers = 16, kMostWindow = 8, kMostClasses = UINT16_MAX;

template <class T>
void check_size(std::span<const T> values, size_t size, const char* what) {
  if (values.size() != size) damaged(std::string("the ") + what + " have an impossible size");
}

// A matrix whose products, plus a bias, cannot leave 32 bits.
Int16Matrix checked_matrix(std::span<const int16_t> weights, size_t inputs, size_t outputs,
                           std::span<const int32_t> bias = {}) {
  for (size_t o = 0; o < outputs; ++o) {
    int64_t most = 0;
    for (size_t i = 0; i < inputs; ++i) most += std::abs(int64_t{weights[i * outputs + o]});
    most *= kMostFactor;
    if (!bias.empty()) most += std::abs(int64_t{bias[o]});
    if (most > INT32_MAX) damaged("its weights are too large");
  }
  return Int16Matrix(weights, inputs, outputs);
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

void NetworkModel::check_shape() const {
  const auto within = [](int32_t value, int32_t least, int32_t most) {
    return value >= least && value <= most;
  };
  constexpr auto kStep = static_cast<int32_t>(kInt16Lanes);
  if (!within(shape_.width, kStep, kMostWidth) || shape_.width % kStep != 0)
    damaged("the width of words is no multiple of 16 from 16 to 1024");
  if (!within(shape_.hidden, kStep, kMostHidden) || shape_.hidden % kStep != 0)
    damaged("the number of hidden units is no multiple of 16 from 16 to 2048");
  if (shape_.encoder > Encoder::Rnn) damaged("there is no such encoder");
  if (!within(shape_.layers, 0, kMostLayers)) damaged("an encoder has no more than 16 layers");
  if (!within(shape_.window, 0, kMostWindow)) damaged("a window reaches no further than 8 words");
  if (!within(shape_.classes, 1, kMostClasses)) damaged("the number of classes is out of range");
}

NetworkModel::NetworkModel(const NetworkShape& shape, const NetworkInputs& inputs,
                           const NetworkParts<ConstSpan>& parts)
    : shape_(shape), labels_(inputs.labels), tokens_(inputs.tokens), states_(inputs.states, inputs.labels) {
  if (parts.keys.size() > INT32_MAX / 2 || parts.move_bias.size() > kMostClasses)
    damaged("it has more rows than can be counted");
  shape_.positions = static_cast<int32_t>(states_.positions());
  shape_.extras = states_.extra_rows();
  shape_.classes = static_cast<int32_t>(parts.move_bias.size());
  check_shape();
  vocabulary_ = Vocabulary(parts.keys);
  shape_.tokens = vocabulary_.rows();

  const auto width = static_cast<size_t>(shape_.width), hidden = static_cast<size_t>(shape_.hidden),
             layers = static_cast<size_t>(shape_.encoder_layers()),
             encoder_inputs = static_cast<size_t>(shape_.encoder_inputs()),
             encoder_outputs = static_cast<size_t>(shape_.encoder_outputs()),
             hidden_inputs = static_cast<size_t>(shape_.hidden_inputs()),
             classes = static_cast<size_t>(shape_.classes);
  check_size(parts.tokens, static_cast<size_t>(shape_.tokens) * width, "embeddings of words");
  check_size(parts.encoder_weights, layers * encoder_inputs * encoder_outputs, "encoder's weights");
  check_size(parts.encoder_scales, layers * encoder_outputs, "encoder's scales");
  check_size(parts.encoder_bias, layers * encoder_outputs, "encoder's biases");
  check_size(parts.positions, width * hidden_inputs, "weights of positions");
  check_size(parts.position_scales, hidden_inputs, "scales of positions");
  check_size(parts.absent, hidden_inputs, "vectors of absent words");
  check_size(parts.extras, static_cast<size_t>(shape_.extras) * hidden, "embeddings of extra inputs");
  check_size(parts.hidden_bias, hidden, "biases of hidden units");
  check_size(parts.moves, hidden * classes, "weights of moves");
  check_size(parts.scales, kNetworkScales, "scales");
  for (const auto& scales : {parts.encoder_scales, parts.position_scales, parts.scales})
    for (float scale : scales)
      if (!std::isfinite(scale) || scale <= 0) damaged("a scale is not a positive number");
  for (float bias : parts.encoder_bias)
    if (!std::isfinite(bias)) damaged("a bias is not a number");

  embeddings_.assign(parts.tokens.begin(), parts.tokens.end());
  token_scale_ = parts.scales[kTokenScale];
  for (size_t l = 0; l < layers; ++l) {
    const size_t size = encoder_inputs * encoder_outputs, at = l * encoder_outputs;
    encoder_.push_back(
        {checked_matrix(parts.encoder_weights.subspan(l * size, size), encoder_inputs, encoder_outputs),
         copied(parts.encoder_scales.subspan(at, encoder_outputs)),
         copied(parts.encoder_bias.subspan(at, encoder_outputs))});
  }
  positions_ = checked_matrix(parts.positions, width, hidden_inputs);
  position_scales_ = copied(parts.position_scales);
  absent_ = copied(parts.absent);
  extras_ = copied(parts.extras);
  hidden_ = copied(parts.hidden_bias);
  moves_ = checked_matrix(parts.moves, hidden, classes, parts.move_bias);
  bias_ = copied(parts.move_bias);
  bias_.resize(moves_.outputs(), 0);
  places_.resize(classes);
  std::iota(places_.begin(), places_.end(), uint16_t{0});
  scale_ = parts.scales[kScoreScale];
}

}  // namespace arcwise
