// Where in a state moves may be taken, for searches that do not care whether a task has one such site or, as
// easy-first has, many: the adapter between the two.
#pragma once

#include <cstdint>
#include <vector>

#include "task/task.h"

namespace arcwise {

// One decision at a time: site 0.
template <Task T>
struct Sites {
  using State = typename T::State;
  using View = typename T::View;

  template <class F>
  static void each(const T&, const State&, F&& visit) {
    visit(0);
  }
  static Legal legal(const T& task, const State& s, int32_t) { return task.legal(s); }
  static void apply(const T& task, auto& s, SiteMove move) { task.apply(s, move.move); }
  static void costs(const T& task, const State& s, const auto& gold, int32_t, float* costs) {
    task.costs(s, gold, costs);
  }
  static void view(const T& task, const State& s, int32_t, View& view) { task.view(s, view); }

  // visit(site) for the sites that are gone once this move is taken.
  template <class F>
  static void each_gone(const T&, const State&, SiteMove, F&& visit) {
    visit(0);
  }

  // Something for each site.
  template <class V>
  class Kept {
   public:
    void start(int32_t /*words*/) {}
    V& operator[](int32_t) { return value_; }
    const V& operator[](int32_t) const { return value_; }

   private:
    V value_{};
  };
};

template <ManySites T>
struct Sites<T> {
  using State = typename T::State;
  using View = typename T::View;

  template <class F>
  static void each(const T& task, const State& s, F&& visit) {
    task.each_site(s, visit);
  }
  static Legal legal(const T& task, const State& s, int32_t site) { return task.legal(s, site); }
  static void apply(const T& task, State& s, SiteMove move) { task.apply(s, move); }
  static void costs(const T& task, const State& s, const auto& gold, int32_t site, float* costs) {
    task.costs(s, gold, site, costs);
  }
  static void view(const T& task, const State& s, int32_t site, View& view) { task.view(s, site, view); }

  template <class F>
  static void each_gone(const T& task, const State& s, SiteMove move, F&& visit) {
    visit(move.site);
    visit(task.second_node(s, move.site));
  }

  template <class V>
  class Kept {
   public:
    void start(int32_t words) { values_.resize(static_cast<size_t>(words) + 2); }
    V& operator[](int32_t site) { return values_[static_cast<size_t>(site)]; }
    const V& operator[](int32_t site) const { return values_[static_cast<size_t>(site)]; }

   private:
    std::vector<V> values_;
  };
};

// How many moves are legal in a state, at all its sites together.
template <Task T>
MoveId legal_moves(const T& task, const typename T::State& s) {
  MoveId moves = 0;
  Sites<T>::each(task, s, [&](int32_t site) { moves += Sites<T>::legal(task, s, site).size(); });
  return moves;
}

}  // namespace arcwise
