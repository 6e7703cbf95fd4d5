#include "model/model_parts.h"

#include <cstring>

namespace arcwise {

ModelParts to_parts(LinearArrays arrays) {
  std::vector<uint32_t> lines(arrays.lines.size() * kWordsInLine);
  if (!lines.empty()) std::memcpy(lines.data(), arrays.lines.data(), lines.size() * sizeof(uint32_t));
  return {{"lines", std::move(lines)},
          {"lists", std::move(arrays.lists)},
          {"dense", std::move(arrays.dense)},
          {"wide", std::move(arrays.wide)},
          {"columns", std::move(arrays.columns)},
          {"scale", arrays.scale},
          {"features", static_cast<int64_t>(arrays.features)},
          {"weights", static_cast<int64_t>(arrays.weights)}};
}

ModelParts to_parts(EncoderArrays arrays) {
  return {{"keys", std::move(arrays.keys)},
          {"tokens", std::move(arrays.tokens)},
          {"token_shifts", std::move(arrays.token_shifts)},
          {"encoder_weights", std::move(arrays.encoder_weights)},
          {"encoder_scales", std::move(arrays.encoder_scales)},
          {"encoder_bias", std::move(arrays.encoder_bias)},
          {"token_scale", double{arrays.token_scale}}};
}

ModelParts to_parts(HeadArrays arrays) {
  return {
      {"positions", std::move(arrays.positions)},     {"position_scales", std::move(arrays.position_scales)},
      {"absent", std::move(arrays.absent)},           {"extras", std::move(arrays.extras)},
      {"hidden_bias", std::move(arrays.hidden_bias)}, {"moves", std::move(arrays.moves)},
      {"move_bias", std::move(arrays.move_bias)},     {"score_scale", double{arrays.score_scale}}};
}

}  // namespace arcwise
