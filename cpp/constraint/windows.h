// Which words have to be looked at to tell whether a state leaves a tree. It does if the state before the
// last move did, unless something has changed for the worse between an open word on the stack and an open
// word of the same region in the buffer (landmarks.h): all that lies below the one and behind the other can
// be built as it could be before, with these two in place of any words between them. So what a question
// costs is the distance to the next open words, and not the length of the sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "constraint/arc_rules.h"
#include "constraint/landmarks.h"
#include "constraint/projective_trees.h"

namespace arcwise {

class Windows {
 public:
  // The rules must stay where they are, and the heads that they give must not cross.
  void set(const ArcRules& rules, const Reachable& reachable) {
    rules_ = &rules;
    reachable_ = reachable;
    landmarks_.set(rules);
    trees_.set(rules, reachable);
    ruled_.clear();
    for (int32_t word = 1; word <= rules.words(); ++word)
      if (rules.fixed_head(word) != kNone || rules.is_in_forbidden_arc(word) ||
          rules.home(word) != ArcRules::kOutside)
        ruled_.push_back(word);
  }

  // Whether there is a projective tree at all, before any move.
  bool any();

  // Whether a state leaves a tree if the one before it did. It has depth(), from_bottom(i), has_head(node),
  // next() and gone(), as a Glimpse has them.
  template <class State>
  [[gnu::noinline]] bool leaves_a_tree(const State& state) {
    const bool has_buffer = state.next() <= rules_->words();
    if (!reachable_.buried_words_wait) {
      if (!has_buffer && can_finish()) return finishes(state);
      if (!look_between_landmarks(state, 1)) look_at_all(state, 1);
      return trees_.any(remains_);
    }
    // Where words wait on the stack for dependents, those around them may need several open words for it.
    // If there is a tree with some, there is one with more; if there is none even when words that more of
    // them could help need not wait, there is none.
    if (state.gone() != kNone && state.depth() > 0 && look_at_top(state) && trees_.any(remains_)) return true;
    if (!has_buffer) return finishes(state);
    for (int32_t count : {1, 2, 4, 8, 16}) {
      if (!look_between_landmarks(state, count)) break;
      if (trees_.any(remains_)) return true;
      if (!trees_.any(remains_, true)) return false;
    }
    for (int32_t count : {2, 16}) {
      look_at_all(state, count);
      if (trees_.any(remains_)) return true;
      if (!trees_.any(remains_, true)) return false;
    }
    return leaves_a_tree_at_all(state);
  }

  // The same whatever came before, from all words that are left.
  template <class State>
  [[gnu::noinline]] bool leaves_a_tree_at_all(const State& state) {
    remains_.clear();
    add_stack_from(state, 0);
    for (int32_t word = state.next(); word <= rules_->words(); ++word) remains_.buffer.push_back(word);
    return trees_.any(remains_);
  }

 private:
  // Takes the words of the buffer one after the other. Of each region, the so-many-th open word stands for
  // all that follow in it, and what follows a word under ROOT is left out.
  class Reader {
   public:
    Reader(const Windows& windows, int32_t next, int32_t count)
        : landmarks_(windows.landmarks_), end_(windows.rules_->words() + 1), count_(count), next_(next) {}
    bool empty() const { return next_ >= end_; }
    int32_t next() const { return next_; }
    int32_t take() {
      const int32_t word = next_++;
      const bool open = landmarks_.is_open(word);
      if (open) {
        seen_ = last_open_ != kNone && landmarks_.same_region(word, last_open_) ? seen_ + 1 : 1;
        last_open_ = word;
      }
      is_enough_ = open && seen_ >= count_;
      if (is_enough_ && landmarks_.stands_for_rest(word)) {
        next_ = landmarks_.end(word);
        if (next_ > word + 1) first_standing_ = std::min(first_standing_, word);
      }
      if (landmarks_.divides(word)) next_ = end_;
      return word;
    }
    // Whether the word that was taken last is open, and enough of them have been taken.
    bool is_enough() const { return is_enough_; }
    // Whether all words of the region of one on the stack have been taken.
    bool has_region_of(int32_t word) const {
      return landmarks_.end(word) <= std::min(first_standing_, next_);
    }

