// The tree as far as it is built, with what features ask of it. Words are nodes 1 to n; ROOT is node 0,
// and n + 1 where a system keeps it after the last word; kNone is no node at all and may be looked up.
#pragma once

#include <cstdint>
#include <vector>

namespace arcwise {

inline constexpr int32_t kNone = -1;
inline constexpr int32_t kRoot = 0;

// The words that an arc joins.
struct ArcEnds {
  int32_t head = kNone, dependent = kNone;
};

struct Node {
  int32_t head = kNone;
  int32_t label = -1;
  // The outermost dependents on each side, and the next ones in.
  int32_t left = kNone, left2 = kNone, right = kNone, right2 = kNone;
  int32_t left_count = 0, right_count = 0;
  uint64_t left_labels = 0, right_labels = 0;  // sets, a bit for each label modulo 64
  bool on_stack = false;

  bool operator==(const Node&) const = default;
};

class Tree {
 public:
  void reset(int32_t words) {
    n_ = words;
    nodes_.assign(static_cast<size_t>(words) + 3, Node{});
  }
  int32_t words() const { return n_; }
  Node& operator[](int32_t node) { return nodes_[node + 1]; }
  const Node& operator[](int32_t node) const { return nodes_[node + 1]; }

  bool has_head(int32_t node) const { return (*this)[node].head != kNone; }

  // Arcs may come in any order. Most systems attach inside out on either side: then the newest dependent is
  // the outermost.
  void add_arc(int32_t head, int32_t dependent, int32_t label) {
    Node& d = (*this)[dependent];
    d.head = head;
    d.label = label;
    Node& h = (*this)[head];
    const uint64_t bit = uint64_t{1} << (label & 63);
    if (dependent < head) {
      add_dependent(h.left, h.left2, h.left == kNone || dependent < h.left,
                    h.left2 == kNone || dependent < h.left2, dependent);
      ++h.left_count;
      h.left_labels |= bit;
    } else {
      add_dependent(h.right, h.right2, dependent > h.right, dependent > h.right2, dependent);
      ++h.right_count;
      h.right_labels |= bit;
    }
  }

  // What add_arc overwrites in the head and nothing else tells.
  struct Overwritten {
    int32_t first = kNone, second = kNone;  // left and left2, or right and right2
    uint64_t labels = 0;
  };
  Overwritten overwritten_by_arc(int32_t head, int32_t dependent) const {
    const Node& h = (*this)[head];
    return dependent < head ? Overwritten{h.left, h.left2, h.left_labels}
                            : Overwritten{h.right, h.right2, h.right_labels};
  }
  // Takes back the newest arc of all.
  void remove_arc(int32_t head, int32_t dependent, const Overwritten& before) {
    Node& d = (*this)[dependent];
    d.head = kNone;
    d.label = -1;
    Node& h = (*this)[head];
    if (dependent < head) {
      h.left = before.first;
      h.left2 = before.second;
      --h.left_count;
      h.left_labels = before.labels;
    } else {
      h.right = before.first;
      h.right2 = before.second;
      --h.right_count;
      h.right_labels = before.labels;
    }
  }

  bool operator==(const Tree&) const = default;

  // As treebanks count them: ROOT is 0 wherever it stands.
  int32_t output_head(int32_t word) const {
    const int32_t head = (*this)[word].head;
    return head > n_ ? kRoot : head;
  }
  int32_t label(int32_t word) const { return (*this)[word].label; }

 private:
  static void add_dependent(int32_t& first, int32_t& second, bool is_first, bool is_second,
                            int32_t dependent) {
    if (is_first) {
      second = first;
      first = dependent;
    } else if (is_second) {
      second = dependent;
    }
  }

  int32_t n_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace arcwise
