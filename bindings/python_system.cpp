// Transition systems that are written in Python: the core asks, and methods answer, with Python's lock held.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>

#include "bindings.h"
#include "sequences.h"
#include "task/foreign.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using Nodes = nb::typed<nb::tuple, int, nb::ellipsis>;

nb::tuple tuple_of(size_t count, const auto& nth) {
  nb::object items = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  if (!items.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < count; ++i)
    PyTuple_SetItem(items.ptr(), static_cast<Py_ssize_t>(i), nb::cast(nth(i)).release().ptr());
  return nb::borrow<nb::tuple>(items);
}

std::optional<int32_t> or_none(int32_t node) { return node == kNone ? std::nullopt : std::optional(node); }

// What a method is given to look at and, while it applies a move, to change. It may keep it for longer than
// the call lasts, and show it to others.
struct LentState {
  const StackState* state;  // until the call is over
  StateChanges* changes;    // null where nothing may be changed
  bool single_root;

  const StackState& look() const {
    if (state == nullptr)
      throw ForeignError(
          "A state is gone when the call that was given it is over: keep what you read from it, not the "
          "state.");
    return *state;
  }
  StateChanges& change() const {
    look();
    if (changes == nullptr)
      throw ForeignError("This is a state to look at: only start and apply may change theirs.");
    return *changes;
  }
  int32_t node(int32_t node) const {
    if (node < kRoot || node > look().words())
      throw ForeignError("There is no node " + std::to_string(node) + " in " + in_brief(look()) +
                         ": words are counted from 1, and ROOT is 0.");
    return node;
  }
  int32_t words() const { return look().words(); }
  Nodes stack() const {
    const StackState& s = look();
    return Nodes(tuple_of(static_cast<size_t>(s.depth), [&](size_t i) { return s.stack[i]; }));
  }
  Nodes buffer() const {
    const StackState& s = look();
    return Nodes(tuple_of(static_cast<size_t>(s.words() - s.front),
                          [&](size_t i) { return s.buffer[static_cast<size_t>(s.front) + i]; }));
  }
  std::optional<int32_t> S(int32_t i) const { return i < 0 ? std::nullopt : or_none(look().S(i)); }
  std::optional<int32_t> N(int32_t i) const {
    const StackState& s = look();
    return i < 0 || i >= s.words() - s.front ? std::nullopt : or_none(s.N(i));
  }
};

// The gold tree, as long as the call lasts.
struct LentGold {
  const TreeGold* gold;

  const TreeGold& look() const {
    if (gold == nullptr)
      throw ForeignError("A gold tree is gone when the call that was given it is over: do not keep it.");
    return *gold;
  }
  int32_t node(int32_t node) const {
    if (node < kRoot || node > look().words())
      throw ForeignError("The gold tree has no node " + std::to_string(node) +
                         ": words are counted from 1, and ROOT is 0.");
    return node;
  }
};

// Lends something for the time of a call.
template <class T>
class Lending {
 public:
  explicit Lending(T given) : lent_(std::make_shared<T>(given)), object_(nb::cast(lent_)) {}
  ~Lending() { *lent_ = T{}; }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;
  const nb::object& object() const { return object_; }

 private:
  std::shared_ptr<T> lent_;
  nb::object object_;
};

// A mapping as a dictionary of our own, which nobody changes while it is read; nothing if it is none.
std::optional<nb::dict> dict_of(nb::handle mapping) {
  nb::dict own;
  if (PyDict_Update(own.ptr(), mapping.ptr()) == 0) return own;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
  PyErr_Clear();
  return {};
}

std::string repr_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

ForeignSystem::Labels labels_of(const std::string& system, const std::string& move,
                                const std::optional<std::string>& kind) {
  if (!kind) return nullptr;
  if (*kind == "left") return &ArcLabels::left;
  if (*kind == "right") return &ArcLabels::right;
  if (*kind == "root") return &ArcLabels::root;
  throw std::invalid_argument("The move '" + move + "' of '" + system + "' carries labels of '" + *kind +
                              "' arcs: choose left, right, root, or None for a move that adds no arc.");
}

std::vector<ForeignSystem::Group> groups_of(
    const std::string& system, const std::vector<std::pair<std::string, std::optional<std::string>>>& moves) {
  std::vector<ForeignSystem::Group> groups;
  for (const auto& [name, kind] : moves) groups.push_back({name, labels_of(system, name, kind)});
  return groups;
}

