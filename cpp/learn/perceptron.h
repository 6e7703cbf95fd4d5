// The averaged perceptron: when the predicted move is not a correct one, its features lose and those of
// the best-scored correct move gain (Goldberg & Nivre 2012, Algorithm 3). What is kept in the end is the
// mean of the weights over all decisions, summed lazily.
#pragma once

#include "learn/decision.h"
#include "learn/sparse_table.h"

namespace arcwise {

class Perceptron {
 public:
  struct Options {};
  static constexpr bool kProbabilistic = false;

  struct Entry {
    int64_t weighted_sum = 0;  // of the changes, each times the decision it was made at
    int32_t weight = 0;
    uint16_t move = 0;
  };

  explicit Perceptron(const Options&) {}

  void score(Site& site) const {
    std::fill(site.scores.begin(), site.scores.end(), 0.0f);
    table_.find(site.keys.data(), site.feature_count, site.found.data());
    for (int32_t i = 0; i < site.feature_count; ++i) {
      if (site.found[i] == decltype(table_)::kMissing) continue;
      for (const Entry& e : table_.row(site.found[i])) site.scores[e.move] += static_cast<float>(e.weight);
    }
  }

  // Returns the loss: 1 for a wrong prediction.
  double learn(Decision& decision) {
    const bool wrong = !decision.is_correct(decision.predicted);
    if (wrong) {
      add(*decision.best_correct.site, decision.best_correct.move, 1);
      add(*decision.predicted.site, decision.predicted.move, -1);
    }
    ++decisions_;
    return wrong;
  }
  // A state without a choice.
  void pass() {}
  // Did the last call of learn change any weight? Scores computed before it are then stale.
  static bool changed(const Decision& decision) { return !decision.is_correct(decision.predicted); }

  // visit(key, move, weight) for each averaged weight that is not zero.
  template <class F>
  void each_weight(F&& visit) const {
    const double decisions = static_cast<double>(decisions_);
    table_.each([&](uint64_t key, std::span<const Entry> row) {
      for (const Entry& e : row) {
        const double mean = e.weight - static_cast<double>(e.weighted_sum) / decisions;
        if (mean != 0) visit(key, static_cast<Class>(e.move), static_cast<float>(mean));
      }
    });
  }

  SparseTable<Entry>& table() { return table_; }
  const SparseTable<Entry>& table() const { return table_; }
  int64_t& steps() { return decisions_; }
  int64_t steps() const { return decisions_; }

 private:
  void add(Site& site, Class move, int32_t change) {
    for (int32_t i = 0; i < site.feature_count; ++i) {
      site.found[i] = table_.insert(site.keys[i], site.found[i]);
      Entry& e = entry(site.found[i], move);
      e.weight += change;
      e.weighted_sum += change * decisions_;
    }
  }
  Entry& entry(int32_t slot, Class move) {
    for (Entry& e : table_.row(slot))
      if (e.move == move) return e;
    return table_.append(slot, {.move = static_cast<uint16_t>(move)});
  }

  SparseTable<Entry> table_;
  int64_t decisions_ = 1;
};

}  // namespace arcwise
