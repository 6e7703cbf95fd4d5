// Training, written once for every task, learner and policy: a mini-batch of walks taken in step, so that
// their states are scored together; online learning is a mini-batch of one (Goldberg & Nivre 2013, Algorithm
// 3; Goldberg 2013, Algorithm 3).
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/interrupts.h"
#include "learn/learner.h"
#include "learn/policy.h"
#include "train/charge.h"
#include "train/decision_sites.h"
#include "train/progress.h"

namespace arcwise {

template <Task T, Policy P = AnyPolicy>
class TrainingLoop {
 public:
  TrainingLoop(const T& task, Oracle oracle, const P& policy)
      : task_(task), oracle_(oracle), policy_(policy) {}

  // Examples are what a Gold can be set from; those that are null are left out. input(example) is what its
  // walk starts from. In some walks teachers, if there are any, take the oracle's place. Only a very long
  // walk of a learner that learns on the way is interrupted in the middle.
  template <Learner<typename T::View> L, class Example, class Input, class Taught = NoTeachers>
  void train(L& learner, std::span<const Example* const> examples, const Input& input, int epoch,
             TrainingProgress& progress, Taught* teachers = nullptr) {
    while (walks_.size() < examples.size()) walks_.push_back(std::make_unique<Walk>());
    under_way_.clear();
    for (size_t i = 0; i < examples.size(); ++i) {
      if (!examples[i]) continue;
      walks_[i]->start(task_, *examples[i], input(*examples[i]));
      under_way_.push_back(i);
      ++progress.sentences;
      progress.words += examples[i]->words();
    }
    for (int64_t steps = 1;; ++steps) {
      if (L::kLearnsOnTheWay && steps % kStepsInPeace == 0) interrupts::look();
      std::erase_if(under_way_, [&](size_t i) { return !to_next_choice(learner, i); });
      if (under_way_.empty()) break;
      learner.score();
      for (size_t i : under_way_) decide(learner, i, teachers, epoch, progress);
    }
    if (!std::isfinite(progress.loss))
      throw std::domain_error(std::string("The loss is no longer a finite number: ") + L::kDiverged);
  }
  template <class L, class Example, class Input>
  void train(L& learner, const Example& only, const Input& input, int epoch, TrainingProgress& progress) {
    const Example* const batch[] = {&only};
    train(learner, std::span<const Example* const>(batch), input, epoch, progress);
  }

  // Where a walk of the last mini-batch has come to.
  const typename T::State& state(size_t walk) const { return walks_[walk]->state; }

 private:
  static constexpr int64_t kStepsInPeace = 4096;

  struct Walk {
    void start(const T& task, const auto& example, const typename T::Input& input) {
      gold.set(example);
      task.start(state, input);
      sites.start(state);
      weights_changed = false;
      stayed = 0;
    }

    typename T::State state;
    typename T::Gold gold;
    DecisionSites<T> sites;
    Decision decision;
    bool weights_changed = false;
    int stayed = 0;  // decisions in the same state
  };

  // Takes the moves that are no choice; false at the end. A state that is one has been taken down.
  template <class L>
  bool to_next_choice(L& learner, size_t number) {
    Walk& walk = *walks_[number];
    while (!task_.done(walk.state)) {
      walk.sites.refresh(
          task_, walk.state, walk.weights_changed, walk.decision,
          [&](Site& site) {
            typename T::View view;
            Sites<T>::view(task_, walk.state, site.site, view);
            learner.look(number, site, view);
          },
          [&](Site& site) { learner.score_again(site); });
      const DecidedMove only = walk.decision.only_move();
      if (!only.site) return true;
      walk.sites.apply(task_, walk.state, only);
      learner.pass();
    }
    return false;
  }

  template <class L, class Taught>
  void decide(L& learner, size_t number, Taught* teachers, int epoch, TrainingProgress& progress) {
    if (!L::kLearnsOnTheWay) check_interrupts();
    Walk& walk = *walks_[number];
    Decision& decision = walk.decision;
    decision.has_targets = teachers && teachers->teaches(number);
    for (Site* site : decision.sites) {
      learner.fetch(*site);
      if (decision.has_targets) {
        typename T::View view;
        Sites<T>::view(task_, walk.state, site->site, view);
        teachers->judge(number, view, *site);
      } else {
        charge(task_, walk.state, walk.gold, oracle_, *site);
      }
    }
    decision.judge();
    progress.loss += learner.learn(decision);
    progress.wrong += !decision.is_correct(decision.predicted);
    ++progress.decisions;
    walk.weights_changed = L::changed(decision);
    const bool stays = walk.stayed < DecisionSites<T>::kPatience;
    if (const auto decided = policy_.next(decision, {epoch, stays, learner.random()})) {
      walk.sites.apply(task_, walk.state, *decided);
      walk.stayed = 0;
    } else {
      ++walk.stayed;
    }
  }

  const T& task_;
  const Oracle oracle_;
  const P policy_;
  std::vector<std::unique_ptr<Walk>> walks_;
  std::vector<size_t> under_way_;
};

}  // namespace arcwise
