// Which trees can be built from a state, said once for each system: every projective tree over the words that
// are left, those on the stack and those in the buffer, with the arcs there are and with no others within
// the stack than these. Searches under constraints ask for it (constraint/projective_trees.h).
#pragma once

#include <cstdint>

namespace arcwise {

struct Reachable {
  // New arcs between words that are on the stack.
  enum class WithinStack : uint8_t {
    None,
    Upward,  // from a word to the one that lies on it, and from ROOT to the lowest
    All,
  };
  WithinStack within_stack = WithinStack::All;
  // Bottom up: a word that has others on it comes to the top again only by a dependent to its right. Without
  // one it is stuck, unless its head comes from the right and it has no dependent to wait for on its left.
  bool buried_words_wait = false;
  // With a single root, headless words get the lowest word of the stack as a head in the end, if it is the
  // root.
  bool completes = false;
};

}  // namespace arcwise
