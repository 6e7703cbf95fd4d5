// The averaged perceptron: when the predicted move is not a correct one, its features lose and those of
// the best-scored correct move gain (Goldberg & Nivre 2012, Algorithm 3). What is kept in the end is the
// mean of the weights over all decisions, summed lazily.
#pragma once

#include <cmath>

#include "learn/decision.h"
#include "learn/sparse_table.h"

namespace arcwise {

class Perceptron {
 public:
  struct Options {
    int32_t unit = 1;  // weights are whole numbers of so many parts
    int32_t step = 1;  // how many parts an update adds
  };
  static constexpr bool kProbabilistic = false;

  struct Entry {
    int64_t weighted_sum = 0;  // of the changes, each times the decision it was made at
    int32_t weight = 0;
    uint16_t move = 0;
    uint16_t unused = 0;
  };

  // What is to be learnt later starts from the averages, which are no whole numbers.
  static constexpr int32_t kPartsOfAverages = 1024;

  explicit Perceptron(const Options& options) : options_(options) {}

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
    table_.each([&](uint64_t key, std::span<const Entry> row) {
      for (const Entry& e : row) {
        const double mean = this->mean(e);
        if (mean != 0) visit(key, static_cast<Class>(e.move), static_cast<float>(mean));
      }
    });
  }

  // As if the averages had been learnt in one step, in parts of kPartsOfAverages.
  Entry settled(const Entry& e) const {
    return {.weight = static_cast<int32_t>(std::lround(mean(e) * kPartsOfAverages)), .move = e.move};
  }
  int64_t settled_steps() const { return 1; }

  SparseTable<Entry>& table() { return table_; }
  const SparseTable<Entry>& table() const { return table_; }
  int64_t& steps() { return decisions_; }
  int64_t steps() const { return decisions_; }

 private:
  double mean(const Entry& e) const {
    return (e.weight - static_cast<double>(e.weighted_sum) / static_cast<double>(decisions_)) / options_.unit;
  }
  void add(Site& site, Class move, int32_t sign) {
    const int32_t change = sign * options_.step;
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

  Options options_;
  SparseTable<Entry> table_;
  int64_t decisions_ = 1;
};

}  // namespace arcwise
