#include "constraint/windows.h"

#include "constraint/glimpse.h"

namespace arcwise {
// Puts a word on top of the stack. Neighbours of which nothing is said that still matters count as one: any
// tree in which they are one becomes a tree of theirs with the others as its dependents; and of two
// neighbours in a projective tree, one can have the dependents of both and the head of the one that is not
// below the other. One with a head counts as one with it, and so does one that may still get it; two without
// that can only have heads from elsewhere are as good as one if they have the same; it is not outside their
// subtree then, and the lowest may be the root. Words that wait for dependents do so one by one.
void Windows::add(int32_t word, bool has_head, int32_t next) {
  const auto& stack = remains_.stack;
  const bool below_has_head = !stack.empty() && remains_.has_head.back();
  bool alike = !stack.empty() && !reachable_.buried_words_wait &&
               rules_->home(word) == rules_->home(stack.back()) && is_plain(word, has_head, next) &&
               is_plain(stack.back(), below_has_head, next);
  const bool needs_same = !has_head && reachable_.within_stack == Reachable::WithinStack::None;
  // Of those of a subtree, the lowest may be its root.
  if (alike && needs_same)
    alike = !below_has_head && stack.size() > 1 &&
            (rules_->home(word) == ArcRules::kOutside ||
             (rules_->home(word) == rules_->home(stack.end()[-2]) && !remains_.has_head.end()[-2]));
  if (!alike)
    remains_.add(word, has_head);
  else if (needs_same)
    remains_.several.back() = true;
}

bool Windows::is_plain(int32_t word, bool has_head, int32_t next) const {
  const int32_t lowest = remains_.stack.front();
  const bool is_within_buffer = reachable_.within_stack == Reachable::WithinStack::None;
  if (landmarks_.last_partner(word) >= (is_within_buffer ? next : 1)) return false;
  if (has_head) return true;
  if (rules_->fixed_head(word) != kNone) return false;
  // Of the heads on the stack, the lowest word may be one in the end; only that word may be a single root.
  if (is_within_buffer && reachable_.completes && !rules_->may(lowest, word) && word != lowest) return false;
  const bool may_be_root =
      !rules_->single_root() || word == lowest || reachable_.within_stack == Reachable::WithinStack::All;
  return !may_be_root || !rules_->is_forbidden(kRoot, word);
}

// Where arcs join the top of the stack and the word below it, in either direction: a word comes to the top
// with all that lay above it as its own, and then the only question is what lies below.
bool Windows::finishes_from_top() {
  const auto& stack = remains_.stack;
  const auto depth = static_cast<int32_t>(stack.size());
  // Whether an arc leaves none of the words of its dependent's subtree, of which these are left: the highest
  // below both, and one of the two.
  const auto may = [&](int32_t head, int32_t word, int32_t below) {
    if (!rules_->may(head, word)) return false;
    if (!rules_->enters(head, word)) return true;
    const auto& subtree = rules_->subtrees()[rules_->home(word)];
    return below < subtree.first && (head < subtree.first || head > subtree.last);
  };
  std::vector<bool>& finishes = has_root_;
  finishes.assign(depth, false);
  for (int32_t place = 0; place < depth; ++place) {
    const int32_t top = stack[place];
    int32_t next = place - 1;
    for (; next >= 0; --next) {
      const int32_t below = next > 0 ? stack[next - 1] : kRoot;
      if (finishes[next] && may(stack[next], top, below)) break;
      if (!may(top, stack[next], below)) break;
    }
    finishes[place] = next < 0 ? rules_->may(kRoot, top)
                               : finishes[next] && may(stack[next], top, next > 0 ? stack[next - 1] : kRoot);
  }
  return depth == 0 || finishes[depth - 1];
}

bool Windows::any() {
  const int32_t words = rules_->words();
  int32_t first = 1;
  for (int32_t word = 1; word <= words; ++word) {
    if (landmarks_.stands_for_rest(word) && !any_after(word)) return false;
    if (word < words && !landmarks_.divides(word)) continue;
    if (!any_between(first, word)) return false;
    first = word;
  }
  return true;
}

// Whether the words between two that divide the sentence, or are at its ends, can hang from them or ROOT.
bool Windows::any_between(int32_t first, int32_t last) {
  remains_.clear();
  for (int32_t word = first; word <= last;) {
    remains_.buffer.push_back(word);
    word = landmarks_.stands_for_rest(word) ? landmarks_.end(word) : word + 1;
  }
  return trees_.any(remains_);
}

// Whether the words for which an open one stands can hang from it, as far as to the next that stands for
// those after it.
bool Windows::any_after(int32_t word) {
  remains_.clear();
  remains_.add(word, false);
  const int32_t end = landmarks_.end(word);
  for (int32_t next = word + 1; next < end;) {
    remains_.buffer.push_back(next);
    if (!landmarks_.stands_for_rest(next)) {
      ++next;
    } else if (landmarks_.same_region(word, next)) {
      remains_.top = Remains::Top::BothEnds;
      return trees_.any(remains_);
    } else {
      next = landmarks_.end(next);
    }
  }
  // The word at the end of an arc around them is a head for them too.
  const bool has_arc = landmarks_.ends_with_arc(word);
  if (has_arc) remains_.buffer.push_back(end);
  remains_.top = has_arc ? Remains::Top::BothEnds : Remains::Top::First;
  return trees_.any(remains_);
}

template bool Windows::leaves_a_tree(const Glimpse&);
template bool Windows::leaves_a_tree(const ListGlimpse&);
template bool Windows::leaves_a_tree_at_all(const Glimpse&);
template bool Windows::leaves_a_tree_at_all(const ListGlimpse&);

}  // namespace arcwise
