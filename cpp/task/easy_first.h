// Easy-first (Goldberg & Elhadad 2010): a list of nodes, ROOT first, and arcs between neighbours anywhere
// in it; the dependent leaves the list, and a state is terminal when ROOT is alone.
//
// A site is a pair of neighbours, named by its left node; each site has moves of its own.
#pragma once

#include <string_view>
#include <vector>

#include "task/arc_costs.h"
#include "task/reachable.h"
#include "task/slots.h"
#include "tree/tree.h"

namespace arcwise {

class EasyFirst {
 public:
  using Input = int32_t;  // words
  using Gold = TreeGold;
  using View = TreeView;
  struct State {
    Tree tree;
    std::vector<int32_t> before, after;  // a node's neighbours in the list
    int32_t left_in_list = 0;            // words still in the list
    int32_t words() const { return tree.words(); }
    bool in_list(int32_t node) const { return node == kRoot || !tree.has_head(node); }
    bool operator==(const State&) const = default;
  };

  static constexpr std::string_view kName = "easy-first";
  static constexpr bool kProjective = true;
  static constexpr bool kDynamicOracle = true;
  static constexpr Reachable kReachable{};

  EasyFirst(const ArcLabels& labels, bool /*root_first*/, bool single_root)
      : moves_({{Action::Left, &ArcLabels::left},
                {Action::Right, &ArcLabels::right},
                {Action::Right, &ArcLabels::root}},
               labels),
        single_root_(single_root) {}

  const Moves& moves() const { return moves_; }

  void start(State& s, int32_t words) const {
    s.tree.reset(words);
    s.before.resize(words + 1);
    s.after.resize(words + 1);
    for (int32_t i = 0; i <= words; ++i) {
      s.before[i] = i - 1;
      s.after[i] = i < words ? i + 1 : kNone;
    }
    s.left_in_list = words;
  }
  bool done(const State& s) const { return s.left_in_list == 0; }

  Legal legal(const State& s, int32_t left) const {
    Legal legal;
    if (left != kRoot) {
      legal.add(left_);
      legal.add(right_);
    } else if (!single_root_ || s.left_in_list == 1) {
      legal.add(right_from_root_);
    }
    return legal;
  }

  void apply(State& s, SiteMove move) const {
    const auto [action, label] = moves_[move.move];
    const int32_t left = move.site;
    const int32_t right = s.after[left];
    const int32_t head = action == Action::Left ? right : left;
    const int32_t dependent = action == Action::Left ? left : right;
    s.tree.add_arc(head, dependent, label);
    const int32_t b = s.before[dependent], a = s.after[dependent];
    s.after[b] = a;
    if (a != kNone) s.before[a] = b;
    --s.left_in_list;
  }

  // Goldberg & Nivre 2013, 4.5: what leaves the list loses its gold head and dependents there.
  void costs(const State& s, const Gold& gold, int32_t left, float* costs) const {
    const int32_t right = s.after[left];
    const Legal legal = this->legal(s, left);
    for (Range range : legal.ranges()) {
      const bool leftward = moves_[range.begin].action == Action::Left;
      const int32_t head = leftward ? right : left, dependent = leftward ? left : right;
      const int32_t gold_head = gold.head(dependent);
      int32_t lost = gold_head != kNone && gold_head != head && s.in_list(gold_head);
      for (int32_t d : gold.dependents(dependent)) lost += s.in_list(d);
      arc_costs(moves_, gold, range, head, dependent, lost, costs);
    }
  }

  // Sites from left to right; visit(site) for each.
  template <class F>
  void each_site(const State& s, F&& visit) const {
    for (int32_t left = kRoot; s.after[left] != kNone; left = s.after[left]) visit(left);
  }
  // The sites whose surroundings changed when a dependent of `head` left the list.
  template <class F>
  void each_touched_site(const State& s, int32_t head, F&& visit) const {
    int32_t left = head;
    for (int i = 0; i < kReach && left != kRoot; ++i) left = s.before[left];
    for (int i = 0; i < 2 * kReach && s.after[left] != kNone; ++i, left = s.after[left]) visit(left);
  }
  // The node that a move at this site makes a head.
  int32_t head_of(const State& s, SiteMove move) const {
    return moves_[move.move].action == Action::Left ? s.after[move.site] : move.site;
  }
  ArcEnds arc_of(const State& s, SiteMove move) const {
    const int32_t head = head_of(s, move);
    return {head, head == move.site ? s.after[move.site] : move.site};
  }
  static int32_t second_node(const State& s, int32_t left) { return s.after[left]; }

  static void view(const State& s, int32_t left, View& view) {
    view.tree = &s.tree;
    SlotNodes& nodes = view.nodes;
    const auto step = [](const std::vector<int32_t>& way, int32_t node) {
      return node == kNone ? kNone : way[node];
    };
    nodes[Slot::L0] = left;
    nodes[Slot::L1] = step(s.before, left);
    nodes[Slot::L2] = step(s.before, nodes[Slot::L1]);
    nodes[Slot::R0] = s.after[left];
    nodes[Slot::R1] = step(s.after, nodes[Slot::R0]);
    nodes[Slot::R2] = step(s.after, nodes[Slot::R1]);
  }

 private:
  // A site shows three nodes to either side of its middle, and the list has just shifted by one.
  static constexpr int kReach = 4;

  Moves moves_;
  Range left_ = moves_.of(Action::Left, &ArcLabels::left),
        right_ = moves_.of(Action::Right, &ArcLabels::right),
        right_from_root_ = moves_.of(Action::Right, &ArcLabels::root);
  bool single_root_;
};

}  // namespace arcwise
