#include "model/model_parts.h"

#include <cstring>

namespace arcwise {
namespace {

template <class... Arrays>
ModelPart to_part(std::variant<Arrays...> arrays) {
  return std::visit([](auto& array) { return ModelPart(std::move(array)); }, arrays);
}

}  // namespace

namespace {

template <class Line>
std::vector<uint32_t> words_of(const std::vector<Line>& lines) {
  std::vector<uint32_t> words(lines.size() * (sizeof(Line) / sizeof(uint32_t)));
  if (!words.empty()) std::memcpy(words.data(), lines.data(), words.size() * sizeof(uint32_t));
  return words;
}

}  // namespace

ModelParts to_parts(LinearArrays arrays) {
  ModelParts parts;
  parts.emplace_back("lines", words_of(arrays.lines));
  parts.emplace_back("lists", std::move(arrays.lists));
  parts.emplace_back("dense", std::move(arrays.dense));
  parts.emplace_back("wide", std::move(arrays.wide));
  parts.emplace_back("columns", std::move(arrays.columns));
  parts.emplace_back("scale", arrays.scale);
  parts.emplace_back("features", static_cast<int64_t>(arrays.features));
  parts.emplace_back("weights", static_cast<int64_t>(arrays.weights));
  return parts;
}

ModelParts to_parts(CompactArrays arrays) {
  arrays.members.features = arrays.features;
  arrays.members.weights = arrays.weights;
  ModelParts parts = to_parts(std::move(arrays.members));
  parts.emplace_back("table", words_of(arrays.table));
  parts.emplace_back("begins", std::move(arrays.begins));
  return parts;
}

ModelParts to_parts(EncoderArrays arrays) {
  ModelParts parts;
  parts.emplace_back("keys", to_part(std::move(arrays.keys)));
  parts.emplace_back("tokens", std::move(arrays.tokens.bytes));
  parts.emplace_back("rare_tokens", std::move(arrays.tokens.halves));
  parts.emplace_back("token_factors", std::move(arrays.tokens.factors));
  parts.emplace_back("encoder_weights", to_part(std::move(arrays.encoder_weights)));
  parts.emplace_back("encoder_scales", std::move(arrays.encoder_scales));
  parts.emplace_back("encoder_bias", std::move(arrays.encoder_bias));
  parts.emplace_back("token_scale", double{arrays.token_scale});
  return parts;
}

ModelParts to_parts(HeadArrays arrays) {
  ModelParts parts;
  parts.emplace_back("positions", to_part(std::move(arrays.positions)));
  parts.emplace_back("position_scales", std::move(arrays.position_scales));
  parts.emplace_back("absent", std::move(arrays.absent));
  parts.emplace_back("extras", std::move(arrays.extras));
  parts.emplace_back("hidden_bias", std::move(arrays.hidden_bias));
  parts.emplace_back("moves", std::move(arrays.moves));
  parts.emplace_back("move_bias", std::move(arrays.move_bias));
  parts.emplace_back("score_scale", double{arrays.score_scale});
  return parts;
}

}  // namespace arcwise
