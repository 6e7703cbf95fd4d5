// Trains a segmenter with AdaGrad-RDA, in the loop that every task is trained in.
#pragma once

#include <string>
#include <vector>

#include "feature/boundary_features.h"
#include "learn/adagrad_rda.h"
#include "learn/online_learner.h"
#include "model/linear.h"
#include "task/segmentation.h"
#include "train/loop.h"
#include "train/system_training.h"

namespace arcwise {

// How a token ends: after this many bytes, and how.
struct TokenEnd {
  uint32_t at;
  Boundary boundary;
};

// A paragraph with all its tokens. What comes after a blank line is not learnt from.
struct SegmentedText {
  std::string text;
  std::vector<TokenEnd> ends;
};

// The same made ready for the training loop, to which it is a sentence: its characters, and what happens
// after each of them.
struct BoundaryLesson {
  void take(const SegmentedText& from);

  RawText text;
  std::vector<Boundary> boundaries;  // after each character

  int32_t words() const { return text.size(); }
};

struct SegmentationTrainerOptions {
  AdagradRda::Options adagrad;  // but for lambda
  double penalty = 0.2;         // what an epoch adds to it
  OracleAndPolicy how{Oracle::Dynamic, SamplePolicy({})};
  uint64_t seed = 1;
  double prune = 0.08;  // weights nearer to 0 than this do not come into the model
  size_t plain =
      SIZE_MAX;  // so many texts, the first ones, are as they are found: words are known from these
};

class SegmentationTrainer {
 public:
  SegmentationTrainer(std::vector<SegmentedText> texts, Splits splits,
                      const SegmentationTrainerOptions& options);
  SegmentationTrainer(const SegmentationTrainer&) = delete;  // the search looks at what is here

  // Throws std::logic_error after an epoch that was interrupted.
  TrainingProgress epoch();

  const BoundaryRules& rules() const { return rules_; }
  const SeenWords& seen() const { return seen_; }
  LinearArrays linear() const;

 private:
  struct Counts {
    BoundaryCounts boundaries;
    SeenWordCounts words;
  };
  static Counts count(const std::vector<SegmentedText>& texts, size_t plain);
  SegmentationTrainer(const Counts& counts, std::vector<SegmentedText>&& texts, Splits splits,
                      const SegmentationTrainerOptions& options);

  std::vector<SegmentedText> texts_;
  std::vector<uint32_t> order_;
  BoundaryLesson lesson_;
  Splits splits_;
  BoundaryRules rules_;
  SeenWords seen_;
  BoundaryFeatures features_;
  Segmentation task_;
  AdagradRda learner_;
  Random random_;
  OnlineLearner<AdagradRda, BoundaryFeatures, RawText> online_;
  TrainingLoop<Segmentation> loop_;
  double prune_;
  int epochs_ = 0;
  bool under_way_ = false;
};

}  // namespace arcwise
