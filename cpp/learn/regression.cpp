#include "learn/regression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace arcwise {
namespace {

typedef float Four __attribute__((vector_size(kLanes * sizeof(float))));
typedef int32_t FourBits __attribute__((vector_size(kLanes * sizeof(int32_t))));

Four load(const float* from) {
  Four v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(Four v, float* to) { std::memcpy(to, &v, sizeof v); }
Four all(float x) { return Four{x, x, x, x}; }
Four select(FourBits where, Four yes, Four no) {
  return reinterpret_cast<Four>((reinterpret_cast<FourBits>(yes) & where) |
                                (reinterpret_cast<FourBits>(no) & ~where));
}
Four square_root(Four v) {
  for (size_t i = 0; i < kLanes; ++i) v[i] = std::sqrt(v[i]);
  return v;
}

constexpr int32_t kFloatsInLine = 16;

template <bool write>
void prefetch_row(const float* row, Blocks lines) {
  for (int32_t b : lines) __builtin_prefetch(row + b, write ? 1 : 0);
}

// visit(slot, lane, values) for each feature and block: where the weights of the block are, which lane is its
// first, and the feature's values in its lanes. In the order of the features.
template <class F>
void each(const Rows& rows, Blocks blocks, F&& visit) {
  for (const Row& row : rows.plain) {
    const Four x = all(row.value);
    for (size_t b = 0; b < blocks.size(); ++b)
      visit(row.slot + static_cast<size_t>(blocks[b]), b * kLanes, x);
  }
  for (const LaneRow& row : rows.by_lane)
    for (size_t b = 0; b < blocks.size(); ++b)
      visit(row.slot + static_cast<size_t>(blocks[b]), b * kLanes, load(row.values + b * kLanes));
}

// The predictions of all lanes. weights(row, slot, block) is where those of a block are: row and block are
// numbers, and rows with a value in each lane come after the others.
template <class F>
void sum_up(const Rows& rows, size_t blocks, float* out, F&& weights) {
  // So many blocks at a time have their sums in registers.
  const auto some = [&]<size_t count>(size_t first) {
    Four sums[count] = {};
    size_t r = 0;
    for (const Row& row : rows.plain) {
      for (size_t b = 0; b < count; ++b) sums[b] += row.value * load(weights(r, row.slot, first + b));
      ++r;
    }
    for (const LaneRow& row : rows.by_lane) {
      const float* values = row.values + first * kLanes;
      for (size_t b = 0; b < count; ++b)
        sums[b] += load(values + b * kLanes) * load(weights(r, row.slot, first + b));
      ++r;
    }
    for (size_t b = 0; b < count; ++b) store(sums[b], out + (first + b) * kLanes);
  };
  size_t b = 0;
  for (; b + 4 <= blocks; b += 4) some.template operator()<4>(b);
  for (; b + 2 <= blocks; b += 2) some.template operator()<2>(b);
  for (; b < blocks; ++b) some.template operator()<1>(b);
}

}  // namespace

Regressors::Regressors(const RegressionOptions& options, size_t slots)
    : options_(options), weights_(slots + kLanes) {
  if (options.update == Update::Sgd) return;
  squares_.resize(weights_.size());
  extras_.resize(weights_.size());
}

void Regressors::lines_of(Blocks blocks, std::vector<int32_t>& lines) {
  lines.clear();
  for (size_t b = 0; b < blocks.size(); ++b) {
    const bool near = !lines.empty() && blocks[b] >= lines.back() && blocks[b] < lines.back() + kFloatsInLine;
    if (!near || b + 1 == blocks.size()) lines.push_back(blocks[b]);
  }
}
void Regressors::prefetch(Row row, Blocks lines) const {
  prefetch_row<false>(weights_.data() + row.slot, lines);
}
void Regressors::prefetch_to_learn(Row row, Blocks lines) const {
  prefetch_row<true>(weights_.data() + row.slot, lines);
  if (squares_.empty()) return;
  prefetch_row<true>(squares_.data() + row.slot, lines);
  prefetch_row<true>(extras_.data() + row.slot, lines);
}

void Regressors::predict(const Rows& rows, Blocks blocks, float* out) const {
  const float* w = weights_.data();
  const int32_t* at = blocks.data();
  sum_up(rows, blocks.size(), out, [=](size_t, uint32_t slot, size_t block) { return w + slot + at[block]; });
}

void Regressors::observe(const Rows& rows, Blocks blocks, const float* importances, Scratch& scratch,
                         float* out) {
  if (options_.update != Update::Default) return predict(rows, blocks, out);
  // NAG: where a feature is larger than ever before, its weight shrinks, so that the prediction for its old
  // size stays what it was for the new one. A weight that has met no feature has no size yet.
  scratch.norms.assign(blocks.size() * kLanes, 0.0f);
  each(rows, blocks, [&](size_t at, size_t lane, Four x) {
    const Four size = select(x > all(0), x, -x), scale = load(&extras_[at]);
    const FourBits wanted = load(importances + lane) > all(0);
    const FourBits grown = wanted & (size > scale);
    const Four now = select(grown, size, scale);
    for (size_t i = 0; i < kLanes; ++i)
      if (grown[i] && scale[i] > 0) weights_[at + i] *= scale[i] / size[i];
    store(now, &extras_[at]);
    const FourBits has_scale = wanted & (now > all(0));
    const Four ratio = select(has_scale, size / select(has_scale, now, all(1)), all(0));
    store(load(&scratch.norms[lane]) + ratio * ratio, &scratch.norms[lane]);
  });
  predict(rows, blocks, out);
}

void Regressors::update(const Rows& rows, Blocks blocks, const float* importances, const float* residuals,
                        float pull, UpdateCounts& counts, Scratch& scratch) {
  switch (options_.update) {
    case Update::Sgd:
      return update_sgd(rows, blocks, importances, residuals, counts);
    case Update::Default:
      return update_default(rows, blocks, importances, residuals, pull, counts, scratch);
    case Update::Ftrl:
      return update_ftrl(rows, blocks, importances, residuals);
  }
}

void Regressors::update_sgd(const Rows& rows, Blocks blocks, const float* importances, const float* residuals,
                            UpdateCounts& counts) {
  counts.updates += 1;
  const auto rate = static_cast<float>(options_.rate / std::pow(counts.updates, options_.power_t));
  each(rows, blocks, [&](size_t at, size_t lane, Four x) {
    const Four gradient = load(importances + lane) * load(residuals + lane) * x;
    store(load(&weights_[at]) - rate * gradient, &weights_[at]);
  });
}

// With the rates a_i = rate sqrt(t / N) / (s_i sqrt(G_i)), a small step moves the prediction towards its
// target by -dp/dh = r sum of a_i x_i^2 = r c, so that after h of it the residual is r e^(-hc).
void Regressors::update_default(const Rows& rows, Blocks blocks, const float* importances,
                                const float* residuals, float pull, UpdateCounts& counts, Scratch& scratch) {
  const size_t lanes = blocks.size() * kLanes;
  for (size_t l = 0; l < lanes; ++l) {
    counts.weight += importances[l];
    counts.norms += static_cast<double>(importances[l]) * scratch.norms[l];
  }
  if (!(counts.norms > 0)) return;
  const Four rate = all(static_cast<float>(options_.rate * std::sqrt(counts.weight / counts.norms)));
  scratch.rates.resize((rows.plain.size() + rows.by_lane.size()) * lanes);
  scratch.curvatures.assign(lanes, 0.0f);
  scratch.steps.resize(lanes);
  float* rates = scratch.rates.data();
  each(rows, blocks, [&](size_t at, size_t lane, Four x) {
    const Four gradient = load(residuals + lane) * x;
    const Four squares = load(&squares_[at]) + load(importances + lane) * gradient * gradient;
    store(squares, &squares_[at]);
    const Four below = load(&extras_[at]) * square_root(squares);
    // A weight whose gradients were all 0 stays.
    const FourBits moves = below > all(0);
    const Four a = select(moves, rate / select(moves, below, all(1)), all(0)) * x;
    store(a, rates);
    rates += kLanes;
    store(load(&scratch.curvatures[lane]) + a * x, &scratch.curvatures[lane]);
  });
  for (size_t l = 0; l < lanes; ++l) {
    const float c = pull * scratch.curvatures[l];
    scratch.steps[l] = c > 0 ? residuals[l] * std::expm1(-importances[l] * c) / c : 0.0f;
  }
  rates = scratch.rates.data();
  each(rows, blocks, [&](size_t at, size_t lane, Four) {
    store(load(&weights_[at]) + load(&scratch.steps[lane]) * load(rates), &weights_[at]);
    rates += kLanes;
  });
}

void Regressors::update_ftrl(const Rows& rows, Blocks blocks, const float* importances,
                             const float* residuals) {
  const Four one_by_rate = all(static_cast<float>(1 / options_.rate));
  const Four beta = all(static_cast<float>(options_.beta)), l1 = all(static_cast<float>(options_.l1)),
             l2 = all(static_cast<float>(options_.l2));
  each(rows, blocks, [&](size_t at, size_t lane, Four x) {
    const FourBits wanted = load(importances + lane) > all(0);
    const Four gradient = load(importances + lane) * load(residuals + lane) * x;
    const Four n = load(&squares_[at]), w = load(&weights_[at]), old = load(&extras_[at]);
    const Four more = n + gradient * gradient;
    const Four root = square_root(more);
    const Four z = old + gradient - (root - square_root(n)) * one_by_rate * w;
    const Four over = select(z > all(0), z, -z) - l1;
    const Four size = over / ((beta + root) * one_by_rate + l2);
    const Four weight = select(over > all(0), select(z > all(0), -size, size), all(0));
    store(select(wanted, more, n), &squares_[at]);
    store(select(wanted, z, old), &extras_[at]);
    store(select(wanted, weight, w), &weights_[at]);
  });
}

void Regressors::start(size_t slot, float weight, float scale) {
  weights_[slot] = weight;
  if (options_.update == Update::Default) extras_[slot] = scale;
  if (options_.update != Update::Ftrl) return;
  // The z that this is the weight of.
  const double z = weight * (options_.beta / options_.rate + options_.l2);
  extras_[slot] = static_cast<float>(-z - std::copysign(options_.l1, z));
}

void Regressors::set(size_t slot, float weight, float square, float extra) {
  weights_[slot] = weight;
  if (squares_.empty()) return;
  squares_[slot] = square;
  extras_[slot] = extra;
}

SparseRegressors::SparseRegressors(size_t slots, std::span<const uint32_t> used,
                                   std::span<const float> weights)
    : groups_((slots + kLanes + kLine) / (kLine * kInGroup) + 1) {
  for (uint32_t slot : used)
    groups_[slot / (kLine * kInGroup)].used |= uint64_t{1} << slot / kLine % kInGroup;
  uint64_t stored = 1;
  for (Group& group : groups_) {
    group.before = stored;
    stored += static_cast<uint64_t>(std::popcount(group.used));
  }
  // A lane's block may reach beyond the last line.
  lines_.resize(stored * kLine + kLanes);
  uint32_t line = 0;
  for (size_t i = 0; i < used.size(); ++i) {
    find_lines(used[i], {&line, 1});
    lines_[line * kLine + used[i] % kLine] = weights[i];
  }
}

void SparseRegressors::find_lines(size_t slot, std::span<uint32_t> lines) const {
  const Group* group = &groups_[slot / (kLine * kInGroup)];
  size_t bit = slot / kLine % kInGroup;
  uint64_t stored =
      group->before + static_cast<uint64_t>(std::popcount(group->used & ((uint64_t{1} << bit) - 1)));
  for (uint32_t& line : lines) {
    const uint64_t is_used = group->used >> bit & 1;
    line = static_cast<uint32_t>(stored & -is_used);
    stored += is_used;
    if (++bit == kInGroup) {
      ++group;
      bit = 0;
    }
  }
}

void SparseRegressors::predict(const Rows& rows, Blocks blocks, Scratch& scratch, float* out) const {
  if (blocks.empty()) return;
  const auto reach = static_cast<size_t>(*std::max_element(blocks.begin(), blocks.end()));
  const auto each_slot = [&](auto&& visit) {
    for (const Row& row : rows.plain) visit(row.slot);
    for (const LaneRow& row : rows.by_lane) visit(row.slot);
  };
  scratch.places.resize((rows.plain.size() + rows.by_lane.size()) * blocks.size());
  // As many as a row may lie in: the processor would guess wrong how many it does.
  scratch.lines.resize((kLine - 1 + reach) / kLine + 1);
  uint32_t* place = scratch.places.data();
  each_slot([&](uint32_t slot) {
    const size_t begin = slot % kLine;
    const std::span<uint32_t> lines = scratch.lines;
    find_lines(slot, lines);
    for (uint32_t line : lines) __builtin_prefetch(&lines_[line * kLine]);
    for (int32_t block : blocks) {
      const size_t at = begin + static_cast<size_t>(block);
      *place++ = lines[at / kLine] * kLine + static_cast<uint32_t>(at % kLine);
    }
  });
  const float* w = lines_.data();
  const uint32_t* places = scratch.places.data();
  const size_t count = blocks.size();
  sum_up(rows, count, out,
         [=](size_t row, uint32_t, size_t block) { return w + places[row * count + block]; });
}

}  // namespace arcwise
