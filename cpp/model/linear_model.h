// A linear model as a parser has it: features, and their weights.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "feature/templates.h"
#include "model/linear.h"
#include "model/rows.h"

namespace arcwise {

struct LinearModel {
  Templates templates;
  LinearScorer scorer;

  Class classes() const { return scorer.classes(); }
  std::vector<Slot> slots() const { return templates.slots(); }
  double scale() const { return scorer.scale(); }

  class Workspace;  // a worker's
};

class LinearModel::Workspace {
 public:
  // Only the states of left-to-right tasks have a stack and a buffer, whose parts can be kept.
  Workspace(const LinearModel& model, bool left_to_right)
      : templates_(model.templates),
        scorer_(model.scorer),
        left_to_right_(left_to_right),
        keys_(templates_.size() + 1),
        scores_(scorer_.width()) {}

  void begin(const Treebank& treebank, size_t /*first*/, size_t /*last*/) { treebank_ = &treebank; }
  void sentence(size_t sentence) {
    tokens_.fill(*treebank_, sentence, templates_.token_attributes());
    front_.node = kNotKept;
    for (Kept& top : tops_) top.node = kNotKept;
  }
  int32_t words() const { return tokens_.words(); }

  const int32_t* score(const Tree& tree, const SlotNodes& nodes) {
    using Part = Templates::Part;
    const auto add = [&](Part part, int32_t* scores) {
      const int32_t count = templates_.extract(part, tree, nodes, tokens_, keys_.data());
      scorer_.add(keys_.data(), count, scratch_, scores);
    };
    if (left_to_right_) {
      const auto keep = [&](Kept& kept, int32_t node, Part part) {
        if (kept.node == node) return;
        kept.node = node;
        kept.scores.assign(scorer_.width(), 0);
        add(part, kept.scores.data());
      };
      Kept& top = tops_[static_cast<size_t>(nodes[Slot::S0] + 1) % kTops];
      keep(front_, nodes[Slot::N0], Part::Front);
      keep(top, nodes[Slot::S0], Part::Top);
      sum_scores(front_.scores.data(), top.scores.data(), scores_.size(), scores_.data());
      add(Part::Rest, scores_.data());
    } else {
      std::fill(scores_.begin(), scores_.end(), 0);
      add(Part::All, scores_.data());
    }
    return scores_.data();
  }

  const uint16_t* places() const { return scorer_.places(); }
  double scale() const { return scorer_.scale(); }

 private:
  // The part of the scores that a word brings along wherever it comes to the front of the buffer, or to
  // the top of the stack. The words on the stack are kept by their number: few are ever on it at a time.
  static constexpr int32_t kNotKept = -2;
  static constexpr size_t kTops = 64;
  struct Kept {
    int32_t node = kNotKept;
    std::vector<int32_t> scores;
  };

  const Templates& templates_;
  const LinearScorer& scorer_;
  const bool left_to_right_;
  const Treebank* treebank_ = nullptr;
  TokenTable tokens_;
  LinearScorer::Scratch scratch_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> scores_;
  Kept front_;
  std::array<Kept, kTops> tops_;
};

}  // namespace arcwise
