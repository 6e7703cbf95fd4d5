// Places in a state, in the notation of features: a slot (S0, N0), and steps that lead on from it: h to the
// head, l/r to the outermost dependent on the left or right, l2/r2 to the next one in (S0h, N0l2, S0hh).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/slots.h"
#include "tree/tree.h"

namespace arcwise {

class Places {
 public:
  static constexpr size_t kMost = 64;

  // The number of a place. Those that it is reached through have lower ones. Throws std::invalid_argument
  // with a clause that says what is wrong.
  int add(const std::string& text);

  size_t size() const { return places_.size(); }
  // The place that a place is a step away from; -1 for a slot.
  int parent(size_t place) const { return places_[place].parent; }
  Slot slot(size_t place) const { return places_[place].slot; }
  // On which side of its parent a place is.
  enum Side : uint8_t { kHeadSide, kLeftSide, kRightSide, kSides };
  Side side(size_t place) const {
    const Step step = places_[place].step;
    return step == Step::Head                          ? kHeadSide
           : step == Step::Left || step == Step::Left2 ? kLeftSide
                                                       : kRightSide;
  }
  // The slots that places start from.
  std::vector<Slot> slots() const;

  // The node at a place, kNone if there is none; nodes has those of the places with lower numbers.
  int32_t node(size_t place, const TreeView& view, const int32_t* nodes) const {
    const Place& p = places_[place];
    // The absent node has no neighbours: its steps lead to itself.
    return p.parent < 0 ? view.nodes[p.slot] : follow((*view.tree)[nodes[p.parent]], p.step);
  }
  // Where there is no tree, no step leads anywhere.
  int32_t node(size_t place, const LabelView& view, const int32_t*) const {
    return places_[place].parent < 0 ? view.nodes[places_[place].slot] : kNone;
  }

 private:
  enum class Step : uint8_t { Head, Left, Left2, Right, Right2 };
  struct Place {
    Slot slot{};
    int parent = -1;
    Step step{};
  };
  static int32_t follow(const Node& from, Step step) {
    static constexpr int32_t Node::* kLeadsTo[] = {&Node::head, &Node::left, &Node::left2, &Node::right,
                                                   &Node::right2};
    return from.*kLeadsTo[static_cast<size_t>(step)];
  }

  std::vector<Place> places_;
  std::vector<std::string> names_;
};

// For messages: the names, with commas between.
std::string listed(std::span<const std::string_view> names);

}  // namespace arcwise
