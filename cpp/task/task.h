// A search space: what every search and every training loop asks of a task. A task has its own
//
//   Input   what a state starts from: a number of words, a sentence of a treebank, a text
//   State   where a walk has come to
//   Gold    the structure that moves are charged against
//   View    what a scorer may look at
//
// and most take one decision at a time, in the order of the sentence. In easy-first there are many sites
// where a move may be taken next: such tasks name the site in every question, and sites.h is the adapter
// through which searches see both kinds alike.
//
// In a left-to-right system start() and apply() take a state of any type that changes as StackState does, so
// that searches can bring one that takes moves back.
#pragma once

#include <concepts>
#include <string>

#include "task/moves.h"
#include "task/reachable.h"
#include "task/slots.h"
#include "task/undoable_state.h"
#include "tree/gold.h"

namespace arcwise {

template <class T>
concept SearchSpace = requires(const T& task, typename T::State& s, const typename T::Input& input) {
  typename T::Gold;
  typename T::View;
  { T::kDynamicOracle } -> std::convertible_to<bool>;
  { task.moves().size() } -> std::same_as<MoveId>;
  task.start(s, input);
  { task.done(s) } -> std::same_as<bool>;
};

template <class T>
concept OneSite = SearchSpace<T> && requires(const T& task, typename T::State& s, typename T::View& view,
                                             const typename T::Gold& gold, MoveId move, float* costs) {
  { task.legal(s) } -> std::same_as<Legal>;  // which moves may be taken
  task.apply(s, move);                       // what a move does
  task.costs(s, gold, costs);                // what each legal move loses
  task.view(s, view);                        // what a scorer may look at
};

template <class T>
concept ManySites =
    SearchSpace<T> && requires(const T& task, typename T::State& s, typename T::View& view,
                               const typename T::Gold& gold, int32_t site, SiteMove move, float* costs) {
      { task.legal(s, site) } -> std::same_as<Legal>;
      task.apply(s, move);
      task.costs(s, gold, site, costs);
      task.view(s, site, view);
      task.each_site(s, [](int32_t) {});                   // from left to right
      { task.head_of(s, move) } -> std::same_as<int32_t>;  // the node that a move makes a head
      task.each_touched_site(s, site, [](int32_t) {});     // that changed when a dependent of this head left
      { task.second_node(s, site) } -> std::same_as<int32_t>;  // the other node of a site, named by its first
    };

template <class T>
concept Task = OneSite<T> || ManySites<T>;

// A task that builds a tree: its state has one.
template <class T>
concept BuildsTrees = Task<T> && std::same_as<typename T::Input, int32_t> && requires {
  { T::kProjective } -> std::convertible_to<bool>;  // whether training trees have to be
} && (requires(const T& task, const typename T::State& s, MoveId move) {
  { task.arc_of(s, move) } -> std::same_as<ArcEnds>;  // that a legal move with a label adds
} || requires(const T& task, const typename T::State& s, SiteMove move) {
  { task.arc_of(s, move) } -> std::same_as<ArcEnds>;
});

// One that says which trees can be built from a state, for constraints to be honoured.
template <class T>
concept KnowsReachable = BuildsTrees<T> && requires {
  { T::kReachable } -> std::convertible_to<Reachable>;
};

// A system whose moves can be taken back.
template <class T>
concept LeftToRight = OneSite<T> && BuildsTrees<T> && requires(const T& task, UndoableState& s) {
  task.start(s, int32_t{});
  task.apply(s, MoveId{});
};

// One correct move for each state on the way to the gold tree.
template <class T>
concept HasStaticOracle = requires(const T& task, const typename T::State& s, const typename T::Gold& gold) {
  { task.static_move(s, gold) } -> std::same_as<MoveId>;
};

// By what it is known: some have a name each, and not one for all.
template <class T>
std::string name_of(const T& task) {
  if constexpr (requires { task.name(); })
    return task.name();
  else
    return std::string(T::kName);
}

// Whether of many moves few are legal at a time, and these stand side by side: then no others are scored.
template <class T>
inline constexpr bool kIsNarrow = requires { requires T::kNarrow; };

}  // namespace arcwise
