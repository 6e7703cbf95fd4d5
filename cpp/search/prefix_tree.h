// Derivations that share their beginnings: a tree of items, each a state that is reached from its parent's
// by one move. A state itself is held only by cursors, which go from item to item.
#pragma once

#include <cstdint>
#include <vector>

#include "task/task.h"
#include "task/undoable_state.h"

namespace arcwise {

struct Item {
  int32_t parent = -1;  // the first item has none
  MoveId move = -1;
  int32_t step = 0;  // moves since the first item
  double score = 0;
  double loss = 0;  // of the score, by rules that the moves break
};

// The items of one sentence; room is kept for the next.
class PrefixTree {
 public:
  int32_t start() {
    items_.assign(1, Item{});
    return 0;
  }
  int32_t add(int32_t parent, MoveId move, double score, double loss = 0) {
    items_.push_back({parent, move, items_[parent].step + 1, score, items_[parent].loss + loss});
    return static_cast<int32_t>(items_.size()) - 1;
  }
  const Item& operator[](int32_t item) const { return items_[item]; }

  // The item that a derivation had come to after so many moves.
  int32_t ancestor(int32_t item, int32_t step) const {
    while (items_[item].step > step) item = items_[item].parent;
    return item;
  }
  // The moves of the derivation that comes to an item.
  void moves_to(int32_t item, std::vector<MoveId>& moves) const {
    moves.resize(static_cast<size_t>(items_[item].step));
    for (; items_[item].step > 0; item = items_[item].parent)
      moves[static_cast<size_t>(items_[item].step) - 1] = items_[item].move;
  }
  // How many moves apart two items are, or `most` if they are no nearer.
  int32_t distance(int32_t a, int32_t b, int32_t most) const {
    int32_t moves = 0;
    for (; a != b && moves < most; ++moves) {
      int32_t& later = items_[a].step < items_[b].step ? b : a;
      later = items_[later].parent;
    }
    return moves;
  }

 private:
  std::vector<Item> items_;
};

template <LeftToRight T>
class Cursor {
 public:
  explicit Cursor(const T& task) : task_(&task) {}

  // Puts the cursor at the first item for a sentence of so many words.
  void start(int32_t words) {
    task_->start(state_, words);
    at_ = 0;
  }
  // Takes moves back up to the last item that both derivations have in common, and makes those of the other
  // from there. Returns how many moves that were.
  int32_t go_to(int32_t item, const PrefixTree& tree) {
    int32_t moves = 0;
    path_.clear();
    for (int32_t to = item; at_ != to; ++moves) {
      if (tree[at_].step < tree[to].step) {
        path_.push_back(tree[to].move);
        to = tree[to].parent;
      } else {
        state_.undo();
        at_ = tree[at_].parent;
      }
    }
    for (; !path_.empty(); path_.pop_back()) {
      state_.begin_move();
      task_->apply(state_, path_.back());
    }
    at_ = item;
    return moves;
  }
  int32_t at() const { return at_; }
  const StackState& state() const { return state_.state(); }

 private:
  const T* task_;
  UndoableState state_;
  int32_t at_ = 0;
  std::vector<MoveId> path_;
};

}  // namespace arcwise
