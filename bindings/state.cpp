#include <nanobind/stl/tuple.h>

#include "bindings.h"
#include "checks.h"
#include "sequences.h"
#include "task/undoable_state.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

// A configuration by itself, for looking at from outside: what systems are made of, and what beams take back.
class CheckedState {
 public:
  explicit CheckedState(int32_t words) {
    demand_words(words);
    state_.reset(words);
    state_.begin_move();
  }

  void shift() {
    demand(state().front <= state().words(), "The buffer is empty.");
    state_.shift();
  }
  int32_t pop() {
    demand(state().depth > 0, "The stack is empty.");
    return state_.pop();
  }
  void insert(int32_t node, int32_t place) {
    demand(state().front > 0, "No node has left the buffer.");
    demand(place >= 0 && state().front + place <= state().words() + 1, "The buffer has no such place.");
    state_.insert(demand_node(node), place);
  }
  void add_arc(int32_t head, int32_t dependent, int32_t label) {
    demand(!state().has_head(demand_node(dependent)), "The word has a head.");
    demand(head != dependent && label >= 0, "No word is its own head, and every arc has a label.");
    state_.add_arc(demand_node(head), dependent, label);
  }
  void begin_move() { state_.begin_move(); }
  void undo() {
    demand(state_.moves() > 0, "No move has been made.");
    state_.undo();
  }

  std::vector<int32_t> stack() const {
    return {state().stack.begin(), state().stack.begin() + state().depth};
  }
  std::vector<int32_t> buffer() const {
    return {state().buffer.begin() + state().front, state().buffer.end()};
  }
  // Its head and label, its outermost dependents on the left and on the right, and how many there are.
  using Node = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t>;
  Node node(int32_t node) const {
    const auto& n = state().tree[demand_node(node)];
    return {n.head, n.label, n.left, n.left2, n.right, n.right2, n.left_count, n.right_count};
  }

 private:
  const StackState& state() const { return state_.state(); }
  int32_t demand_node(int32_t node) const {
    demand(node >= 0 && node <= state().words() + 1, "There is no such node.");
    return node;
  }

  UndoableState state_;
};

}  // namespace

void bind_state(nb::module_& m) {
  nb::class_<CheckedState>(m, "State", "A stack, a buffer and arcs, whose changes can be taken back.")
      .def(nb::init<int32_t>(), "words"_a)
      .def("shift", &CheckedState::shift, "Moves the front of the buffer to the stack.")
      .def("pop", &CheckedState::pop)
      .def("insert", &CheckedState::insert, "node"_a, "place"_a,
           "Puts a node that has left the buffer back into it, behind so many others.")
      .def("add_arc", &CheckedState::add_arc, "head"_a, "dependent"_a, "label"_a)
      .def("begin_move", &CheckedState::begin_move, "What follows is taken back together.")
      .def("undo", &CheckedState::undo, "Takes the last move back.")
      .def_prop_ro("stack", &CheckedState::stack)
      .def_prop_ro("buffer", &CheckedState::buffer)
      .def("node", &CheckedState::node, "node"_a,
           "Head, label, two outermost dependents on the left and on the right, and their numbers.");
}
