// A transition system that is given from outside, at run time: what one that is written in another language
// has to answer, and the task that adapts it, so that the loops that train and parse see a system like any
// other. Slow, for each question is a virtual call and what lies behind it; and checked, for nobody knows
// what the answers come from: whatever is wrong with them is a ForeignError, and the state stays sound.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "task/arc_costs.h"
#include "task/moves.h"
#include "task/slots.h"
#include "task/undoable_state.h"
#include "tree/gold.h"

namespace arcwise {

// A sentence that says what a foreign system did wrong, in which move and which state.
class ForeignError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A state in a line: its stack, its buffer and its arcs, as [0 2 | 3 4 | 2→1].
std::string in_brief(const StackState& state);

// All that a foreign system may do to a state while it starts or applies a move. Every change is checked.
class StateChanges {
 public:
  using Arc = ArcEnds;

  virtual ~StateChanges() = default;
  StateChanges(const StateChanges&) = delete;
  StateChanges& operator=(const StateChanges&) = delete;

  const StackState& state() const { return state_; }

  void shift();
  void push(int32_t node);  // one that is neither on the stack nor in the buffer
  int32_t pop();
  void insert(int32_t node, int32_t place);  // a word that is in neither, behind so many of the buffer
  void add_arc(int32_t head, int32_t dependent, int32_t label);

  const Arc& arc() const { return arc_; }  // that was added, if one was

 protected:
  // The names of the system and of the move, if there is one, are for messages; its label is -1 if it has
  // none.
  StateChanges(const StackState& state, const std::string& system, const std::string* move, int32_t label,
               bool single_root)
      : state_(state), system_(system), move_(move), label_(label), single_root_(single_root) {}

 private:
  virtual void do_shift() = 0;
  virtual void do_push(int32_t node) = 0;
  virtual int32_t do_pop() = 0;
  virtual void do_insert(int32_t node, int32_t place) = 0;
  virtual void do_add_arc(int32_t head, int32_t dependent, int32_t label) = 0;

  void demand(bool holds, const std::string& otherwise) const;
  void demand_in_neither(int32_t node) const;

  const StackState& state_;
  const std::string& system_;
  const std::string* const move_;
  const int32_t label_;
  const bool single_root_;
  Arc arc_;
};

class ForeignSystem {
 public:
  using Labels = std::vector<int32_t> ArcLabels::*;
  // Moves of a name, which carry these labels, or none.
  struct Group {
    std::string name;
    Labels labels = nullptr;
  };

  // Throws std::invalid_argument if there cannot be such a system.
  ForeignSystem(std::string name, std::vector<Group> groups, bool projective);
  virtual ~ForeignSystem() = default;

  const std::string& name() const { return name_; }
  const std::vector<Group>& groups() const { return groups_; }
  bool projective() const { return projective_; }
  virtual bool has_costs() const = 0;
  virtual bool has_static_oracle() const = 0;

  // What is asked: groups by their numbers, and sets of them. A state may be looked at until the call is
  // over. Calls come from any thread.
  struct View {
    const StackState& state;
    bool single_root;
  };
  virtual void start(StateChanges& changes, bool single_root) const = 0;
  virtual uint32_t legal(const View& view) const = 0;
  virtual void apply(StateChanges& changes, bool single_root, size_t group, int32_t label) const = 0;
  // How many gold arcs the moves of each legal group lose, their labels aside.
  virtual void costs(const View& view, const TreeGold& gold, uint32_t legal, float* lost) const = 0;
  virtual size_t static_move(const View& view, const TreeGold& gold, uint32_t legal) const = 0;
  virtual void slots(const View& view, SlotNodes& nodes) const = 0;

 private:
  std::string name_;
  std::vector<Group> groups_;
  bool projective_;
};

class Foreign {
 public:
  using Input = int32_t;  // words
  using State = StackState;
  using Gold = TreeGold;
  using View = TreeView;

  static constexpr bool kDynamicOracle = true, kProjective = true;  // what holds says the system

  Foreign(std::shared_ptr<const ForeignSystem> system, const ArcLabels& labels, bool single_root);

  const ForeignSystem& system() const { return *system_; }
  const std::string& name() const { return system_->name(); }
  const Moves& moves() const { return moves_; }
  const std::string& name_of(MoveId c) const { return system_->groups()[group_of_[c]].name; }

  void start(auto& s, int32_t words) const {
    s.reset(words);
    Changes changes(s, name(), nullptr, -1, single_root_);
    system_->start(changes, single_root_);
  }
  // There is nothing left that a move could change of the tree.
  bool done(const State& s) const;
  Legal legal(const State& s) const;
  void apply(auto& s, MoveId c) const {
    demand_end(count_move(s), s);
    apply_to(s, c);
  }
  // Which arc a move adds is seen by taking it.
  ArcEnds arc_of(const State& s, MoveId c) const {
    State after = s;
    return apply_to(after, c);
  }
  // What the system says, and one more for a gold arc under a wrong label.
  void costs(const State& s, const Gold& gold, float* costs) const;
  MoveId static_move(const State& s, const Gold& gold) const;
  void view(const State& s, View& view) const {
    view.tree = &s.tree;
    system_->slots({s, single_root_}, view.nodes);
  }

 private:
  template <class S>
  class Changes final : public StateChanges {
   public:
    Changes(S& state, const std::string& system, const std::string* move, int32_t label, bool single_root)
        : StateChanges(plain(state), system, move, label, single_root), state_(state) {}

   private:
    void do_shift() override { state_.shift(); }
    void do_push(int32_t node) override { state_.push(node); }
    int32_t do_pop() override { return state_.pop(); }
    void do_insert(int32_t node, int32_t place) override { state_.insert(node, place); }
    void do_add_arc(int32_t head, int32_t dependent, int32_t label) override {
      state_.add_arc(head, dependent, label);
    }

    S& state_;
  };

  static const StackState& plain(const StackState& s) { return s; }
  static const StackState& plain(const UndoableState& s) { return s.state(); }
  static int64_t count_move(StackState& s) { return ++s.taken; }
  static int64_t count_move(const UndoableState& s) { return static_cast<int64_t>(s.moves()); }
  void demand_end(int64_t moves, const auto& s) const {
    if (const int64_t words = plain(s).words(); moves > words * words + 16 * words + 64)
      never_ends(plain(s), moves);
  }
  [[noreturn]] void never_ends(const StackState& s, int64_t moves) const;

  StateChanges::Arc apply_to(auto& s, MoveId c) const {
    Changes changes(s, name(), &name_of(c), moves_[c].label, single_root_);
    system_->apply(changes, single_root_, group_of_[c], moves_[c].label);
    return changes.arc();
  }
  uint32_t legal_groups(const State& s) const;

  std::shared_ptr<const ForeignSystem> system_;
  Moves moves_;
  std::vector<Range> ranges_;     // of each group
  std::vector<size_t> group_of_;  // of each move
  bool single_root_;
};

}  // namespace arcwise
