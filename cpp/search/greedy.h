// Greedy search, written once for every task and scorer (Goldberg & Nivre 2013, Algorithm 1).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/interrupts.h"
#include "model/scoring.h"
#include "task/task.h"

namespace arcwise {

struct ScoredMove {
  int32_t score = 0;
  Class move = -1;
};

// The best-scored legal move; ties go to the lowest. The score of class c is at places[c].
inline ScoredMove best_legal(const Legal& legal, const int32_t* scores, const uint16_t* places) {
  ScoredMove best{scores[places[legal.first()]], legal.first()};
  for (Range r : legal.ranges())
    for (Class c = r.begin; c < r.end; ++c)
      if (scores[places[c]] > best.score) best = {scores[places[c]], c};
  return best;
}

// A task under constraints: a move of easy-first that stands in the way of others now may be taken later.
template <class T>
concept RefusesMoves =
    Task<T> && requires(const T& task, const typename T::State& s, int32_t site, Class move) {
      { task.possible(s, site) } -> std::same_as<Legal>;            // what may be taken now or later
      { task.leaves_a_tree(s, site, move) } -> std::same_as<bool>;  // whether it may be now
    };

// Looks on while a search makes its choices; this one sees nothing and costs nothing.
struct NoWatch {
  void start(const auto& /*state*/) {}
  void look(int32_t /*site*/, const Legal&, const int32_t* /*scores*/, const uint16_t* /*places*/,
            Class /*best*/) {}
  void before(const auto& /*state*/, int32_t /*site*/, Class /*move*/) {}
  void after(const auto& /*state*/, Class /*move*/) {}
};

// What a worker needs to parse, made once and used for many sentences.
template <Task T, SentenceScoring S, class Watch = NoWatch>
class GreedySearch {
 public:
  GreedySearch(const T& task, S& scoring, Watch watch = {})
      : task_(task), scoring_(scoring), watch_(std::move(watch)) {}

  // Leaves the tree of this sentence, one of those the workspace has begun, in state().
  void parse(size_t sentence) {
    scoring_.sentence(sentence);
    if constexpr (StartsFromWords<T>)
      task_.start(state_, scoring_.treebank(), sentence);
    else
      task_.start(state_, scoring_.words());
    watch_.start(state_);
    if constexpr (T::kSingleSite) {
      while (!task_.done(state_)) {
        check_interrupts();
        const Legal legal = task_.legal(state_, 0);
        take(0, legal.size() == 1 ? legal.first() : best_at(legal, 0).move);
      }
    } else {
      agenda_.clear();
      version_.assign(static_cast<size_t>(scoring_.words()) + 1, 0);
      const auto look = [&](int32_t site) {
        ++version_[site];
        if constexpr (RefusesMoves<T>) {
          const Legal possible = task_.possible(state_, site);
          for (Range range : possible.ranges()) push(Legal(range), site);
        } else {
          push(task_.legal(state_, site), site);
        }
      };
      task_.each_site(state_, look);
      while (!task_.done(state_)) {
        check_interrupts();
        const Item item = agenda_.pop();
        // A site whose left node has gone, or that was looked at again since, is out of date.
        if (item.version != version_[item.site] || !state_.in_list(item.site)) continue;
        if constexpr (RefusesMoves<T>) {
          if (!task_.leaves_a_tree(state_, item.site, item.move)) {
            refused_.push_back(item);
            continue;
          }
          for (const Item& refused : refused_) agenda_.push(refused);
          refused_.clear();
          ++version_[item.site];  // the site's other item goes with this one
        }
        const int32_t head = task_.head_of(state_, item.site, item.move);
        take(item.site, item.move);
        task_.each_touched_site(state_, head, look);
      }
    }
  }

  const typename T::State& state() const { return state_; }
  const Watch& watch() const { return watch_; }
  Watch& watch() { return watch_; }

 private:
  struct Item {
    int32_t score;
    int32_t site;
    Class move;
    uint32_t version;
    // The first to be taken is the best-scored, then the leftmost, then the lowest.
    bool operator<(const Item& o) const {
      if (score != o.score) return score < o.score;
      return site != o.site ? site > o.site : move > o.move;
    }
  };
  class Agenda {
   public:
    void clear() { items_.clear(); }
    void push(const Item& item) {
      items_.push_back(item);
      std::push_heap(items_.begin(), items_.end());
    }
    Item pop() {
      std::pop_heap(items_.begin(), items_.end());
      const Item top = items_.back();
      items_.pop_back();
      return top;
    }

   private:
    std::vector<Item> items_;
  };

  void push(const Legal& legal, int32_t site) {
    if (legal.size() == 0) return;
    const ScoredMove best = best_at(legal, site);
    agenda_.push({best.score, site, best.move, version_[site]});
  }
  ScoredMove best_at(const Legal& legal, int32_t site) {
    check_interrupts();
    SlotNodes nodes;
    task_.slots(state_, site, nodes);
    const int32_t* scores = scores_of(legal, nodes);
    const ScoredMove best = best_legal(legal, scores, scoring_.places());
    watch_.look(site, legal, scores, scoring_.places(), best.move);
    return best;
  }
  const int32_t* scores_of(const Legal& legal, const SlotNodes& nodes) {
    if constexpr (kIsNarrow<T> && ScoresSomeMoves<S>)
      return scoring_.score(state_.tree, nodes, legal.extent());
    else
      return scoring_.score(state_.tree, nodes);
  }
  void take(int32_t site, Class move) {
    watch_.before(state_, site, move);
    task_.apply(state_, site, move);
    watch_.after(state_, move);
  }

  const T& task_;
  S& scoring_;
  [[no_unique_address]] Watch watch_;
  typename T::State state_;
  Agenda agenda_;
  std::vector<Item> refused_;
  std::vector<uint32_t> version_;
};

}  // namespace arcwise
