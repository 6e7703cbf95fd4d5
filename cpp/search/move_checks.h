// How probable greedy search takes the moves to be that it chooses, and whether a gold tree bears them out:
// what calibration is fitted to, and measured by (Goldberg 2013, Table 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "search/masses.h"
#include "task/task.h"
#include "tree/gold.h"

namespace arcwise {

template <Task T>
class MoveChecks {
 public:
  // With several odds there are several probabilities of each move.
  MoveChecks(const T& task, std::span<const Odds> odds)
      : task_(task), odds_(odds), chosen_(odds.size()), masses_(T::kSingleSite ? 0 : odds.size()) {
    costs_.resize(static_cast<size_t>(task.moves().size()));
  }

  // Of the sentence that comes next; labels are those of moves.
  void set_gold(std::span<const int32_t> heads, std::span<const int32_t> labels) { gold_.set(heads, labels); }

  // For each choice of the sentence: its probabilities, one after the other, and whether no other legal move
  // loses less. States with one legal move are no choices.
  const std::vector<float>& probabilities() const { return probabilities_; }
  const std::vector<uint8_t>& right() const { return right_; }
  int64_t forced() const { return forced_; }

  // What greedy search calls.
  void start(const typename T::State& state) {
    probabilities_.clear();
    right_.clear();
    forced_ = 0;
    looked_ = false;
    if constexpr (!T::kSingleSite) {
      best_.resize(static_cast<size_t>(state.words()) + 2);
      for (Masses& masses : masses_) masses.start(state.words());
    }
  }
  void look(int32_t site, const Legal& legal, const int32_t* scores, const uint16_t* places, Class best) {
    looked_ = true;
    own_.clear();
    legal.each([&](Class c) { own_.push_back(scores[places[c]]); });
    room_.resize(own_.size());
    const int32_t most = scores[places[best]];
    if constexpr (!T::kSingleSite) best_[site] = most;
    for (size_t i = 0; i < odds_.size(); ++i) {
      const Mass mass = odds_[i].against(most, own_, room_.data()).mass(odds_[i].log_odds(most));
      if constexpr (T::kSingleSite)
        chosen_[i] = odds_[i].log_odds(most) - mass.log_total;
      else
        masses_[i].set(site, mass);
    }
  }
  void before(const typename T::State& state, int32_t site, Class move) {
    if (looked_ && is_a_choice(state)) {
      for (size_t i = 0; i < odds_.size(); ++i) {
        if constexpr (!T::kSingleSite)
          chosen_[i] = odds_[i].log_odds(best_[site]) - masses_[i].total().log_total;
        probabilities_.push_back(static_cast<float>(std::exp(std::min(0.0, chosen_[i]))));
      }
      right_.push_back(cost_of(state, site, move) <= least_cost(state));
    } else {
      ++forced_;
    }
    if constexpr (T::kSingleSite)
      looked_ = false;
    else
      for (int32_t gone : {site, state.after[site]})
        for (Masses& masses : masses_) masses.set(gone, {});
  }
  void after(const typename T::State& /*state*/, Class /*move*/) {}

 private:
  template <class F>
  void each_site(const typename T::State& state, F&& visit) const {
    if constexpr (T::kSingleSite)
      visit(0);
    else
      task_.each_site(state, visit);
  }
  bool is_a_choice(const typename T::State& state) const {
    Class moves = 0;
    each_site(state, [&](int32_t site) { moves += task_.legal(state, site).size(); });
    return moves > 1;
  }
  float cost_of(const typename T::State& state, int32_t site, Class move) {
    task_.costs(state, gold_, site, costs_.data());
    return costs_[move];
  }
  float least_cost(const typename T::State& state) {
    float least = std::numeric_limits<float>::infinity();
    each_site(state, [&](int32_t site) {
      task_.costs(state, gold_, site, costs_.data());
      task_.legal(state, site).each([&](Class c) { least = std::min(least, costs_[c]); });
    });
    return least;
  }

  const T& task_;
  std::span<const Odds> odds_;
  Gold gold_;
  bool looked_ = false;
  std::vector<int32_t> own_;    // scores of the legal moves of a site
  std::vector<float> room_;     // for their odds
  std::vector<double> chosen_;  // the logarithms of a move's probabilities
  std::vector<float> costs_;
  std::vector<Masses> masses_;  // of easy-first
  std::vector<int32_t> best_;   // scores at its sites
  std::vector<float> probabilities_;
  std::vector<uint8_t> right_;
  int64_t forced_ = 0;
};

}  // namespace arcwise
