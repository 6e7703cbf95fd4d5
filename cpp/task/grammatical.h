// A transition system that knows which of its moves a treebank's trees speak against (grammar.h). Such moves
// stay legal: a search takes one where there is no other, so that it always comes to a tree, and what a user
// has fixed comes first. A beam weighs what a move loses, greedy search takes what is allowed.
#pragma once

#include <utility>
#include <vector>

#include "task/grammar.h"
#include "task/task.h"

namespace arcwise {

// One for each worker: tags change from sentence to sentence.
template <BuildsTrees T>
class Grammatical : public T {
 public:
  using State = typename T::State;

  template <class... From>
  explicit Grammatical(From&&... from) : T(std::forward<From>(from)...) {}

  // The rules of the sentence to come, which must stay where they are; null: there are none.
  void obey(const GrammarOfSentence* rules) { rules_ = rules; }
  bool obeys() const { return rules_ != nullptr; }

  bool allows(const State& s, SiteMove move) const {
    if (rules_ == nullptr) return true;
    const int32_t label = T::moves()[move.move].label;
    return label < 0 || allows(s, ends_of(s, move), label);
  }
  // The arc that the moves of a range add, or that a word is given when one of them completes the tree.
  struct AddedArc {
    ArcEnds ends;
    int32_t completion = kNone;  // its label, if the moves have none
  };
  AddedArc added_by(const State& s, Range moves) const
    requires OneSite<T>
  {
    if (T::moves()[moves.begin].label >= 0) return {T::arc_of(s, moves.begin)};
    if constexpr (requires { T::completed_by(s, moves.begin); })
      return {T::completed_by(s, moves.begin), T::moves().completion()};
    return {};
  }
  // What a move loses that adds it.
  double loss(const State& s, const AddedArc& arc, MoveId move) const {
    if (rules_ == nullptr || arc.ends.dependent == kNone) return 0;
    return rules_->loss(s.tree, arc.ends, arc.completion == kNone ? T::moves()[move].label : arc.completion);
  }
  // Of these moves at a site those that are allowed, until the next call.
  Legal allowed(const State& s, int32_t site, const Legal& legal) const {
    allowed_.clear();
    for (Range range : legal.ranges()) {
      const ArcEnds arc = T::moves()[range.begin].label < 0 ? ArcEnds{} : ends_of(s, {site, range.begin});
      for (MoveId c = range.begin; c < range.end; ++c) {
        if (!allows(s, arc, T::moves()[c].label)) continue;
        if (allowed_.empty() || allowed_.back().end != c)
          allowed_.push_back({c, c + 1});
        else
          ++allowed_.back().end;
      }
    }
    return Legal(allowed_);
  }

 private:
  // Moves of one range add the same arc, each with a label of its own.
  ArcEnds ends_of(const State& s, SiteMove move) const {
    if constexpr (ManySites<T>)
      return T::arc_of(s, move);
    else
      return T::arc_of(s, move.move);
  }
  bool allows(const State& s, ArcEnds arc, int32_t label) const {
    return arc.dependent == kNone || rules_ == nullptr || rules_->allows(s.tree, arc, label);
  }

  const GrammarOfSentence* rules_ = nullptr;
  mutable std::vector<Range> allowed_;
};

template <class T>
concept HasGrammar =
    BuildsTrees<T> && requires(const T& task, const typename T::State& s, SiteMove move, const Legal& legal) {
      { task.allows(s, move) } -> std::same_as<bool>;
      { task.allowed(s, int32_t{}, legal) } -> std::same_as<Legal>;
    };

}  // namespace arcwise
