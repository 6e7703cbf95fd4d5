#include "constraint/arc_rules.h"

#include <algorithm>

#include "base/interrupts.h"

namespace arcwise {

void ArcRules::set(int32_t words, bool single_root, std::span<const Constraint> constraints,
                   std::span<const LabelUse> uses) {
  single_root_ = single_root;
  possible_ = true;
  fixed_.assign(words + 1, kNone);
  fixed_[kRoot] = kRoot;  // no word is its head
  home_.assign(words + 1, kOutside);
  has_forbidden_.assign(words + 1, false);
  named_.assign(words + 1, false);
  forbidden_.clear();
  std::vector<Subtree> subtrees;
  for (const auto& [kind, word, value] : constraints) {
    if (kind == Constraint::Kind::Head) {
      possible_ &= fixed_[word] == kNone || fixed_[word] == value;
      fix_head(word, value);
    } else if (kind == Constraint::Kind::NotHead) {
      forbidden_.emplace_back(word, value);
    } else if (kind == Constraint::Kind::Subtree) {
      subtrees.push_back({word, value, kOutside});
    }
  }
  std::vector<int32_t> under_root;
  for (const auto& [kind, word, value] : constraints) {
    if (kind != Constraint::Kind::Label || fixed_[word] != kNone) continue;
    if (uses[value] == LabelUse::UnderRoot) under_root.push_back(word);
    if (uses[value] == LabelUse::UnderWords) forbidden_.emplace_back(word, kRoot);
  }
  for (int32_t word : under_root) fix_head(word, kRoot);
  std::ranges::sort(forbidden_);
  for (const auto& [word, head] : forbidden_) has_forbidden_[word] = named_[word] = named_[head] = true;
  set_subtrees(std::move(subtrees));
}

void ArcRules::set_subtrees(std::vector<Subtree> subtrees) {
  const auto outer_first = [](const Subtree& a, const Subtree& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  };
  std::ranges::sort(subtrees, outer_first);
  subtrees_.clear();
  std::vector<int32_t> open;
  for (Subtree subtree : subtrees) {
    // With a single root all words are a subtree anyway.
    if (single_root_ && subtree.first == 1 && subtree.last == words()) continue;
    while (!open.empty() && subtrees_[open.back()].last < subtree.first) open.pop_back();
    if (!open.empty()) {
      const Subtree& around = subtrees_[open.back()];
      if (subtree.first == around.first && subtree.last == around.last) continue;
      possible_ &= subtree.last <= around.last;
      subtree.parent = open.back();
    }
    open.push_back(static_cast<int32_t>(subtrees_.size()));
    subtrees_.push_back(subtree);
    std::fill(home_.begin() + subtree.first, home_.begin() + subtree.last + 1, open.back());
  }
}

bool ArcRules::may_enter(int32_t head, int32_t word) const {
  if (home_[word] == kOutside || subtrees_[home_[word]].parent != home_[head]) return false;
  return head != kRoot || !single_root_;
}

bool ArcRules::is_forbidden(int32_t head, int32_t word) const {
  return std::ranges::binary_search(forbidden_, std::pair(word, head));
}

// Marks those of the members that a member dominates, or that dominate it, by arcs that may be.
void ArcRules::reach(int32_t from, std::span<const int32_t> members, bool backwards,
                     std::vector<bool>& seen) const {
  std::vector<int32_t> way(1, from);
  seen[from] = true;
  while (!way.empty()) {
    const int32_t node = way.back();
    way.pop_back();
    for (int32_t other : members) {
      check_interrupts();
      if (seen[other] || !(backwards ? may(other, node) : may(node, other))) continue;
      seen[other] = true;
      way.push_back(other);
    }
  }
}

// The members that can dominate all the others; each inner subtree hangs from some member by one of the roots
// it can have.
std::vector<int32_t> ArcRules::possible_roots(std::span<const int32_t> members,
                                              std::span<const std::vector<int32_t>> inner) const {
  for (const auto& roots : inner) {
    const auto hangs_from = [&](int32_t head) {
      return std::ranges::any_of(roots, [&](int32_t root) { return may(head, root); });
    };
    if (std::ranges::none_of(members, hangs_from)) return {};
  }
  // Of searches that start wherever none has come to, the last starts from a word that dominates all, if
  // there is one.
  std::vector<bool> seen(fixed_.size());
  int32_t last = kNone;
  for (int32_t member : members) {
    if (seen[member]) continue;
    reach(member, members, false, seen);
    last = member;
  }
  if (last == kNone) return {};
  seen.assign(fixed_.size(), false);
  reach(last, members, false, seen);
  if (!std::ranges::all_of(members, [&](int32_t member) { return seen[member]; })) return {};
  seen.assign(fixed_.size(), false);
  reach(last, members, true, seen);
  std::vector<int32_t> roots;
  std::ranges::copy_if(members, std::back_inserter(roots), [&](int32_t member) { return seen[member]; });
  return roots;
}

// Whether no word leads back to itself by the heads that are given.
bool ArcRules::is_acyclic() const {
  std::vector<int32_t> walk(fixed_.size(), kNone);  // the walk that came by each word
  for (int32_t start = 1; start <= words(); ++start) {
    int32_t node = start;
    for (; node > kRoot && walk[node] == kNone; node = fixed_[node]) walk[node] = start;
    if (node > kRoot && walk[node] == start) return false;
  }
  return true;
}

bool ArcRules::any_tree() const {
  if (!possible_ || !is_acyclic()) return false;
  if (single_root_ && std::ranges::count(fixed_heads(), kRoot) > 1) return false;
  if (only_heads()) return true;
  // The words and the inner subtrees of each subtree, and of the sentence, which comes last.
  const size_t count = subtrees_.size();
  std::vector<std::vector<int32_t>> members(count + 1);
  std::vector<std::vector<std::vector<int32_t>>> inner(count + 1);
  const auto place = [&](int32_t subtree) { return subtree == kOutside ? count : size_t(subtree); };
  for (int32_t word = single_root_ ? 1 : kRoot; word <= words(); ++word)
    members[place(home_[word])].push_back(word);
  for (size_t i = count; i-- > 0;) {
    auto roots = possible_roots(members[i], inner[i]);
    if (roots.empty()) return false;
    inner[place(subtrees_[i].parent)].push_back(std::move(roots));
  }
  const auto roots = possible_roots(members[count], inner[count]);
  if (!single_root_) return std::ranges::find(roots, kRoot) != roots.end();
  return std::ranges::any_of(roots, [&](int32_t root) { return may(kRoot, root); });
}

std::vector<Constraint> contradiction(int32_t words, bool single_root, std::vector<Constraint> constraints,
                                      std::span<const LabelUse> uses) {
  // What says nothing beside the others would say something without them.
  std::vector<bool> has_head(words + 1);
  for (const Constraint& c : constraints)
    if (c.kind == Constraint::Kind::Head) has_head[c.word] = true;
  std::erase_if(constraints,
                [&](const Constraint& c) { return c.kind == Constraint::Kind::Label && has_head[c.word]; });
  ArcRules rules;
  for (size_t i = constraints.size(); i-- > 0;) {
    auto without = constraints;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    rules.set(words, single_root, without, uses);
    if (!rules.any_tree()) constraints = std::move(without);
  }
  return constraints;
}

}  // namespace arcwise
