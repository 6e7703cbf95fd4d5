// One walk through a transition system, a step at a time, whatever the system: for looking at states,
// legal moves and costs from outside. The loops that train and parse do not use it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "constraint/constraint.h"
#include "task/systems.h"

namespace arcwise {

class Walk {
 public:
  virtual ~Walk() = default;
  virtual std::unique_ptr<Walk> clone() const = 0;
  virtual bool done() const = 0;
  virtual std::vector<SiteMove> legal() const = 0;
  virtual void apply(SiteMove move) = 0;
  // Takes the last move back; throws if there is none, or in easy-first.
  virtual void undo() = 0;
  // Whether another walk of the same system is in the same state, in all that features can see.
  virtual bool is_where(const Walk& other) const = 0;
  // The cost of each legal move against a gold tree, in the order of legal().
  virtual std::vector<float> costs(std::span<const int32_t> heads, std::span<const int32_t> labels) const = 0;
  // The static oracle's move; throws for a system that has none.
  virtual SiteMove static_move(std::span<const int32_t> heads, std::span<const int32_t> labels) const = 0;
  // The heads and labels of the tree that the walk ends in if it goes on with moves of least cost.
  std::pair<std::vector<int32_t>, std::vector<int32_t>> best_tree(std::span<const int32_t> heads,
                                                                  std::span<const int32_t> labels) const;
  virtual std::string move_name(SiteMove move) const = 0;
  virtual int32_t move_label(MoveId move) const = 0;
  virtual int32_t words() const = 0;
  virtual std::vector<int32_t> heads() const = 0;   // -1 where none yet
  virtual std::vector<int32_t> labels() const = 0;  // -1 where none yet
  virtual std::vector<int32_t> stack() const = 0;   // easy-first: the list
  virtual std::vector<int32_t> buffer() const = 0;  // from the front; easy-first: none

  static std::unique_ptr<Walk> start(const SystemOptions& options, const ArcLabels& labels, int32_t words);
  // The same under constraints, whose labels are those of the moves and may be any arc's; some projective
  // tree must satisfy them. Looking at all words in every state gives the same moves.
  static std::unique_ptr<Walk> start(const SystemOptions& options, const ArcLabels& labels, int32_t words,
                                     std::span<const Constraint> constraints, bool at_all = false);
};

}  // namespace arcwise