class PythonSystem final : public ForeignSystem {
 public:
  using Moves = std::vector<std::pair<std::string, std::optional<std::string>>>;

  PythonSystem(const std::string& name, const Moves& moves, bool projective, nb::object start,
               nb::object legal, nb::object apply, nb::object costs, nb::object static_move, nb::object slots)
      : ForeignSystem(name, groups_of(name, moves), projective),
        start_(std::move(start)),
        legal_(std::move(legal)),
        apply_(std::move(apply)),
        costs_(std::move(costs)),
        static_move_(std::move(static_move)),
        slots_(std::move(slots)) {
    for (size_t g = 0; g < groups().size(); ++g) {
      names_.push_back(nb::str(groups()[g].name.c_str()));
      numbers_[names_.back()] = g;
    }
  }

  bool has_costs() const override { return !costs_.is_none(); }
  bool has_static_oracle() const override { return !static_move_.is_none(); }

  void start(StateChanges& changes, bool single_root) const override {
    const nb::gil_scoped_acquire lock;
    const Lending<LentState> state({&changes.state(), &changes, single_root});
    start_(state.object());
  }
  uint32_t legal(const View& view) const override {
    const nb::gil_scoped_acquire lock;
    const Lending<LentState> state({&view.state, nullptr, view.single_root});
    const nb::object answer = legal_(state.object());
    if (PyUnicode_Check(answer.ptr()) || !PyObject_HasAttrString(answer.ptr(), "__iter__"))
      wrong(view, "legal", "gave " + repr_of(answer) + ": give the names of moves, as a list or with yield.");
    uint32_t groups = 0;
    for (nb::handle move : nb::iter(answer)) groups |= uint32_t{1} << number_of(view, "legal", move);
    return groups;
  }
  void apply(StateChanges& changes, bool single_root, size_t group, int32_t label) const override {
    const nb::gil_scoped_acquire lock;
    const Lending<LentState> state({&changes.state(), &changes, single_root});
    const nb::object given = label < 0 ? nb::none() : nb::cast(label);
    apply_(state.object(), names_[group], given);
  }
  void costs(const View& view, const TreeGold& gold, uint32_t legal, float* lost) const override {
    if (!has_costs())
      throw ForeignError("'" + name() +
                         "' says nothing of costs, and training needs them: write the method costs.");
    const nb::gil_scoped_acquire lock;
    const Lending<LentState> state({&view.state, nullptr, view.single_root});
    const Lending<LentGold> tree({&gold});
    const nb::object answer = costs_(state.object(), tree.object());
    const std::optional<nb::dict> costs = dict_of(answer);
    if (!costs)
      wrong(view, "costs", "gave " + repr_of(answer) + ": give a dictionary of each legal move's cost.");
    uint32_t told = 0;
    for (auto [move, cost] : *costs) {
      const size_t group = number_of(view, "costs", move);
      const double value = PyFloat_AsDouble(cost.ptr());
      if (value == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
        wrong(view, "costs", "gave " + repr_of(cost) + " for " + groups()[group].name + ": give a number.");
      }
      if (!(std::isfinite(value) && value >= 0))
        wrong(view, "costs",
              "gave " + repr_of(cost) + " for " + groups()[group].name +
                  ": no move costs less than 0, or endlessly.");
      lost[group] = static_cast<float>(value);
      told |= uint32_t{1} << group;
    }
    for (size_t g = 0; g < groups().size(); ++g)
      if ((legal & ~told) >> g & 1)
        wrong(view, "costs", "says nothing of " + groups()[g].name + ", which is legal there.");
  }
  size_t static_move(const View& view, const TreeGold& gold, uint32_t legal) const override {
    if (!has_static_oracle())
      throw ForeignError("'" + name() +
                         "' has no static oracle: write the method static, or choose another oracle.");
    const nb::gil_scoped_acquire lock;
    const Lending<LentState> state({&view.state, nullptr, view.single_root});
    const Lending<LentGold> tree({&gold});
    const nb::object answer = static_move_(state.object(), tree.object());
    const size_t group = number_of(view, "static", answer);
    if (!(legal >> group & 1))
      wrong(view, "static", "gave " + groups()[group].name + ", which is not legal there.");
    return group;
  }
  void slots(const View& view, SlotNodes& nodes) const override {
    const nb::gil_scoped_acquire lock;
    if (slots_.is_none()) {
      TreeView shown;
      stack_view(view.state, shown);
      nodes = shown.nodes;
      return;
    }
    for (int s = 0; s < kSlots; ++s) nodes[static_cast<Slot>(s)] = kNone;
    const Lending<LentState> state({&view.state, nullptr, view.single_root});
    const nb::object answer = slots_(state.object());
    const std::optional<nb::dict> places = dict_of(answer);
    if (!places) wrong(view, "slots", "gave " + repr_of(answer) + ": give a dictionary of places and nodes.");
    for (auto [place, node] : *places) {
      const auto slot = slot_of(place);
      if (!slot) wrong(view, "slots", "gave " + repr_of(place) + ": places are S0 … S3 and N0 … N3.");
      if (node.is_none()) continue;
      int32_t number = kNone;
      if (!nb::try_cast<int32_t>(node, number) || number < kRoot || number > view.state.words() + 1)
        wrong(view, "slots",
              "gave " + repr_of(node) + " for " + repr_of(place) + ": give a word, 0 for ROOT, or None.");
      nodes[*slot] = number;
    }
  }

