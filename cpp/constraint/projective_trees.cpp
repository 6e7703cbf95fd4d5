#include "constraint/projective_trees.h"

#include <algorithm>

#include "base/interrupts.h"

namespace arcwise {
namespace {

constexpr int32_t kLeastRoom = 64;

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
  make_room(kLeastRoom);
}

void ProjectiveTrees::make_room(int32_t slots) {
  word_at_.assign(slots, kNone);
  known_from_ = slots;
  for (Bits* bits : {&complete_right_, &complete_left_, &incomplete_left_}) bits->reset(slots);
  if (!rules_->subtrees().empty())
    for (Bits* bits : {&entering_right_, &entering_left_}) bits->reset(slots);
  for (auto* row : {&right_, &after_right_, &left_, &whole_left_, &arcs_, &entering_arcs_})
    row->assign(static_cast<size_t>(slots) / 64 + 1, 0);
}

// Gives words their slots; what is known of the end of the buffer stays.
void ProjectiveTrees::lay_out(const Remains& remains) {
  const auto& [stack, has_head, several, buffer, top, helped] = remains;
  const auto depth = static_cast<int32_t>(stack.size());
  auto slots = static_cast<int32_t>(word_at_.size());
  // Without a buffer, the end of the last one stays where it is.
  first_ = buffer.empty() ? known_from_ : slots - static_cast<int32_t>(buffer.size());
  if (first_ <= depth) {
    slots = 2 * (depth + static_cast<int32_t>(buffer.size()) + 1);
    make_room(slots);
    first_ = slots - static_cast<int32_t>(buffer.size());
  }
  bottom_ = first_ - depth;
  last_ = buffer.empty() ? first_ - 1 : slots - 1;
  std::ranges::copy(stack, word_at_.begin() + bottom_);
  if (buffer.empty()) return;
  int32_t known = slots;
  while (known > std::max(known_from_, first_) && word_at_[known - 1] == buffer[known - 1 - first_]) --known;
  known_from_ = known;
  std::copy(buffer.begin(), buffer.begin() + (known - first_), word_at_.begin() + first_);
}

bool ProjectiveTrees::any(const Remains& remains, bool lenient) {
  state_ = &remains;
  completing_ = false;
  lenient_ = lenient;
  lay_out(remains);
  if (bottom_ > last_) return true;  // no word is left
  for (int32_t slot = std::min(std::max(known_from_ - 1, first_), last_); slot >= bottom_; --slot)
    extend(slot);
  // What begins with the buffer itself depends on which words of a subtree are gone.
  if (first_ <= last_) known_from_ = first_ + 1;
  switch (remains.top) {
    case Remains::Top::Root:
      return hangs_from_root();
    case Remains::Top::BothEnds:
      // A first word with others on it has to come to the top of the stack for what lies below.
      return meet(after_right_.data(), complete_left_[last_],
                  reachable_.buried_words_wait && !lenient ? first_ : bottom_ + 1, last_);
    case Remains::Top::First:
      return get(right_.data(), last_);
  }
  return false;
}

bool ProjectiveTrees::hangs_from_root() {
  if (!rules_->single_root()) {
    extend(bottom_ - 1);
    return get(right_.data(), last_);
  }
  for (int32_t root = bottom_; root <= last_; ++root)
    if (get(left_.data(), root) && get(complete_right_[last_], root) && may(bottom_ - 1, root)) return true;
  if (!reachable_.completes || state_->stack.size() < 2 || !may(bottom_ - 1, bottom_)) return false;
  completing_ = true;
  extend(bottom_);
  return get(right_.data(), last_);
}

bool ProjectiveTrees::may(int32_t head, int32_t dependent) const {
  if (is_on_stack(dependent)) {
    if (dependent < bottom_) return false;
    if (state_->has_head[place(dependent)]) return head == dependent - 1;
    if (state_->several[place(dependent)] && rules_->enters(node(head), node(dependent))) return false;
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
  const auto words = word_at_.begin();
  const auto found = std::lower_bound(words + bottom_, words + last_ + 1, rules_->subtrees()[home].first);
  return static_cast<int32_t>(found - words);
}
int32_t ProjectiveTrees::last_slot(int32_t home) const {
  const auto words = word_at_.begin();
  const auto found = std::upper_bound(words + bottom_, words + last_ + 1, rules_->subtrees()[home].last);
  return static_cast<int32_t>(found - words) - 1;
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
