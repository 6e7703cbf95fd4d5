// The names of a network's parts, as options and model files have them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

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
