// What a scorer chooses between: an action and, for arcs, a label. Every such move is a class of the
// classifier, and the moves of one action lie side by side, so that what is legal is a few ranges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using Class = int32_t;

enum class Action : uint8_t { Shift, Reduce, Left, Right };
inline constexpr size_t kActions = 4;

struct Move {
  Action action;
  int32_t label;  // -1 for the actions that add no arc
};

struct Range {
  Class begin = 0;
  Class end = 0;
  Class size() const { return end - begin; }
  bool contains(Class c) const { return begin <= c && c < end; }
};

// Which moves a transition system has. An arc from ROOT has labels of its own, as treebanks have.
struct MoveInventory {
  bool shift = true;
  bool reduce = false;
  bool left_from_root = false;
  bool right_from_root = false;
};

// The labels that arcs may carry, by where the head stands.
struct ArcLabels {
  std::vector<int32_t> left;   // the head is a word to the right
  std::vector<int32_t> right;  // the head is a word to the left
  std::vector<int32_t> root;   // the head is ROOT
  int32_t completion = 0;      // the head is the root word, for want of another
};

class Moves {
 public:
  Moves() = default;
  Moves(const MoveInventory& inventory, const ArcLabels& labels) : completion_(labels.completion) {
    if (inventory.shift) shift = add(Action::Shift, {});
    if (inventory.reduce) reduce = add(Action::Reduce, {});
    left = add(Action::Left, labels.left);
    right = add(Action::Right, labels.right);
    if (inventory.left_from_root) left_from_root = add(Action::Left, labels.root);
    if (inventory.right_from_root) right_from_root = add(Action::Right, labels.root);
  }

  Range shift, reduce, left, right, left_from_root, right_from_root;

  int32_t completion() const { return completion_; }

  Class size() const { return static_cast<Class>(moves_.size()); }
  const Move& operator[](Class c) const { return moves_[c]; }

 private:
  Range add(Action action, std::span<const int32_t> labels) {
    const Class begin = size();
    if (action == Action::Shift || action == Action::Reduce) moves_.push_back({action, -1});
    for (int32_t label : labels) moves_.push_back({action, label});
    return {begin, size()};
  }

  std::vector<Move> moves_;
  int32_t completion_ = 0;
};

// The legal moves of a state: at most one range for each action, or as many as whoever keeps them has.
class Legal {
 public:
  Legal() = default;
  explicit Legal(Range range) { add(range); }
  explicit Legal(std::span<const Range> kept)  // for as long as they are kept
      : kept_(kept.data()), count_(static_cast<int>(kept.size())) {}

  void add(Range range) {
    if (range.size() > 0) ranges_[count_++] = range;
  }
  std::span<const Range> ranges() const {
    return {kept_ ? kept_ : ranges_.data(), static_cast<size_t>(count_)};
  }
  // From the first legal move to the last.
  Range extent() const { return {ranges().front().begin, ranges().back().end}; }
  Class size() const {
    Class total = 0;
    for (Range r : ranges()) total += r.size();
    return total;
  }
  Class first() const { return ranges()[0].begin; }
  bool contains(Class c) const {
    for (Range r : ranges())
      if (r.contains(c)) return true;
    return false;
  }
  template <class F>
  void each(F&& f) const {
    for (Range r : ranges())
      for (Class c = r.begin; c < r.end; ++c) f(c);
  }

 private:
  std::array<Range, 4> ranges_;
  const Range* kept_ = nullptr;
  int count_ = 0;
};

}  // namespace arcwise
