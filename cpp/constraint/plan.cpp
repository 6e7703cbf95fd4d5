#include "constraint/plan.h"

#include <algorithm>

#include "constraint/windows.h"
#include "tree/pseudo_projective.h"

namespace arcwise {
namespace {

using Kind = Constraint::Kind;

}  // namespace

bool any_projective_tree(const ArcRules& rules) {
  if (!is_projective(rules.fixed_heads())) return false;
  if (rules.only_heads()) return true;
  Windows windows;
  windows.set(rules, Reachable{});
  return windows.any();
}

void ConstraintPlan::sentence(size_t s, int32_t words) {
  const auto given = constraints_.of_sentence(s);
  has_constraints_ = !given.empty();
  if (!has_constraints_) return;
  labels_.assign(words, -1);
  for (const auto& [kind, word, value] : given)
    if (kind == Kind::Label) labels_[word - 1] = value;
  given_.set(words, single_root_, given, known_.uses);
  if (!given_.any_tree()) throw ConstraintError(explanation({given.begin(), given.end()}));
  projective_ = any_projective_tree(given_);
  if (projective_)
    searched_ = given_;
  else
    relax({given.begin(), given.end()});
}

// The lifted heads and all the rest, or as much of it as a projective tree satisfies.
void ConstraintPlan::relax(std::vector<Constraint> constraints) {
  const auto words = static_cast<int32_t>(labels_.size());
  std::vector<int32_t> heads(words, kNone);
  std::vector<LiftedLabel> lifts(words);
  for (const auto& [kind, word, value] : constraints)
    if (kind == Kind::Head) heads[word - 1] = value;
  std::erase_if(constraints, [&](const Constraint& c) {
    return c.kind == Kind::Head || (c.kind == Kind::Label && heads[c.word - 1] != kNone);
  });
  projectivize(heads, std::vector<int32_t>(words, 0), Scheme::Head, heads, lifts);
  for (int32_t word = 1; word <= words; ++word)
    if (heads[word - 1] != kNone) constraints.push_back({Kind::Head, word, heads[word - 1]});

  // As many of them as hold together, as they come.
  std::vector<Constraint> kept;
  const auto holds = [&](std::span<const Constraint> more) {
    std::vector<Constraint> all = kept;
    all.insert(all.end(), more.begin(), more.end());
    searched_.set(words, single_root_, all, known_.uses);
    return searched_.any_tree() && any_projective_tree(searched_);
  };
  std::span<const Constraint> rest = constraints;
  while (!holds(rest)) {
    const size_t first = first_that(rest.size(), [&](size_t count) { return !holds(rest.first(count)); });
    kept.insert(kept.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(first - 1));
    rest = rest.subspan(first);
  }
}

// Goes through the words, and fixes for each the head that was found, or else the first above it, or else the
// nearest, with which there still is a tree.
void ConstraintPlan::complete(std::span<int32_t> heads) const {
  const auto words = static_cast<int32_t>(heads.size());
  const std::vector<int32_t> found(heads.begin(), heads.end());
  for (int32_t word = 1; word <= words; ++word)
    if (has_given_head(word)) heads[word - 1] = given_.fixed_head(word);
  // Whether there is a tree with the heads of so many words from the first on.
  const auto is_tree = [&](int32_t last) {
    ArcRules rules = given_;
    for (int32_t word = 1; word <= last; ++word) rules.fix_head(word, heads[word - 1]);
    return rules.any_tree();
  };
  while (!is_tree(words)) {
    const auto word = static_cast<int32_t>(first_that(words, [&](size_t w) { return !is_tree(int32_t(w)); }));
    const auto try_head = [&](int32_t head) {
      if (head == word || !given_.may(head, word)) return false;
      heads[word - 1] = head;
      return is_tree(word);
    };
    int32_t above = found[word - 1];
    while (above != kRoot && !try_head(above)) above = found[above - 1];
    if (above != kRoot || try_head(kRoot)) continue;
    for (int32_t distance = 1; distance <= words; ++distance)
      if ((distance <= word && try_head(word - distance)) ||
          (word + distance <= words && try_head(word + distance)))
        break;
  }
}

void ConstraintPlan::finish(std::span<int32_t> heads, std::span<int32_t> labels) const {
  if (!projective_) complete(heads);
  for (size_t w = 0; w < heads.size(); ++w) {
    if (labels_[w] >= 0) {
      labels[w] = labels_[w];
    } else if (!projective_) {
      const LabelUse use = known_.uses[labels[w]];
      if (use == LabelUse::UnderWords && heads[w] == kRoot) labels[w] = known_.root;
      if (use == LabelUse::UnderRoot && heads[w] != kRoot) labels[w] = known_.words;
    }
  }
}

std::string ConstraintPlan::explanation(std::vector<Constraint> constraints) const {
  const auto words = static_cast<int32_t>(labels_.size());
  const auto set = contradiction(words, single_root_, std::move(constraints), known_.uses);
  std::string text = "no tree satisfies these constraints: ";
  for (size_t i = 0; i < set.size(); ++i)
    text += (i == 0 ? "" : i + 1 == set.size() ? " and " : ", ") + name(set[i]);
  ArcRules rules;
  rules.set(words, false, set, known_.uses);
  if (single_root_ && rules.any_tree()) text += " (this parser puts one word under ROOT)";
  return text + "; change or drop one of them";
}

std::string ConstraintPlan::name(const Constraint& constraint) const {
  const std::string word = std::to_string(constraint.word), value = std::to_string(constraint.value);
  switch (constraint.kind) {
    case Kind::Head:
      return "word " + word + " has head " + value;
    case Kind::NotHead:
      return "word " + word + " does not have head " + value;
    case Kind::Label:
      return "word " + word + " has the label " + constraints_.label_names[constraint.value];
    case Kind::Subtree:
      return constraint.word == constraint.value ? "word " + word + " is a subtree"
                                                 : "words " + word + " to " + value + " are a subtree";
  }
  return {};
}

}  // namespace arcwise
