// What the trees of a treebank are never like: rules that were learnt from it, whether an arc keeps to them,
// by the tags of its words and by what stands in the tree already, and whether a whole tree does.
//
// A rule is of a label and something else that never go together. All that a label must not meet lies in one
// row of sets, a bit for each tag or label, so that a question takes a few instructions and a state has
// nothing to keep.
#pragma once

#include <algorithm>
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
  // Whether the tree may have this arc, too, as far as the tags of its words are not concerned.
  bool allows_between(const Tree& tree, ArcEnds arc, const Row& row) const {
    if (!is_from_root(tree, arc.head)) {
      if (row.sides & side_of(arc)) return false;
      const Node& above = tree[arc.head];
      if (above.label >= 0 && row.parents & rows_[above.label].own) return false;
      if (has_dependent(tree, arc.head, row.siblings)) return false;
    }
    return !has_dependent(tree, arc.dependent, row.children);
  }
  static bool is_from_root(const Tree& tree, int32_t head) { return head == kRoot || head > tree.words(); }
  static uint8_t side_of(ArcEnds arc) { return arc.dependent < arc.head ? kLeft : kRight; }
  bool has_dependent(const Tree& tree, int32_t node, const Dependents& of) const {
    const Node& n = tree[node];
    return ((n.left_labels | n.right_labels) & of.kept) != 0 && any_dependent(tree, node, [&](int32_t label) {
             return (rows_[label].as_dependent & of.labels) != 0;
           });
  }
  // Whether holds(label) of any dependent that is there.
  template <class F>
  static bool any_dependent(const Tree& tree, int32_t node, F&& holds) {
    const Node& n = tree[node];
    const int32_t first = std::max({n.left == kNone ? node : n.left, node - kFarthest, 1});
    const int32_t last = std::min({n.right == kNone ? node : n.right, node + kFarthest, tree.words()});
    for (int32_t word = first; word <= last; ++word)
      if (tree[word].head == node && holds(tree[word].label)) return true;
    return false;
  }

  // Of a base label; a user may have given a word one that the parser does not know.
  const Row& base_row(int32_t label) const {
    static constexpr Row kUnknown{};
    return static_cast<size_t>(label) < base_rows_.size() ? base_rows_[label] : kUnknown;
  }

  std::vector<std::string> tags_;
  std::vector<Row> rows_;       // of each label of moves
  std::vector<Row> base_rows_;  // of each base label
  // For words of each tag that a system gives a head for want of another: labels, the most frequent first.
  std::vector<std::vector<int32_t>> completions_;
};

// The rules as they bear on one sentence.
class GrammarOfSentence {
 public:
  // What an arc loses that breaks a rule: more than any moves and tags are worth.
  static constexpr double kBroken = 1e9;
  // Of more words the tags are not put in doubt.
  static constexpr size_t kMostDoubtful = 4;

  // A tag that a word could have as well, and by how much its logarithm of probability is less than that of
  // the tag that the word was given. The number is the tagger's.
  struct OtherTag {
    int32_t number;
    uint64_t tag;
    double loss;
  };

  explicit GrammarOfSentence(const Grammar& grammar) : grammar_(grammar) {}

  // tag_of(word) is that of each word, counted from 0. No tag is in doubt.
  template <class TagOf>
  void set(size_t words, TagOf&& tag_of) {
    doubtful_.clear();
    tags_.assign(words + 2, 0);
    for (size_t w = 0; w < words; ++w) tags_[w + 1] = grammar_.set_of_tag(tag_of(w));
  }
  uint64_t set_of_tag(std::string_view tag) const { return grammar_.set_of_tag(tag); }

  // How many arcs of a whole tree, given by output heads and base labels, break a rule. Where tags are in
  // doubt, those that go best with the tree count.
  int32_t broken(std::span<const int32_t> heads, std::span<const int32_t> labels);
  // From the first to the last word that such arcs of the last tree had to do with: their dependents, heads,
  // heads of these, and siblings.
  int32_t first_broken() const { return first_broken_; }
  int32_t last_broken() const { return last_broken_; }
  // The first few words whose tags speak against their labels, or against those of their dependents.
  std::span<const int32_t> suspects(std::span<const int32_t> heads, std::span<const int32_t> labels);
  // From now on, the word may also have one of these tags, at a loss.
  void doubt(int32_t word, std::vector<OtherTag> others);
  // visit(word, tag) for each tag in doubt whose place another one takes, since that goes with a whole tree.
  template <class F>
  void each_other_tag(std::span<const int32_t> heads, std::span<const int32_t> labels, F&& visit) const {
    for (const Doubtful& doubtful : doubtful_) {
      const OtherTag* best = doubtful.best(excluded(heads, labels, doubtful.word));
      if (best && best != &doubtful.tags.front()) visit(doubtful.word, *best);
    }
  }

  // The label of a word that was given its head for want of another, and this label for want of a better one.
  int32_t completion(const Tree& tree, int32_t word, int32_t label) const;
  bool allows(const Tree& tree, ArcEnds arc, int32_t label) const {
    const Grammar::Row& row = grammar_.rows_[label];
    if (row.tags & tags_[arc.dependent]) return false;
    if (!Grammar::is_from_root(tree, arc.head) && row.head_tags & tags_[arc.head]) return false;
    return grammar_.allows_between(tree, arc, row);
  }
  // What the tree loses with this arc, too: kBroken if it breaks a rule, or what tags lose that are to be
  // others now.
  double loss(const Tree& tree, ArcEnds arc, int32_t label) const {
    const Grammar::Row& row = grammar_.rows_[label];
    double loss = grammar_.allows_between(tree, arc, row) ? 0 : kBroken;
    if (row.tags) loss += loss_of_tag(tree, arc.dependent, row.tags);
    if (row.head_tags && !Grammar::is_from_root(tree, arc.head))
      loss += loss_of_tag(tree, arc.head, row.head_tags);
    return loss;
  }

 private:
  // A word whose tag may be another; the first is the one that it was given.
  struct Doubtful {
    int32_t word;
    std::vector<OtherTag> tags;

    const OtherTag* best(uint64_t excluded) const {
      for (const OtherTag& tag : tags)
        if ((tag.tag & excluded) == 0) return &tag;
      return nullptr;
    }
    double least(uint64_t excluded) const {
      const OtherTag* tag = best(excluded);
      return tag ? tag->loss : kBroken;
    }
  };

  double loss_of_tag(const Tree& tree, int32_t word, uint64_t excluded) const {
    for (const Doubtful& doubtful : doubtful_)
      if (doubtful.word == word) {
        const uint64_t before = this->excluded(tree, word);
        return doubtful.least(before | excluded) - doubtful.least(before);
      }
    return tags_[word] & excluded ? kBroken : 0;
  }
  int32_t broken_as_tagged(std::span<const int32_t> heads, std::span<const int32_t> labels);
  // The tags that a word cannot have, by its label and by those of its dependents.
  uint64_t excluded(const Tree& tree, int32_t word) const;
  uint64_t excluded(std::span<const int32_t> heads, std::span<const int32_t> labels, int32_t word) const;

  const Grammar& grammar_;
  std::vector<uint64_t> tags_;  // of each node
  std::vector<Doubtful> doubtful_;
  std::vector<uint64_t> of_dependents_;  // room: labels, of each node
  std::vector<int32_t> suspects_;        // room
  int32_t first_broken_ = 0, last_broken_ = 0;
};

}  // namespace arcwise
