#include "tree/pseudo_projective.h"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupts.h"
#include "text/treebank.h"

namespace arcwise {
namespace {

// Nodes are numbered by position: 0 is ROOT, 1 to n are the words.
using Node = int32_t;
inline constexpr Node kRoot = 0;
inline constexpr Node kNone = -1;

void check_length(size_t expected, size_t found, const char* what) {
  if (expected == found) return;
  throw std::invalid_argument("The tree has " + std::to_string(expected) + " words, but " +
                              std::to_string(found) + " " + what + " are given: give one for each word.");
}

// The topmost node above each node along known heads: ROOT, or a word whose head is unknown. Throws if there
// is none, which is to say that the heads are no tree.
std::vector<Node> find_tops(std::span<const int32_t> heads) {
  constexpr Node kUnvisited = -1, kOnTheWay = -2;
  const auto size = static_cast<Node>(heads.size()) + 1;
  std::vector<Node> top(size, kUnvisited);
  std::vector<Node> way;
  top[kRoot] = kRoot;
  for (Node word = 1; word < size; ++word) {
    Node node = word;
    while (top[node] == kUnvisited) {
      const int32_t head = heads[node - 1];
      if (head < kUnknownHead || head >= size) {
        throw std::invalid_argument("Word " + std::to_string(node) + " has head " + std::to_string(head) +
                                    ", but heads go from 0 (ROOT) to " + std::to_string(size - 1) +
                                    "; use -1 for an unknown head.");
      }
      if (head == kUnknownHead) {
        top[node] = node;
      } else {
        top[node] = kOnTheWay;
        way.push_back(node);
        node = head;
      }
    }
    if (top[node] == kOnTheWay) {
      throw std::invalid_argument("Word " + std::to_string(node) +
                                  " is its own ancestor: mend the cycle in its heads.");
    }
    for (const Node passed : way) top[passed] = top[node];
    way.clear();
  }
  return top;
}

// A tree with every head known, ROOT included; ROOT's own head is kNone.
struct WholeTree {
  std::vector<Node> head;
  std::vector<bool> known;  // whether the node's arc is annotated, or was chosen by complete()
};

struct Span {
  Node left, right;
  bool covers(Node node) const { return left < node && node < right; }
};

// Gives each word whose head is unknown one that no projectivity hinges on: the left end of the shortest arc
// over it, or ROOT if there is none. Where the known arcs leave a projective tree possible, this is one:
// arcs over a word are then nested, so an arc from the innermost one's left end crosses neither a known arc
// nor another of its kind. Where they do not, an arc may lie over a word and below it too; the word then
// takes the shortest arc that makes no cycle.
WholeTree complete(std::span<const int32_t> heads) {
  std::vector<Node> top = find_tops(heads);
  const auto size = static_cast<Node>(top.size());
  WholeTree tree{std::vector<Node>(size, kNone), std::vector<bool>(size, true)};
  std::copy(heads.begin(), heads.end(), tree.head.begin() + 1);
  if (std::ranges::find(heads, kUnknownHead) == heads.end()) return tree;

  std::vector<Span> arcs;
  for (Node word = 1; word < size; ++word) {
    const Node head = tree.head[word];
    if (head != kUnknownHead) arcs.push_back({std::min(word, head), std::max(word, head)});
  }
  std::ranges::stable_sort(arcs, {}, [](const Span& arc) { return arc.right - arc.left; });

  // Each arc in turn claims the words under it that no shorter arc has claimed.
  std::vector<size_t> shortest_over(size, arcs.size());
  std::vector<Node> next_free(size + 1);
  std::iota(next_free.begin(), next_free.end(), 0);
  const auto find = [](std::vector<Node>& parent, Node node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (size_t i = 0; i < arcs.size(); ++i) {
    for (Node node = find(next_free, arcs[i].left + 1); node < arcs[i].right; node = find(next_free, node)) {
      shortest_over[node] = i;
      next_free[node] = node + 1;
    }
  }

  // From here on `top` is a forest of its own, in which parts of the tree that have been joined share a root.
  for (Node word = 1; word < size; ++word) {
    if (tree.head[word] != kUnknownHead) continue;
    check_interrupts();
    size_t i = shortest_over[word];
    while (i < arcs.size() && !(arcs[i].covers(word) && find(top, arcs[i].left) != find(top, word))) ++i;
    tree.head[word] = i < arcs.size() ? arcs[i].left : kRoot;
    tree.known[word] = false;
    top[find(top, word)] = find(top, tree.head[word]);
  }
  return tree;
}

// Every node after all of its dependents.
std::vector<Node> bottom_up(const std::vector<Node>& head) {
  std::vector<Node> waiting_for(head.size(), 0);
  for (Node word = 1; word < std::ssize(head); ++word) ++waiting_for[head[word]];
  std::vector<Node> order;
  order.reserve(head.size());
  for (Node node = 0; node < std::ssize(head); ++node) {
    if (waiting_for[node] == 0) order.push_back(node);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != kRoot && --waiting_for[head[order[i]]] == 0) order.push_back(head[order[i]]);
  }
  return order;
}

// Whether the words that each node dominates, with the node, stand side by side: another way to say that
// every arc is projective.
bool is_projective(const WholeTree& tree) {
  const auto size = tree.head.size();
  std::vector<Node> leftmost(size), rightmost(size), count(size, 1);
  std::iota(leftmost.begin(), leftmost.end(), 0);
  std::iota(rightmost.begin(), rightmost.end(), 0);
  for (const Node node : bottom_up(tree.head)) {
    if (rightmost[node] - leftmost[node] + 1 != count[node]) return false;
    if (node == kRoot) continue;
    const Node head = tree.head[node];
    leftmost[head] = std::min(leftmost[head], leftmost[node]);
    rightmost[head] = std::max(rightmost[head], rightmost[node]);
    count[head] += count[node];
  }
  return true;
}

// The dependents of each node, as doubly linked lists, so that a word leaves its head in constant time.
class Dependents {
 public:
  explicit Dependents(std::span<const Node> head)
      : first_(head.size(), kNone),
        last_(head.size(), kNone),
        next_(head.size(), kNone),
        previous_(head.size(), kNone) {
    for (Node word = 1; word < std::ssize(head); ++word) {
      if (head[word] != kUnknownHead) insert_in_order(word, head[word]);
    }
  }

