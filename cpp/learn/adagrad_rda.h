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

  void score(Site& site) const;

  // Fills in the probabilities of the legal moves and returns the loss: minus the log of the correct ones'.
  double learn(Decision& decision);
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
  void update(Site& site, const Decision& decision, float most_correct, double total, double total_correct);
  void append_missing(int32_t slot);
  void step(Entry& e, float g) const;

  Options options_;
  SparseTable<Entry> table_;
  int64_t updates_ = 0;
  std::vector<float> gradient_;
  std::vector<MoveId> active_;
  std::vector<uint8_t> met_;
};

}  // namespace arcwise
