#include "task/foreign.h"

#include <algorithm>
#include <array>

namespace arcwise {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Every group is an action of its own. Those that are called as in the papers are theirs, so that learning to
// search asks the same questions of the same system, whoever gives it.
std::vector<Action> actions_for(const std::vector<ForeignSystem::Group>& groups) {
  static constexpr std::array kNames = {"SHIFT", "REDUCE", "LEFT", "RIGHT"};
  constexpr auto kNoAction = static_cast<Action>(kMostActions);
  // What has labels of its own to predict comes from LEFT on.
  const auto fits = [](size_t action, const ForeignSystem::Group& group) {
    return action >= static_cast<size_t>(Action::Own) ||
           (action >= static_cast<size_t>(Action::Left)) == (group.labels != nullptr);
  };
  std::vector<Action> actions(groups.size(), kNoAction);
  std::array<bool, kMostActions> taken{};
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t a = 0; a < kNames.size(); ++a)
      if (groups[g].name == kNames[a] && fits(a, groups[g])) {
        actions[g] = static_cast<Action>(a);
        taken[a] = true;
      }
  // The others have the actions of systems' own, and then whatever is left.
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t i = 0; i < kMostActions && actions[g] == kNoAction; ++i) {
      const size_t a = (i + static_cast<size_t>(Action::Own)) % kMostActions;
      if (taken[a] || !fits(a, groups[g])) continue;
      actions[g] = static_cast<Action>(a);
      taken[a] = true;
    }
  return actions;
}

std::vector<MoveGroup> move_groups(const std::vector<ForeignSystem::Group>& groups) {
  const std::vector<Action> actions = actions_for(groups);
  std::vector<MoveGroup> all;
  for (size_t g = 0; g < groups.size(); ++g) all.push_back({actions[g], groups[g].labels});
  return all;
}

}  // namespace

std::string in_brief(const StackState& state) {
  static constexpr int32_t kShown = 12;
  std::string text = "[";
  const auto add_some = [&](int32_t count, const auto& nth) {
    for (int32_t i = 0; i < std::min(count, kShown); ++i) text.append(i ? " " : "").append(nth(i));
    if (count > kShown) text += " …";
  };
  const auto word = [](int32_t node) { return node == kRoot ? "ROOT" : std::to_string(node); };
  // The top of a deep stack is what moves are about.
  const int32_t hidden = std::max(0, state.depth - kShown);
  if (hidden > 0) text += "… ";
  add_some(state.depth - hidden, [&](int32_t i) { return word(state.stack[hidden + i]); });
  text += " | ";
  add_some(state.words() - state.front, [&](int32_t i) { return word(state.buffer[state.front + i]); });
  text += " | ";
  std::vector<int32_t> dependents;
  for (int32_t w = 1; w <= state.words(); ++w)
    if (state.has_head(w)) dependents.push_back(w);
  add_some(static_cast<int32_t>(dependents.size()), [&](int32_t i) {
    return word(state.tree.output_head(dependents[i])).append("→").append(word(dependents[i]));
  });
  return text += "]";
}

void StateChanges::demand(bool holds, const std::string& otherwise) const {
  if (holds) return;
  throw ForeignError((move_ ? *move_ + " of " : "The start of ") + quoted(system_) + " in " +
                     in_brief(state_) + ": " + otherwise);
}

void StateChanges::demand_in_neither(int32_t node) const {
  demand(!state_.on_stack(node), std::to_string(node) + " is on the stack already.");
  const auto front = state_.buffer.begin() + state_.front, end = state_.buffer.begin() + state_.words();
  demand(std::find(front, end, node) == end,
         std::to_string(node) + " is in the buffer: shift brings its front to the stack.");
}

void StateChanges::shift() {
  demand(state_.buffer_has_words(), "there is no word in the buffer to shift.");
  do_shift();
}

void StateChanges::push(int32_t node) {
  demand(node >= kRoot && node <= state_.words(),
         "there is no node " + std::to_string(node) + " to push: words are counted from 1, and ROOT is 0.");
  demand_in_neither(node);
  do_push(node);
}

int32_t StateChanges::pop() {
  demand(state_.depth > 0, "there is nothing on the stack to pop.");
  return do_pop();
}

void StateChanges::insert(int32_t node, int32_t place) {
  demand(node >= 1 && node <= state_.words(),
         "there is no word " + std::to_string(node) + " to put into the buffer: words are counted from 1.");
  demand_in_neither(node);
  const int32_t words = state_.words() - state_.front;
  demand(place >= 0 && place <= words, "the buffer has no place " + std::to_string(place) +
                                           ": its places go from 0 to " + std::to_string(words) + ".");
  do_insert(node, place);
}

