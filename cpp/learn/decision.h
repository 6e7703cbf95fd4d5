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

  std::vector<int32_t> found;  // where the learner found the features

  void reset(size_t templates, size_t classes) {
    keys.resize(templates + 1);
    found.resize(templates);
    scores.resize(classes);
    costs.resize(classes);
    probabilities.resize(classes);
  }
};

struct Choice {
  Site* site = nullptr;
  Class move = 0;
  float score() const { return site->scores[move]; }
  float cost() const { return site->costs[move]; }
};

struct Decision {
  std::vector<Site*> sites;
  float least_cost = 0;  // moves of this cost are correct
  Choice predicted;      // the best-scored legal move
  Choice best_correct;   // the best-scored correct one

  bool is_correct(const Choice& choice) const { return choice.cost() == least_cost; }

  // visit(choice) for each legal move of each site.
  template <class F>
  void each(F&& visit) const {
    for (Site* site : sites) site->legal.each([&](Class c) { visit(Choice{site, c}); });
  }

  // Ties go to the first site and the lowest move.
  void judge() {
    predicted = best_correct = {};
    bool first = true;
    each([&](const Choice& c) {
      if (first || c.cost() < least_cost) least_cost = c.cost();
      first = false;
    });
    each([&](const Choice& c) {
      if (!predicted.site || c.score() > predicted.score()) predicted = c;
      if (is_correct(c) && (!best_correct.site || c.score() > best_correct.score())) best_correct = c;
    });
  }
};

}  // namespace arcwise