  Node first(Node head) const { return first_[head]; }
  Node next(Node word) const { return next_[word]; }

  void remove(Node word, Node head) {
    const Node before = previous_[word], after = next_[word];
    (before == kNone ? first_[head] : next_[before]) = after;
    (after == kNone ? last_[head] : previous_[after]) = before;
  }

  void append(Node word, Node head) { insert_after(last_[head], word, head); }

  // Looks from the right, since words mostly come from left to right.
  void insert_in_order(Node word, Node head) {
    Node before = last_[head];
    while (before > word) before = previous_[before];
    insert_after(before, word, head);
  }

 private:
  void insert_after(Node before, Node word, Node head) {
    const Node after = before == kNone ? first_[head] : next_[before];
    previous_[word] = before;
    next_[word] = after;
    (before == kNone ? first_[head] : next_[before]) = word;
    (after == kNone ? last_[head] : previous_[after]) = word;
  }

  std::vector<Node> first_, last_, next_, previous_;
};

// Lifting rests on one observation. Around each node there is a widest stretch of the sentence without a gap
// in which the node dominates every word: its reach. An arc is projective if and only if its dependent is
// within its head's reach. When a word is lifted from its head, that head ceases to dominate the words of
// the lifted subtree, and nothing else changes in what dominates what: only that head's reach shrinks, only
// that head's other arcs can become non-projective, and no arc ever becomes projective but by being lifted.
class Lifting {
 public:
  explicit Lifting(WholeTree tree) : tree_(std::move(tree)), dependents_(tree_.head) {
    passed_.resize(tree_.head.size());
    find_reach();
    for (Node word = 1; word < std::ssize(tree_.head); ++word) {
      if (!in_reach(tree_.head[word], word)) queue(word);
    }
  }

  void run() {
    while (!waiting_.empty()) {
      check_interrupts();
      const Node word = waiting_.top().word;
      waiting_.pop();
      lift(word);
    }
  }

  Node head(Node word) const { return tree_.known[word] ? tree_.head[word] : kUnknownHead; }
  bool passed(Node word) const { return passed_[word]; }

 private:
  // In the order in which arcs are lifted. Those that are not annotated go first: lifting them loses nothing,
  // and may spare an annotated one.
  struct Waiting {
    bool known;
    Node length, left_end, word;
    auto operator<=>(const Waiting&) const = default;
  };

  // A node's reach to the right is its own position, then the reach of the word that follows if that is
  // dominated, and so on; mirrored to the left. Each word is jumped over once, so this is linear.
  void find_reach() {
    const auto size = std::ssize(tree_.head);
    const std::vector<Node> order = bottom_up(tree_.head);
    std::vector<Node> count(size, 1);
    for (const Node node : order) {
      if (node != kRoot) count[tree_.head[node]] += count[node];
    }
    std::vector<Node> entered(size, 0), next_entry(size, 1);  // numbers in a walk down the tree
    for (auto node = order.rbegin() + 1; node < order.rend(); ++node) {
      Node& entry = next_entry[tree_.head[*node]];
      entered[*node] = entry;
      next_entry[*node] = entry + 1;
      entry += count[*node];
    }
    const auto dominates = [&](Node above, Node below) {
      return entered[above] <= entered[below] && entered[below] < entered[above] + count[above];
    };
    left_.resize(size);
    right_.resize(size);
    for (Node node = 0; node < size; ++node) {
      left_[node] = node;
      while (left_[node] > 0 && dominates(node, left_[node] - 1)) left_[node] = left_[left_[node] - 1];
    }
    for (auto node = static_cast<Node>(size) - 1; node >= 0; --node) {
      right_[node] = node;
      while (right_[node] + 1 < size && dominates(node, right_[node] + 1)) {
        right_[node] = right_[right_[node] + 1];
      }
    }
  }

