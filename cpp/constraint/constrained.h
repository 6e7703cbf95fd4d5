// A transition system under constraints: the same system, with no legal moves but those after which a tree
// that keeps to the rules can still be built. So every search honours them, and none comes to a dead end.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "constraint/arc_rules.h"
#include "constraint/glimpse.h"
#include "constraint/windows.h"
#include "task/arc_costs.h"
#include "task/sites.h"
#include "task/task.h"

namespace arcwise {

// Compiled once, and not for every system.
extern template bool Windows::leaves_a_tree(const Glimpse&);
extern template bool Windows::leaves_a_tree(const ListGlimpse&);
extern template bool Windows::leaves_a_tree_at_all(const Glimpse&);
extern template bool Windows::leaves_a_tree_at_all(const ListGlimpse&);

// One for each worker: the constraints change from sentence to sentence.
template <KnowsReachable T>
class Constrained : public T {
 public:
  using State = typename T::State;

  // `plain` has the label of moves that stands for each label, or -1.
  Constrained(const T& task, std::span<const int32_t> plain) : T(task), plain_(plain) {}

  // The rules of the sentences to come, which must stay where they are, and the labels that words must have,
  // -1 where none; without rules, anything goes. Looking at all words that are left in every state takes
  // longer, with the same answers.
  void set(const ArcRules* rules, std::span<const int32_t> labels, bool at_all = false) {
    rules_ = rules;
    labels_ = labels;
    at_all_ = at_all;
    if (rules == nullptr) return;
    // Where heads are all that is given, an oracle knows what costs none of them; one that has to search for
    // the best tree is no quicker than the table.
    by_oracle_ = !T::kReachable.buried_words_wait && rules->only_heads();
    if (by_oracle_) {
      gold_.set(rules->fixed_heads(), std::vector<int32_t>(rules->words(), -1));
      costs_.resize(T::moves().size());
    } else {
      windows_.set(*rules, T::kReachable);
    }
  }

  bool is_constrained() const { return rules_ != nullptr; }

  Legal legal(const State& s) const
    requires OneSite<T>
  {
    const Legal all = T::legal(s);
    // Where nothing else is left, the last must be the way.
    return rules_ == nullptr ? all : allowed(s, 0, all, all.ranges().back().end);
  }
  Legal legal(const State& s, int32_t site) const
    requires ManySites<T>
  {
    const Legal all = T::legal(s, site);
    return rules_ == nullptr ? all : allowed(s, site, all, kNone);
  }

  // For searches that look at sites one at a time. What one arc alone does wrong, it always will; whether it
  // leaves a tree depends on all that has been built.
  Legal possible(const State& s, int32_t site) const
    requires ManySites<T>
  {
    const Legal all = T::legal(s, site);
    if (rules_ == nullptr) return all;
    Legal possible;
    for (Range range : all.ranges()) {
      look(s, {site, range.begin});
      if (rules_->may(head_, dependent_)) possible.add(with_label(range));
    }
    return possible;
  }
  bool leaves_a_tree(const State& s, SiteMove move) const
    requires ManySites<T>
  {
    if (rules_ == nullptr) return true;
    if (by_oracle_)
      T::costs(s, gold_, move.site, costs_.data());
    else
      look(s, move);
    return leaves_a_tree_after_look(s, move.move);
  }

 private:
  // Of these moves, those that leave a tree; if none does, those up to `last_resort`.
  [[gnu::noinline]] Legal allowed(const State& s, int32_t site, const Legal& all, MoveId last_resort) const {
    if (by_oracle_) Sites<T>::costs(*this, s, gold_, site, costs_.data());
    Legal allowed;
    for (Range range : all.ranges()) {
      look(s, {site, range.begin});
      if ((range.end == last_resort && allowed.size() == 0) || leaves_a_tree_after_look(s, range.begin))
        allowed.add(with_label(range));
    }
    return allowed;
  }

  // What a move does: the arc that it adds, and the word that can have no more dependents after it, with its
  // head; kNone if there is none.
  void look(const State& s, SiteMove move) const {
    if constexpr (OneSite<T>) {
      glimpse_.look(s);
      T::apply(glimpse_, move.move);
      head_ = glimpse_.head();
      dependent_ = glimpse_.dependent();
      gone_ = glimpse_.gone();
      head_of_gone_ = gone_ == kNone ? kNone : glimpse_.head_of(gone_);
    } else {
      head_ = head_of_gone_ = T::head_of(s, move);
      dependent_ = gone_ = head_ == move.site ? T::second_node(s, move.site) : move.site;
    }
  }
  bool leaves_a_tree_after_look(const State& s, MoveId move) const {
    if (by_oracle_) return costs_[move] == 0;
    if (dependent_ != kNone && !rules_->may(head_, dependent_)) return false;
    if constexpr (OneSite<T>) {
      return is_open(glimpse_);
    } else {
      return is_open(ListGlimpse(s, gone_, list_));
    }
  }
  bool is_open(const auto& after) const {
    if (gone_ != kNone && rules_->enters(head_of_gone_, gone_) && is_torn(after)) return false;
    return at_all_ ? windows_.leaves_a_tree_at_all(after) : windows_.leaves_a_tree(after);
  }
  // The root of a subtree is gone: is any of its words left?
  bool is_torn(const auto& after) const {
    const auto& [first, last, parent] = rules_->subtrees()[rules_->home(gone_)];
    if (after.next() <= last) return true;
    int32_t place = after.depth() - 1;
    while (place >= 0 && after.from_bottom(place) > last) --place;
    return place >= 0 && after.from_bottom(place) >= first;
  }

  // The moves with the label that the dependent must have; where the model knows none, whichever label it
  // prefers will be replaced in the end.
  Range with_label(Range range) const {
    if (dependent_ == kNone || labels_[dependent_ - 1] < 0) return range;
    const int32_t label = plain_[labels_[dependent_ - 1]];
    const MoveId move = move_with_label(T::moves(), range, label);
    return T::moves()[move].label == label ? Range{move, move + 1} : range;
  }

  std::span<const int32_t> plain_;
  const ArcRules* rules_ = nullptr;
  std::span<const int32_t> labels_;
  bool by_oracle_ = false, at_all_ = false;
  TreeGold gold_;
  // Room to work in.
  mutable std::vector<float> costs_;
  mutable Glimpse glimpse_;
  mutable int32_t head_ = kNone, dependent_ = kNone, gone_ = kNone, head_of_gone_ = kNone;
  mutable std::vector<int32_t> list_;
  mutable Windows windows_;
};

}  // namespace arcwise
