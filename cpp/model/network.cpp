#include "model/network.h"

#include <mutex>
#include <numeric>

#include "model/encoder_workspace.h"
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

// The workspaces of encoders that no worker has: what words they know is worth keeping.
class IdleEncoders {
 public:
  std::unique_ptr<NetworkEncoder::Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<NetworkEncoder::Workspace> workspace) {
    constexpr size_t kMost = 8;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMost && !workspace->is_large()) return idle_.push_back(std::move(workspace));
    of_others_ += workspace->statistics();
  }
  KnownWordStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    KnownWordStatistics all = of_others_;
    for (const auto& workspace : idle_) all += workspace->statistics();
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<NetworkEncoder::Workspace>> idle_;
  KnownWordStatistics of_others_;  // of those that were not kept
};

NetworkModel::NetworkModel(std::shared_ptr<const NetworkEncoder> encoder, int32_t hidden,
                           const NetworkInputs& inputs, const HeadParts<ConstSpan>& parts, float score_scale)
    : encoder_(std::move(encoder)),
      labels_(inputs.labels),
      tokens_(inputs.tokens),
      states_(inputs.states, inputs.labels),
      idle_(std::make_shared<IdleEncoders>()) {
  shape_ = shape_of(*encoder_, hidden, states_, parts.move_bias.size());
  const auto width = static_cast<size_t>(shape_.width), units = static_cast<size_t>(hidden),
             hidden_inputs = static_cast<size_t>(shape_.hidden_inputs()),
             classes = static_cast<size_t>(shape_.classes);
  check_size(parts.position_scales, hidden_inputs, "scales of positions");
  check_size(parts.absent, hidden_inputs, "vectors of absent words");
  check_size(parts.extras, static_cast<size_t>(shape_.extras) * units, "embeddings of extra inputs");
  check_size(parts.hidden_bias, units, "biases of hidden units");
  check_size(parts.moves, units * classes, "weights of moves");
  check_scales(parts.position_scales);
  check_scales({&score_scale, 1});
  if (score_scale > kMostScale) damaged("the scale of scores is out of range");
  if (encoder_->has_bytes() != std::holds_alternative<ConstSpan<int8_t>>(parts.positions))
    damaged("some of its weights have 8 bits and some 16");
  std::visit(
      [&](const auto& weights) {
        check_size(weights, width * hidden_inputs, "weights of positions");
        positions_ = checked_matrix(weights, width, hidden_inputs);
      },
      parts.positions);
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

KnownWordStatistics NetworkModel::statistics() const { return idle_->statistics(); }

std::shared_ptr<NetworkEncoder::Workspace> NetworkModel::encoder_workspace() const {
  auto workspace = idle_->take();
  if (!workspace) workspace = std::make_unique<NetworkEncoder::Workspace>(*encoder_, tokens_);
  return {workspace.release(), [idle = idle_](NetworkEncoder::Workspace* own) {
            idle->give_back(std::unique_ptr<NetworkEncoder::Workspace>(own));
          }};
}

}  // namespace arcwise
