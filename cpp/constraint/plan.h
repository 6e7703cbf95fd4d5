// How a sentence is parsed under its constraints, from what is given to the tree that comes out.
//
// Searches build projective trees. Where one satisfies everything, they are held to all of it. Where only
// other trees do, heads that are given are lifted first, as in pseudo-projective parsing, and what still
// stands in the way of a projective tree is left out of the search; in the end every word gets the head that
// is given, and others keep the one that was found for them as long as that leaves a tree.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "constraint/arc_rules.h"
#include "constraint/constraint.h"

namespace arcwise {

// What a parser knows of labels, by their numbers in the constraints.
struct KnownLabels {
  std::vector<LabelUse> uses;
  std::vector<int32_t> plain;   // the label of moves that stands for it and for no lift; -1 if there is none
  int32_t root = 0, words = 0;  // for arcs that no search has labelled
};

// Whether there is a projective tree that satisfies everything, if any tree does.
bool any_projective_tree(const ArcRules& rules);

class ConstraintPlan {
 public:
  ConstraintPlan(const Constraints& constraints, const KnownLabels& labels, bool single_root)
      : constraints_(constraints), known_(labels), single_root_(single_root) {}

  // The sentence to come, of so many words. Throws ConstraintError if no tree satisfies its constraints, with
  // the reason alone.
  void sentence(size_t s, int32_t words);

  bool has_constraints() const { return has_constraints_; }
  const ArcRules& for_search() const { return searched_; }
  std::span<const int32_t> labels() const { return labels_; }  // that words must have; -1 where none

  // For what comes after the search.
  bool may(int32_t head, int32_t word) const { return given_.may(head, word); }
  bool has_given_head(int32_t word) const { return given_.fixed_head(word) != kNone; }
  void finish(std::span<int32_t> heads, std::span<int32_t> labels) const;

 private:
  void relax(std::vector<Constraint> constraints);
  void complete(std::span<int32_t> heads) const;
  std::string explanation(std::vector<Constraint> constraints) const;
  std::string name(const Constraint& constraint) const;

  const Constraints& constraints_;
  const KnownLabels& known_;
  bool single_root_;
  bool has_constraints_ = false, projective_ = true;
  ArcRules given_, searched_;
  std::vector<int32_t> labels_;
};

}  // namespace arcwise
