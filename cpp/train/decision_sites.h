// The sites of a walk's state as a decision shows them, kept up to date, whether the task has one site or,
// like easy-first, many. What a move did not touch is not looked at again.
#pragma once

#include <memory>
#include <vector>

#include "learn/decision.h"
#include "task/sites.h"

namespace arcwise {

template <Task T>
class DecisionSites {
 public:
  using State = typename T::State;
  // How often a wrong prediction that leads nowhere may be tried again in the same state.
  static constexpr int kPatience = 0;

  void start(const State&) {}
  // Makes decision.sites those of the state. look(site) is called where features changed, score(site) where
  // the weights alone did.
  template <class Look, class Score>
  void refresh(const T& task, const State& state, bool /*weights_changed*/, Decision& decision, Look&& look,
               Score&&) {
    site_.legal = task.legal(state);
    decision.sites.assign(1, &site_);
    if (site_.legal.size() > 1) look(site_);
  }
  void apply(const T& task, State& state, const DecidedMove& decided) { task.apply(state, decided.move); }

 private:
  Site site_;
};

template <ManySites T>
class DecisionSites<T> {
 public:
  using State = typename T::State;
  // Two sites may look the same and want different moves: no number of updates would tell them apart.
  static constexpr int kPatience = 20;

  void start(const State& state) {
    const size_t nodes = static_cast<size_t>(state.words()) + 1;
    while (sites_.size() < nodes) sites_.push_back(std::make_unique<Site>());
    is_known_.assign(nodes, false);
  }
  template <class Look, class Score>
  void refresh(const T& task, const State& state, bool weights_changed, Decision& decision, Look&& look,
               Score&& score) {
    decision.sites.clear();
    task.each_site(state, [&](int32_t left) {
      Site& site = *sites_[left];
      site.site = left;
      site.legal = task.legal(state, left);
      decision.sites.push_back(&site);
      if (site.legal.size() == 0) return;
      if (!is_known_[left])
        look(site);
      else if (weights_changed)
        score(site);
      is_known_[left] = true;
    });
  }
  void apply(const T& task, State& state, const DecidedMove& decided) {
    const SiteMove move{decided.site->site, decided.move};
    const int32_t head = task.head_of(state, move);
    task.apply(state, move);
    task.each_touched_site(state, head, [&](int32_t left) { is_known_[left] = false; });
  }

 private:
  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<uint8_t> is_known_;  // and scored
};

}  // namespace arcwise
