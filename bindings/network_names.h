// The names of a network's parts, as options and model files have them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.h"
#include "model/network.h"
#include "network/shape.h"
#include "network/token_inputs.h"

inline arcwise::Encoder encoder_from_name(const std::string& name) {
  if (name == "none") return arcwise::Encoder::None;
  if (name == "conv") return arcwise::Encoder::Conv;
  if (name == "rnn") return arcwise::Encoder::Rnn;
  throw std::invalid_argument("There is no such encoder: choose none, conv or rnn.");
}

inline arcwise::TokenInputOptions token_inputs_from_names(const std::vector<std::string>& names,
                                                          int longest_affix) {
  arcwise::TokenInputOptions options;
  options.longest_affix = longest_affix;
  for (const std::string& name : names) {
    const auto found = std::find(arcwise::kTokenInputNames.begin(), arcwise::kTokenInputNames.end(), name);
    if (found == arcwise::kTokenInputNames.end())
      throw std::invalid_argument("There is no input for words called '" + name + "'.");
    options.inputs.push_back(static_cast<arcwise::TokenInput>(found - arcwise::kTokenInputNames.begin()));
  }
  return options;
}

// The arrays as the model file has them, and as NetworkModel takes them.
inline nanobind::typed<nanobind::dict, nanobind::str, nanobind::any> network_fields(
    arcwise::NetworkArrays arrays) {
  nanobind::typed<nanobind::dict, nanobind::str, nanobind::any> fields;
  const auto set = [&](const char* name, auto& values) { fields[name] = to_numpy(std::move(values)); };
  set("keys", arrays.keys);
  set("tokens", arrays.tokens);
  set("token_shifts", arrays.token_shifts);
  set("encoder_weights", arrays.encoder_weights);
  set("encoder_scales", arrays.encoder_scales);
  set("encoder_bias", arrays.encoder_bias);
  set("positions", arrays.positions);
  set("position_scales", arrays.position_scales);
  set("absent", arrays.absent);
  set("extras", arrays.extras);
  set("hidden_bias", arrays.hidden_bias);
  set("moves", arrays.moves);
  set("move_bias", arrays.move_bias);
  set("scales", arrays.scales);
  return fields;
}
