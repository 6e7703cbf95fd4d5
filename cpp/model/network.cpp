#include "model/network.h"

#include <numeric>

#include "model/network_checks.h"
#include "model/softmax.h"

namespace arcwise {
namespace {

constexpr int32_t kMostClasses = UINT16_MAX;

NetworkShape shape_of(const NetworkEncoder& encoder, int32_t hidden, const StateInputs& states,
                      size_t classes) {
  constexpr auto kStep = static_cast<int32_t>(kInt16Lanes);
  if (!is_within(hidden, kStep, kMostHidden) || hidden % kStep != 0)
    damaged("the number of hidden units is no multiple of 16 from 16 to 2048");
  if (classes < 1 || classes > kMostClasses) damaged("the number of classes is out of range");
  NetworkShape shape = encoder.shape();
  shape.hidden = hidden;
  shape.positions = static_cast<int32_t>(states.positions());
  shape.extras = states.extra_rows();
  shape.classes = static_cast<int32_t>(classes);
  return shape;
}

}  // namespace

NetworkModel::NetworkModel(std::shared_ptr<const NetworkEncoder> encoder, int32_t hidden,
                           const NetworkInputs& inputs, const HeadParts<ConstSpan>& parts, float score_scale)
    : encoder_(std::move(encoder)),
      labels_(inputs.labels),
      tokens_(inputs.tokens),
      states_(inputs.states, inputs.labels) {
  shape_ = shape_of(*encoder_, hidden, states_, parts.move_bias.size());
  const auto width = static_cast<size_t>(shape_.width), units = static_cast<size_t>(hidden),
             hidden_inputs = static_cast<size_t>(shape_.hidden_inputs()),
             classes = static_cast<size_t>(shape_.classes);
  check_size(parts.positions, width * hidden_inputs, "weights of positions");
  check_size(parts.position_scales, hidden_inputs, "scales of positions");
  check_size(parts.absent, hidden_inputs, "vectors of absent words");
  check_size(parts.extras, static_cast<size_t>(shape_.extras) * units, "embeddings of extra inputs");
  check_size(parts.hidden_bias, units, "biases of hidden units");
  check_size(parts.moves, units * classes, "weights of moves");
  check_scales(parts.position_scales);
  check_scales({&score_scale, 1});
  if (score_scale > kMostScale) damaged("the scale of scores is out of range");
  positions_ = checked_matrix(parts.positions, width, hidden_inputs);
  position_scales_ = copied(parts.position_scales);
  absent_.assign(parts.absent.begin(), parts.absent.end());
  extras_.assign(parts.extras.begin(), parts.extras.end());
  hidden_.assign(parts.hidden_bias.begin(), parts.hidden_bias.end());
  moves_ = checked_matrix(parts.moves, units, classes, parts.move_bias);
  bias_.assign(parts.move_bias.begin(), parts.move_bias.end());
  bias_.resize(moves_.outputs(), 0);
  places_.resize(classes);
  std::iota(places_.begin(), places_.end(), uint16_t{0});
  scale_ = score_scale;
}

}  // namespace arcwise
