// Training on a batch of sentences that take their moves in step, so that their states are scored together.
// The loss is that of Goldberg 2013: minus the log of the total probability of the correct moves.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/interrupts.h"
#include "learn/network.h"
#include "train/charge.h"
#include "train/loop.h"

namespace arcwise {

template <Task T>
class LockstepSearch {
 public:
  LockstepSearch(const T& task, Oracle oracle, const Policy& policy)
      : task_(task), oracle_(oracle), policy_(policy) {
    site_.reset(0, task.moves().size());
    decision_.sites.push_back(&site_);
  }

  // The shard has begun with these sentences of the treebank; those that are null are left out. Leaves the
  // gradients of all their decisions in it.
  void train(const Treebank& treebank, std::span<const TrainingSentence* const> sentences, int epoch,
             NetworkShard& shard, TrainingProgress& progress) {
    while (walks_.size() < sentences.size()) walks_.emplace_back();
    under_way_.clear();
    for (size_t i = 0; i < sentences.size(); ++i) {
      if (!sentences[i]) continue;
      walks_[i].gold.set(*sentences[i]);
      start(task_, walks_[i].state, treebank, sentences[i]->number);
      under_way_.push_back(i);
      ++progress.sentences;
      progress.words += sentences[i]->words();
    }
    for (;;) {
      const size_t first = shard.states();
      std::erase_if(under_way_, [&](size_t i) { return !to_next_choice(i, shard); });
      if (under_way_.empty()) break;
      shard.score();
      for (size_t i = 0; i < under_way_.size(); ++i)
        decide(walks_[under_way_[i]], first + i, epoch, shard, progress);
    }
    if (!std::isfinite(progress.loss))
      throw std::domain_error(
          "The loss is no longer a finite number: lower the learning rate (rate), or the longest gradient "
          "(clip).");
  }

 private:
  struct Walk {
    typename T::State state;
    typename T::Gold gold;
  };

  // Takes the moves that are no choice; false at the end.
  bool to_next_choice(size_t i, NetworkShard& shard) {
    auto& state = walks_[i].state;
    while (!task_.done(state)) {
      const Legal legal = task_.legal(state, 0);
      if (legal.size() > 1) {
        SlotNodes slots;
        task_.slots(state, 0, slots);
        shard.add(i, state.tree, slots, scored(legal));
        return true;
      }
      task_.apply(state, 0, legal.first());
    }
    return false;
  }

  // Which moves are scored.
  Range scored(const Legal& legal) const {
    return kIsNarrow<T> ? legal.extent() : Range{0, task_.moves().size()};
  }

  void decide(Walk& walk, size_t number, int epoch, NetworkShard& shard, TrainingProgress& progress) {
    check_interrupts();
    const float* scores = shard.scores(number);
    site_.legal = task_.legal(walk.state, 0);
    const Range range = scored(site_.legal);
    std::copy(scores + range.begin, scores + range.end, site_.scores.begin() + range.begin);
    charge(task_, walk.state, walk.gold, oracle_, site_);
    decision_.judge();
    progress.loss += loss(shard.gradient(number));
    progress.wrong += !decision_.is_correct(decision_.predicted);
    ++progress.decisions;
    task_.apply(walk.state, 0, policy_.next(decision_, epoch, false, shard.random())->move);
  }

  // A legal move's gradient is its share of all probability, less its share of the correct moves'.
  double loss(float* gradient) {
    const Range range = scored(site_.legal);
    std::fill(gradient + range.begin, gradient + range.end, 0.0f);
    const float most = decision_.predicted.score();
    float total = 0, correct = 0;
    for (Range r : site_.legal.ranges())
      total += exponentials(site_.scores.data() + r.begin, most, r.size(), gradient + r.begin);
    site_.legal.each([&](Class c) {
      if (site_.costs[c] == decision_.least_cost) correct += gradient[c];
    });
    site_.legal.each([&](Class c) {
      const float share = site_.costs[c] == decision_.least_cost ? gradient[c] / correct : 0.0f;
      site_.probabilities[c] = gradient[c] / total;
      gradient[c] = site_.probabilities[c] - share;
    });
    // A score that is no number would hide behind the comparisons that came before.
    return std::log(total / correct) + 0 * most;
  }

  const T& task_;
  Oracle oracle_;
  Policy policy_;
  std::vector<Walk> walks_;
  std::vector<size_t> under_way_;
  Site site_;
  Decision decision_;
};

}  // namespace arcwise
