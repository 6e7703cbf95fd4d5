// What a search asks of a worker's scoring workspace, whatever the kind of scorer behind it.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "task/moves.h"
#include "task/slots.h"
#include "text/treebank.h"
#include "tree/tree.h"

namespace arcwise {

// How a search goes through states, for a workspace to know what is worth keeping.
enum class Visits : uint8_t {
  Anywhere,     // of easy-first: a site here, a site there
  LeftToRight,  // a stack and a buffer, a word at a time
  SideBySide,   // the same by many derivations, which come to see the same features again and again
};

// Of one sentence after the other.
template <class W>
concept StateScoring = requires(W& w, const W& read, const Tree& tree, const SlotNodes& nodes) {
  { read.words() } -> std::same_as<int32_t>;
  // The scores of all moves in a state, valid until the next call.
  { w.score(tree, nodes) } -> std::same_as<const int32_t*>;
  { read.places() } -> std::same_as<const uint16_t*>;  // where in the scores that of each class is
  { read.scale() } -> std::same_as<double>;            // a score times this is the learner's own
};

// The same for the moves of a range alone, where a state has many moves and few of them are legal.
template <class W>
concept ScoresSomeMoves = requires(W& w, const Tree& tree, const SlotNodes& nodes, Range moves) {
  { w.score(tree, nodes, moves) } -> std::same_as<const int32_t*>;
};

// Of numbered sentences.
template <class W>
concept SentenceScoring = StateScoring<W> && requires(W& w, size_t sentence) {
  w.sentence(sentence);  // the one that is parsed next
};

// Of the sentences of a treebank.
template <class W>
concept Scoring = SentenceScoring<W> && requires(W& w, const Treebank& treebank, size_t sentence) {
  // These sentences are coming, from the first up to the last: what can be computed for many at once is.
  w.begin(treebank, sentence, sentence);
  { std::as_const(w).treebank() } -> std::same_as<const Treebank&>;
};

}  // namespace arcwise
