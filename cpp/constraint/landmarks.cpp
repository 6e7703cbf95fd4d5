#include "constraint/landmarks.h"

#include <algorithm>

namespace arcwise {

void Landmarks::set(const ArcRules& rules) {
  rules_ = &rules;
  const int32_t words = rules.words();
  open_.assign(words + 1, false);
  for (int32_t word = 1; word <= words; ++word)
    open_[word] = rules.fixed_head(word) == kNone && !rules.is_in_forbidden_arc(word);
  find_arcs();
  find_roots();
  last_partner_.assign(words + 1, kRoot);
  const auto pair = [&](int32_t word, int32_t head) {
    last_partner_[word] = std::max(last_partner_[word], head);
    last_partner_[head] = std::max(last_partner_[head], word);
  };
  for (int32_t word = 1; word <= words; ++word)
    if (rules.fixed_head(word) != kNone) pair(word, rules.fixed_head(word));
  for (const auto& [word, head] : rules.forbidden()) pair(word, head);
}

void Landmarks::find_arcs() {
  const int32_t words = rules_->words();
  arcs_.clear();
  farthest_.assign(words + 1, kRoot);
  for (int32_t word = 1; word <= words; ++word) {
    const int32_t head = rules_->fixed_head(word);
    if (head == kNone) continue;
    const Arc arc{std::min(word, head), std::max(word, head)};
    arcs_.push_back(arc);
    farthest_[arc.left] = std::max(farthest_[arc.left], arc.right);
    // The root of a subtree: all words of it to the left are its own.
    if (head > word && rules_->enters(head, word))
      arcs_.push_back({rules_->subtrees()[rules_->home(word)].first - 1, word});
  }
  std::ranges::sort(arcs_, [](const Arc& a, const Arc& b) {
    return a.left != b.left ? a.left < b.left : a.right > b.right;
  });
  around_.assign(words + 1, kNone);
  before_.assign(words + 1, kRoot);
  end_.assign(words + 1, words + 1);
  std::vector<int32_t> open;  // arcs that have begun, the innermost last
  size_t next = 0;
  for (int32_t word = 0; word <= words; ++word) {
    while (!open.empty() && arcs_[open.back()].right <= word) open.pop_back();
    if (word > 0) {
      if (!open.empty()) {
        around_[word] = open.back();
        before_[word] = arcs_[open.back()].left;
        end_[word] = arcs_[open.back()].right;
      }
      if (const int32_t home = rules_->home(word); home != ArcRules::kOutside) {
        before_[word] = std::max(before_[word], rules_->subtrees()[home].first - 1);
        end_[word] = std::min(end_[word], rules_->subtrees()[home].last + 1);
      }
    }
    for (; next < arcs_.size() && arcs_[next].left == word; ++next) open.push_back(int32_t(next));
  }
}

void Landmarks::find_roots() {
  const int32_t words = rules_->words();
  const auto fixed = rules_->fixed_heads();
  const bool root_is_given = std::ranges::find(fixed, kRoot) != fixed.end();
  may_be_root_.assign(words + 1, false);
  roots_are_restricted_ = false;
  for (int32_t word = 1; word <= words; ++word) {
    if (!rules_->single_root()) {
      may_be_root_[word] = !rules_->is_forbidden(kRoot, word);
      roots_are_restricted_ |= !may_be_root_[word];
    } else {
      may_be_root_[word] = root_is_given ? fixed[word - 1] == kRoot : rules_->may(kRoot, word);
    }
  }
  stands_for_rest_.assign(words + 1, false);
  bool root_follows = false;
  for (int32_t word = words; word >= 1; --word) {
    if (open_[word]) {
      stands_for_rest_[word] =
          may_be_root_[word] || (rules_->single_root() && (is_inside(word) || !root_follows));
    }
    root_follows |= may_be_root_[word];
  }
}

int32_t Landmarks::reach(int32_t word, int32_t other) const {
  int32_t last = farthest_[word];
  for (int32_t home = rules_->home(word); home != rules_->home(other) && home != ArcRules::kOutside;
       home = rules_->subtrees()[home].parent)
    last = std::max(last, rules_->subtrees()[home].last);
  return last;
}

}  // namespace arcwise
