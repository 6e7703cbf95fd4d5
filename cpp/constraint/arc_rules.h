// The constraints of one sentence, compiled into a question that can be asked of any arc, and whether any
// tree answers them all.
//
// A subtree takes three rules. Its words have no dependents outside it: what lies inside and what lies
// outside are joined by arcs into it alone; a word is at home in the smallest subtree around it, and an arc
// enters none but that of its dependent. And there is one such arc, to a word that dominates all the others:
// no single arc can tell, so that whoever builds trees has to see to it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "constraint/constraint.h"
#include "tree/tree.h"

namespace arcwise {

class ArcRules {
 public:
  static constexpr int32_t kOutside = -1;  // the home of words in no subtree, and of ROOT

  // Words and heads must be in range. A label says nothing where the head is given.
  void set(int32_t words, bool single_root, std::span<const Constraint> constraints,
           std::span<const LabelUse> uses);
  // One more, or another than before.
  void fix_head(int32_t word, int32_t head) { fixed_[word] = head; }

  int32_t words() const { return static_cast<int32_t>(fixed_.size()) - 1; }
  bool single_root() const { return single_root_; }
  int32_t fixed_head(int32_t word) const { return fixed_[word]; }  // kNone where none is given
  std::span<const int32_t> fixed_heads() const { return std::span(fixed_).subspan(1); }
  bool only_heads() const { return forbidden_.empty() && subtrees_.empty(); }  // nothing else is given

  bool is_forbidden(int32_t head, int32_t word) const;
  std::span<const std::pair<int32_t, int32_t>> forbidden() const {
    return forbidden_;
  }  // (word, head), sorted
  // Whether an arc between it and another word is forbidden.
  bool is_in_forbidden_arc(int32_t word) const { return in_forbidden_arc_[word]; }

  bool may(int32_t head, int32_t word) const {
    if (fixed_[word] != kNone && fixed_[word] != head) return false;
    if (home_[head] != home_[word] && !may_enter(head, word)) return false;
    return !has_forbidden_[word] || !is_forbidden(head, word);
  }

  // Subtrees are nested or apart, and none comes before one that holds it.
  struct Subtree {
    int32_t first, last;
    int32_t parent;  // or kOutside
  };
  std::span<const Subtree> subtrees() const { return subtrees_; }
  int32_t home(int32_t node) const { return home_[node]; }
  bool enters(int32_t head, int32_t word) const { return home_[head] != home_[word]; }

  // Whether there is a tree that satisfies everything, projective or not.
  bool any_tree() const;

 private:
  bool may_enter(int32_t head, int32_t word) const;
  bool is_acyclic() const;
  void set_subtrees(std::vector<Subtree> subtrees);
  class Reach;
  std::vector<int32_t> possible_roots(std::span<const int32_t> members,
                                      std::span<const std::vector<int32_t>> inner, Reach& reach) const;

  bool single_root_ = true;
  bool possible_ = true;  // no word has two heads, no two subtrees overlap
  std::vector<int32_t> fixed_, home_;
  std::vector<bool> has_forbidden_, in_forbidden_arc_;
  std::vector<std::pair<int32_t, int32_t>> forbidden_;  // (word, head), sorted
  std::vector<Subtree> subtrees_;
};

// The first of the numbers 1 to `most` for which something holds that holds for all after it, and for `most`.
size_t first_that(size_t most, const std::function<bool(size_t)>& holds);

// A smallest set of constraints that no tree satisfies, of some that none does.
std::vector<Constraint> contradiction(int32_t words, bool single_root, std::vector<Constraint> constraints,
                                      std::span<const LabelUse> uses);

}  // namespace arcwise
