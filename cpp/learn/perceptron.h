// The averaged perceptron: when the predicted move is not a correct one, its features lose and those of
// the best-scored correct move gain (Goldberg & Nivre 2012, Algorithm 3). What is kept in the end is the
// mean of the weights over all decisions, summed lazily. With a beam a sentence is one decision.
//
// Where moves share classes, a feature has weights for classes, and others, numbered after them, for moves
// that share one.
#pragma once

#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "learn/decision.h"
#include "learn/sparse_table.h"
#include "task/move_classes.h"

namespace arcwise {

class Perceptron {
 public:
  struct Options {
    int32_t unit = 1;       // weights are whole numbers of so many parts
    int32_t step = 1;       // how many parts an update adds
    MoveClasses classes{};  // none: a move has one to itself
  };
  static constexpr std::string_view kName = "perceptron";
  static constexpr bool kProbabilistic = false, kTrainsBeams = true;

  struct Entry {
    int64_t weighted_sum = 0;  // of the changes, each times the decision it was made at
    int32_t weight = 0;
    uint16_t move = 0;
    uint16_t unused = 0;
  };

  // What is to be learnt later starts from the averages, which are no whole numbers.
  static constexpr int32_t kPartsOfAverages = 1024;

  explicit Perceptron(const Options& options) : options_(options) {}

  void score(Site& site) {
    if (options_.classes.empty()) return add_up(site, site.scores);
    const size_t classes = options_.classes.size();
    sums_.resize(classes + site.scores.size());
    add_up(site, sums_);
    options_.classes.score_moves([&](size_t c) { return sums_[c]; },
                                 [&](MoveId m) { return sums_[classes + static_cast<size_t>(m)]; },
                                 site.scores.data());
  }

  // Returns the loss: 1 for a wrong prediction.
  double learn(Decision& decision) {
    const bool wrong = !decision.is_correct(decision.predicted);
    if (wrong && options_.classes.empty()) {
      add(*decision.best_correct.site, decision.best_correct.move, 1);
      add(*decision.predicted.site, decision.predicted.move, -1);
    } else if (wrong) {
      learn_classes(decision);
    }
    ++decisions_;
    return wrong;
  }
  // A state without a choice.
  void pass() {}
  // Did the last call of learn change any weight? Scores computed before it are then stale.
  static bool changed(const Decision& decision) { return !decision.is_correct(decision.predicted); }

  // For training with a beam: the features of a wrong or of a right state gain or lose, and a sentence is
  // done.
  void add(const uint64_t* keys, int32_t count, MoveId move, int32_t change) {
    found_.resize(static_cast<size_t>(count));
    table_.find(keys, count, found_.data());
    for (int32_t i = 0; i < count; ++i) add(table_.insert(keys[i], found_[i]), move, change);
  }
  void pass_sentence() { ++decisions_; }

  // The weights as they are at the moment, as states are scored with (model/feature_scoring.h).
  class Scorer {
   public:
    using Scratch = std::vector<int32_t>;

    Scorer(const Perceptron& perceptron, MoveId classes)
        : table_(perceptron.table_), places_(static_cast<size_t>(classes)) {
      std::iota(places_.begin(), places_.end(), uint16_t{0});
    }
    size_t width() const { return places_.size(); }
    const uint16_t* columns() const { return places_.data(); }
    double scale() const { return 1; }
    void add(const uint64_t* keys, int32_t count, Scratch& found, int32_t* scores) const {
      if (found.size() < static_cast<size_t>(count)) found.resize(count);
      table_.find(keys, count, found.data());
      for (int32_t i = 0; i < count; ++i) {
        if (found[i] == SparseTable<Entry>::kMissing) continue;
        for (const Entry& e : table_.row(found[i])) scores[e.move] += e.weight;
      }
    }

   private:
    const SparseTable<Entry>& table_;
    std::vector<uint16_t> places_;
  };

  // visit(key, move, weight) for each averaged weight that is not zero.
  template <class F>
  void each_weight(F&& visit) const {
    table_.each([&](uint64_t key, std::span<const Entry> row) {
      for (const Entry& e : row) {
        const double mean = this->mean(e);
        if (mean != 0) visit(key, static_cast<MoveId>(e.move), static_cast<float>(mean));
      }
    });
  }

  // As if the averages had been learnt in one step, in parts of kPartsOfAverages.
  Entry settled(const Entry& e) const {
    return {.weight = static_cast<int32_t>(std::lround(mean(e) * kPartsOfAverages)), .move = e.move};
  }
  int64_t settled_steps() const { return 1; }

  // Whether a stored entry can be learnt on from, without leaving what integers hold.
  static bool is_sound(const Entry& e) {
    constexpr int64_t kMost = int64_t{1} << 30, kMostSum = int64_t{1} << 62;
    return e.weight >= -kMost && e.weight <= kMost && e.weighted_sum >= -kMostSum &&
           e.weighted_sum <= kMostSum;
  }
  static constexpr int64_t kFewestSteps = 1;

  SparseTable<Entry>& table() { return table_; }
  const SparseTable<Entry>& table() const { return table_; }
  int64_t& steps() { return decisions_; }
  int64_t steps() const { return decisions_; }

 private:
  void add_up(Site& site, std::vector<float>& sums) const {
    std::fill(sums.begin(), sums.end(), 0.0f);
    table_.find(site.keys.data(), site.feature_count, site.found.data());
    for (int32_t i = 0; i < site.feature_count; ++i) {
      if (site.found[i] == decltype(table_)::kMissing) continue;
      for (const Entry& e : table_.row(site.found[i])) sums[e.move] += static_cast<float>(e.weight);
    }
  }
  // The class of the correct move is to win, and in it that move.
  void learn_classes(Decision& decision) {
    const MoveClasses& classes = options_.classes;
    const auto [right, move] = decision.best_correct;
    const size_t to = classes.of(move), from = classes.of(decision.predicted.move);
    if (right != decision.predicted.site || to != from) {
      add(*right, static_cast<MoveId>(to), 1);
      add(*decision.predicted.site, static_cast<MoveId>(from), -1);
    }
    const auto [begin, end] = classes[to];
    const auto scores = right->scores.begin();
    const auto rival = static_cast<MoveId>(std::max_element(scores + begin, scores + end) - scores);
    if (rival == move) return;
    const auto members = static_cast<MoveId>(classes.size());
    add(*right, members + move, 1);
    add(*right, members + rival, -1);
  }
  double mean(const Entry& e) const {
    return (e.weight - static_cast<double>(e.weighted_sum) / static_cast<double>(decisions_)) / options_.unit;
  }
  void add(Site& site, MoveId move, int32_t sign) {
    for (int32_t i = 0; i < site.feature_count; ++i) {
      site.found[i] = table_.insert(site.keys[i], site.found[i]);
      add(site.found[i], move, sign);
    }
  }
  void add(int32_t slot, MoveId move, int32_t sign) {
    Entry& e = entry(slot, move);
    const int32_t change = sign * options_.step;
    e.weight += change;
    e.weighted_sum += change * decisions_;
  }
  Entry& entry(int32_t slot, MoveId move) {
    for (Entry& e : table_.row(slot))
      if (e.move == move) return e;
    return table_.append(slot, {.move = static_cast<uint16_t>(move)});
  }

  Options options_;
  SparseTable<Entry> table_;
  std::vector<int32_t> found_;
  std::vector<float> sums_;  // of classes, and of moves that share one
  int64_t decisions_ = 1;
};

}  // namespace arcwise
