// AdaGrad with regularised dual averaging and the multi-label log loss (Goldberg 2013, Algorithm 2): the
// log of the total probability of the correct moves is maximised, every weight has a learning rate of its
// own, and an L1 penalty that grows with the number of updates keeps most weights at exactly zero.
#pragma once

#include <cmath>
#include <string_view>

#include "learn/decision.h"
#include "learn/sparse_table.h"

namespace arcwise {

class AdagradRda {
 public:
  struct Options {
    double alpha = 1.0;    // learning rate
    double rho = 0.01;     // ridge, for numerical stability
    double lambda = 0.0;   // L1 penalty; Goldberg takes 1 / (20 * words in the training set)
    double cutoff = 1e-3;  // gradients smaller than this are not stored; 0 stores all
  };
  static constexpr std::string_view kName = "adagrad";
  static constexpr bool kProbabilistic = true, kTrainsBeams = false;

  struct Entry {
    float gradients = 0;  // their sum, g in the paper
    float squares = 0;    // the sum of their squares, G
    float rate = 0;       // alpha / sqrt(G + rho)
    uint16_t move = 0;
    uint16_t unused = 0;
  };

  explicit AdagradRda(const Options& options) : options_(options) {}

  void score(Site& site) const {
    const float penalty = this->penalty();
    std::fill(site.scores.begin(), site.scores.end(), 0.0f);
    table_.find(site.keys.data(), site.feature_count, site.found.data());
    for (int32_t i = 0; i < site.feature_count; ++i) {
      if (site.found[i] == decltype(table_)::kMissing) continue;
      for (const Entry& e : table_.row(site.found[i])) site.scores[e.move] += weight(e, penalty);
    }
  }

  // Fills in the probabilities of the legal moves and returns the loss: minus the log of the correct ones'.
  double learn(Decision& decision) {
    const float most = decision.predicted.score(), most_correct = decision.best_correct.score();
    double total = 0, total_correct = 0;
    decision.each([&](const DecidedMove& c) {
      const double e = std::exp(static_cast<double>(c.score() - most));
      c.site->probabilities[c.move] = static_cast<float>(e);
      total += e;
      if (decision.is_correct(c)) total_correct += std::exp(static_cast<double>(c.score() - most_correct));
    });
    for (Site* site : decision.sites) update(*site, decision, most_correct, total, total_correct);
    ++updates_;
    return -(std::log(total_correct) + most_correct - most - std::log(total));
  }
  // A state without a choice: its gradients are all 0, but the penalty grows.
  void pass() { ++updates_; }
  static bool changed(const Decision&) { return true; }

  template <class F>
  void each_weight(F&& visit) const {
    const float penalty = this->penalty();
    table_.each([&](uint64_t key, std::span<const Entry> row) {
      for (const Entry& e : row)
        if (const float w = weight(e, penalty); w != 0) visit(key, static_cast<MoveId>(e.move), w);
    });
  }

  // Sums and squares of gradients are what learning goes on from.
  Entry settled(const Entry& e) const { return e; }
  int64_t settled_steps() const { return updates_; }

  // Whether a stored entry can be learnt on from.
  static bool is_sound(const Entry& e) {
    return std::isfinite(e.gradients) && std::isfinite(e.squares) && e.squares >= 0 &&
           std::isfinite(e.rate) && e.rate >= 0;
  }
  static constexpr int64_t kFewestSteps = 0;

  SparseTable<Entry>& table() { return table_; }
  const SparseTable<Entry>& table() const { return table_; }
  int64_t& steps() { return updates_; }
  int64_t steps() const { return updates_; }

 private:
  float penalty() const { return static_cast<float>(static_cast<double>(updates_) * options_.lambda); }
  static float weight(const Entry& e, float penalty) {
    const float over = std::fabs(e.gradients) - penalty;
    return over > 0 ? std::copysign(over, e.gradients) * e.rate : 0.0f;
  }

  // The gradient of a legal move is its share of the correct probability less its share of all of it.
  void update(Site& site, const Decision& decision, float most_correct, double total, double total_correct) {
    gradient_.assign(site.scores.size(), 0.0f);
    active_.clear();
    site.legal.each([&](MoveId c) {
      const double p = site.probabilities[c] / total;
      site.probabilities[c] = static_cast<float>(p);
      double g = -p;
      if (site.costs[c] == decision.least_cost)
        g += std::exp(static_cast<double>(site.scores[c] - most_correct)) / total_correct;
      if (std::fabs(g) <= options_.cutoff) return;
      gradient_[c] = static_cast<float>(g);
      active_.push_back(c);
    });
    if (active_.empty()) return;
    for (int32_t i = 0; i < site.feature_count; ++i) {
      const int32_t slot = site.found[i] = table_.insert(site.keys[i], site.found[i]);
      size_t met = 0;
      for (Entry& e : table_.row(slot)) {
        if (gradient_[e.move] == 0) continue;
        step(e, gradient_[e.move]);
        ++met;
      }
      if (met < active_.size()) append_missing(slot);
    }
  }
  void append_missing(int32_t slot) {
    met_.assign(gradient_.size(), 0);
    for (const Entry& e : table_.row(slot)) met_[e.move] = 1;
    for (MoveId c : active_)
      if (!met_[c]) step(table_.append(slot, {.move = static_cast<uint16_t>(c)}), gradient_[c]);
  }
  void step(Entry& e, float g) const {
    e.gradients += g;
    e.squares += g * g;
    e.rate = static_cast<float>(options_.alpha) / std::sqrt(e.squares + static_cast<float>(options_.rho));
  }

  Options options_;
  SparseTable<Entry> table_;
  int64_t updates_ = 0;
  std::vector<float> gradient_;
  std::vector<MoveId> active_;
  std::vector<uint8_t> met_;
};

}  // namespace arcwise
