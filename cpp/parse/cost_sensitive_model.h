// What learning to search leaves behind: a cost-sensitive learner that only predicts, and how it is asked.
#pragma once

#include <vector>

#include "feature/templates.h"
#include "learn/cost_sensitive.h"
#include "model/scoring.h"
#include "search/move_questions.h"
#include "task/slots.h"
#include "text/treebank.h"

namespace arcwise {

struct CostSensitiveModel {
  Templates templates;
  bool label_apart = true;  // an action and then its label
  CostSensitiveLearner learner;

  std::vector<Slot> slots() const { return templates.slots(); }

  class Workspace;  // a worker's
};

class CostSensitiveModel::Workspace {
 public:
  Workspace(const CostSensitiveModel& model, Visits) : model_(model), keys_(model.templates.size() + 1) {}

  void begin(const Treebank& treebank, size_t, size_t) { treebank_ = &treebank; }
  void sentence(size_t sentence) { tokens_.fill(*treebank_, sentence, model_.templates.token_attributes()); }

  // The move of least predicted cost, where several are legal.
  MoveId choose(const Moves& moves, const TreeView& view, const Legal& legal) {
    const int32_t count = model_.templates.extract(view, tokens_, keys_.data());
    features_.clear();
    features_.group(group_);
    for (int32_t i = 0; i < count; ++i) features_.add(keys_[i]);
    return ask_for_move(moves, legal, model_.label_apart, allowed_,
                        [&](MoveQuestion, const Legal&, int32_t policy) {
                          if (allowed_.size() == 1) return allowed_.front();
                          return model_.learner.best(features_, allowed_, scratch_, policy);
                        });
  }

 private:
  const CostSensitiveModel& model_;
  const uint64_t group_ = namespace_key("state");
  const Treebank* treebank_ = nullptr;
  TokenTable tokens_;
  std::vector<uint64_t> keys_;
  Features features_;
  std::vector<int32_t> allowed_;
  CostSensitiveLearner::Workspace scratch_;
};

}  // namespace arcwise
