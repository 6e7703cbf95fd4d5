#include "train/teachers.h"

#include <algorithm>

namespace arcwise {

Teachers::Teachers(std::span<const Teacher> teachers) {
  for (const Teacher& teacher : teachers)
    teachers_.push_back({teacher,
                         Softmax(teacher.parser->scale()),
                         Softmax(teacher.tagger ? teacher.tagger->scale() : 1),
                         {}});
}

Teachers::Desk::Desk(const Teacher& teacher) : parser(*teacher.parser, Visits::InStep) {
  if (!teacher.tagger) return;
  tagger_encodes_ = &teacher.tagger->encoder() != &teacher.parser->encoder() ||
                    !teacher.tagger->has_inputs_of(*teacher.parser);
  if (tagger_encodes_)
    tagger.emplace(*teacher.tagger, Visits::InStep);
  else
    tagger.emplace(*teacher.tagger, Visits::InStep, parser);
}

Teachers::Desk::Desk(const Teacher& teacher, Desk& other)
    : parser(*teacher.parser, Visits::InStep, other.parser), tagger_encodes_(other.tagger_encodes_) {
  if (teacher.tagger) tagger.emplace(*teacher.tagger, Visits::InStep, *other.tagger);
}

void Teachers::Desk::sentence(const Treebank& treebank, size_t sentence) {
  parser.begin(treebank, sentence, sentence + 1);
  parser.sentence(sentence);
  if (!tagger) return;
  if (tagger_encodes_) tagger->begin(treebank, sentence, sentence + 1);
  tagger->sentence(sentence);
}

void Teachers::begin(std::span<const TrainingSentence* const> sentences) {
  is_taught_.assign(sentences.size(), false);
  for (size_t walk = 0; walk < sentences.size(); ++walk) {
    is_taught_[walk] = sentences[walk]->is_taught;
    if (!is_taught_[walk]) continue;
    for (auto& [teacher, of_parser, of_tagger, desks] : teachers_) {
      while (desks.size() <= walk)
        desks.push_back(desks.empty() ? std::make_unique<Desk>(teacher)
                                      : std::make_unique<Desk>(teacher, *desks.front()));
      desks[walk]->sentence(*sentences[walk]->treebank, sentences[walk]->number);
    }
  }
}

// The score of move m of a network is at m.
void Teachers::add(const Legal& legal, const int32_t* scores, const Softmax& odds, Site& site) {
  int32_t most = scores[legal.first()];
  legal.each([&](MoveId c) { most = std::max(most, scores[c]); });
  odds_.resize(site.targets.size());
  double total = 0;
  for (Range r : legal.ranges()) {
    const auto own = std::span(scores + r.begin, static_cast<size_t>(r.size()));
    total += odds.against(most, own, odds_.data() + r.begin).total;
  }
  const double unit = 1 / (total * static_cast<double>(teachers_.size()));
  legal.each([&](MoveId c) { site.targets[c] += static_cast<float>(unit * odds_[c]); });
}

void Teachers::judge(size_t walk, const TreeView& view, Site& site) {
  site.legal.each([&](MoveId c) { site.targets[c] = 0; });
  for (AtWork& at_work : teachers_) {
    NetworkModel::Workspace& own = at_work.desks[walk]->parser;
    add(site.legal, own.score(view, site.legal), at_work.of_parser, site);
  }
  site.legal.each([&](MoveId c) { site.costs[c] = 1 - site.targets[c]; });
}

void Teachers::judge(size_t walk, const LabelView& view, Site& site) {
  site.legal.each([&](MoveId c) { site.targets[c] = 0; });
  for (AtWork& at_work : teachers_) {
    NetworkModel::Workspace& own = *at_work.desks[walk]->tagger;
    add(site.legal, own.score(view, site.legal.extent()), at_work.of_tagger, site);
  }
  site.legal.each([&](MoveId c) { site.costs[c] = 1 - site.targets[c]; });
}

}  // namespace arcwise
