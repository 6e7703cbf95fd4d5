// What a scorer chooses between: an action and, for arcs, a label. Moves are numbered, and those of one
// action lie side by side, so that what is legal is a few ranges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace arcwise {

using MoveId = int32_t;

// What a move does. The list is open: systems have actions of their own from Own on.
enum class Action : uint8_t { Shift, Reduce, Left, Right, Own };
inline constexpr size_t kMostActions = 8;
inline constexpr size_t kMostGroups = 6;  // of moves
constexpr Action own_action(int number) {
  return static_cast<Action>(static_cast<int>(Action::Own) + number);
}

struct Move {
  Action action;
  int32_t label;  // -1 for the actions that add no arc
};

struct Range {
  MoveId begin = 0;
  MoveId end = 0;
  MoveId size() const { return end - begin; }
  bool contains(MoveId c) const { return begin <= c && c < end; }
};

// A move at one of the sites of a state. Most tasks have one site, 0 (sites.h).
struct SiteMove {
  int32_t site = 0;
  MoveId move = -1;

  bool operator==(const SiteMove&) const = default;
  bool operator<(const SiteMove& o) const { return site != o.site ? site < o.site : move < o.move; }
};

// The labels that arcs may carry, by where the head stands.
struct ArcLabels {
  std::vector<int32_t> left;   // the head is a word to the right
  std::vector<int32_t> right;  // the head is a word to the left
  std::vector<int32_t> root;   // the head is ROOT
  int32_t completion = 0;      // the head is the root word, for want of another
};

// The moves of an action that carry the same labels: which those are, or none. An arc from ROOT has labels of
// its own, as treebanks have.
struct MoveGroup {
  Action action;
  std::vector<int32_t> ArcLabels::* labels = nullptr;
};

class Moves {
 public:
  Moves() = default;
  // Of a task that builds no arcs: so many, told apart by their labels.
  explicit Moves(MoveId count) {
    for (MoveId label = 0; label < count; ++label) moves_.push_back({Action::Shift, label});
  }
  Moves(const std::vector<MoveGroup>& groups, const ArcLabels& labels) : completion_(labels.completion) {
    if (groups.size() > kMostGroups) throw std::invalid_argument("A system has too many groups of moves.");
    for (const MoveGroup& group : groups) {
      if (static_cast<size_t>(group.action) >= kMostActions)
        throw std::invalid_argument("A system has too many actions.");
      const MoveId begin = size();
      if (group.labels)
        for (int32_t label : labels.*group.labels) moves_.push_back({group.action, label});
      else
        moves_.push_back({group.action, -1});
      groups_.push_back({group, {begin, size()}});
    }
  }

  // The moves of a group; none if the system has no such group.
  Range of(Action action, std::vector<int32_t> ArcLabels::* labels = nullptr) const {
    for (const auto& [group, range] : groups_)
      if (group.action == action && group.labels == labels) return range;
    return {};
  }

  // Those of each group that has any.
  std::vector<Range> groups() const {
    std::vector<Range> ranges;
    for (const auto& [group, range] : groups_)
      if (range.size() > 0) ranges.push_back(range);
    return ranges;
  }

  int32_t completion() const { return completion_; }

  MoveId size() const { return static_cast<MoveId>(moves_.size()); }
  const Move& operator[](MoveId c) const { return moves_[c]; }

 private:
  struct Known {
    MoveGroup group;
    Range range;
  };
  std::vector<Move> moves_;
  std::vector<Known> groups_;
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
  // The range that a move is in, alone.
  Legal range_of(MoveId c) const {
    Legal own;
    for (Range r : ranges())
      if (r.contains(c)) own.add(r);
    return own;
  }
  // From the first legal move to the last.
  Range extent() const { return {ranges().front().begin, ranges().back().end}; }
  MoveId size() const {
    MoveId total = 0;
    for (Range r : ranges()) total += r.size();
    return total;
  }
  MoveId first() const { return ranges()[0].begin; }
  bool contains(MoveId c) const {
    for (Range r : ranges())
      if (r.contains(c)) return true;
    return false;
  }
  template <class F>
  void each(F&& f) const {
    for (Range r : ranges())
      for (MoveId c = r.begin; c < r.end; ++c) f(c);
  }

 private:
  std::array<Range, kMostGroups> ranges_;
  const Range* kept_ = nullptr;
  int count_ = 0;
};

}  // namespace arcwise
