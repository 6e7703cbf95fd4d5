// Which state training visits next. A policy knows neither the task nor the learner: it is shown a
// decision and names a move, or none, which is to stay and try again.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "base/random.h"
#include "learn/decision.h"

namespace arcwise {

enum class Oracle : uint8_t { Static, NonDeterministic, Dynamic };

struct Policy {
  enum class Kind : uint8_t {
    Static,     // always the best-scored correct move
    Ambiguity,  // the predicted move if it is correct, else any correct one: CHOOSE_NEXT_AMB
    Explore,    // after k epochs, the predicted move with probability p even if it is wrong
    Sample,     // after k epochs, a move drawn from the model: Goldberg 2013, Algorithm 3
  };
  Kind kind = Kind::Explore;
  int k = 1;
  double p = 0.9;  // as in Goldberg & Nivre 2013; in their paper of 2012 this would be 1 - p

  bool leaves_the_gold_path() const { return kind == Kind::Explore || kind == Kind::Sample; }

  // Epochs count from 1. With `stays` (easy-first), a wrong prediction that is not followed leads nowhere.
  std::optional<Choice> next(const Decision& d, int epoch, bool stays, Random& random) const {
    if (kind == Kind::Sample) return epoch > k ? draw(d, random) : d.best_correct;
    if (d.is_correct(d.predicted)) return kind == Kind::Static ? d.best_correct : d.predicted;
    if (kind == Kind::Explore && epoch > k && random.uniform() < p) return d.predicted;
    if (stays) return std::nullopt;
    return kind == Kind::Ambiguity ? any_correct(d, random) : d.best_correct;
  }

 private:
  static Choice any_correct(const Decision& d, Random& random) {
    uint64_t seen = 0;
    Choice chosen = d.best_correct;
    d.each([&](const Choice& c) {
      if (d.is_correct(c) && random.below(++seen) == 0) chosen = c;
    });
    return chosen;
  }
  static Choice draw(const Decision& d, Random& random) {
    double left = random.uniform();
    Choice chosen = d.predicted;
    bool found = false;
    d.each([&](const Choice& c) {
      if (found) return;
      left -= c.site->probabilities[c.move];
      if (left < 0) {
        chosen = c;
        found = true;
      }
    });
    return chosen;
  }
};

}  // namespace arcwise