  bool in_reach(Node head, Node word) const { return left_[head] <= word && word <= right_[head]; }

  void queue(Node word) {
    const Node head = tree_.head[word];
    waiting_.push({tree_.known[word], std::abs(head - word), std::min(head, word), word});
  }

  void lift(Node word) {
    const Node from = tree_.head[word];
    const Node to = tree_.head[from];
    if (!tree_.known[from]) tree_.known[word] = false;
    if (tree_.known[word]) passed_[from] = true;
    tree_.head[word] = to;
    dependents_.remove(word, from);
    dependents_.append(word, to);
    shrink_reach(from, word);
    if (!in_reach(to, word)) queue(word);
  }

  // `head` no longer dominates `word` and what is below it.
  void shrink_reach(Node head, Node word) {
    Node lost_left = kNone, lost_right = static_cast<Node>(tree_.head.size());
    subtree_.assign(1, word);
    while (!subtree_.empty()) {
      check_interrupts();
      const Node node = subtree_.back();
      subtree_.pop_back();
      if (node < head) {
        lost_left = std::max(lost_left, node);
      } else {
        lost_right = std::min(lost_right, node);
      }
      for (Node below = dependents_.first(node); below != kNone; below = dependents_.next(below)) {
        subtree_.push_back(below);
      }
    }
    for (; left_[head] <= lost_left; ++left_[head]) {
      if (tree_.head[left_[head]] == head) queue(left_[head]);
    }
    for (; right_[head] >= lost_right; --right_[head]) {
      if (tree_.head[right_[head]] == head) queue(right_[head]);
    }
  }

  WholeTree tree_;
  Dependents dependents_;
  std::vector<Node> left_, right_;  // the ends of each node's reach
  std::vector<bool> passed_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;  // the non-projective arcs
  std::vector<Node> subtree_;
};

// Lifted words return one after another, from the top of the tree down and from left to right, each in the
// tree that those before it have left. A word's syntactic head is sought below its linear head, in the same
// order, and never below the word itself, so that no cycle can arise.
class Lowering {
 public:
  Lowering(std::vector<Node> head, std::span<const LiftedLabel> labels, Scheme scheme,
           const std::function<bool(Node, Node)>& may)
      : scheme_(scheme),
        may_(may),
        labels_(labels),
        head_(std::move(head)),
        dependents_(head_),
        paths_below_(head_.size(), 0) {
    for (Node word = 1; word < std::ssize(head_); ++word) {
      bases_.push_back(label(word).base);
      has_paths_ |= label(word).path;
      if (label(word).path && head_[word] != kUnknownHead) ++paths_below_[head_[word]];
    }
    std::ranges::sort(bases_);
  }

  void run() {
    for (const Node word : lifted_words()) {
      const Node target = find_target(word);
      if (target != kNone) lower(word, target);
    }
  }

  Node head(Node word) const { return head_[word]; }

 private:
  // How well a node fits as a lifted word's syntactic head, best first.
  enum class Fit : uint8_t { Best, Good, Fair, None };

  const LiftedLabel& label(Node word) const { return labels_[word - 1]; }

  // Breadth first: from the top down, and from left to right.
  std::vector<Node> lifted_words() const {
    std::vector<Node> order(1, kRoot), lifted;
    for (Node word = 1; word < std::ssize(head_); ++word) {
      if (head_[word] == kUnknownHead) order.push_back(word);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (Node word = dependents_.first(order[i]); word != kNone; word = dependents_.next(word)) {
        if (order[i] != kRoot && may_be_lowered(word)) lifted.push_back(word);
        order.push_back(word);
      }
    }
    return lifted;
  }

  // Spares words a search in vain: the sentence may lack paths, or the label that a word was lifted from.
  bool may_be_lowered(Node word) const {
    const int32_t lifted_from = label(word).lifted_from;
    if (lifted_from == kNotLifted) return false;
    return scheme_ == Scheme::Path ? has_paths_ : std::ranges::binary_search(bases_, lifted_from);
  }

