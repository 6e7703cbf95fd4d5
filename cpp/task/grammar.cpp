#include "task/grammar.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace arcwise {

Grammar::Grammar(std::vector<std::string> tags, std::span<const GrammarRule> rules,
                 std::span<const LiftedLabel> labels, std::vector<std::vector<int32_t>> completions)
    : tags_(std::move(tags)), completions_(std::move(completions)) {
  const auto demand = [](bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  };
  demand(tags_.size() <= kMostTags, "The grammar is damaged: it has too many tags.");
  demand(completions_.size() == tags_.size(), "The grammar is damaged: a tag has no labels of its own.");
  int32_t bases = 0;
  for (const LiftedLabel& label : labels) bases = std::max(bases, label.base + 1);
  std::vector<Row> of_base(static_cast<size_t>(bases));
  uint64_t next = 1;
  const auto own = [&](int32_t base) {
    if (of_base[base].own == 0) {
      demand(next != 0, "The grammar is damaged: it has rules of too many labels.");
      of_base[base].own = next;
      next <<= 1;
    }
    return of_base[base].own;
  };
  for (const auto& [kind, label, other] : rules) {
    demand(label >= 0 && label < bases && other >= 0, "The grammar is damaged: there is no such label.");
    Row& row = of_base[label];
    switch (kind) {
      case RuleKind::Tag:
      case RuleKind::HeadTag:
        demand(other < static_cast<int32_t>(tags_.size()), "The grammar is damaged: there is no such tag.");
        (kind == RuleKind::Tag ? row.tags : row.head_tags) |= uint64_t{1} << other;
        break;
      case RuleKind::Side:
        demand(other <= 1, "The grammar is damaged: there is no such side.");
        row.sides |= other == 0 ? kLeft : kRight;
        break;
      case RuleKind::Parent:
        demand(other < bases, "The grammar is damaged: there is no such label.");
        row.parents |= own(other);
        of_base[other].children.labels |= own(label);
        break;
      case RuleKind::Sibling:
        demand(other < bases, "The grammar is damaged: there is no such label.");
        row.siblings.labels |= own(other);
        of_base[other].siblings.labels |= own(label);
        break;
      default:
        demand(false, "The grammar is damaged: there is no such kind of rule.");
    }
  }
  for (const LiftedLabel& label : labels) {
    demand(label.base >= 0, "The model is damaged: a label has no name.");
    Row row = of_base[label.base];
    // A lifted word will have another head.
    if (label.lifted_from != kNotLifted) {
      row.head_tags = row.parents = 0;
      row.siblings = {};
      row.sides = 0;
    } else {
      row.as_dependent = row.own;
    }
    rows_.push_back(row);
  }
  base_rows_ = std::move(of_base);
  for (std::vector<int32_t>& of_tag : completions_)
    for (int32_t& label : of_tag) {
      const auto plain = std::find(labels.begin(), labels.end(), LiftedLabel{.base = label});
      demand(plain != labels.end(), "The grammar is damaged: there is no such label.");
      label = static_cast<int32_t>(plain - labels.begin());
    }
  for (Row& row : rows_)
    for (size_t l = 0; l < rows_.size(); ++l) {
      const uint64_t kept = uint64_t{1} << (l & 63);
      if (row.siblings.labels & rows_[l].as_dependent) row.siblings.kept |= kept;
      if (row.children.labels & rows_[l].as_dependent) row.children.kept |= kept;
    }
}

int32_t GrammarOfSentence::broken(std::span<const int32_t> heads, std::span<const int32_t> labels) {
  each_other_tag(heads, labels, [&](int32_t word, const OtherTag& other) { tags_[word] = other.tag; });
  const int32_t broken = broken_as_tagged(heads, labels);
  for (const Doubtful& doubtful : doubtful_) tags_[doubtful.word] = doubtful.tags.front().tag;
  return broken;
}

