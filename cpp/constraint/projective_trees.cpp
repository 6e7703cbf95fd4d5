#include "constraint/projective_trees.h"

#include <algorithm>

#include "base/interrupts.h"

namespace arcwise {
namespace {

constexpr int32_t kLeastRoom = 16;

bool get(const uint64_t* row, int32_t bit) { return row[bit >> 6] >> (bit & 63) & 1; }

void put(uint64_t* row, int32_t bit, bool value) {
  const uint64_t mask = uint64_t{1} << (bit & 63);
  row[bit >> 6] = value ? row[bit >> 6] | mask : row[bit >> 6] & ~mask;
}

// Whether both have a bit between two bits, these included.
bool meet(const uint64_t* a, const uint64_t* b, int32_t first, int32_t last) {
  if (first > last) return false;
  const int32_t from = first >> 6, to = last >> 6;
  const uint64_t low = ~uint64_t{0} << (first & 63), high = ~uint64_t{0} >> (63 - (last & 63));
  if (from == to) return (a[from] & b[from] & low & high) != 0;
  if ((a[from] & b[from] & low) != 0 || (a[to] & b[to] & high) != 0) return true;
  for (int32_t i = from + 1; i < to; ++i)
    if ((a[i] & b[i]) != 0) return true;
  return false;
}

}  // namespace

void ProjectiveTrees::set(const ArcRules& rules, const Reachable& reachable) {
  rules_ = &rules;
  reachable_ = reachable;
  make_room(0);
}

void ProjectiveTrees::make_room(int32_t depth) {
  room_ = 2 * depth + kLeastRoom;
  const int32_t words = rules_->words();
  slot_of_.assign(words + 2, room_);
  word_at_.assign(room_, kNone);
  for (int32_t word = 1; word <= words; ++word) {
    if (word == 1 || !are_alike(word, word - 1)) word_at_.push_back(word);
    word_at_.back() = word;
    slot_of_[word] = static_cast<int32_t>(word_at_.size()) - 1;
  }
  const auto slots = static_cast<int32_t>(word_at_.size());
  slot_of_[words + 1] = slots;
  last_ = slots - 1;
  known_from_ = slots;
  for (Bits* bits : {&complete_right_, &complete_left_, &incomplete_left_}) bits->reset(slots);
  if (!rules_->subtrees().empty())
    for (Bits* bits : {&entering_right_, &entering_left_}) bits->reset(slots);
  for (auto* row : {&right_, &after_right_, &left_, &whole_left_, &arcs_, &entering_arcs_})
    row->assign(static_cast<size_t>(slots) / 64 + 1, 0);
}

// Puts a word on top of the stack. One with a head counts as one with it, and so does one that may still get
// it; two without that can only have heads from elsewhere are as good as one if they may have the same. They
// may not where it is outside their subtree, and the lowest may be the root.
void ProjectiveTrees::add(int32_t word, bool has_head, Remains& remains) const {
  auto& [stack, heads, next] = remains;
  bool alike = !stack.empty() && are_alike(word, stack.back());
  if (alike && !has_head && reachable_.within_stack == Reachable::WithinStack::None)
    alike = !heads.back() && stack.size() > 1 && rules_->home(word) == ArcRules::kOutside;
  if (alike) {
    stack.back() = word;
  } else {
    stack.push_back(word);
    heads.push_back(has_head);
  }
}

bool ProjectiveTrees::any(const Remains& remains) {
  const auto depth = static_cast<int32_t>(remains.stack.size());
  if (depth >= slot_of_[remains.next]) make_room(depth);
  state_ = &remains;
  completing_ = false;
  first_ = slot_of_[remains.next];
  bottom_ = first_ - depth;
  if (bottom_ > last_) return true;  // no word is left
  for (int32_t slot = std::min(std::max(known_from_ - 1, first_), last_); slot >= bottom_; --slot)
    extend(slot);
  // What begins with the buffer itself depends on which words of a subtree are gone.
  known_from_ = first_ + 1;
  if (!rules_->single_root()) {
    extend(bottom_ - 1);
    return get(right_.data(), last_);
  }
  for (int32_t root = bottom_; root <= last_; ++root)
    if (get(left_.data(), root) && get(complete_right_[last_], root) && may(bottom_ - 1, root)) return true;
  if (!reachable_.completes || depth < 2 || !may(bottom_ - 1, bottom_)) return false;
  completing_ = true;
  extend(bottom_);
  return get(right_.data(), last_);
}

bool ProjectiveTrees::may(int32_t head, int32_t dependent) const {
  if (is_on_stack(dependent)) {
    if (dependent < bottom_) return false;
    if (state_->has_head[place(dependent)]) return head == dependent - 1;
    if (is_on_stack(head) && !may_within_stack(place(head), place(dependent))) return false;
  }
  return rules_->may(node(head), node(dependent));
}

bool ProjectiveTrees::may_within_stack(int32_t head, int32_t dependent) const {
  const bool from_root = head < 0;
  switch (reachable_.within_stack) {
    case Reachable::WithinStack::None:
      if (from_root) return dependent == 0 || !rules_->single_root();
      return completing_ && head == 0;
    case Reachable::WithinStack::Upward:
      return dependent == head + 1;
    case Reachable::WithinStack::All:
      return true;
  }
  return false;
}

// The first word that is left of a subtree, and the last.
int32_t ProjectiveTrees::first_slot(int32_t home) const {
  const int32_t first = rules_->subtrees()[home].first;
  if (first >= state_->next) return slot_of_[first];
  return bottom_ +
         static_cast<int32_t>(std::ranges::lower_bound(state_->stack, first) - state_->stack.begin());
}
int32_t ProjectiveTrees::last_slot(int32_t home) const {
  const int32_t last = rules_->subtrees()[home].last;
  if (last >= state_->next) return slot_of_[last];
  return bottom_ - 1 +
         static_cast<int32_t>(std::ranges::upper_bound(state_->stack, last) - state_->stack.begin());
}

// Finds the items that begin in a slot, from those that begin after it.
void ProjectiveTrees::extend(int32_t i) {
  const bool subtrees = !rules_->subtrees().empty(), buried = is_buried(i);
  const int32_t home = rules_->home(node(i));
  const int32_t own_first = home == ArcRules::kOutside ? kNone : first_slot(home);
  const int32_t own_last = home == ArcRules::kOutside ? kNone : last_slot(home);
  for (auto* row : {&right_, &after_right_, &left_, &whole_left_, &arcs_, &entering_arcs_})
    std::ranges::fill(*row, 0);
  const auto add_right = [&](int32_t j, bool found, bool closes) {
    put(right_.data(), j, found);
    put(after_right_.data(), j + 1, found);
    put(complete_right_[j], i, closes);
    if (subtrees) put(entering_right_[j], i, closes && own_last == j);
  };
  const auto add_left = [&](int32_t j, bool found) {
    put(left_.data(), j, found);
    put(complete_left_[j], i, found);
    if (!subtrees) return;
    const int32_t other = rules_->home(node(j));
    put(whole_left_.data(), j, found && other != ArcRules::kOutside && first_slot(other) == i);
  };
  add_right(i, true, !buried);
  add_left(i, true);
  for (int32_t j = i + 1; j <= last_; ++j) {
    check_interrupts();
    const bool rightward = may(i, j), leftward = may(j, i);
    bool left = false, incomplete = false, entering = false;
    if (rightward || leftward) {
      const int32_t other = rules_->home(node(j));
      if (home == other) {
        const bool joined = meet(after_right_.data(), complete_left_[j], i + 1, j);
        put(arcs_.data(), j, rightward && joined);
        left = leftward && joined;
        incomplete = buried ? left && meet(after_right_.data(), complete_left_[j], i + 2, j) : left;
      } else if (rightward) {  // all that is left of j's subtree is j's
        const int32_t first = first_slot(other);
        put(entering_arcs_.data(), j, get(after_right_.data(), first) && get(complete_left_[j], first));
      } else {  // all that is left of i's subtree is i's
        const bool joined = get(right_.data(), own_last) && get(complete_left_[j], own_last + 1);
        left = joined && own_first == i;
        entering = joined && !(buried && own_last == i);
      }
    }
    put(incomplete_left_[j], i, incomplete);
    if (subtrees) put(entering_left_[j], i, entering);
    const bool right = meet(arcs_.data(), complete_right_[j], i + 1, j) ||
                       (subtrees && meet(entering_arcs_.data(), entering_right_[j], i + 1, j));
    add_right(j, right, right);
    left = left || meet(left_.data(), incomplete_left_[j], i + 1, j - 1) ||
           (subtrees && meet(whole_left_.data(), entering_left_[j], i + 1, j - 1));
    add_left(j, left);
  }
}

}  // namespace arcwise
