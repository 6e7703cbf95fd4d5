#include "learn/perceptron.h"

#include <algorithm>

namespace arcwise {

Perceptron::Entry& Perceptron::entry(int32_t slot, MoveId move) {
  for (Entry& e : table_.row(slot))
    if (e.move == move) return e;
  return table_.append(slot, {.move = static_cast<uint16_t>(move)});
}

void Perceptron::add(int32_t slot, MoveId move, int32_t sign) {
  Entry& e = entry(slot, move);
  const int32_t change = sign * options_.step;
  e.weight += change;
  e.weighted_sum += change * decisions_;
}

void Perceptron::add(Site& site, MoveId move, int32_t sign) {
  for (int32_t i = 0; i < site.feature_count; ++i) {
    site.found[i] = table_.insert(site.keys[i], site.found[i]);
    add(site.found[i], move, sign);
  }
}

void Perceptron::score(Site& site) const {
  std::fill(site.scores.begin(), site.scores.end(), 0.0f);
  table_.find(site.keys.data(), site.feature_count, site.found.data());
  for (int32_t i = 0; i < site.feature_count; ++i) {
    if (site.found[i] == decltype(table_)::kMissing) continue;
    for (const Entry& e : table_.row(site.found[i])) site.scores[e.move] += static_cast<float>(e.weight);
  }
}

double Perceptron::learn(Decision& decision) {
  const bool wrong = !decision.is_correct(decision.predicted);
  if (wrong) {
    add(*decision.best_correct.site, decision.best_correct.move, 1);
    add(*decision.predicted.site, decision.predicted.move, -1);
  }
  ++decisions_;
  return wrong;
}

void Perceptron::add(const uint64_t* keys, int32_t count, MoveId move, int32_t change) {
  found_.resize(static_cast<size_t>(count));
  table_.find(keys, count, found_.data());
  for (int32_t i = 0; i < count; ++i) add(table_.insert(keys[i], found_[i]), move, change);
}

void Perceptron::Scorer::add(const uint64_t* keys, int32_t count, Scratch& found, int32_t* scores) const {
  if (found.size() < static_cast<size_t>(count)) found.resize(count);
  table_.find(keys, count, found.data());
  for (int32_t i = 0; i < count; ++i) {
    if (found[i] == SparseTable<Entry>::kMissing) continue;
    for (const Entry& e : table_.row(found[i])) scores[e.move] += e.weight;
  }
}

}  // namespace arcwise
