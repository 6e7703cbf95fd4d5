// Many regressions with the squared loss over one table of weights: a feature has a row in the table, and a
// column (an action, or a hidden unit) has its weight there. Predictions are linear in the features.
//
// Updates, for the residual r = prediction - target, the feature's value x and the importance h:
//   sgd      w -= rate / t^power_t * h r x, where t counts the updates.
//   default  Adaptive (Duchi, Hazan & Singer 2011): a weight has a rate of its own, by the sum of its squared
//            gradients. Normalised (Ross, Mineiro & Langford 2013, NAG): it does not matter in which unit a
//            feature is measured. Importance-invariant (Karampatziakis & Langford 2011): an update of
//            importance h does what infinitely many that add up to h would do, and cannot overshoot.
//   ftrl     FTRL-proximal (McMahan 2011; McMahan et al. 2013), with the penalties l1 and l2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.h"

namespace arcwise {

enum class Update { Sgd, Default, Ftrl };

struct RegressionOptions {
  Update update = Update::Default;
  double rate = 0.5;
  double power_t = 0;
  double beta = 1, l1 = 0, l2 = 0;
};

// Columns are worked on kLanes at a time: a block is the first of them, a lane one of a block. An array with
// a number for each lane has those of the first block first.
inline constexpr size_t kLanes = 4;
using Blocks = std::span<const int32_t>;

// A feature of one example: where its weights begin, and its value.
struct Row {
  uint32_t slot = 0;
  float value = 0;
};

// A feature that has a value of its own in each lane: what a hidden unit of each action gives.
struct LaneRow {
  uint32_t slot = 0;
  const float* values = nullptr;
};

// The features of one example.
struct Rows {
  std::span<const Row> plain;
  std::span<const LaneRow> by_lane = {};
};

// What an update knows of those before it.
struct UpdateCounts {
  double updates = 0;  // t of sgd
  double weight = 0;   // of all examples: t of NAG
  double norms = 0;    // N of NAG
};

class Regressors {
 public:
  struct Scratch {
    std::vector<float> norms, curvatures, steps, rates;
  };

  Regressors(const RegressionOptions& options, size_t slots);

  size_t size() const { return weights_.size() - kLanes; }

  // Those blocks that stand for a line of the processor's cache, to prefetch by.
  static void lines_of(Blocks blocks, std::vector<int32_t>& lines);
  void prefetch(Row row, Blocks lines) const;
  void prefetch_to_learn(Row row, Blocks lines) const;

  // The predictions of all lanes, wanted or not.
  void predict(const Rows& rows, Blocks blocks, float* out) const;

  // Learning from an example: its predictions, then its update. Lanes of importance 0 are not touched. Of two
  // columns whose predictions pull at each other, each goes half the way: their `pull` is 2, and else 1.
  void observe(const Rows& rows, Blocks blocks, const float* importances, Scratch& scratch, float* out);
  void update(const Rows& rows, Blocks blocks, const float* importances, const float* residuals, float pull,
              UpdateCounts& counts, Scratch& scratch);

  // A weight before anything is learnt; `scale` is how large its feature's values are known to get.
  void start(size_t slot, float weight, float scale);

  float weight(size_t slot) const { return weights_[slot]; }
  float square(size_t slot) const { return squares_.empty() ? 0.0f : squares_[slot]; }
  float extra(size_t slot) const { return extras_.empty() ? 0.0f : extras_[slot]; }
  void set(size_t slot, float weight, float square, float extra);

 private:
  void update_sgd(const Rows& rows, Blocks blocks, const float* importances, const float* residuals,
                  UpdateCounts& counts);
  void update_default(const Rows& rows, Blocks blocks, const float* importances, const float* residuals,
                      float pull, UpdateCounts& counts, Scratch& scratch);
  void update_ftrl(const Rows& rows, Blocks blocks, const float* importances, const float* residuals);

  RegressionOptions options_;
  // A lane's block may reach beyond the last row: there are some slots more than asked for.
  HugeVector<float> weights_;
  HugeVector<float> squares_;  // of gradients, their sum; not sgd
  HugeVector<float> extras_;   // default: the largest size of the feature's values so far; ftrl: z
};

// The same only to predict with: of the table of weights, what is not 0. It takes memory for what was learnt,
// not for all that could have been.
class SparseRegressors {
 public:
  struct Scratch {
    std::vector<uint32_t> lines;   // of a row
    std::vector<uint32_t> places;  // of the weights of each row and block
  };

  SparseRegressors() = default;
  // Of so many slots, these, in ascending order, have these weights.
  SparseRegressors(size_t slots, std::span<const uint32_t> used, std::span<const float> weights);

  void prefetch(Row row) const { __builtin_prefetch(&groups_[row.slot / (kLine * kInGroup)]); }

  // As Regressors::predict, to the bit.
  void predict(const Rows& rows, Blocks blocks, Scratch& scratch, float* out) const;

  // visit(slot, weight) for each weight that is not 0, in the order of slots.
  template <class F>
  void each(F&& visit) const {
    size_t stored = 0;
    for (size_t g = 0; g < groups_.size(); ++g)
      for (size_t l = 0; l < kInGroup; ++l) {
        if ((groups_[g].used >> l & 1) == 0) continue;
        const float* weights = &lines_[++stored * kLine];
        for (size_t i = 0; i < kLine; ++i)
          if (weights[i] != 0) visit((g * kInGroup + l) * kLine + i, weights[i]);
      }
  }

 private:
  // The table is cut into lines, those of the processor's cache. The ones that are used are stored one after
  // the other; which ones these are is in groups, a bit each, with how many are stored before the group. The
  // first that is stored is all 0, and stands for those that are not.
  static constexpr size_t kLine = 16, kInGroup = 64;
  struct Group {
    uint64_t used = 0, before = 0;
  };

  // Where the line of a slot is stored, and those after it.
  void find_lines(size_t slot, std::span<uint32_t> lines) const;

  std::vector<Group> groups_;
  HugeVector<float> lines_;
};

}  // namespace arcwise