 private:
  [[noreturn]] void wrong(const View& view, const char* method, const std::string& what) const {
    throw ForeignError(std::string(method) + " of '" + name() + "' in " + in_brief(view.state) + " " + what);
  }
  size_t number_of(const View& view, const char* method, nb::handle move) const {
    nb::object number;
    if (PyUnicode_Check(move.ptr())) number = nb::borrow(PyDict_GetItem(numbers_.ptr(), move.ptr()));
    if (number.is_valid()) return nb::cast<size_t>(number);
    std::string names;
    for (const Group& group : groups()) names += (names.empty() ? "" : ", ") + group.name;
    wrong(view, method, "gave " + repr_of(move) + ", which is none of its moves: those are " + names + ".");
  }
  static std::optional<Slot> slot_of(nb::handle place) {
    std::string name;
    if (!nb::try_cast<std::string>(place, name)) return {};
    for (size_t s = 0; s < kSlotNames.size(); ++s)
      if (name == kSlotNames[s] && is_on_stack_or_buffer(static_cast<Slot>(s))) return static_cast<Slot>(s);
    return {};
  }

  const nb::object start_, legal_, apply_, costs_, static_move_,
      slots_;  // None of those that are not written
  std::vector<nb::str> names_;
  nb::dict numbers_;
};

}  // namespace