   private:
    const Landmarks& landmarks_;
    int32_t end_, count_, next_;
    int32_t last_open_ = kNone, seen_ = 0;
    int32_t first_standing_ = std::numeric_limits<int32_t>::max();
    bool is_enough_ = false;
  };

  // The stack is as it was before, up to a place: what lies below the word that is gone, or the one that has
  // come.
  template <class State>
  static int32_t highest_below_change(const State& state) {
    const int32_t top = state.depth() - 1;
    return state.gone() == kNone || (top >= 0 && state.from_bottom(top) > state.gone()) ? top - 1 : top;
  }
  template <class State>
  bool has_root_above(const State& state, int32_t place) const {
    bool has_root = state.gone() != kNone && landmarks_.may_be_root(state.gone());
    while (++place < state.depth()) has_root |= landmarks_.may_be_root(state.from_bottom(place));
    return has_root;
  }

  template <class State>
  bool look_between_landmarks(const State& state, int32_t count) {
    remains_.clear();
    remains_.top = Remains::Top::BothEnds;
    // A root that might be lost between landmarks must be one that the right one can replace.
    int32_t place = highest_below_change(state);
    bool has_root = has_root_above(state, place);
    // In the end the lowest word may become the head of others.
    const bool completes = reachable_.completes && rules_->single_root();
    const auto is_lowest = [&](int32_t place) { return place == 0 || state.from_bottom(place - 1) == kRoot; };
    Reader reader(*this, state.next(), count);
    while (!reader.empty()) {
      const int32_t right = reader.take();
      remains_.buffer.push_back(right);
      if (reader.is_enough()) {
        bool is_lost = !landmarks_.can_replace_root(has_root, right);
        for (int32_t seen = 0, here = place; !is_lost && here >= 0; --here) {
          const int32_t left = state.from_bottom(here);
          if (left <= landmarks_.before(right) || (completes && is_lowest(here))) {
            if (landmarks_.holds(left, right) && !(completes && is_lowest(here)))
              return look_from(state, here, right, reader);
            place = here;
            break;
          }
          if (landmarks_.is_open(left) && landmarks_.same_region(left, right) && ++seen >= count)
            return look_from(state, here, right, reader);
          has_root |= landmarks_.may_be_root(left);
          is_lost = !landmarks_.can_replace_root(has_root, right);
        }
      }
      has_root |= landmarks_.may_be_root(right);
    }
    return false;
  }
  template <class State>
  bool look_from(const State& state, int32_t place, int32_t right, const Reader& reader) {
    add_few_from(state, place);
    find_helped(right, reader);
    return true;
  }

  // What is on the stack above an open word may be taken together under it, unless a word has just come
  // there or one waits for the buffer.
  template <class State>
  bool look_at_top(const State& state) {
    remains_.clear();
    remains_.top = Remains::Top::First;
    const int32_t last = std::max(state.gone(), state.from_bottom(state.depth() - 1));
    int32_t place = highest_below_change(state);
    bool has_root = has_root_above(state, place);
    for (; place >= 0; --place) {
      const int32_t word = state.from_bottom(place);
      if (word == kRoot) return false;
      if (landmarks_.is_open(word) && landmarks_.end(word) > last &&
          landmarks_.can_replace_root(has_root, word)) {
        if (landmarks_.reach(state.gone(), word) >= state.next()) return false;
        for (int32_t above = place + 1; above < state.depth(); ++above)
          if (landmarks_.reach(state.from_bottom(above), word) >= state.next()) return false;
        add_stack_from(state, place);
        return true;
      }
      has_root |= landmarks_.may_be_root(word);
    }
    return false;
  }

  template <class State>
  void add_stack_from(const State& state, int32_t lowest) {
    for (int32_t place = lowest; place < state.depth(); ++place) {
      const int32_t node = state.from_bottom(place);
      if (node != kRoot) remains_.add(node, state.has_head(node));
    }
  }
  // The same, with as few words as will do.
  template <class State>
  void add_few_from(const State& state, int32_t lowest) {
    for (int32_t place = lowest; place < state.depth(); ++place) {
      const int32_t node = state.from_bottom(place);
      if (node != kRoot) add(node, state.has_head(node), state.next());
    }
  }

