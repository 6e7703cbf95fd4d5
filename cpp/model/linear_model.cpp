#include "model/linear_model.h"

#include <stdexcept>

#include "model/compact_scoring.h"

namespace arcwise {

LinearModel::LinearModel(Templates templates, LinearScorer scorer)
    : templates_(std::move(templates)),
      classes_(scorer.classes()),
      scale_(scorer.scale()),
      plain_(std::make_shared<const LinearScorer>(std::move(scorer))) {}

LinearModel::LinearModel(Templates templates, CompactScorer scorer)
    : templates_(std::move(templates)),
      classes_(scorer.classes().moves()),
      scale_(scorer.scale()),
      compact_(std::make_shared<const CompactScorer>(std::move(scorer))) {
  if (templates_.size() > CompactScorer::kMostFeatures)
    throw std::invalid_argument("The model is damaged: it has too many templates to be compact.");
}

using Workspace = LinearModel::Workspace;

Workspace::Workspace(const LinearModel& model, Visits visits) {
  if (model.plain_) {
    plain_ = std::make_unique<FeatureScoring<LinearScorer>>(model.templates_, *model.plain_, visits);
  } else {
    compact_ = std::make_unique<CompactScoring>(model.templates_, *model.compact_, visits);
    finds_best_ = compact_->finds_best();
  }
}
Workspace::~Workspace() = default;

void Workspace::begin(const Treebank& treebank, size_t first, size_t last) {
  plain_ ? plain_->begin(treebank, first, last) : compact_->begin(treebank);
}
void Workspace::sentence(size_t sentence) {
  plain_ ? plain_->sentence(sentence) : compact_->sentence(sentence);
}
const int32_t* Workspace::score(const TreeView& view) {
  return plain_ ? plain_->score(view) : compact_->score(view);
}
const uint16_t* Workspace::columns() const { return plain_ ? plain_->columns() : compact_->columns(); }
double Workspace::scale() const { return plain_ ? plain_->scale() : compact_->scale(); }
ScoredMove Workspace::best(const TreeView& view, const Legal& legal) { return compact_->best(view, legal); }

}  // namespace arcwise