int32_t GrammarOfSentence::broken_as_tagged(std::span<const int32_t> heads, std::span<const int32_t> labels) {
  of_dependents_.assign(heads.size() + 1, 0);
  const auto end = static_cast<int32_t>(heads.size()) + 1;
  first_broken_ = end;
  last_broken_ = 0;
  int32_t broken = 0;
  for (size_t w = 0; w < heads.size(); ++w) {
    const auto word = static_cast<int32_t>(w) + 1;
    const int32_t head = heads[w];
    const Grammar::Row& row = grammar_.base_row(labels[w]);
    bool breaks = (row.tags & tags_[word]) != 0;
    if (head != kRoot) {
      breaks |= (row.head_tags & tags_[head]) != 0;
      breaks |= (row.sides & Grammar::side_of({head, word})) != 0;
      breaks |= (row.parents & grammar_.base_row(labels[head - 1]).own) != 0;
      breaks |= (row.siblings.labels & of_dependents_[head]) != 0;
      of_dependents_[head] |= row.own;
    }
    if (!breaks) continue;
    ++broken;
    // Another label or head bears on the arc to the head's own head, too. That to the root is added last.
    const int32_t above = head == kRoot ? end : heads[head - 1];
    last_broken_ = std::max({last_broken_, word, head, above});
    first_broken_ = std::min(first_broken_, head == kRoot ? word : std::min(word, head));
    for (int32_t other = std::max(1, word - Grammar::kFarthest); other < first_broken_; ++other)
      if (heads[other - 1] == head && row.siblings.labels & grammar_.base_row(labels[other - 1]).own)
        first_broken_ = other;
  }
  return broken;
}

std::span<const int32_t> GrammarOfSentence::suspects(std::span<const int32_t> heads,
                                                     std::span<const int32_t> labels) {
  suspects_.clear();
  const auto add = [&](int32_t word) {
    if (suspects_.size() < kMostDoubtful &&
        std::find(suspects_.begin(), suspects_.end(), word) == suspects_.end())
      suspects_.push_back(word);
  };
  for (size_t w = 0; w < heads.size(); ++w) {
    const Grammar::Row& row = grammar_.base_row(labels[w]);
    const auto word = static_cast<int32_t>(w) + 1;
    if (row.tags & tags_[word]) add(word);
    if (heads[w] != kRoot && row.head_tags & tags_[heads[w]]) add(heads[w]);
  }
  return suspects_;
}

void GrammarOfSentence::doubt(int32_t word, std::vector<OtherTag> others) {
  others.insert(others.begin(), {kNone, tags_[word], 0});
  std::stable_sort(others.begin() + 1, others.end(),
                   [](const OtherTag& a, const OtherTag& b) { return a.loss < b.loss; });
  doubtful_.push_back({word, std::move(others)});
}

uint64_t GrammarOfSentence::excluded(const Tree& tree, int32_t word) const {
  uint64_t tags = tree.label(word) < 0 ? 0 : grammar_.rows_[tree.label(word)].tags;
  Grammar::any_dependent(tree, word, [&](int32_t label) {
    tags |= grammar_.rows_[label].head_tags;
    return false;
  });
  return tags;
}

uint64_t GrammarOfSentence::excluded(std::span<const int32_t> heads, std::span<const int32_t> labels,
                                     int32_t word) const {
  uint64_t tags = grammar_.base_row(labels[word - 1]).tags;
  for (size_t w = 0; w < heads.size(); ++w)
    if (heads[w] == word) tags |= grammar_.base_row(labels[w]).head_tags;
  return tags;
}

int32_t GrammarOfSentence::completion(const Tree& tree, int32_t word, int32_t label) const {
  const uint64_t tag = tags_[word];
  if ((grammar_.rows_[label].tags & tag) == 0) return label;
  const ArcEnds arc{tree[word].head, word};
  const auto& labels = grammar_.completions_[static_cast<size_t>(std::countr_zero(tag))];
  const auto better =
      std::find_if(labels.begin(), labels.end(), [&](int32_t l) { return allows(tree, arc, l); });
  return better == labels.end() ? label : *better;
}

}  // namespace arcwise
