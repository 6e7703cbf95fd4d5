// Transition systems as decoders: the tree is built by a run's answers and its loss is what it got wrong. A
// decision is a move, action and label at once; or first the action and then, for an arc, its label (Chang
// et al. 2015, 3).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/interrupts.h"
#include "feature/templates.h"
#include "search/decoder_run.h"
#include "task/arc_costs.h"
#include "task/task.h"
#include "tree/gold.h"

namespace arcwise {

struct TaskDecoderOptions {
  bool label_apart = true;  // an action and then its label
  bool exact = true;        // give what actions cost by the dynamic oracle; without, roll-outs have to tell
  float wrong_head = 2, wrong_label = 1;  // the loss of a word
};

// How many kinds of predictions there are where LEFT and RIGHT alone have labels.
inline constexpr int32_t kLeftRightPolicies = 3;

// A decoder of the trees of sentences.
class TreeDecoder : public Decoder {
 public:
  // The sentence that the next runs are about; without heads it can only be parsed.
  virtual void sentence(const TokenTable& tokens, int32_t words) = 0;
  virtual void sentence(const TokenTable& tokens, std::span<const int32_t> heads,
                        std::span<const int32_t> labels) = 0;
};

// Actions in predictions are the moves by their numbers; of those in two parts, the actions by their numbers
// and the labels by theirs. What predicts labels of LEFT, of RIGHT and of each action of a system's own has
// weights of its own, as has what predicts actions or moves.
template <OneSite T>
  requires BuildsTrees<T>
class TaskDecoder final : public TreeDecoder {
 public:
  TaskDecoder(const T& task, const Templates& templates, const TaskDecoderOptions& options)
      : task_(task), templates_(templates), options_(options), keys_(templates.size() + 1) {
    class_costs_.resize(task.moves().size());
  }

  // How many actions predictions are made from.
  static int32_t actions(const T& task, const TaskDecoderOptions& options) {
    if (!options.label_apart) return task.moves().size();
    int32_t most = static_cast<int32_t>(Action::Own);
    for (MoveId c = 0; c < task.moves().size(); ++c) {
      const auto [action, label] = task.moves()[c];
      most = std::max({most, label + 1, static_cast<int32_t>(action) + 1});
    }
    return most;
  }
  // How many kinds of predictions there are.
  static int32_t policies(const T& task) {
    Action last = Action::Right;
    for (MoveId c = 0; c < task.moves().size(); ++c)
      if (task.moves()[c].label >= 0) last = std::max(last, task.moves()[c].action);
    return policy_of_label(last) + 1;
  }

  void sentence(const TokenTable& tokens, int32_t words) override {
    tokens_ = &tokens;
    words_ = words;
    has_gold_ = false;
  }
  void sentence(const TokenTable& tokens, std::span<const int32_t> heads,
                std::span<const int32_t> labels) override {
    sentence(tokens, static_cast<int32_t>(heads.size()));
    gold_.set(heads, labels);
    has_gold_ = true;
  }

  const typename T::State& state() const { return state_; }

  void run(DecoderRun& search) override {
    teaches_ = search.is_training() && has_gold_;
    task_.start(state_, words_);
    while (!task_.done(state_)) {
      check_interrupts();
      legal_ = task_.legal(state_);
      features_known_ = false;
      if (teaches_) task_.costs(state_, gold_, class_costs_.data());
      task_.apply(state_, options_.label_apart ? action_and_label(search) : move(search));
    }
    if (teaches_) search.loss(tree_loss());
  }

  std::string name_of(int32_t action) const override { return "action " + std::to_string(action); }

 private:
  static constexpr int32_t kMovePolicy = 0;
  static constexpr int32_t policy_of_label(Action action) {
    return static_cast<int32_t>(action) - static_cast<int32_t>(Action::Left) + 1;
  }

  MoveId move(DecoderRun& search) {
    allowed_.clear();
    costs_.clear();
    for (Range range : legal_.ranges()) {
      const float least = least_cost(range);
      for (MoveId c = range.begin; c < range.end; ++c) {
        allowed_.push_back(c);
        if (!teaches_) continue;
        costs_.push_back(options_.wrong_head * least + options_.wrong_label * (class_costs_[c] - least));
      }
    }
    return ask(search, kMovePolicy);
  }

  MoveId action_and_label(DecoderRun& search) {
    allowed_.clear();
    costs_.clear();
    for (Range range : legal_.ranges()) {
      allowed_.push_back(static_cast<int32_t>(task_.moves()[range.begin].action));
      if (teaches_) costs_.push_back(options_.wrong_head * least_cost(range));
    }
    const auto action = static_cast<Action>(ask(search, kMovePolicy));
    Range range;
    for (Range r : legal_.ranges())
      if (task_.moves()[r.begin].action == action) range = r;
    if (range.size() == 1) return range.begin;

    allowed_.clear();
    costs_.clear();
    const float least = least_cost(range);
    for (MoveId c = range.begin; c < range.end; ++c) {
      allowed_.push_back(task_.moves()[c].label);
      if (teaches_) costs_.push_back(options_.wrong_label * (class_costs_[c] - least));
    }
    const int32_t label = ask(search, policy_of_label(action));
    return move_with_label(task_.moves(), range, label);
  }

  int32_t ask(DecoderRun& search, int32_t policy) {
    reference_.clear();
    if (teaches_) {
      const float least = *std::min_element(costs_.begin(), costs_.end());
      for (size_t i = 0; i < allowed_.size(); ++i)
        if (costs_[i] == least) reference_.push_back(allowed_[i]);
    }
    const bool exact = options_.exact && T::kDynamicOracle;
    const std::span<const float> costs = exact ? costs_ : std::span<const float>{};
    return search.predict({allowed_, reference_, costs, policy}, [&](Features& features) { fill(features); });
  }

  // The state is the same for an action and for its label.
  void fill(Features& features) {
    if (!features_known_) {
      TreeView view;
      task_.view(state_, view);
      key_count_ = templates_.extract(view, *tokens_, keys_.data());
      features_known_ = true;
    }
    features.group(group_);
    for (int32_t i = 0; i < key_count_; ++i) features.add(keys_[i]);
  }

  float least_cost(Range range) const {
    if (!teaches_) return 0;
    return *std::min_element(class_costs_.begin() + range.begin, class_costs_.begin() + range.end);
  }

  double tree_loss() const {
    double loss = 0;
    for (int32_t w = 1; w <= words_; ++w) {
      if (gold_.head(w) == kNone) continue;
      if (state_.tree.output_head(w) != gold_.head(w))
        loss += options_.wrong_head;
      else if (gold_.wrong_label(w, state_.tree[w].label))
        loss += options_.wrong_label;
    }
    return loss;
  }

  const T& task_;
  const Templates& templates_;
  TaskDecoderOptions options_;
  const uint64_t group_ = namespace_key("state");
  const TokenTable* tokens_ = nullptr;
  int32_t words_ = 0;
  bool has_gold_ = false, teaches_ = false;
  TreeGold gold_;
  typename T::State state_;
  Legal legal_;
  std::vector<float> class_costs_;
  std::vector<int32_t> allowed_, reference_;
  std::vector<float> costs_;
  std::vector<uint64_t> keys_;
  int32_t key_count_ = 0;
  bool features_known_ = false;
};

}  // namespace arcwise
