#include "learn/segmentation_trainer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace arcwise {
namespace {

AdagradRda::Options learner_options(const SegmentationTrainerOptions& options,
                                    const std::deque<SegmentedText>& texts) {
  AdagradRda::Options adagrad = options.adagrad;
  double characters = 0;
  for (const SegmentedText& text : texts) characters += text.words();
  adagrad.lambda = options.penalty / std::max(characters, 1.0);
  return adagrad;
}

BoundaryRules learn_rules(const std::deque<SegmentedText>& texts) {
  auto counts = std::make_unique<BoundaryCounts>();
  for (const SegmentedText& text : texts) counts->add(text.tokens, text.labels);
  return counts->rules();
}

}  // namespace

SegmentedText::SegmentedText(std::string paragraph, std::span<const TokenEnd> ends)
    : text(std::move(paragraph)) {
  tokens.read(text, {});
  const auto size = static_cast<size_t>(tokens.size());
  heads.assign(size, 0);
  labels.assign(size, static_cast<int32_t>(Boundary::Inside));
  size_t i = 0;
  for (const TokenEnd& end : ends) {
    while (i < size && tokens[static_cast<int32_t>(i)].end < end.at) ++i;
    // A token that ends before a mark that belongs to its last character ends nowhere.
    if (i < size && tokens[static_cast<int32_t>(i)].end == end.at)
      labels[i] = static_cast<int32_t>(end.boundary);
  }
}

SegmentationTrainer::SegmentationTrainer(std::deque<SegmentedText> texts, Splits splits,
                                         const SegmentationTrainerOptions& options)
    : texts_(std::move(texts)),
      order_(texts_.size()),
      splits_(std::move(splits)),
      rules_(learn_rules(texts_)),
      task_(rules_, splits_, {}),
      learner_(learner_options(options, texts_)),
      search_(task_, features_, learner_, Oracle::Dynamic, options.policy),
      random_(options.seed),
      prune_(options.prune) {
  if (texts_.empty()) throw std::invalid_argument("There is no text to learn from.");
  std::iota(order_.begin(), order_.end(), 0u);
}

TrainingProgress SegmentationTrainer::epoch() {
  random_.shuffle(std::span(order_));
  ++epochs_;
  TrainingProgress progress;
  for (const uint32_t number : order_) {
    task_.take(texts_[number].tokens);
    search_.train(texts_[number], epochs_, random_, progress);
  }
  return progress;
}

LinearArrays SegmentationTrainer::linear() const {
  LinearBuilder builder(kBoundaries);
  learner_.each_weight([&](uint64_t key, Class move, float weight) {
    if (std::fabs(weight) >= prune_) builder.add(key, move, weight);
  });
  return builder.build();
}

}  // namespace arcwise
