// What the training loop (train/loop.h) asks of a learner. It is shown decisions: the states of a mini-batch
// of walks, to be scored together, and then what their moves cost. Online learning is a mini-batch of one
// walk, from each of whose decisions something is learnt at once.
#pragma once

#include <concepts>

#include "base/random.h"
#include "learn/decision.h"

namespace arcwise {

template <class L, class View>
concept Learner = requires(L& learner, size_t walk, Site& site, const View& view, Decision& decision) {
  { L::kLearnsOnTheWay } -> std::convertible_to<bool>;   // within a sentence
  { L::kDiverged } -> std::convertible_to<const char*>;  // what to do when the loss is no finite number
  learner.look(walk, site, view);                        // takes a site of a walk's state down, to be scored
  learner.score_again(site);                             // the weights have changed since it was scored
  learner.score();                                       // scores what was taken down since the last call
  learner.fetch(site);                                   // its scores come to the site
  { learner.learn(decision) } -> std::same_as<double>;   // the loss; scores and costs are known
  { L::changed(decision) } -> std::same_as<bool>;        // whether that changed any weight
  learner.pass();                                        // a state without a choice
  { learner.random() } -> std::same_as<Random&>;
};

}  // namespace arcwise
