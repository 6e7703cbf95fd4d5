// The next move of greedy search: the best-scored legal one of a state, wherever in it. Of a task with many
// sites, those that were scored stay in an agenda, and a move has only what it touched scored again.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/interrupts.h"
#include "model/scoring.h"
#include "search/search.h"
#include "task/sites.h"

namespace arcwise {

// Scores a site.
template <Task T, class S>
ScoredMove best_at(const T& task, const typename T::State& state, S& scoring, const Legal& legal,
                   int32_t site, Watch<typename T::State>* watch) {
  typename T::View view;
  Sites<T>::view(task, state, site, view);
  if constexpr (Choosing<S, typename T::View>) {
    return {0, scoring.choose(task.moves(), view, legal)};
  } else {
    if constexpr (FindsBest<S, typename T::View>)
      if (!watch && scoring.finds_best()) return scoring.best(view, legal);
    const int32_t* scores;
    if constexpr (kIsNarrow<T> && ScoresSomeMoves<S, typename T::View>)
      scores = scoring.score(view, legal.extent());
    else if constexpr (ScoresLegalMoves<S, typename T::View>)
      scores = scoring.score(view, legal);
    else
      scores = scoring.score(view);
    const ScoredMove best = best_legal(legal, scores, scoring.columns());
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
    // The first to be taken is the best-scored, then the leftmost, then the lowest.
    bool operator<(const Item& o) const {
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
    push({best.score, site, best.move, version_[site]});
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
