// Transition systems as decoders, for learning to search: a run walks through the training loop, its answers
// are the moves that are taken, and its loss is what the tree got wrong.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "search/decoder_run.h"
#include "search/move_questions.h"
#include "train/loop.h"
#include "train/system_training.h"

namespace arcwise {

template <OneSite T>
  requires BuildsTrees<T>
class TaskDecoder final : public TreeDecoder {
 public:
  TaskDecoder(const T& task, const Templates& templates, const TaskDecoderOptions& options)
      : task_(task),
        templates_(templates),
        options_(options),
        loop_(task_, Oracle::Dynamic, RollPolicy{}),
        keys_(templates.size() + 1) {}

  void sentence(const TokenTable& tokens, std::span<const int32_t> heads,
                std::span<const int32_t> labels) override {
    tokens_ = &tokens;
    example_ = {heads, labels};
  }

  void run(DecoderRun& run) override {
    Answers answers{*this, run};
    TrainingProgress progress;
    loop_.train(answers, example_, [](const Example& e) { return e.words(); }, 1, progress);
    run.loss(tree_loss());
  }

  std::string name_of(int32_t action) const override { return "action " + std::to_string(action); }

 private:
  struct Example {
    std::span<const int32_t> heads, labels;
    int32_t words() const { return static_cast<int32_t>(heads.size()); }
  };

  // What the training loop takes for a learner: whoever answers the run's questions. What is to be learnt is
  // left to the run.
  struct Answers {
    static constexpr bool kLearnsOnTheWay = false;
    static constexpr const char* kDiverged = "";

    TaskDecoder& decoder;
    DecoderRun& run;
    Random unused{0};

    void look(size_t, Site& site, const TreeView& view) {
      site.reset(static_cast<size_t>(decoder.task_.moves().size()));
      decoder.view_ = view;
      decoder.features_known_ = false;
    }
    void score_again(Site&) {}
    void score() {}
    void fetch(Site&) {}
    double learn(Decision& decision) {
      Site* site = decision.sites.front();
      decision.predicted = {site, decoder.answer(run, *site)};
      return 0;
    }
    static bool changed(const Decision&) { return false; }
    void pass() {}
    Random& random() { return unused; }
  };

  MoveId answer(DecoderRun& run, const Site& site) {
    return ask_for_move(task_.moves(), site.legal, options_.label_apart, allowed_,
                        [&](MoveQuestion question, const Legal& about, int32_t policy) {
                          find_costs(question, about, site.costs.data());
                          const auto costs =
                              options_.exact ? std::span<const float>(costs_) : std::span<const float>{};
                          return run.predict({allowed_, reference_, costs, policy},
                                             [&](Features& features) { fill(features); });
                        });
  }

  // What each allowed answer loses, and which lose least.
  void find_costs(MoveQuestion question, const Legal& about, const float* of_moves) {
    costs_.clear();
    for (Range range : about.ranges()) {
      const float least = *std::min_element(of_moves + range.begin, of_moves + range.end);
      if (question == MoveQuestion::Action) {
        costs_.push_back(options_.wrong_head * least);
        continue;
      }
      const float of_head = question == MoveQuestion::Move ? options_.wrong_head * least : 0;
      for (MoveId m = range.begin; m < range.end; ++m)
        costs_.push_back(of_head + options_.wrong_label * (of_moves[m] - least));
    }
    reference_.clear();
    const float least = *std::min_element(costs_.begin(), costs_.end());
    for (size_t i = 0; i < allowed_.size(); ++i)
      if (costs_[i] == least) reference_.push_back(allowed_[i]);
  }

  // The state is the same for an action and for its label.
  void fill(Features& features) {
    if (!features_known_) key_count_ = templates_.extract(view_, *tokens_, keys_.data());
    features_known_ = true;
    features.group(group_);
    for (int32_t i = 0; i < key_count_; ++i) features.add(keys_[i]);
  }

  double tree_loss() const {
    const Tree& tree = loop_.state(0).tree;
    double loss = 0;
    for (int32_t w = 1; w <= example_.words(); ++w) {
      const int32_t head = example_.heads[w - 1], label = example_.labels[w - 1];
      if (head == kNone) continue;
      if (tree.output_head(w) != head)
        loss += options_.wrong_head;
      else if (label >= 0 && label != tree[w].label)
        loss += options_.wrong_label;
    }
    return loss;
  }

  const T& task_;
  const Templates& templates_;
  const TaskDecoderOptions options_;
  const uint64_t group_ = namespace_key("state");
  TrainingLoop<T, RollPolicy> loop_;
  const TokenTable* tokens_ = nullptr;
  Example example_;
  TreeView view_;
  std::vector<int32_t> allowed_, reference_;
  std::vector<float> costs_;
  std::vector<uint64_t> keys_;
  int32_t key_count_ = 0;
  bool features_known_ = false;
};

}  // namespace arcwise
