#include "train/silver_trees.h"

#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/random.h"

namespace arcwise {
namespace {

// The same trees with other numbers for their labels; those without one are unknown.
Treebank with_labels(const Treebank& treebank, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, int32_t> numbers;
  for (size_t l = 0; l < names.size(); ++l) numbers.emplace(names[l], static_cast<int32_t>(l));
  std::vector<int32_t> mapped;
  for (const std::string& name : treebank.label_names()) {
    const auto found = numbers.find(name);
    mapped.push_back(found == numbers.end() ? kUnknownLabel : found->second);
  }
  std::vector<int32_t> labels;
  labels.reserve(treebank.word_count());
  for (const int32_t label : treebank.labels())
    labels.push_back(label == kUnknownLabel ? kUnknownLabel : mapped[label]);
  return treebank.with_trees({treebank.heads().begin(), treebank.heads().end()}, std::move(labels), names);
}

}  // namespace

SilverTrees::SilverTrees(const SilverOptions& options, const TrainingSet& gold,
                         std::vector<std::string> label_names, const TrainingSetOptions& how,
                         std::optional<SilverTags> tags, Embed embed, uint64_t seed)
    : options_(options),
      label_names_(std::move(label_names)),
      how_(how),
      tags_(std::move(tags)),
      embed_(std::move(embed)),
      seed_(seed),
      share_(static_cast<double>(options.words) / static_cast<double>(gold.words * options.epochs)) {
  options_.counts.reset();  // which are no longer needed, and large
  how_.known = static_cast<const LabelSet&>(gold);
  how_.single_root = gold.single_root;
  how_.taught = !options.teachers.empty();
  how_.headless = tags_.has_value() || how_.taught;
  how_.may_be_empty = true;
}

void SilverTrees::give(Treebank chunk) {
  Treebank own = with_labels(chunk, label_names_);
  TrainingSet set = TrainingSet::make(own, {}, how_);
  std::vector<Sentence> sentences;
  sentences.reserve(set.sentences.size());
  for (TrainingSentence& tree : set.sentences) {
    NetworkSentence input = embed_(own, tree.number);
    input.weight = static_cast<float>(options_.weight);
    sentences.push_back({std::move(tree), std::move(input)});
  }
  const int64_t number = wanted();
  std::vector<uint32_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0u);
  Random(mix(seed_ + static_cast<uint64_t>(number))).shuffle(std::span(order));
  const bool goes_on = !is_given_;
  if (goes_on && place_.position > static_cast<int64_t>(order.size()))
    throw std::invalid_argument("The checkpoint does not belong to these silver trees.");

  chunk_ = std::move(own);
  tags_of_chunk_ = tags_ ? tags_->of(chunk_) : std::vector<TrainingSentence>{};
  sentences_ = std::move(sentences);
  for (Sentence& sentence : sentences_) {
    sentence.tree.treebank = &chunk_;
    if (tags_) sentence.tags = &tags_of_chunk_[sentence.tree.number];
  }
  order_ = std::move(order);
  place_.chunk = number;
  if (!goes_on) place_.position = 0;
  is_given_ = true;
}

void SilverTrees::take_up(const Place& place) {
  place_ = place;
  is_given_ = false;
}

}  // namespace arcwise
