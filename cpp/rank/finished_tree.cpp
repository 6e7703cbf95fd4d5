#include "rank/finished_tree.h"

#include <algorithm>

namespace arcwise {

void FinishedTree::set(std::span<const int32_t> heads, std::span<const int32_t> labels) {
  link(heads, labels);
  order_bottom_up();
  bool gaps = false;
  for (const int32_t node : order_) {
    FinishedNode& n = nodes_[node];
    if (n.right != kNone) n.right_branch = nodes_[n.right].right_branch + 1;
    gaps |= n.right_edge - n.left_edge + 1 != n.size;
    if (node == kRoot) continue;
    FinishedNode& h = nodes_[n.head];
    h.left_edge = std::min(h.left_edge, n.left_edge);
    h.right_edge = std::max(h.right_edge, n.right_edge);
    h.size += n.size;
  }
  if (gaps) mark_crossing();
}

void FinishedTree::link(std::span<const int32_t> heads, std::span<const int32_t> labels) {
  const auto n = static_cast<int32_t>(heads.size());
  nodes_.assign(heads.size() + 1, FinishedNode{});
  for (int32_t m = 1; m <= n; ++m) {
    FinishedNode& node = nodes_[m];
    node.head = heads[m - 1];
    node.label = labels[m - 1];
    node.left_edge = node.right_edge = m;
    FinishedNode& h = nodes_[node.head];
    if (node.head > m) {
      ++h.left_count;
      if (h.left == kNone) h.left = m;
      continue;
    }
    ++h.right_count;
    node.inner = h.right;
    h.right = m;
  }
  // On the left side the inner sibling is the next one, which is met first from the other end.
  next_.assign(nodes_.size(), kNone);
  for (int32_t m = n; m >= 1; --m)
    if (nodes_[m].head > m) {
      nodes_[m].inner = next_[nodes_[m].head];
      next_[nodes_[m].head] = m;
    }
}

// Every node after all of its dependents.
void FinishedTree::order_bottom_up() {
  waiting_.resize(nodes_.size());
  order_.clear();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    waiting_[i] = nodes_[i].left_count + nodes_[i].right_count;
    if (waiting_[i] == 0) order_.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < order_.size(); ++i) {
    const int32_t head = nodes_[order_[i]].head;
    if (head != kNone && --waiting_[head] == 0) order_.push_back(head);
  }
}

// From a head the words to one side are passed as long as it dominates them; an arc that goes beyond is not
// projective. A word is passed together with all that it has been found to dominate on that side, so that
// the work is in proportion to the arcs.
void FinishedTree::mark_crossing() {
  const auto size = static_cast<int32_t>(nodes_.size());
  enter_.assign(nodes_.size(), 0);
  next_.assign(nodes_.size(), 0);
  for (auto node = order_.rbegin(); node != order_.rend(); ++node) {  // top down
    const int32_t head = nodes_[*node].head;
    if (head != kNone) {
      enter_[*node] = next_[head];
      next_[head] += nodes_[*node].size;
    }
    next_[*node] = enter_[*node] + 1;
  }
  const auto dominates = [&](int32_t h, int32_t m) {
    return enter_[h] <= enter_[m] && enter_[m] < enter_[h] + nodes_[h].size;
  };
  std::vector<int32_t>& reach = waiting_;
  for (const int32_t side : {-1, 1}) {
    for (const int32_t h : order_) {
      int32_t at = h + side;
      while (at > 0 && at < size && dominates(h, at)) at = reach[at] + side;
      reach[h] = at - side;
    }
    for (int32_t m = 1; m < size; ++m) {
      const int32_t h = nodes_[m].head;
      if (side < 0 ? m < h && m < reach[h] : m > h && m > reach[h]) nodes_[m].crosses = true;
    }
  }
}

}  // namespace arcwise
