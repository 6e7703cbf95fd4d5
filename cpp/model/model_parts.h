// What was learnt, as a model file has it: numbers and arrays by name, in the order in which they are stored.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/compact.h"
#include "model/linear.h"
#include "model/network.h"

namespace arcwise {

using ModelPart =
    std::variant<int64_t, double, std::vector<int8_t>, std::vector<uint8_t>, std::vector<int16_t>,
                 std::vector<uint16_t>, std::vector<int32_t>, std::vector<uint32_t>, std::vector<uint64_t>,
                 std::vector<float>, std::vector<double>>;
using ModelParts = std::vector<std::pair<std::string, ModelPart>>;

// Models that were learnt together, by name: those of kinds of components (parser, tagger), and the encoder
// that they look at words with, if they have one.
using LearntModels = std::vector<std::pair<std::string, ModelParts>>;
inline constexpr const char *kEncoderModel = "encoder", *kParserModel = "parser", *kTaggerModel = "tagger";

// A parser that was learnt by itself.
inline LearntModels one_model(ModelParts parts) {
  LearntModels models;
  models.emplace_back(kParserModel, std::move(parts));
  return models;
}

ModelParts to_parts(LinearArrays arrays);
ModelParts to_parts(CompactArrays arrays);
ModelParts to_parts(EncoderArrays arrays);
ModelParts to_parts(HeadArrays arrays);

}  // namespace arcwise
