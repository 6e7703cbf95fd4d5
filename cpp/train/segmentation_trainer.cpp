#include "train/segmentation_trainer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/interrupts.h"

namespace arcwise {
namespace {

AdagradRda::Options learner_options(const SegmentationTrainerOptions& options, int64_t characters) {
  AdagradRda::Options adagrad = options.adagrad;
  adagrad.lambda = options.penalty / static_cast<double>(std::max<int64_t>(characters, 1));
  return adagrad;
}

}  // namespace

SegmentationTrainer::Counts SegmentationTrainer::count(const std::vector<SegmentedText>& texts,
                                                       size_t plain) {
  if (texts.empty()) throw std::invalid_argument("There is no text to learn from.");
  Counts counts;
  BoundaryLesson lesson;
  for (size_t i = 0; i < texts.size(); ++i) {
    lesson.take(texts[i]);
    counts.boundaries.add(lesson.text, lesson.boundaries);
    if (i < plain) counts.words.add(lesson.text);
  }
  return counts;
}

void BoundaryLesson::take(const SegmentedText& from) {
  text.read(from.text, {});
  const auto size = static_cast<size_t>(text.size());
  boundaries.assign(size, Boundary::Inside);
  size_t i = 0;
  for (const TokenEnd& end : from.ends) {
    while (i < size && text[static_cast<int32_t>(i)].end < end.at) ++i;
    // A token that ends before a mark that belongs to its last character ends nowhere.
    if (i < size && text[static_cast<int32_t>(i)].end == end.at) boundaries[i] = end.boundary;
  }
}

SegmentationTrainer::SegmentationTrainer(std::vector<SegmentedText> texts, Splits splits,
                                         const SegmentationTrainerOptions& options)
    : SegmentationTrainer(count(texts, options.plain), std::move(texts), std::move(splits), options) {}

SegmentationTrainer::SegmentationTrainer(const Counts& counts, std::vector<SegmentedText>&& texts,
                                         Splits splits, const SegmentationTrainerOptions& options)
    : texts_(std::move(texts)),
      order_(texts_.size()),
      splits_(std::move(splits)),
      rules_(counts.boundaries.rules()),
      seen_(counts.words.words()),
      features_(seen_),
      task_(rules_, splits_, {}),
      learner_(learner_options(options, counts.boundaries.characters())),
      random_(options.seed),
      online_(learner_, features_, kBoundaries, random_),
      loop_(task_, options.how.oracle, options.how.policy),
      prune_(options.prune) {
  std::iota(order_.begin(), order_.end(), 0u);
}

TrainingProgress SegmentationTrainer::epoch() {
  if (std::exchange(under_way_, true))
    throw std::logic_error("Training ended in the middle of an epoch: start it again.");
  random_.shuffle(std::span(order_));
  ++epochs_;
  TrainingProgress progress;
  for (const uint32_t number : order_) {
    lesson_.take(texts_[number]);
    online_.sentence(lesson_.text);
    loop_.train(
        online_, lesson_, [](const BoundaryLesson& l) -> const RawText& { return l.text; }, epochs_,
        progress);
    check_interrupts(100);
  }
  under_way_ = false;
  return progress;
}

LinearArrays SegmentationTrainer::linear() const {
  LinearBuilder builder(kBoundaries);
  learner_.each_weight([&](uint64_t key, MoveId move, float weight) {
    if (std::fabs(weight) >= prune_) builder.add(key, move, weight);
  });
  return builder.build();
}

}  // namespace arcwise
