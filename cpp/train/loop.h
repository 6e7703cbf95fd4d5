// Training, written once for every task, learner and policy (Goldberg & Nivre 2013, Algorithm 3;
// Goldberg 2013, Algorithm 3).
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/interrupts.h"
#include "feature/templates.h"
#include "learn/decision.h"
#include "learn/policy.h"
#include "task/tagged_word.h"
#include "train/charge.h"
#include "train/sites.h"

namespace arcwise {

struct TrainingSentence {
  size_t number = 0;  // in the treebank
  TokenTable tokens;
  // What the treebank says of its words, as far as the task asks.
  std::vector<int32_t> heads;
  std::vector<int32_t> labels;
  std::vector<TaggedWord> tags;

  int32_t words() const { return static_cast<int32_t>(std::max(heads.size(), tags.size())); }
};

struct TrainingProgress {
  int64_t sentences = 0, words = 0, decisions = 0, wrong = 0;
  double loss = 0;

  TrainingProgress& operator+=(const TrainingProgress& o) {
    sentences += o.sentences;
    words += o.words;
    decisions += o.decisions;
    wrong += o.wrong;
    loss += o.loss;
    return *this;
  }
};

template <Task T, class Learner, class Features = Templates>
class TrainingSearch {
 public:
  static constexpr bool kLearnsOnTheWay = true;  // within a sentence

  TrainingSearch(const T& task, const Features& features, Learner& learner, Oracle oracle,
                 const Policy& policy)
      : task_(task), features_(features), learner_(learner), oracle_(oracle), policy_(policy) {}

  // A sentence is a TrainingSentence, or has what the features look at as its tokens. Only a very long one is
  // interrupted in the middle, when some of it has been learnt from.
  void train(const auto& sentence, int epoch, Random& random, TrainingProgress& progress) {
    gold_.set(sentence.heads, sentence.labels);
    task_.start(state_, sentence.words());
    sites_.start(task_, features_, state_);
    bool weights_changed = false;
    int stayed = 0;
    for (int64_t steps = 1; !task_.done(state_); ++steps) {
      if (steps % kStepsInPeace == 0) interrupts::look();
      sites_.refresh(state_, sentence.tokens, weights_changed, decision_,
                     [&](Site& site) { learner_.score(site); });
      if (Site* only = only_move()) {
        sites_.apply(state_, {only, only->legal.first()});
        learner_.pass();
        continue;
      }
      for (Site* site : decision_.sites) charge(task_, state_, gold_, oracle_, *site);
      decision_.judge();
      progress.loss += learner_.learn(decision_);
      progress.wrong += !decision_.is_correct(decision_.predicted);
      ++progress.decisions;
      weights_changed = Learner::changed(decision_);
      const bool stays = !T::kSingleSite && stayed < kPatience;
      if (const auto choice = policy_.next(decision_, epoch, stays, random)) {
        sites_.apply(state_, *choice);
        stayed = 0;
      } else {
        ++stayed;
      }
    }
    if (!std::isfinite(progress.loss))
      throw std::domain_error(
          "The loss is no longer a finite number: lower the learning rate (alpha) or raise the ridge (rho).");
    ++progress.sentences;
    progress.words += sentence.words();
  }

 private:
  // Two sites may look the same and want different moves: no number of updates would tell them apart.
  static constexpr int kPatience = 20;
  static constexpr int64_t kStepsInPeace = 4096;

  // A state with one legal move asks for no decision.
  Site* only_move() const {
    Site* only = nullptr;
    Class moves = 0;
    for (Site* site : decision_.sites) {
      moves += site->legal.size();
      if (site->legal.size() > 0) only = site;
      if (moves > 1) return nullptr;
    }
    return only;
  }

  const T& task_;
  const Features& features_;
  Learner& learner_;
  Oracle oracle_;
  Policy policy_;
  typename T::State state_;
  Gold gold_;
  Sites<T, Features> sites_;
  Decision decision_;
};

}  // namespace arcwise
