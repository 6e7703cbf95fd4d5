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
  in_forbidden_arc_.assign(words + 1, false);
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
  // Of a single root that is given, there is no other.
  if (single_root && std::ranges::find(fixed_heads(), kRoot) != fixed_heads().end())
    std::erase_if(forbidden_,
                  [&](const auto& arc) { return arc.second == kRoot && fixed_[arc.first] != kRoot; });
  std::ranges::sort(forbidden_);
  for (const auto& [word, head] : forbidden_) {
    has_forbidden_[word] = true;
    if (head != kRoot) in_forbidden_arc_[word] = in_forbidden_arc_[head] = true;
  }
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

// Finds words from others, by arcs that may be, among those that are at home in one subtree. Whatever has not
// been found is looked through for each word, and stays because of a rule that forbids the arc: so it takes
// as long as there are words and rules.
class ArcRules::Reach {
 public:
  explicit Reach(const ArcRules& rules) : rules_(rules), found_(rules.fixed_.size()) {
    for (int32_t word = 1; word <= rules.words(); ++word)
      if (rules.fixed_[word] != kNone) given_.emplace_back(rules.fixed_[word], word);
    std::ranges::sort(given_);
  }

  void begin(std::span<const int32_t> members) {
    waiting_.assign(members.begin(), members.end());
    for (int32_t member : members) found_[member] = false;
    count_ = 0;
  }
  bool is_found(int32_t word) const { return found_[word]; }
  size_t count() const { return count_; }

  // What a word dominates.
  void down(int32_t from) {
    std::erase_if(waiting_, [&](int32_t word) { return rules_.fixed_[word] != kNone; });
    walk(from, [&](int32_t head) {
      find_waiting([&](int32_t word) { return rules_.may(head, word); });
      auto dependent = std::ranges::lower_bound(given_, head, {}, &std::pair<int32_t, int32_t>::first);
      for (; dependent != given_.end() && dependent->first == head; ++dependent)
        find(dependent->second, head, dependent->second);
    });
  }
  // What dominates a word.
  void up(int32_t from) {
    walk(from, [&](int32_t word) {
      if (const int32_t head = rules_.fixed_[word]; head != kNone)
        find(head, head, word);
      else
        find_waiting([&](int32_t head) { return rules_.may(head, word); });
    });
  }

 private:
  void walk(int32_t from, const auto& visit) {
    add(from);
    while (!way_.empty()) {
      const int32_t node = way_.back();
      way_.pop_back();
      check_interrupts();
      visit(node);
    }
  }
  void find_waiting(const auto& may) {
    std::erase_if(waiting_, [&](int32_t word) {
      if (!found_[word] && may(word)) add(word);
      return found_[word];
    });
  }
  void find(int32_t node, int32_t head, int32_t word) {
    if (rules_.home_[head] == rules_.home_[word] && !found_[node] && rules_.may(head, word)) add(node);
  }
  void add(int32_t node) {
    found_[node] = true;
    ++count_;
    way_.push_back(node);
  }

  const ArcRules& rules_;
  std::vector<std::pair<int32_t, int32_t>> given_;  // (head, word), sorted
  std::vector<bool> found_;
  std::vector<int32_t> waiting_, way_;
  size_t count_ = 0;
};

// The members that can dominate all the others; each inner subtree hangs from some member by one of the roots
// it can have.
std::vector<int32_t> ArcRules::possible_roots(std::span<const int32_t> members,
                                              std::span<const std::vector<int32_t>> inner,
                                              Reach& reach) const {
  const auto hangs = [&](int32_t root) {
    const int32_t given = fixed_[root];
    if (given != kNone) return home_[given] == home_[members[0]] && may(given, root);
    return std::ranges::any_of(members, [&](int32_t head) { return may(head, root); });
  };
  if (members.empty()) return {};
  for (const auto& roots : inner)
    if (std::ranges::none_of(roots, hangs)) return {};
  // Of searches that start wherever none has come to, the last starts from a word that dominates all, if
  // there is one.
  int32_t last = kNone;
  reach.begin(members);
  for (int32_t member : members) {
    if (reach.is_found(member)) continue;
    reach.down(member);
    last = member;
  }
  reach.begin(members);
  reach.down(last);
  if (reach.count() < members.size()) return {};
  reach.begin(members);
  reach.up(last);
  std::vector<int32_t> roots;
  std::ranges::copy_if(members, std::back_inserter(roots),
                       [&](int32_t word) { return reach.is_found(word); });
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
  Reach reach(*this);
  for (size_t i = count; i-- > 0;) {
    auto roots = possible_roots(members[i], inner[i], reach);
    if (roots.empty()) return false;
    inner[place(subtrees_[i].parent)].push_back(std::move(roots));
  }
  const auto roots = possible_roots(members[count], inner[count], reach);
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
  // The last of the fewest that contradict each other, as they come, is one of the set; and of those before
  // it the last of the fewest that contradict it, and so on.
  ArcRules rules;
  std::vector<Constraint> set;
  const auto contradict = [&](size_t count) {
    std::vector<Constraint> some(constraints.begin(),
                                 constraints.begin() + static_cast<std::ptrdiff_t>(count));
    some.insert(some.end(), set.begin(), set.end());
    rules.set(words, single_root, some, uses);
    return !rules.any_tree();
  };
  for (size_t count = constraints.size(); !contradict(0);) {
    count = first_that(count, contradict);
    set.push_back(constraints[--count]);
  }
  std::ranges::reverse(set);
  return set;
}

size_t first_that(size_t most, const std::function<bool(size_t)>& holds) {
  size_t least = 1;
  while (least < most) {
    const size_t middle = least + (most - least) / 2;
    if (holds(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return most;
}

}  // namespace arcwise
