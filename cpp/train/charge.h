// What each legal move of a site is charged in training: what it costs, or, with a static oracle, whether it
// is not the one move that the oracle knows.
#pragma once

#include "learn/decision.h"
#include "learn/policy.h"
#include "task/sites.h"

namespace arcwise {

// In place of teachers (teachers.h) where there are none.
struct NoTeachers {
  static constexpr bool teaches(size_t) { return false; }
  static void judge(size_t, const auto&, Site&) {}
};

template <Task T>
void charge(const T& task, const typename T::State& state, const typename T::Gold& gold, Oracle oracle,
            Site& site) {
  if (site.legal.size() == 0) return;
  if constexpr (HasStaticOracle<T>) {
    // A static oracle knows whole trees only: words of unknown head would stay in its way for ever.
    if (oracle == Oracle::Static && gold.complete()) {
      site.legal.each([&](MoveId c) { site.costs[c] = 1; });
      site.costs[task.static_move(state, gold)] = 0;
      return;
    }
  }
  Sites<T>::costs(task, state, gold, site.site, site.costs.data());
}

}  // namespace arcwise
