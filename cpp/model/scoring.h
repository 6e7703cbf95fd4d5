// What a search asks of a worker's scoring workspace, whatever the kind of model behind it.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "task/moves.h"
#include "text/treebank.h"

namespace arcwise {

// How a search goes through states, for a workspace to know what is worth keeping.
enum class Visits : uint8_t {
  Anywhere,     // of easy-first: a site here, a site there
  LeftToRight,  // a stack and a buffer, a word at a time
  SideBySide,   // the same by many derivations, which come to see the same features again and again
  InStep,       // of many sentences, a workspace for each, whose walks go on in turn: all words stay at hand
};

// For the moves of a range alone, where a state has many moves and few of them are legal.
template <class W, class View>
concept ScoresSomeMoves = requires(W& w, const View& view, Range moves) {
  { w.score(view, moves) } -> std::same_as<const int32_t*>;
};
// For the legal moves at least, which may take less time than all.
template <class W, class View>
concept ScoresLegalMoves = requires(W& w, const View& view, const Legal& legal) {
  { w.score(view, legal) } -> std::same_as<const int32_t*>;
};
template <class W, class View>
concept ScoresAllMoves = requires(W& w, const View& view) {
  { w.score(view) } -> std::same_as<const int32_t*>;  // valid until the next call
};

// Of the states of one input after the other.
template <class W, class View>
concept Scoring = (ScoresAllMoves<W, View> || ScoresSomeMoves<W, View>) && requires(const W& read) {
  { read.columns() } -> std::same_as<const uint16_t*>;  // where in the scores that of each move is
  { read.scale() } -> std::same_as<double>;             // a score times this is the learner's own
};

// Where states that look alike are met again and again: what it sees first, and scores only if they are asked
// for.
template <class W, class View>
concept LooksFirst = requires(W& w, const View& view, const Legal& legal) {
  { w.look(view) } -> std::same_as<uint64_t>;          // a hash of all that it sees of a state
  { w.score(legal) } -> std::same_as<const int32_t*>;  // of the state that it looked at last
};

struct ScoredMove {
  int32_t score = 0;
  MoveId move = -1;
};

// Ties go to the lowest. The score of move m is at columns[m].
inline ScoredMove best_legal(const Legal& legal, const int32_t* scores, const uint16_t* columns) {
  ScoredMove best{scores[columns[legal.first()]], legal.first()};
  for (Range r : legal.ranges())
    for (MoveId c = r.begin; c < r.end; ++c)
      if (scores[columns[c]] > best.score) best = {scores[columns[c]], c};
  return best;
}

// Of the best move alone, where that can be found without the scores of all.
template <class W, class View>
concept FindsBest = requires(W& w, const View& view, const Legal& legal) {
  { w.finds_best() } -> std::same_as<bool>;
  { w.best(view, legal) } -> std::same_as<ScoredMove>;
};

// That of a model which gives no scores, and names the move to be taken.
template <class W, class View>
concept Choosing = requires(W& w, const Moves& moves, const View& view, const Legal& legal) {
  { w.choose(moves, view, legal) } -> std::same_as<MoveId>;
};

// Of the sentences of a treebank.
template <class W>
concept SentenceScoring = requires(W& w, const Treebank& treebank, size_t sentence) {
  // These sentences are coming, from the first up to the last: what can be computed for many at once is.
  w.begin(treebank, sentence, sentence);
  w.sentence(sentence);  // the one whose states are scored next
};

}  // namespace arcwise
