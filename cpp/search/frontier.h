// The next move of greedy search: the best-scored legal one of a state, wherever in it. Of a task with many
// sites, those that were scored stay in an agenda, and a move has only what it touched scored again.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/interrupts.h"
#include "model/scoring.h"
#include "search/search.h"
#include "task/grammatical.h"
#include "task/sites.h"

namespace arcwise {

// What is taken under a grammar. The moves of a range add the same arc: a label that breaks a rule gives way
// to the best of those that break none, and the arc is worth what it was. A range without any is left out; if
// there is no other, the best move of all is taken.
template <HasGrammar T>
ScoredMove best_allowed(const T& task, const typename T::State& state, const Legal& legal, int32_t site,
                        const int32_t* scores, const uint16_t* columns, ScoredMove best) {
  ScoredMove found;
  for (Range range : legal.ranges()) {
    const ScoredMove top = best_legal(Legal(range), scores, columns);
    if (found.move >= 0 && top.score <= found.score) continue;
    const Legal allowed = task.allowed(state, site, Legal(range));
    if (allowed.size() > 0) found = {top.score, best_legal(allowed, scores, columns).move};
  }
  return found.move >= 0 ? found : best;
}

// Scores a site.
template <Task T, class S>
ScoredMove best_at(const T& task, const typename T::State& state, S& scoring, const Legal& legal,
                   int32_t site, Watch<typename T::State>* watch) {
  typename T::View view;
  Sites<T>::view(task, state, site, view);
  if constexpr (Choosing<S, typename T::View>) {
    const MoveId best = scoring.choose(task.moves(), view, legal);
    if constexpr (HasGrammar<T>)
      if (!task.allows(state, {site, best})) {
        Legal allowed = task.allowed(state, site, legal.range_of(best));
        if (allowed.size() == 0) allowed = task.allowed(state, site, legal);
        if (allowed.size() > 0) return {0, scoring.choose(task.moves(), view, allowed)};
      }
    return {0, best};
  } else {
    if constexpr (FindsBest<S, typename T::View>)
      if (!watch && scoring.finds_best()) {
        const ScoredMove best = scoring.best(view, legal);
        if constexpr (HasGrammar<T>)
          if (!task.allows(state, {site, best.move}))
            return best_allowed(task, state, legal, site, scoring.score(view), scoring.columns(), best);
        return best;
      }
    const int32_t* scores;
    if constexpr (kIsNarrow<T> && ScoresSomeMoves<S, typename T::View>)
      scores = scoring.score(view, legal.extent());
    else if constexpr (ScoresLegalMoves<S, typename T::View>)
      scores = scoring.score(view, legal);
    else
      scores = scoring.score(view);
    ScoredMove best = best_legal(legal, scores, scoring.columns());
    if constexpr (HasGrammar<T>)
      if (!task.allows(state, {site, best.move}))
        best = best_allowed(task, state, legal, site, scores, scoring.columns(), best);
    if (watch) watch->look(site, legal, scores, scoring.columns(), best.move);
    return best;
  }
}

template <Task T, class S>
class Frontier {
 public:
  using State = typename T::State;

  Frontier(const T& task, S& scoring, Watch<State>* watch) : task_(task), scoring_(scoring), watch_(watch) {}

  void start(const State&) {}
  SiteMove next(const State& state) {
    const Legal legal = task_.legal(state);
    return {0, legal.size() == 1 ? legal.first() : best_at(task_, state, scoring_, legal, 0, watch_).move};
  }
  void take(State& state, SiteMove move) { task_.apply(state, move.move); }
  void took(const State&) {}

 private:
  const T& task_;
  S& scoring_;
  Watch<State>* watch_;
};

// A task under constraints: a move of easy-first that stands in the way of others now may be taken later.
template <class T>
concept RefusesMoves =
    ManySites<T> && requires(const T& task, const typename T::State& s, int32_t site, SiteMove move) {
      { task.is_constrained() } -> std::same_as<bool>;
      { task.possible(s, site) } -> std::same_as<Legal>;      // what may be taken now or later
      { task.leaves_a_tree(s, move) } -> std::same_as<bool>;  // whether it may be now
    };

template <ManySites T, class S>
class Frontier<T, S> {
 public:
  using State = typename T::State;

  Frontier(const T& task, S& scoring, Watch<State>* watch) : task_(task), scoring_(scoring), watch_(watch) {}

  void start(const State& state) {
    items_.clear();
    version_.assign(static_cast<size_t>(state.words()) + 1, 0);
    task_.each_site(state, [&](int32_t site) { look(state, site); });
  }
  SiteMove next(const State& state) {
    for (;;) {
      const Item item = pop();
      const SiteMove move{item.site, item.move};
      // A site whose left node has gone, or that was looked at again since, is out of date.
      if (item.version != version_[item.site] || !state.in_list(item.site)) continue;
      if constexpr (RefusesMoves<T>) {
        if (!task_.leaves_a_tree(state, move)) {
          refused_.push_back(item);
          continue;
        }
        for (const Item& refused : refused_) push(refused);
        refused_.clear();
        ++version_[item.site];  // the site's other item goes with this one
      }
      return move;
    }
  }
  void take(State& state, SiteMove move) {
    touched_ = task_.head_of(state, move);
    task_.apply(state, move);
  }
  // The sites that the move touched are looked at again.
  void took(const State& state) {
    task_.each_touched_site(state, touched_, [&](int32_t site) { look(state, site); });
  }

 private:
  struct Item {
    int32_t score;
    int32_t site;
    MoveId move;
    uint32_t version;
    bool allowed;
    // The first to be taken is one that the grammar allows, then the best-scored, the leftmost, the lowest.
    bool operator<(const Item& o) const {
      if (allowed != o.allowed) return o.allowed;
      if (score != o.score) return score < o.score;
      return site != o.site ? site > o.site : move > o.move;
    }
  };

  void look(const State& state, int32_t site) {
    ++version_[site];
    if constexpr (RefusesMoves<T>) {
      if (task_.is_constrained()) {
        const Legal possible = task_.possible(state, site);
        for (Range range : possible.ranges()) push(state, Legal(range), site);
        return;
      }
    }
    push(state, task_.legal(state, site), site);
  }
  void push(const State& state, const Legal& legal, int32_t site) {
    check_interrupts();
    if (legal.size() == 0) return;
    const ScoredMove best = best_at(task_, state, scoring_, legal, site, watch_);
    bool allowed = true;
    if constexpr (HasGrammar<T>) allowed = task_.allows(state, {site, best.move});
    push({best.score, site, best.move, version_[site], allowed});
  }
  void push(const Item& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end());
  }
  Item pop() {
    check_interrupts();
    std::pop_heap(items_.begin(), items_.end());
    const Item top = items_.back();
    items_.pop_back();
    return top;
  }

  const T& task_;
  S& scoring_;
  Watch<State>* watch_;
  std::vector<Item> items_;  // a heap
  std::vector<Item> refused_;
  std::vector<uint32_t> version_;
  int32_t touched_ = kNone;
};

}  // namespace arcwise
