// Which moves rule out arcs that have yet to be made: what a left-to-right system says of itself for
// estimates of how probable its arcs are (search/arc_estimates.h).
#pragma once

#include <cstdint>

#include "task/moves.h"
#include "task/slots.h"

namespace arcwise {

// A set of anything that is counted from 0.
constexpr uint8_t set_of(auto... members) {
  return static_cast<uint8_t>(((1u << static_cast<unsigned>(members)) | ... | 0u));
}

constexpr bool has(uint8_t set, auto member) { return set >> static_cast<unsigned>(member) & 1; }

// The node at this place runs it in every state: these actions end it.
struct Risk {
  Slot place;
  uint8_t actions;
};

// The risks, as a system numbers its own, that the two ends of an arc have run when the arc is made.
struct RisksOfArc {
  uint8_t dependent = 0, head = 0;
};

}  // namespace arcwise
