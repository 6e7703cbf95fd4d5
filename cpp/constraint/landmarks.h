// Where the questions of a sentence under constraints fall apart: what is built between two words that may
// have any arcs at all has nothing to do with what is built elsewhere.
//
// A word is open if its head is not given and no arc between it and another word is forbidden. A region is a
// place that arcs cannot leave: all words strictly between a word and its given head, or in a subtree, which
// are in none inside it. A word that lies in a region may be joined to any open word of it.
#pragma once

#include <cstdint>
#include <vector>

#include "constraint/arc_rules.h"

namespace arcwise {

class Landmarks {
 public:
  // The rules must stay where they are, and the heads that they give must not cross.
  void set(const ArcRules& rules);

  bool is_open(int32_t word) const { return open_[word]; }
  // Of a region: the word whose arc to another word goes around it, or the one before its subtree,
  // whichever is nearer; it ends before a word. The sentence itself goes from ROOT to its end.
  int32_t before(int32_t word) const { return before_[word]; }
  int32_t end(int32_t word) const { return end_[word]; }
  bool ends_with_arc(int32_t word) const {
    return around_[word] != kNone && arcs_[around_[word]].right == end_[word];
  }
  bool same_region(int32_t word, int32_t other) const {
    return around_[word] == around_[other] && rules_->home(word) == rules_->home(other);
  }
  // Whether a word is in a region other than the sentence.
  bool is_inside(int32_t word) const {
    return around_[word] != kNone || rules_->home(word) != ArcRules::kOutside;
  }
  // Whether a word is the one on the left of the arc that goes around another and all its region.
  bool holds(int32_t word, int32_t other) const {
    return around_[other] != kNone && arcs_[around_[other]].left == word && word != kRoot &&
           rules_->home(word) == rules_->home(other);
  }
  // Whether an open word may stand for all words of its region that come after it, as long as no move has
  // come to them.
  bool stands_for_rest(int32_t word) const { return stands_for_rest_[word]; }
  // Whether a word is under ROOT, and so no arc goes from one side of it to the other.
  bool divides(int32_t word) const {
    return rules_->fixed_head(word) == kRoot && rules_->home(word) == ArcRules::kOutside;
  }
  bool may_be_root(int32_t word) const { return may_be_root_[word]; }
  // Whether, with several roots, some word must not be one.
  bool roots_are_restricted() const { return roots_are_restricted_; }
  // Whether an open word could be the root instead of others, one of which may be.
  bool can_replace_root(bool has_root, int32_t word) const {
    return may_be_root_[word] || (rules_->single_root() ? !has_root : !roots_are_restricted_);
  }
  // The last word that one is joined to by an arc that is given, or the last of its own subtree and those
  // around it that do not hold another.
  int32_t reach(int32_t word, int32_t other) const;
  // The last word of which it is said that it is joined to this one, or is not.
  int32_t last_partner(int32_t word) const { return last_partner_[word]; }

 private:
  struct Arc {
    int32_t left, right;  // no word between them has an arc to one elsewhere
  };
  void find_arcs();
  void find_roots();

  const ArcRules* rules_ = nullptr;
  std::vector<Arc> arcs_;
  std::vector<int32_t> farthest_;  // the last word that each has a given arc with, or itself
  std::vector<int32_t> around_;    // the innermost arc strictly around each word, or kNone
  std::vector<int32_t> before_, end_, last_partner_;
  std::vector<bool> open_, stands_for_rest_, may_be_root_;
  bool roots_are_restricted_ = false;
};

}  // namespace arcwise
