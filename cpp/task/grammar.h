// What the trees of a treebank are never like: rules that were learnt from it, and whether an arc keeps to
// them, by the tags of its words and by what stands in the tree already.
//
// A rule is of a label and something else that never go together. All that a label must not meet lies in one
// row of sets, a bit for each tag or label, so that a question takes a few instructions and a state has
// nothing to keep.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/pseudo_projective.h"
#include "tree/tree.h"

namespace arcwise {

enum class RuleKind : uint8_t {
  Tag,      // no word of this tag has the label
  HeadTag,  // no word of this tag has a dependent with the label
  Side,     // no dependent with the label stands on this side of its head: 0 left, 1 right
  Parent,   // no word with this label has a dependent with the label
  Sibling,  // no head has dependents with this label and the label, or two with it
};

struct GrammarRule {
  RuleKind kind;
  int32_t label;  // a base label
  int32_t other;  // a tag, a side or another base label
};

class Grammar {
 public:
  static constexpr size_t kMostTags = 64, kMostLabels = 64;

  // `labels` are what those of moves mean. Throws std::invalid_argument if a rule is of what there is not, or
  // if there are more tags, or labels in rules of two labels, than have room.
  Grammar(std::vector<std::string> tags, std::span<const GrammarRule> rules,
          std::span<const LiftedLabel> labels, std::vector<std::vector<int32_t>> completions);

  // The set that has this tag; empty if no rule knows it.
  uint64_t set_of_tag(std::string_view tag) const {
    for (size_t t = 0; t < tags_.size(); ++t)
      if (tags_[t] == tag) return uint64_t{1} << t;
    return 0;
  }

  // Whether the tree may have this arc, too. `tags` has the set of each node's tag, from ROOT on.
  bool allows(const Tree& tree, std::span<const uint64_t> tags, int32_t head, int32_t dependent,
              int32_t label) const {
    const Row& row = rows_[label];
    if (row.tags & tags[dependent]) return false;
    const bool from_root = head == kRoot || head > tree.words();
    if (!from_root) {
      if (row.head_tags & tags[head] || row.sides & (dependent < head ? kLeft : kRight)) return false;
      const Node& above = tree[head];
      if (above.label >= 0 && row.parents & rows_[above.label].own) return false;
      if (has_dependent(tree, head, row.siblings)) return false;
    }
    return !has_dependent(tree, dependent, row.children);
  }

 private:
  static constexpr uint8_t kLeft = 1, kRight = 2;
  // Dependents further away are not looked at, so that long sentences take linear time.
  static constexpr int32_t kFarthest = 1000;

  // Labels of dependents, and the same as nodes of trees keep them: without any of those, there is none of
  // these.
  struct Dependents {
    uint64_t labels = 0, kept = 0;
  };
  struct Row {
    uint64_t own = 0;           // the label itself
    uint64_t as_dependent = 0;  // the same, if the word's head is the one that it has: not if it was lifted
    uint64_t tags = 0, head_tags = 0, parents = 0;
    Dependents siblings, children;
    uint8_t sides = 0;
  };

  friend class GrammarOfSentence;
  bool has_dependent(const Tree& tree, int32_t node, const Dependents& of) const {
    const Node& n = tree[node];
    return ((n.left_labels | n.right_labels) & of.kept) != 0 && look_for_dependent(tree, node, of.labels);
  }
  bool look_for_dependent(const Tree& tree, int32_t node, uint64_t labels) const;

  std::vector<std::string> tags_;
  std::vector<Row> rows_;  // of each label of moves
  // For words of each tag that a system gives a head for want of another: labels, the most frequent first.
  std::vector<std::vector<int32_t>> completions_;
};

// The rules as they bear on one sentence.
class GrammarOfSentence {
 public:
  explicit GrammarOfSentence(const Grammar& grammar) : grammar_(grammar) {}

  // tag_of(word) is that of each word, counted from 0.
  template <class TagOf>
  void set(size_t words, TagOf&& tag_of) {
    tags_.assign(words + 2, 0);
    for (size_t w = 0; w < words; ++w) tags_[w + 1] = grammar_.set_of_tag(tag_of(w));
  }
  // The label of a word that was given its head for want of another, and this label for want of a better one.
  int32_t completion(const Tree& tree, int32_t word, int32_t label) const;
  bool allows(const Tree& tree, ArcEnds arc, int32_t label) const {
    return grammar_.allows(tree, tags_, arc.head, arc.dependent, label);
  }

 private:
  const Grammar& grammar_;
  std::vector<uint64_t> tags_;
};

}  // namespace arcwise
