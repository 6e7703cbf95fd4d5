// The configuration of the left-to-right systems: a stack, a buffer and the arcs so far. Their moves are made
// of the four changes below, which a search can take back (undoable_state.h) and no system has to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tree/tree.h"

namespace arcwise {

struct StackState {
  Tree tree;
  std::vector<int32_t> stack;  // the first `depth` of these; what lies above is stale
  int32_t depth = 0;
  int32_t next = 1;  // the first node of the buffer; words + 1 when no word is left

  void reset(int32_t words) {
    tree.reset(words);
    if (stack.size() < static_cast<size_t>(words) + 2) stack.resize(words + 2);
    depth = 0;
    next = 1;
  }
  int32_t words() const { return tree.words(); }
  bool buffer_has_words() const { return next <= words(); }

  // S(0) is the top of the stack, N(0) the front of the buffer, as in the papers.
  int32_t S(int32_t i) const { return i < depth ? stack[depth - 1 - i] : kNone; }
  int32_t N(int32_t i) const { return next + i <= words() + 1 ? next + i : kNone; }

  bool on_stack(int32_t node) const { return tree[node].on_stack; }
  bool has_head(int32_t node) const { return tree.has_head(node); }
  int32_t from_bottom(int32_t i) const { return stack[i]; }

  void shift() { push(next++); }
  void push(int32_t node) {
    stack[depth++] = node;
    tree[node].on_stack = true;
  }
  int32_t pop() {
    const int32_t node = stack[--depth];
    tree[node].on_stack = false;
    return node;
  }
  void add_arc(int32_t head, int32_t dependent, int32_t label) { tree.add_arc(head, dependent, label); }

  bool operator==(const StackState& o) const {
    return depth == o.depth && next == o.next && tree == o.tree &&
           std::equal(stack.begin(), stack.begin() + depth, o.stack.begin());
  }
};

}  // namespace arcwise
