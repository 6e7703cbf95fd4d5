// How probable greedy search takes the moves to be that it chooses, and whether a gold tree bears them out:
// what calibration is fitted to, and measured by (Goldberg 2013, Table 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "search/masses.h"
#include "search/search.h"
#include "task/task.h"
#include "tree/gold.h"

namespace arcwise {

// What is asked of it, whatever the system.
class CheckedMoves {
 public:
  virtual ~CheckedMoves() = default;
  // Of the sentence that comes next; labels are those of moves.
  virtual void set_gold(std::span<const int32_t> heads, std::span<const int32_t> labels) = 0;

  // For each choice of the sentence: its probabilities, one after the other, and whether no other legal move
  // loses less. States with one legal move are no choices.
  const std::vector<float>& probabilities() const { return probabilities_; }
  const std::vector<uint8_t>& right() const { return right_; }
  int64_t forced() const { return forced_; }

 protected:
  std::vector<float> probabilities_;
  std::vector<uint8_t> right_;
  int64_t forced_ = 0;
};

template <Task T>
class MoveChecks final : public CheckedMoves, public Watch<typename T::State> {
 public:
  using State = typename T::State;

  // With several odds there are several probabilities of each move.
  MoveChecks(const T& task, std::span<const Softmax> odds)
      : task_(task), odds_(odds), masses_(odds.size()), costs_(static_cast<size_t>(task.moves().size())) {}

  void set_gold(std::span<const int32_t> heads, std::span<const int32_t> labels) override {
    gold_.set(heads, labels);
  }
  void start(const State& state) override {
    probabilities_.clear();
    right_.clear();
    forced_ = 0;
    best_.start(state.words());
    for (Masses<T>& masses : masses_) masses.start(state.words());
  }
  void look(int32_t site, const Legal& legal, const int32_t* scores, const uint16_t* columns,
            MoveId best) override {
    own_.clear();
    legal.each([&](MoveId c) { own_.push_back(scores[columns[c]]); });
    room_.resize(own_.size());
    const int32_t most = best_[site] = scores[columns[best]];
    for (size_t i = 0; i < odds_.size(); ++i)
      masses_[i].set(site, odds_[i].against(most, own_, room_.data()).mass(odds_[i].log_odds(most)));
  }
  void before(const State& state, SiteMove move) override {
    if (legal_moves(task_, state) > 1) {
      for (size_t i = 0; i < odds_.size(); ++i) {
        const double log = odds_[i].log_odds(best_[move.site]) - masses_[i].total().log_total;
        probabilities_.push_back(static_cast<float>(std::exp(std::min(0.0, log))));
      }
      right_.push_back(cost_of(state, move) <= least_cost(state));
    } else {
      ++forced_;
    }
    Sites<T>::each_gone(task_, state, move, [&](int32_t gone) {
      for (Masses<T>& masses : masses_) masses.set(gone, {});
    });
  }
  void after(const State&, SiteMove) override {}

 private:
  float cost_of(const State& state, SiteMove move) {
    Sites<T>::costs(task_, state, gold_, move.site, costs_.data());
    return costs_[move.move];
  }
  float least_cost(const State& state) {
    float least = std::numeric_limits<float>::infinity();
    Sites<T>::each(task_, state, [&](int32_t site) {
      Sites<T>::costs(task_, state, gold_, site, costs_.data());
      Sites<T>::legal(task_, state, site).each([&](MoveId c) { least = std::min(least, costs_[c]); });
    });
    return least;
  }

  const T& task_;
  typename T::Gold gold_;
  std::span<const Softmax> odds_;
  std::vector<Masses<T>> masses_;
  std::vector<float> costs_;
  std::vector<int32_t> own_;                        // scores of the legal moves of a site
  std::vector<float> room_;                         // for their odds
  typename Sites<T>::template Kept<int32_t> best_;  // scores
};

}  // namespace arcwise
