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

bool Grammar::look_for_dependent(const Tree& tree, int32_t node, uint64_t labels) const {
  const Node& n = tree[node];
  const int32_t first = std::max(n.left == kNone ? node : n.left, node - kFarthest);
  const int32_t last = std::min({n.right == kNone ? node : n.right, node + kFarthest, tree.words()});
  for (int32_t word = std::max(first, 1); word <= last; ++word)
    if (tree[word].head == node && rows_[tree[word].label].as_dependent & labels) return true;
  return false;
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
