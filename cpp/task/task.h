// A search space: what the loops in search/ ask of a transition system. A task with a single site makes
// one decision at a time, in the order of the sentence; easy-first has a site for each pair of neighbours.
// A task of trees starts from the number of words; one that looks at the words themselves, from a sentence.
// With a single site, start() and apply() take a state of any type that changes as StackState does, so that
// searches can bring one that takes moves back.
#pragma once

#include <concepts>

#include "task/moves.h"
#include "task/reachable.h"
#include "task/slots.h"
#include "text/treebank.h"
#include "tree/gold.h"

namespace arcwise {

template <class T>
concept StartsFromWords = requires(const T& task, typename T::State& s, const Treebank& treebank) {
  task.start(s, treebank, size_t{});
};

template <class T>
concept Task = requires(const T& task, typename T::State& s, const typename T::Gold& gold, int32_t site,
                        Class move, float* costs, SlotNodes& nodes) {
  { T::kDynamicOracle } -> std::convertible_to<bool>;
  { T::kSingleSite } -> std::convertible_to<bool>;
  { task.moves().size() } -> std::same_as<Class>;
  { task.done(s) } -> std::same_as<bool>;          //
  { task.legal(s, site) } -> std::same_as<Legal>;  // which moves may be taken
  task.apply(s, site, move);                       // what a move does
  task.costs(s, gold, site, costs);                // what each legal move loses
  task.slots(s, site, nodes);                      // what features may look at
};

template <class T>
concept BuildsTrees = Task<T> && requires {
  { T::kReachable } -> std::convertible_to<Reachable>;  // what can be built from a state
};

// One correct move for each state on the way to the gold tree.
template <class T>
concept HasStaticOracle = requires(const T& task, const typename T::State& s, const typename T::Gold& gold) {
  { task.static_move(s, gold) } -> std::same_as<Class>;
};

// Whether of many moves few are legal at a time, and these stand side by side: then no others are scored.
template <class T>
inline constexpr bool kIsNarrow = requires { requires T::kNarrow; };

// The first state of a sentence.
template <Task T>
void start(const T& task, typename T::State& s, const Treebank& treebank, size_t sentence) {
  if constexpr (StartsFromWords<T>)
    task.start(s, treebank, sentence);
  else
    task.start(s, static_cast<int32_t>(treebank.length(sentence)));
}

}  // namespace arcwise
