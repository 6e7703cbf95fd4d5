#pragma once

#include <cstdint>

namespace arcwise {

struct BeamOptions {
  int32_t width = 8;
  // The scores of moves are log-odds: an item's score is the logarithm of its derivation's probability.
  // Otherwise it is the sum of its moves' scores.
  bool probabilistic = false;
};

}  // namespace arcwise
