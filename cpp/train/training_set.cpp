#include "train/training_set.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "base/interrupts.h"

namespace arcwise {
namespace {

constexpr size_t kLeastUses = 2;

std::span<const int32_t> of_sentence(std::span<const int32_t> all, const Treebank& treebank, size_t s) {
  return all.subspan(treebank.first_word(s), treebank.length(s));
}

bool mostly_single_rooted(const Treebank& treebank) {
  size_t trees = 0, single = 0;
  for (size_t s = 0; s < treebank.sentence_count(); ++s) {
    const auto heads = of_sentence(treebank.heads(), treebank, s);
    const auto roots = std::count(heads.begin(), heads.end(), 0);
    trees += roots > 0;
    single += roots == 1;
  }
  return static_cast<double>(single) >= kSingleRootedShare * static_cast<double>(trees);
}

int32_t usual_root_label(const Treebank& treebank) {
  std::map<int32_t, size_t> count;
  for (size_t w = 0; w < treebank.word_count(); ++w)
    if (treebank.heads()[w] == 0) ++count[treebank.labels()[w]];
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? kUnknownLabel : most->first;
}

void keep_one_root(std::vector<int32_t>& heads, const std::vector<int32_t>& labels, int32_t usual) {
  if (std::count(heads.begin(), heads.end(), 0) < 2) return;
  size_t root = heads.size();
  for (size_t w = 0; w < heads.size(); ++w)
    if (heads[w] == 0 && (root == heads.size() || (labels[w] == usual && labels[root] != usual))) root = w;
  for (size_t w = 0; w < heads.size(); ++w)
    if (heads[w] == 0 && w != root) heads[w] = kUnknownHead;
}

// Labels that occur get their numbers in the order of how often they do.
class LabelCounts {
 public:
  void count(int32_t label) {
    if (label >= static_cast<int32_t>(counts_.size())) counts_.resize(label + 1, 0);
    ++counts_[label];
  }
  std::vector<int32_t> most_frequent_first() const {
    std::vector<int32_t> labels;
    for (size_t l = 0; l < counts_.size(); ++l)
      if (counts_[l] > 0) labels.push_back(static_cast<int32_t>(l));
    std::stable_sort(labels.begin(), labels.end(),
                     [&](int32_t a, int32_t b) { return counts_[a] > counts_[b]; });
    return labels;
  }

 private:
  std::vector<size_t> counts_;
};

}  // namespace

TrainingSet TrainingSet::make(const Treebank& treebank, std::span<const Attribute> attributes,
                              const TrainingSetOptions& options) {
  TrainingSet set;
  set.single_root = options.single_root.value_or(mostly_single_rooted(treebank));
  const int32_t root_label = usual_root_label(treebank);
  std::unordered_map<LiftedLabel, size_t> uses;
  std::vector<std::vector<LiftedLabel>> lifted;
  for (size_t s = 0; s < treebank.sentence_count(); ++s) {
    check_interrupts(100);
    const auto own_heads = of_sentence(treebank.heads(), treebank, s);
    const auto own_labels = of_sentence(treebank.labels(), treebank, s);
    TrainingSentence sentence;
    sentence.is_taught = options.taught;
    sentence.heads.assign(own_heads.begin(), own_heads.end());
    sentence.labels.assign(own_labels.begin(), own_labels.end());
    if (sentence.is_taught) {
      std::fill(sentence.heads.begin(), sentence.heads.end(), kUnknownHead);
      std::fill(sentence.labels.begin(), sentence.labels.end(), kUnknownLabel);
    }
    if (set.single_root) keep_one_root(sentence.heads, sentence.labels, root_label);
    const bool any_known = std::any_of(sentence.heads.begin(), sentence.heads.end(),
                                       [](int32_t head) { return head != kUnknownHead; });
    const bool must_lift = options.projective && !is_projective(sentence.heads);
    if (!(any_known || options.headless) || (must_lift && !options.lift)) {
      ++set.left_out;
      continue;
    }
    lifted.emplace_back(sentence.heads.size());
    if (must_lift)
      projectivize(sentence.heads, sentence.labels, *options.lift, sentence.heads, lifted.back());
    else
      for (size_t w = 0; w < sentence.labels.size(); ++w) lifted.back()[w] = {sentence.labels[w]};
    for (const LiftedLabel& label : lifted.back()) {
      set.lifted += label.lifted_from != kNotLifted;
      ++uses[label];
    }
    sentence.number = s;
    sentence.tokens.fill(treebank, s, attributes);
    set.words += sentence.words();
    set.sentences.push_back(std::move(sentence));
  }

  std::unordered_map<LiftedLabel, int32_t> numbers;
  if (options.known) static_cast<LabelSet&>(set) = *options.known;
  for (size_t l = 0; l < set.labels.size(); ++l) numbers.emplace(set.labels[l], static_cast<int32_t>(l));
  const auto number_of = [&](LiftedLabel label) {
    // A mark that occurs once teaches nothing, and would be a class of its own.
    if (options.known ? !numbers.contains(label) : uses[label] < kLeastUses) label = {label.base};
    if (const auto found = numbers.find(label); found != numbers.end()) return found->second;
    if (options.known) return kUnknownLabel;
    set.labels.push_back(label);
    return numbers[label] = static_cast<int32_t>(set.labels.size()) - 1;
  };
  LabelCounts left, right, root, any, after_root;
  for (size_t s = 0; s < set.sentences.size(); ++s) {
    auto &heads = set.sentences[s].heads, &labels = set.sentences[s].labels;
    for (size_t w = 0; w < heads.size(); ++w) {
      const LiftedLabel& label = lifted[s][w];
      const bool known = label.base != kUnknownLabel && heads[w] != kUnknownHead;
      const int32_t number = labels[w] = known ? number_of(label) : kUnknownLabel;
      if (number == kUnknownLabel) continue;
      const auto word = static_cast<int32_t>(w) + 1;
      (heads[w] == 0 ? root : heads[w] > word ? left : right).count(number);
      any.count(number);
      if (heads[w] > 0 && heads[w] < word && heads[heads[w] - 1] == 0) after_root.count(number);
    }
  }
  if (set.sentences.empty() && !options.may_be_empty)
    throw std::invalid_argument(
        "There is no tree to train on: every sentence is without heads, or non-projective and left out.");
  if (set.labels.empty())
    throw std::invalid_argument("There is no label to train on: no arc of the treebank has a DEPREL.");
  if (options.known) return set;
  set.arcs = {left.most_frequent_first(), right.most_frequent_first(), root.most_frequent_first(), 0};
  // Whatever the data, no state may be left without a move.
  for (auto* labels : {&set.arcs.left, &set.arcs.right, &set.arcs.root})
    if (labels->empty()) labels->push_back(any.most_frequent_first().front());
  const auto usual = after_root.most_frequent_first();
  set.arcs.completion = usual.empty() ? set.arcs.right.front() : usual.front();
  return set;
}

}  // namespace arcwise
