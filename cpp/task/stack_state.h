// The configuration of the left-to-right systems: a stack, a buffer and the arcs so far. Their moves are made
// of the changes below, which a search can take back (undoable_state.h) and no system has to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tree/tree.h"

namespace arcwise {

struct StackState {
  Tree tree;
  std::vector<int32_t> stack;  // the first `depth` of these; what lies above is stale
  int32_t depth = 0;
  // From `front` on; the last node, after all words, is words() + 1. What lies before the front is stale.
  std::vector<int32_t> buffer;
  int32_t front = 0;
  int32_t taken = 0;  // moves, where a system counts them

  void reset(int32_t words) {
    tree.reset(words);
    if (stack.size() < static_cast<size_t>(words) + 2) stack.resize(words + 2);
    buffer.resize(static_cast<size_t>(words) + 1);
    std::iota(buffer.begin(), buffer.end(), 1);
    depth = 0;
    front = 0;
    taken = 0;
  }
  int32_t words() const { return tree.words(); }
  bool buffer_has_words() const { return front < words(); }

  // S(0) is the top of the stack, N(0) the front of the buffer, as in the papers.
  int32_t S(int32_t i) const { return i < depth ? stack[depth - 1 - i] : kNone; }
  int32_t N(int32_t i) const { return front + i <= words() ? buffer[front + i] : kNone; }
  // N(0), which is always there. In a system that leaves the buffer in the order of the sentence, the words
  // from this one on are those in the buffer.
  int32_t next() const { return buffer[front]; }

  bool on_stack(int32_t node) const { return tree[node].on_stack; }
  bool has_head(int32_t node) const { return tree.has_head(node); }
  int32_t from_bottom(int32_t i) const { return stack[i]; }

  void shift() { push(buffer[front++]); }
  void push(int32_t node) {
    stack[depth++] = node;
    tree[node].on_stack = true;
  }
  int32_t pop() {
    const int32_t node = stack[--depth];
    tree[node].on_stack = false;
    return node;
  }
  // Puts a node that has left the buffer back into it, behind the first `place` nodes.
  void insert(int32_t node, int32_t place) {
    std::copy_n(buffer.begin() + front, place, buffer.begin() + front - 1);
    buffer[--front + place] = node;
  }
  void add_arc(int32_t head, int32_t dependent, int32_t label) { tree.add_arc(head, dependent, label); }

  // Whether stack and buffer are the same, and the same words on the stack have heads.
  bool stands_as(const StackState& o) const {
    if (depth != o.depth || front != o.front) return false;
    for (int32_t i = 0; i < depth; ++i)
      if (stack[i] != o.stack[i] || has_head(stack[i]) != o.has_head(stack[i])) return false;
    return std::equal(buffer.begin() + front, buffer.end(), o.buffer.begin() + o.front, o.buffer.end());
  }
  bool operator==(const StackState& o) const { return stands_as(o) && tree == o.tree; }
};

}  // namespace arcwise
