// A configuration that can take its moves back, whatever the system: it writes down what each change
// overwrites. Only searches that go back use it; a greedy one pays for nothing.
#pragma once

#include <vector>

#include "task/stack_state.h"

namespace arcwise {

// The base is hidden, so that a system whose apply() takes a StackState, and would escape the journal,
// does not compile here.
class UndoableState : private StackState {
 public:
  const StackState& state() const { return *this; }

  // What systems may ask while they apply a move.
  using StackState::buffer_has_words;
  using StackState::from_bottom;
  using StackState::has_head;
  using StackState::N;
  using StackState::next;
  using StackState::on_stack;
  using StackState::S;

  // No move is taken back beyond this.
  void reset(int32_t words) {
    StackState::reset(words);
    journal_.clear();
    moves_.clear();
  }
  // The changes from here to the next call are one move.
  void begin_move() { moves_.push_back(journal_.size()); }
  // How many moves can be taken back.
  size_t moves() const { return moves_.size(); }
  // Takes the last move back.
  void undo() {
    for (; journal_.size() > moves_.back(); journal_.pop_back()) undo(journal_.back());
    moves_.pop_back();
  }

  void shift() {
    push(next());
    journal_.back().kind = Change::Kind::Shift;
    ++front;
  }
  void push(int32_t node) {
    journal_.push_back({.kind = Change::Kind::Push, .node = stack[depth]});
    StackState::push(node);
  }
  int32_t pop() {
    journal_.push_back({.kind = Change::Kind::Pop});
    return StackState::pop();
  }
  void insert(int32_t node, int32_t place) {
    journal_.push_back({.kind = Change::Kind::Insert, .node = buffer[front - 1], .head = place});
    StackState::insert(node, place);
  }
  void add_arc(int32_t head, int32_t dependent, int32_t label) {
    journal_.push_back({Change::Kind::Arc, dependent, head, tree.overwritten_by_arc(head, dependent)});
    StackState::add_arc(head, dependent, label);
  }

 private:
  struct Change {
    enum class Kind : uint8_t { Shift, Push, Pop, Insert, Arc } kind;
    int32_t node = kNone;  // the dependent of an arc; what lay stale where a node was pushed or inserted
    int32_t head = kNone;  // of an arc; the place of a node that was inserted
    Tree::Overwritten before = {};
  };

  void undo(const Change& change) {
    switch (change.kind) {
      case Change::Kind::Shift:
        --front;
        [[fallthrough]];
      case Change::Kind::Push:
        StackState::pop();
        stack[depth] = change.node;
        break;
      case Change::Kind::Pop:  // the node still lies there: whatever was pushed over it has been taken back
        StackState::push(stack[depth]);
        break;
      case Change::Kind::Insert:
        std::copy_backward(buffer.begin() + front, buffer.begin() + front + change.head,
                           buffer.begin() + front + change.head + 1);
        buffer[front++] = change.node;
        break;
      case Change::Kind::Arc:
        tree.remove_arc(change.head, change.node, change.before);
        break;
    }
  }

  std::vector<Change> journal_;
  std::vector<size_t> moves_;  // where in the journal each begins
};

}  // namespace arcwise