  // Words of the region that is looked at from one landmark to another, and of those around it, may have
  // dependents elsewhere.
  void find_helped(int32_t right, const Reader& reader) {
    for (size_t place = 0; place < remains_.stack.size(); ++place) {
      const int32_t word = remains_.stack[place];
      const bool inside =
          right == kRoot ? landmarks_.is_inside(word) : place > 0 && !landmarks_.same_region(word, right);
      remains_.helped.push_back(!inside || !reader.has_region_of(word));
    }
  }

  // Without a buffer, moves are almost all forced, but in easy-first.
  bool can_finish() const { return reachable_.within_stack != Reachable::WithinStack::All; }
  template <class State>
  bool finishes(const State& state) {
    if (!reachable_.buried_words_wait) return finishes_by_force(state);
    remains_.clear();
    add_stack_from(state, 0);
    return finishes_from_top();
  }

  // The lowest word is under ROOT, and each of the others under the one below it or, where there are no arcs
  // within the stack, under the lowest.
  template <class State>
  bool finishes_by_force(const State& state) {
    const bool from_lowest = reachable_.within_stack == Reachable::WithinStack::None;
    const bool single = reachable_.completes && rules_->single_root();
    const int32_t depth = state.depth();
    const int32_t bottom = depth > 0 && state.from_bottom(0) == kRoot ? 1 : 0;
    if (depth == bottom) return true;
    const int32_t lowest = state.from_bottom(bottom);
    has_root_.assign(rules_->subtrees().size(), false);
    const auto holds = [&](int32_t place) {
      const int32_t word = state.from_bottom(place), home = rules_->home(word);
      int32_t head = place == bottom ? kRoot : state.from_bottom(place - 1);
      if (!state.has_head(word)) {
        if (from_lowest && place > bottom) head = single ? lowest : kRoot;
        if (!rules_->may(head, word)) return false;
      }
      if (!rules_->enters(head, word)) return true;
      const bool is_first = !has_root_[home];
      has_root_[home] = true;
      return is_first;
    };
    constexpr int32_t kTimeToFind = 16;
    const bool all_are_alike = single || !from_lowest || !landmarks_.roots_are_restricted();
    if (static_cast<int64_t>(ruled_.size()) * kTimeToFind > depth || !all_are_alike ||
        rules_->home(lowest) != ArcRules::kOutside) {
      for (int32_t place = bottom; place < depth; ++place)
        if (!holds(place)) return false;
      return true;
    }
    // Of the others nothing is said, unless they lie on a word of a subtree.
    if (!holds(bottom)) return false;
    int32_t next = bottom + 1;
    for (int32_t word : ruled_) {
      int32_t end = depth;
      for (int32_t place = next; place < end;) {
        const int32_t middle = place + (end - place) / 2;
        if (state.from_bottom(middle) < word)
          place = middle + 1;
        else
          end = middle;
      }
      for (int32_t place = std::max(next, end); place < std::min(end + 2, depth); ++place) {
        if (place == end && state.from_bottom(place) != word) break;
        if (!holds(place)) return false;
        next = place + 1;
      }
    }
    return true;
  }
  bool finishes_from_top();

  template <class State>
  void look_at_all(const State& state, int32_t count) {
    remains_.clear();
    add_few_from(state, 0);
    Reader reader(*this, state.next(), count);
    while (!reader.empty()) remains_.buffer.push_back(reader.take());
    find_helped(kRoot, reader);
  }
  void add(int32_t word, bool has_head, int32_t next);
  bool is_plain(int32_t word, bool has_head, int32_t next) const;
  bool any_between(int32_t first, int32_t last);
  bool any_after(int32_t word);

  const ArcRules* rules_ = nullptr;
  Reachable reachable_;
  Landmarks landmarks_;
  ProjectiveTrees trees_;
  Remains remains_;
  std::vector<int32_t> ruled_;  // words of which something is said, but that they are not under ROOT
  std::vector<bool> has_root_;  // room to work in
};

}  // namespace arcwise
