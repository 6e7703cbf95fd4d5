// The sites of a state with their features and scores kept up to date, whether the task has one site or,
// like easy-first, many. What a move did not touch is not looked at again. Features are Templates, or what
// else has size() and extract().
#pragma once

#include <memory>
#include <vector>

#include "learn/decision.h"
#include "task/task.h"

namespace arcwise {

template <Task T, class Features>
class Sites {
 public:
  void start(const T& task, const Features& features, const typename T::State& state) {
    task_ = &task;
    features_ = &features;
    if constexpr (!T::kSingleSite) {
      const size_t nodes = static_cast<size_t>(state.words()) + 1;
      while (sites_.size() < nodes) sites_.push_back(std::make_unique<Site>());
      stale_.assign(nodes, kUnseen);
    } else if (sites_.empty()) {
      sites_.push_back(std::make_unique<Site>());
    }
  }

  // Brings `decision.sites` up to date. score(site) is called where features changed, or everywhere if the
  // weights did.
  template <class Score>
  void refresh(const typename T::State& state, const auto& tokens, bool weights_changed, Decision& decision,
               Score&& score) {
    decision.sites.clear();
    if constexpr (T::kSingleSite) {
      Site& site = *sites_[0];
      site.legal = task_->legal(state, 0);
      decision.sites.push_back(&site);
      if (site.legal.size() > 1) {
        look(state, tokens, site);
        score(site);
      }
    } else {
      task_->each_site(state, [&](int32_t left) {
        Site& site = *sites_[left];
        site.site = left;
        site.legal = task_->legal(state, left);
        decision.sites.push_back(&site);
        if (site.legal.size() == 0) return;
        if (stale_[left] == kUnseen) look(state, tokens, site);
        if (stale_[left] != kFresh || weights_changed) score(site);
        stale_[left] = kFresh;
      });
    }
  }

  void apply(typename T::State& state, const Choice& choice) {
    if constexpr (T::kSingleSite) {
      task_->apply(state, 0, choice.move);
    } else {
      const int32_t head = task_->head_of(state, choice.site->site, choice.move);
      task_->apply(state, choice.site->site, choice.move);
      task_->each_touched_site(state, head, [&](int32_t left) { stale_[left] = kUnseen; });
    }
  }

 private:
  enum Freshness : uint8_t { kFresh, kUnseen };

  void look(const typename T::State& state, const auto& tokens, Site& site) {
    site.reset(features_->size(), task_->moves().size());
    SlotNodes nodes;
    task_->slots(state, site.site, nodes);
    site.feature_count = features_->extract(state.tree, nodes, tokens, site.keys.data());
  }

  const T* task_ = nullptr;
  const Features* features_ = nullptr;
  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<Freshness> stale_;
};

}  // namespace arcwise