  // Nivre & Nilsson 2005: `head` looks for the label h of d↑h; `path` for a word p↓ with no p↓ below it,
  // where the path ends; `head+path` for h↓, or else as `head`. Of several words h↓ we prefer one where the
  // path ends, which the paper does not: a path may well pass the same label twice.
  Fit fit(Node candidate, const LiftedLabel& lifted) const {
    const bool same_label = label(candidate).base == lifted.lifted_from;
    const bool on_path = label(candidate).path;
    const bool ends_path = on_path && paths_below_[candidate] == 0;
    switch (scheme_) {
      case Scheme::Head:
        return same_label ? Fit::Best : Fit::None;
      case Scheme::Path:
        return ends_path ? Fit::Best : Fit::None;
      case Scheme::HeadPath:
        if (!same_label) return Fit::None;
        return ends_path ? Fit::Best : on_path ? Fit::Good : Fit::Fair;
    }
    return Fit::None;
  }

  // The first node of the best fit, breadth first.
  Node find_target(Node word) {
    Fit best = Fit::None;
    Node target = kNone;
    queue_.assign(1, head_[word]);
    for (size_t i = 0; i < queue_.size(); ++i) {
      check_interrupts();
      for (Node node = dependents_.first(queue_[i]); node != kNone; node = dependents_.next(node)) {
        if (node == word) continue;
        if (const Fit found = fit(node, label(word)); found < best && (!may_ || may_(node, word))) {
          best = found;
          target = node;
        }
        if (best == Fit::Best) return target;
        queue_.push_back(node);
      }
    }
    return target;
  }

  void lower(Node word, Node target) {
    const Node linear_head = head_[word];
    paths_below_[linear_head] -= label(word).path;
    paths_below_[target] += label(word).path;
    dependents_.remove(word, linear_head);
    dependents_.insert_in_order(word, target);
    head_[word] = target;
  }

  Scheme scheme_;
  const std::function<bool(Node, Node)>& may_;  // whether a word may have a head; if empty, any
  std::span<const LiftedLabel> labels_;
  std::vector<Node> head_;
  Dependents dependents_;
  std::vector<Node> paths_below_;  // how many dependents of each node are marked as on a path
  std::vector<int32_t> bases_;     // the labels of the sentence, sorted
  bool has_paths_ = false;
  std::vector<Node> queue_;
};

}  // namespace

Scheme scheme_from_name(std::string_view name) {
  if (name == "head") return Scheme::Head;
  if (name == "path") return Scheme::Path;
  if (name == "head+path") return Scheme::HeadPath;
  throw std::invalid_argument("There is no pseudo-projective scheme called \"" + std::string(name) +
                              "\": choose head, path or head+path.");
}

bool is_projective(std::span<const int32_t> heads) { return is_projective(complete(heads)); }

void projectivize(std::span<const int32_t> heads, std::span<const int32_t> labels, Scheme scheme,
                  std::span<int32_t> out_heads, std::span<LiftedLabel> out_labels) {
  check_length(heads.size(), labels.size(), "labels");
  check_length(heads.size(), out_heads.size(), "places for heads");
  check_length(heads.size(), out_labels.size(), "places for labels");
  WholeTree tree = complete(heads);
  for (size_t i = 0; i < heads.size(); ++i) {
    out_heads[i] = heads[i];
    out_labels[i] = LiftedLabel{.base = labels[i]};
  }
  if (is_projective(tree)) return;
  Lifting lifting(std::move(tree));
  lifting.run();
  for (size_t i = 0; i < heads.size(); ++i) {
    const auto word = static_cast<Node>(i) + 1;
    const Node linear_head = lifting.head(word);
    if (linear_head != heads[i] && linear_head != kUnknownHead) {
      out_labels[i].lifted_from = scheme == Scheme::Path ? kLifted : labels[heads[i] - 1];
    }
    out_labels[i].path = scheme != Scheme::Head && lifting.passed(word);
    out_heads[i] = linear_head;
  }
}

void deprojectivize(std::span<const int32_t> heads, std::span<const LiftedLabel> labels, Scheme scheme,
                    std::span<int32_t> out_heads, std::span<int32_t> out_labels,
                    const std::function<bool(int32_t, int32_t)>& may) {
  check_length(heads.size(), labels.size(), "labels");
  check_length(heads.size(), out_heads.size(), "places for heads");
  check_length(heads.size(), out_labels.size(), "places for labels");
  find_tops(heads);
  for (size_t i = 0; i < heads.size(); ++i) {
    out_heads[i] = heads[i];
    out_labels[i] = labels[i].base;
  }
  const auto lifted = [](const LiftedLabel& label) { return label.lifted_from != kNotLifted; };
  if (std::ranges::none_of(labels, lifted)) return;
  std::vector<Node> head(1, kNone);
  head.insert(head.end(), heads.begin(), heads.end());
  Lowering lowering(std::move(head), labels, scheme, may);
  lowering.run();
  for (size_t i = 0; i < heads.size(); ++i) out_heads[i] = lowering.head(static_cast<Node>(i) + 1);
}

}  // namespace arcwise
