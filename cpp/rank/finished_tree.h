// A finished tree, with what features of whole trees ask of it. Words are 1 to n, ROOT is 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/treebank.h"
#include "tree/tree.h"

namespace arcwise {

struct FinishedNode {
  int32_t head = kNone, label = kUnknownLabel;
  int32_t inner = kNone;                // the sibling next to it on the way to the head, on its side of it
  int32_t left = kNone, right = kNone;  // the outermost dependents
  int32_t left_count = 0, right_count = 0;
  int32_t left_edge = 0, right_edge = 0;  // the first and the last word that it dominates, or itself
  int32_t size = 1;                       // how many it dominates, with itself
  int32_t right_branch = 0;               // how often one can go on to the last dependent on the right
  bool crosses = false;  // its arc is not projective: the head does not dominate all under it
};

class FinishedTree {
 public:
  // Every word must have a head, and there must be no cycle.
  void set(std::span<const int32_t> heads, std::span<const int32_t> labels);

  int32_t words() const { return static_cast<int32_t>(nodes_.size()) - 1; }
  const FinishedNode& operator[](int32_t node) const { return nodes_[node]; }

 private:
  void link(std::span<const int32_t> heads, std::span<const int32_t> labels);
  void order_bottom_up();
  void mark_crossing();

  std::vector<FinishedNode> nodes_;
  std::vector<int32_t> order_, waiting_, enter_, next_;
};

}  // namespace arcwise