void bind_python_system(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const ForeignError& error) {
      nb::object type = nb::module_::import_("arcwise.errors").attr("TransitionError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });

  nb::class_<LentState>(
      m, "SystemState",
      "A stack, a buffer and the arcs so far, as the methods of a transition system see them, "
      "until the call is over. Words are counted from 1, and ROOT is 0. What changes it may be "
      "called in start and apply alone.")
      .def_prop_ro("words", &LentState::words, "How many words the sentence has.")
      .def_prop_ro(
          "single_root",
          [](const LentState& s) {
            s.look();
            return s.single_root;
          },
          "Whether one word alone may be a dependent of ROOT.")
      .def_prop_ro("stack", &LentState::stack, "The nodes on the stack; the top comes last.")
      .def_prop_ro("buffer", &LentState::buffer, "The words in the buffer, from the front.")
      .def("S", &LentState::S, "i"_a,
           "The node under so many others on the stack: S(0) is the top; None if "
           "there is none.")
      .def("N", &LentState::N, "i"_a,
           "The word behind so many others in the buffer: N(0) is its front; None if "
           "there is none.")
      .def_prop_ro(
          "heads",
          [](const LentState& s) {
            const StackState& state = s.look();
            return nb::typed<nb::tuple, std::optional<int32_t>, nb::ellipsis>(tuple_of(
                static_cast<size_t>(state.words()),
                [&](size_t w) { return or_none(state.tree.output_head(static_cast<int32_t>(w) + 1)); }));
          },
          "The head of each word, None where there is none yet.")
      .def(
          "head",
          [](const LentState& s, int32_t node) { return or_none(s.look().tree.output_head(s.node(node))); },
          "node"_a, "The head of a word; None if it has none yet.")
      .def(
          "has_head", [](const LentState& s, int32_t node) { return s.look().has_head(s.node(node)); },
          "node"_a)
      .def(
          "label",
          [](const LentState& s, int32_t node) { return or_none(s.look().tree.label(s.node(node))); },
          "node"_a, "The label of a word's arc, as a number; None if it has no head yet.")
      .def(
          "on_stack", [](const LentState& s, int32_t node) { return s.look().on_stack(s.node(node)); },
          "node"_a)
      .def(
          "dependents",
          [](const LentState& s, int32_t node) {
            const StackState& state = s.look();
            s.node(node);
            std::vector<int32_t> all;
            for (int32_t w = 1; w <= state.words(); ++w)
              if (state.tree.output_head(w) == node) all.push_back(w);
            return Nodes(tuple_of(all.size(), [&](size_t i) { return all[i]; }));
          },
          "node"_a, "The dependents that a node has so far.")
      .def(
          "shift", [](const LentState& s) { s.change().shift(); },
          "Moves the front of the buffer to the stack.")
      .def(
          "push", [](const LentState& s, int32_t node) { s.change().push(node); }, "node"_a,
          "Puts a node on the stack that is neither there nor in the buffer.")
      .def(
          "pop", [](const LentState& s) { return s.change().pop(); },
          "Takes the top off the stack, and gives it.")
      .def(
          "insert", [](const LentState& s, int32_t word, int32_t place) { s.change().insert(word, place); },
          "word"_a, "place"_a = 0,
          "Puts a word that is on neither back into the buffer, behind so many others.")
      .def(
          "add_arc",
          [](const LentState& s, int32_t head, int32_t dependent, std::optional<int32_t> label) {
            s.change().add_arc(head, dependent, label.value_or(-1));
          },
          "head"_a, "dependent"_a, "label"_a.none(), "Gives a word a head, with the label of the move.")
      .def("__repr__", [](const LentState& s) {
        return s.state == nullptr ? std::string("<a state that is gone>") : in_brief(*s.state);
      });

  nb::class_<LentGold>(m, "GoldTree",
                       "A gold tree, as the methods of a transition system see it, until the call "
                       "is over. Words are counted from 1, and ROOT is 0.")
      .def_prop_ro("words", [](const LentGold& g) { return g.look().words(); })
      .def_prop_ro(
          "heads",
          [](const LentGold& g) {
            const TreeGold& gold = g.look();
            return nb::typed<nb::tuple, std::optional<int32_t>, nb::ellipsis>(
                tuple_of(static_cast<size_t>(gold.words()),
                         [&](size_t w) { return or_none(gold.head(static_cast<int32_t>(w) + 1)); }));
          },
          "The head of each word, None where it is unknown.")
      .def(
          "head", [](const LentGold& g, int32_t word) { return or_none(g.look().head(g.node(word))); },
          "word"_a, "The head of a word; None where it is unknown, and of ROOT.")
      .def(
          "dependents",
          [](const LentGold& g, int32_t node) {
            const auto all = g.look().dependents(g.node(node));
            return Nodes(tuple_of(all.size(), [&](size_t i) { return all[i]; }));
          },
          "node"_a, "The dependents of a node, from the left.")
      .def("__repr__", [](const LentGold& g) {
        return g.gold == nullptr ? std::string("<a gold tree that is gone>")
                                 : "<a gold tree of " + std::to_string(g.gold->words()) + " words>";
      });

  nb::class_<ForeignSystem>(m, "ForeignSystem", "A transition system that is given from outside.")
      .def_prop_ro("name", [](const ForeignSystem& s) { return s.name(); });
  nb::class_<PythonSystem, ForeignSystem>(m, "PythonSystem",
                                          "A transition system that answers by calling methods.")
      .def(
          "__init__",
          [](PythonSystem* self, const std::string& name, const PythonSystem::Moves& moves, bool projective,
             nb::object start, nb::object legal, nb::object apply, nb::object costs, nb::object static_move,
             nb::object slots) {
            for (const nb::object& method : {start, legal, apply})
              if (!PyCallable_Check(method.ptr())) throw nb::type_error("A method cannot be called.");
            for (const nb::object& method : {costs, static_move, slots})
              if (!method.is_none() && !PyCallable_Check(method.ptr()))
                throw nb::type_error("A method cannot be called.");
            new (self) PythonSystem(name, moves, projective, start, legal, apply, costs, static_move, slots);
          },
          "name"_a, "moves"_a, nb::kw_only(), "projective"_a, "start"_a, "legal"_a, "apply"_a,
          "costs"_a.none(), "static"_a.none(), "slots"_a.none());
}
