#pragma once

#include <cstdint>

namespace arcwise {

// At which step derivations are compared.
enum class Violation : uint8_t {
  Early,  // where the last right one leaves the beam
  Max,    // where the wrong one is ahead of the right one by most
  None,   // at the end, whichever scores higher: the update of exact search
};

// Which derivation of a beam that has no right one is taken for the wrong one.
enum class Negative : uint8_t { Best, Worst };

struct BeamTrainingOptions {
  int32_t width = 8;
  Violation violation = Violation::Max;
  bool relaxed = false;  // the right derivation has to stay in the beam, not to win
  Negative negative = Negative::Best;
};

}  // namespace arcwise