void StateChanges::add_arc(int32_t head, int32_t dependent, int32_t label) {
  const auto text = [](int32_t node) { return std::to_string(node); };
  demand(dependent >= 1 && dependent <= state_.words(),
         "there is no word " + text(dependent) + " to be given a head: words are counted from 1.");
  demand(head >= kRoot && head <= state_.words(),
         "there is no node " + text(head) + " to be a head: words are counted from 1, and ROOT is 0.");
  demand(!state_.has_head(dependent),
         text(dependent) + " has a head already, " + text(state_.tree.output_head(dependent)) + ".");
  demand(arc_.dependent == kNone,
         "a move adds one arc, and it has added one to " + text(arc_.dependent) + " already.");
  demand(label_ >= 0, "it adds an arc and has no label for it: say in 'moves' which labels it carries.");
  demand(label == label_, "its arc has another label than the move: give add_arc the label of apply.");
  // Heads go up to ROOT, or to a word without one.
  int32_t above = head;
  while (above > kRoot && above != dependent) above = state_.tree.output_head(above);
  demand(above != dependent, "an arc from " + text(head) + " to " + text(dependent) + " closes a cycle.");
  const Node& root = state_.tree[kRoot];
  demand(head != kRoot || !single_root_ || root.left_count + root.right_count == 0,
         "ROOT has a dependent already, and this treebank's trees have one root: see State.single_root.");
  do_add_arc(head, dependent, label);
  arc_ = {head, dependent};
}

ForeignSystem::ForeignSystem(std::string name, std::vector<Group> groups, bool projective)
    : name_(std::move(name)), groups_(std::move(groups)), projective_(projective) {
  if (groups_.empty() || groups_.size() > kMostGroups)
    throw std::invalid_argument("A transition system has from 1 to " + std::to_string(kMostGroups) +
                                " moves, labels aside, and " + quoted(name_) + " has " +
                                std::to_string(groups_.size()) + ".");
  for (size_t g = 0; g < groups_.size(); ++g)
    for (size_t before = 0; before < g; ++before)
      if (groups_[g].name == groups_[before].name)
        throw std::invalid_argument("Two moves of " + quoted(name_) + " are called " +
                                    quoted(groups_[g].name) + ": give them other names.");
}

Foreign::Foreign(std::shared_ptr<const ForeignSystem> system, const ArcLabels& labels, bool single_root)
    : system_(std::move(system)), moves_(move_groups(system_->groups()), labels), single_root_(single_root) {
  const auto groups = move_groups(system_->groups());
  for (size_t g = 0; g < groups.size(); ++g) {
    ranges_.push_back(moves_.of(groups[g].action, groups[g].labels));
    group_of_.insert(group_of_.end(), static_cast<size_t>(ranges_.back().size()), g);
  }
}

// The last words get their heads last in most systems.
bool Foreign::done(const State& s) const {
  int32_t word = s.words();
  while (word > 0 && s.has_head(word)) --word;
  return word == 0;
}

uint32_t Foreign::legal_groups(const State& s) const {
  const uint32_t groups = system_->legal({s, single_root_});
  if (groups != 0) return groups;
  std::string headless;
  for (int32_t word = 1; word <= s.words(); ++word)
    if (!s.has_head(word)) headless += (headless.empty() ? "" : ", ") + std::to_string(word);
  throw ForeignError("No move of " + quoted(name()) + " is legal in " + in_brief(s) +
                     ", and these words have no head yet: " + headless +
                     ". Every walk has to end in a tree: see arcwise.transitions.examine.");
}

Legal Foreign::legal(const State& s) const {
  const uint32_t groups = legal_groups(s);
  Legal legal;
  for (size_t g = 0; g < ranges_.size(); ++g)
    if (groups >> g & 1) legal.add(ranges_[g]);
  return legal;
}

void Foreign::costs(const State& s, const Gold& gold, float* costs) const {
  std::array<float, kMostGroups> lost{};
  const uint32_t groups = legal_groups(s);
  system_->costs({s, single_root_}, gold, groups, lost.data());
  for (size_t g = 0; g < ranges_.size(); ++g) {
    if (!(groups >> g & 1)) continue;
    const Range range = ranges_[g];
    // Without a choice of labels none is wrong.
    const auto [head, dependent] = range.size() > 1 ? arc_of(s, range.begin) : StateChanges::Arc{};
    arc_costs(moves_, gold, range, head, dependent, 0, costs);
    for (MoveId c = range.begin; c < range.end; ++c) costs[c] += lost[g];
  }
}

MoveId Foreign::static_move(const State& s, const Gold& gold) const {
  const Range range = ranges_[system_->static_move({s, single_root_}, gold, legal_groups(s))];
  if (range.size() == 1) return range.begin;
  const int32_t dependent = arc_of(s, range.begin).dependent;
  return dependent == kNone ? range.begin : move_with_label(moves_, range, gold.label(dependent));
}

void Foreign::never_ends(const StackState& s, int64_t moves) const {
  throw ForeignError("A walk of " + quoted(name()) + " through " + std::to_string(s.words()) +
                     " words has not ended after " + std::to_string(moves - 1) + " moves, in " + in_brief(s) +
                     ": let every move bring it nearer to its end.");
}

}  // namespace arcwise
