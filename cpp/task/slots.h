// What scorers may look at in a state: nodes at named slots, by the papers' names, and what is known of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "task/stack_state.h"

namespace arcwise {

enum class Slot : uint8_t {
  S0,
  S1,
  S2,
  S3,  // the stack from the top
  N0,
  N1,
  N2,
  N3,  // the buffer from the front
  L0,
  L1,
  L2,  // easy-first: the left one of a pair of neighbours, and what lies to its left
  R0,
  R1,
  R2,  // easy-first: the right one, and what lies to its right
};
inline constexpr int kSlots = 14;
inline constexpr std::array<std::string_view, kSlots> kSlotNames = {"S0", "S1", "S2", "S3", "N0", "N1", "N2",
                                                                    "N3", "L0", "L1", "L2", "R0", "R1", "R2"};

// As opposed to those of easy-first.
inline bool is_on_stack_or_buffer(Slot slot) { return slot < Slot::L0; }

class SlotNodes {
 public:
  int32_t& operator[](Slot slot) { return nodes_[static_cast<size_t>(slot)]; }
  int32_t operator[](Slot slot) const { return nodes_[static_cast<size_t>(slot)]; }

 private:
  std::array<int32_t, kSlots> nodes_;
};

// Of a task that builds a tree: the tree so far.
struct TreeView {
  const Tree* tree = nullptr;
  SlotNodes nodes;
};

// Of a task that gives words labels, and builds none.
struct LabelView {
  const int32_t* labels = nullptr;  // of each node
  SlotNodes nodes;
};

inline void stack_view(const StackState& s, TreeView& view) {
  view.tree = &s.tree;
  SlotNodes& nodes = view.nodes;
  nodes[Slot::S0] = s.S(0);
  nodes[Slot::S1] = s.S(1);
  nodes[Slot::S2] = s.S(2);
  nodes[Slot::S3] = s.S(3);
  nodes[Slot::N0] = s.N(0);
  nodes[Slot::N1] = s.N(1);
  nodes[Slot::N2] = s.N(2);
  nodes[Slot::N3] = s.N(3);
}

}  // namespace arcwise
