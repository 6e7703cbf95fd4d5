// Training with a beam: the structured perceptron with inexact search (Collins & Roark 2004; Huang et al.
// 2012; Liu et al. 2015, Algorithms 2 and 3).
//
// A derivation is right as long as all its moves are correct: those of the static oracle, or those that cost
// nothing. When the beam goes wrong, the moves of the best right derivation gain and those of a wrong one
// lose, both up to the same step. Weights stay as they are while a sentence is searched.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "learn/perceptron.h"
#include "model/feature_scoring.h"
#include "search/beam.h"
#include "train/beam_training_options.h"
#include "train/charge.h"
#include "train/progress.h"
#include "train/training_set.h"

namespace arcwise {

extern template class FeatureScoring<Perceptron::Scorer>;

template <LeftToRight T, class Learner>
class BeamTraining {
 public:
  BeamTraining(const T& task, const Templates& templates, Learner& learner, Oracle oracle,
               const BeamTrainingOptions& options)
      : task_(task),
        templates_(templates),
        learner_(learner),
        oracle_(oracle),
        options_(options),
        scorer_(learner, task.moves().size()),
        scoring_(templates, scorer_, Visits::SideBySide),
        beam_(task, scoring_, {options.width}),
        right_(task, scoring_, {options.width}),
        keys_(templates.size() + 1) {
    site_.costs.resize(task.moves().size());
  }

  // A sentence is one decision: whether its derivation is right.
  void train(const TrainingSentence& sentence, TrainingProgress& progress) {
    gold_.set(sentence.heads, sentence.labels);
    scoring_.sentence(sentence.tokens);
    const std::optional<Violated> found = search(sentence.words());
    if (found) {
      learn(sentence, *found);
      ++progress.wrong;
      ++progress.loss;
    }
    learner_.pass_sentence();
    ++progress.decisions;
    ++progress.sentences;
    progress.words += sentence.words();
  }

 private:
  // The beam after a step.
  struct Step {
    int32_t best, worst;  // items
    bool best_is_right, has_right;
  };
  // A wrong derivation that is `lead` ahead of the best right one.
  struct Violated {
    int32_t wrong, right;  // items of beam_ and of right_
    double lead;
  };

  std::optional<Violated> search(int32_t words) {
    start(words);
    while (!beam_.all_done()) {
      step();
      if (options_.violation != Violation::Early || steps_.back().has_right) continue;
      if (const Violated v = compare(steps_.size() - 1); v.lead >= 0) return v;
    }
    const Step& last = steps_.back();
    if (options_.relaxed ? last.has_right : last.best_is_right) return std::nullopt;
    if (options_.violation == Violation::Max) return most_violated();
    const Violated v = compare(steps_.size() - 1);
    if (options_.violation == Violation::Early && v.lead < 0) return std::nullopt;
    return v;
  }
  // Of steps that are as bad, the last.
  std::optional<Violated> most_violated() {
    std::optional<Violated> most;
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (options_.relaxed ? steps_[s].has_right : steps_[s].best_is_right) continue;
      const Violated v = compare(s);
      if (v.lead >= (most ? most->lead : 0)) most = v;
    }
    return most;
  }

  void start(int32_t words) {
    beam_.start(words);
    right_.start(words);
    is_right_.assign(1, true);
    steps_.clear();
    best_right_.clear();
  }
  void step() {
    correct_.clear();
    beam_.step([&](int32_t item, const StackState& state, const Legal& legal) {
      if (is_right_[item]) correct_.push_back({item, correct(state, legal)});
      return legal;
    });
    Step now{beam_.item(0), beam_.item(beam_.size() - 1), false, false};
    for (size_t i = 0; i < beam_.size(); ++i) now.has_right |= is_right(beam_.item(i));
    now.best_is_right = is_right_[now.best];
    steps_.push_back(now);
  }
  // Items come in the order in which they were made, and so do those that correct_ tells of.
  bool is_right(int32_t item) {
    if (item < static_cast<int32_t>(is_right_.size())) return is_right_[item];
    const int32_t parent = beam_.items()[item].parent;
    const MoveId move = beam_.items()[item].move;
    const auto known = std::lower_bound(correct_.begin(), correct_.end(), parent,
                                        [](const auto& known, int32_t item) { return known.first < item; });
    is_right_.resize(item, false);  // items that were forgotten at once
    is_right_.push_back(known != correct_.end() && known->first == parent && known->second.contains(move));
    return is_right_.back();
  }

