// The names of a network's parts, as options and model files have them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/shape.h"
#include "network/token_inputs.h"

namespace arcwise {

inline Encoder encoder_from_name(const std::string& name) {
  if (name == "none") return Encoder::None;
  if (name == "conv") return Encoder::Conv;
  if (name == "rnn") return Encoder::Rnn;
  throw std::invalid_argument("There is no such encoder: choose none, conv or rnn.");
}

inline TokenInputOptions token_inputs_from_names(const std::vector<std::string>& names, int longest_affix) {
  TokenInputOptions options;
  options.longest_affix = longest_affix;
  for (const std::string& name : names) {
    const auto found = std::find(kTokenInputNames.begin(), kTokenInputNames.end(), name);
    if (found == kTokenInputNames.end())
      throw std::invalid_argument("There is no input for words called '" + name + "'.");
    options.inputs.push_back(static_cast<TokenInput>(found - kTokenInputNames.begin()));
  }
  return options;
}

}  // namespace arcwise
