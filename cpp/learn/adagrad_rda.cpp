#include "learn/adagrad_rda.h"

#include <algorithm>

namespace arcwise {

void AdagradRda::step(Entry& e, float g) const {
  e.gradients += g;
  e.squares += g * g;
  e.rate = static_cast<float>(options_.alpha) / std::sqrt(e.squares + static_cast<float>(options_.rho));
}

void AdagradRda::append_missing(int32_t slot) {
  met_.assign(gradient_.size(), 0);
  for (const Entry& e : table_.row(slot)) met_[e.move] = 1;
  for (MoveId c : active_)
    if (!met_[c]) step(table_.append(slot, {.move = static_cast<uint16_t>(c)}), gradient_[c]);
}

void AdagradRda::update(Site& site, const Decision& decision, float most_correct, double total,
                        double total_correct) {
  gradient_.assign(site.scores.size(), 0.0f);
  active_.clear();
  site.legal.each([&](MoveId c) {
    const double p = site.probabilities[c] / total;
    site.probabilities[c] = static_cast<float>(p);
    double g = -p;
    if (site.costs[c] == decision.least_cost)
      g += std::exp(static_cast<double>(site.scores[c] - most_correct)) / total_correct;
    if (std::fabs(g) <= options_.cutoff) return;
    gradient_[c] = static_cast<float>(g);
    active_.push_back(c);
  });
  if (active_.empty()) return;
  for (int32_t i = 0; i < site.feature_count; ++i) {
    const int32_t slot = site.found[i] = table_.insert(site.keys[i], site.found[i]);
    size_t met = 0;
    for (Entry& e : table_.row(slot)) {
      if (gradient_[e.move] == 0) continue;
      step(e, gradient_[e.move]);
      ++met;
    }
    if (met < active_.size()) append_missing(slot);
  }
}

void AdagradRda::score(Site& site) const {
  const float penalty = this->penalty();
  std::fill(site.scores.begin(), site.scores.end(), 0.0f);
  table_.find(site.keys.data(), site.feature_count, site.found.data());
  for (int32_t i = 0; i < site.feature_count; ++i) {
    if (site.found[i] == decltype(table_)::kMissing) continue;
    for (const Entry& e : table_.row(site.found[i])) site.scores[e.move] += weight(e, penalty);
  }
}

double AdagradRda::learn(Decision& decision) {
  const float most = decision.predicted.score(), most_correct = decision.best_correct.score();
  double total = 0, total_correct = 0;
  decision.each([&](const DecidedMove& c) {
    const double e = std::exp(static_cast<double>(c.score() - most));
    c.site->probabilities[c.move] = static_cast<float>(e);
    total += e;
    if (decision.is_correct(c)) total_correct += std::exp(static_cast<double>(c.score() - most_correct));
  });
  for (Site* site : decision.sites) update(*site, decision, most_correct, total, total_correct);
  ++updates_;
  return -(std::log(total_correct) + most_correct - most - std::log(total));
}

}  // namespace arcwise
