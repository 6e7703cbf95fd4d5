#include "parse/tagger.h"

#include <algorithm>
#include <stdexcept>

#include "base/work_queue.h"
#include "text/characters.h"

namespace arcwise {

Tagger::Tagger(const TagsetParts& parts, const TagDictionary& dictionary,
               std::shared_ptr<const NetworkModel> model)
    : tagset_(std::make_shared<const Tagset>(parts, dictionary)), model_(std::move(model)) {
  for (const auto& sign : parts.signs) signs_.push_back(sign[0]);
  std::sort(signs_.begin(), signs_.end());
  if (model_->classes() != tagset_->size() || model_->labels() != tagset_->tags())
    throw std::invalid_argument("The model is damaged: its weights do not fit its tagset.");
  for (Slot slot : model_->slots())
    if (!is_on_stack_or_buffer(slot))
      throw std::invalid_argument("The model is damaged: it looks at what a tagger lacks.");
}

bool Tagger::is_new_sign(std::string_view form) const {
  return !signs_.empty() && is_sign(form) && !std::binary_search(signs_.begin(), signs_.end(), form);
}

void Tagger::Worker::tag(size_t sentence, std::span<Analysis> analyses) {
  scoring_.sentence(sentence);
  search_.run({&scoring_.treebank(), sentence});
  const Tagging::State& state = search_.state();
  Analysis* word = analyses.data() + scoring_.treebank().first_word(sentence);
  for (int32_t w = 1; w <= state.words(); ++w) *word++ = {state.labels[w], state.rules[w]};
}

std::vector<Tagger::Worker::Other> Tagger::Worker::others(int32_t word) {
  if (task_.moves().columns().front() != Column::Upos) return {};
  const MoveId own = task_.moves().first_column(search_.state().labels[word]);
  at_ = search_.state();
  task_.go_back(at_, word);
  const Legal legal = task_.legal(at_);
  LabelView view;
  task_.view(at_, view);
  const int32_t* scores = scoring_.score(view, legal.extent());
  const auto score = [&](MoveId move) { return scoring_.scale() * scores[scoring_.columns()[move]]; };
  std::vector<Other> others;
  legal.each([&](MoveId move) {
    if (move != own)
      others.push_back({move, task_.moves().text(0, task_.moves().value(move)), score(own) - score(move)});
  });
  return others;
}

Tagger::Analysis Tagger::Worker::with(int32_t word, MoveId upos) {
  at_ = search_.state();
  task_.go_back(at_, word);
  task_.apply(at_, upos);
  while (at_.next == word) {
    const Legal legal = task_.legal(at_);
    task_.apply(at_,
                legal.size() == 1 ? legal.first() : best_at(task_, at_, scoring_, legal, 0, nullptr).move);
  }
  return {at_.labels[word], at_.rules[word]};
}

std::vector<Tagger::Analysis> Tagger::choose(const Treebank& treebank, int threads) const {
  std::vector<Analysis> analyses(treebank.word_count());
  WorkQueue(treebank.sentence_count()).run(threads, [&](WorkQueue& queue) {
    Worker worker(*this);
    while (const auto range = queue.take()) {
      worker.begin(treebank, range->begin, range->end);
      for (size_t s = range->begin; s < range->end; ++s) worker.tag(s, analyses);
    }
  });
  return analyses;
}

Treebank::GiveValues Tagger::values(const Treebank& treebank, std::span<const Analysis> analyses) const {
  struct Room {
    CasedForm form;
    std::string lemma;
  };
  return [this, &treebank, analyses, room = Room()](size_t word, Treebank::Values& values) mutable {
    const auto [tags, rule] = analyses[word];
    if (tags == kNone) return;
    tagset_->each_text(
        tags, [&](Column column, std::string_view text) { values[static_cast<size_t>(column)] = text; });
    if (!tagset_->has_lemmas()) return;
    const std::string_view form = treebank.text(word, Column::Form);
    std::string_view& lemma = values[static_cast<size_t>(Column::Lemma)] = form;
    if (rule == kNone) return;
    room.form.set(form);
    room.lemma.clear();
    tagset_->append_lemma(room.form, rule, room.lemma);
    lemma = room.lemma;
  };
}

}  // namespace arcwise
