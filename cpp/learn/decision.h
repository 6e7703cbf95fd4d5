// What a learner is shown: the sites of a state, each with its features, its scores, its legal moves and
// what each of these costs; which move the model would take, and which is the best one without loss.
#pragma once

#include <cstdint>
#include <vector>

#include "task/moves.h"

namespace arcwise {

struct Site {
  int32_t site = 0;
  Legal legal;
  int32_t feature_count = 0;
  std::vector<uint64_t> keys;
  std::vector<float> scores;         // for each class; only the legal ones count
  std::vector<float> costs;          // the same
  std::vector<float> probabilities;  // the same, if the learner has them
  std::vector<float> targets;        // the same, if the decision has any

  std::vector<int32_t> found;  // where the learner found the features
  size_t state = 0;            // by which a learner of mini-batches knows the site

  void reset(size_t features, size_t moves) {
    keys.resize(features + 1);
    found.resize(features);
    reset(moves);
  }
  void reset(size_t moves) {
    scores.resize(moves);
    costs.resize(moves);
    probabilities.resize(moves);
    targets.resize(moves);
  }
};

struct DecidedMove {
  Site* site = nullptr;
  MoveId move = 0;
  float score() const { return site->scores[move]; }
  float cost() const { return site->costs[move]; }
};

struct Decision {
  std::vector<Site*> sites;
  bool has_targets = false;  // probabilities that are to be learnt, not which moves are correct
  float least_cost = 0;      // moves of this cost are correct
  DecidedMove predicted;     // the best-scored legal move
  DecidedMove best_correct;  // the best-scored correct one

  bool is_correct(const DecidedMove& choice) const { return choice.cost() == least_cost; }

  // visit(choice) for each legal move of each site.
  template <class F>
  void each(F&& visit) const {
    for (Site* site : sites) site->legal.each([&](MoveId c) { visit(DecidedMove{site, c}); });
  }

  // The move that is taken where no other is legal; no site if there is a choice.
  DecidedMove only_move() const {
    DecidedMove only;
    MoveId moves = 0;
    for (Site* site : sites) {
      moves += site->legal.size();
      if (site->legal.size() > 0) only = {site, site->legal.first()};
      if (moves > 1) return {};
    }
    return only;
  }

  // Ties go to the first site and the lowest move.
  void judge() {
    predicted = best_correct = {};
    bool first = true;
    each([&](const DecidedMove& c) {
      if (first || c.cost() < least_cost) least_cost = c.cost();
      first = false;
    });
    each([&](const DecidedMove& c) {
      if (!predicted.site || c.score() > predicted.score()) predicted = c;
      if (is_correct(c) && (!best_correct.site || c.score() > best_correct.score())) best_correct = c;
    });
  }
};

}  // namespace arcwise