  // The wrong and the best right derivation after a step. The right ones have a beam of their own, which
  // goes no further than it is needed.
  Violated compare(size_t s) {
    while (best_right_.size() <= s) {
      right_.step(
          [&](int32_t, const StackState& state, const Legal& legal) { return correct(state, legal); });
      best_right_.push_back(right_.item(0));
    }
    const Step& step = steps_[s];
    // While there is a right derivation in the beam, only the best wrong one can be sure to be ahead of it.
    const bool worst = options_.negative == Negative::Worst && !step.has_right;
    const int32_t wrong = worst ? step.worst : step.best, right = best_right_[s];
    return {wrong, right, beam_.items()[wrong].score - right_.items()[right].score};
  }

  // The correct moves of a state: of an action, one label or all, so that they are ranges as well.
  Legal correct(const StackState& state, const Legal& legal) {
    site_.legal = legal;
    charge(task_, state, gold_, oracle_, site_);
    float least = site_.costs[legal.first()];
    legal.each([&](MoveId c) { least = std::min(least, site_.costs[c]); });
    Legal correct;
    for (Range range : legal.ranges()) {
      const auto is_correct = [&](MoveId c) { return site_.costs[c] == least; };
      while (range.size() > 0 && !is_correct(range.begin)) ++range.begin;
      while (range.size() > 0 && !is_correct(range.end - 1)) --range.end;
      correct.add(range);
    }
    return correct;
  }

  // What the derivations have in common cancels out.
  void learn(const TrainingSentence& sentence, const Violated& found) {
    beam_.items().moves_to(found.wrong, wrong_moves_);
    right_.items().moves_to(found.right, right_moves_);
    const auto [wrong, right] =
        std::mismatch(wrong_moves_.begin(), wrong_moves_.end(), right_moves_.begin(), right_moves_.end());
    learn(sentence, wrong_moves_, static_cast<size_t>(wrong - wrong_moves_.begin()), -1);
    learn(sentence, right_moves_, static_cast<size_t>(right - right_moves_.begin()), 1);
  }
  void learn(const TrainingSentence& sentence, const std::vector<MoveId>& moves, size_t from,
             int32_t change) {
    task_.start(state_, sentence.words());
    for (size_t i = 0; i < moves.size(); ++i) {
      if (i >= from && task_.legal(state_).size() > 1) {
        TreeView view;
        task_.view(state_, view);
        const int32_t count = templates_.extract(view, sentence.tokens, keys_.data());
        learner_.add(keys_.data(), count, moves[i], change);
      }
      task_.apply(state_, moves[i]);
    }
  }

  using Scorer = typename Learner::Scorer;

  const T& task_;
  const Templates& templates_;
  Learner& learner_;
  const Oracle oracle_;
  const BeamTrainingOptions options_;
  const Scorer scorer_;
  FeatureScoring<Scorer> scoring_;
  BeamSearch<T, FeatureScoring<Scorer>> beam_, right_;
  typename T::Gold gold_;
  Site site_;
  std::vector<bool> is_right_;                      // of the items of beam_
  std::vector<std::pair<int32_t, Legal>> correct_;  // the correct moves of its right items, in a step
  std::vector<Step> steps_;
  std::vector<int32_t> best_right_;  // items of right_, one for each step
  std::vector<MoveId> wrong_moves_, right_moves_;
  StackState state_;
  std::vector<uint64_t> keys_;
};

}  // namespace arcwise
