#include "model/tagger.h"

#include <algorithm>
#include <stdexcept>

#include "model/shares.h"
#include "search/greedy.h"
#include "task/tagging.h"

namespace arcwise {

Tagger::Tagger(const TagsetParts& parts, const TagDictionary& dictionary,
               std::shared_ptr<const NetworkModel> model)
    : tagset_(std::make_shared<const Tagset>(parts, dictionary)), model_(std::move(model)) {
  if (model_->classes() != tagset_->size() || model_->labels() != tagset_->tags())
    throw std::invalid_argument("The model is damaged: its weights do not fit its tagset.");
  for (Slot slot : model_->slots())
    if (!is_on_stack_or_buffer(slot))
      throw std::invalid_argument("The model is damaged: it looks at what a tagger lacks.");
}

Treebank Tagger::tag(const Treebank& treebank, int threads) const {
  struct Chosen {
    Class analysis;
    int32_t rule;
  };
  std::vector<Chosen> chosen(treebank.word_count());
  const Tagging task(tagset_);
  Shares(treebank.sentence_count()).run(threads, [&](Shares& shares) {
    NetworkModel::Workspace scoring(*model_, Visits::LeftToRight);
    GreedySearch search(task, scoring);
    while (const auto share = shares.take()) {
      scoring.begin(treebank, share->begin, share->end);
      for (size_t s = share->begin; s < share->end; ++s) {
        search.parse(s);
        Chosen* word = chosen.data() + treebank.first_word(s);
        for (int32_t w = 1; w <= search.state().words(); ++w)
          *word++ = {search.state().tree.label(w), search.state().rules[w]};
      }
    }
  });
  CasedForm form;
  return treebank.with_columns([&](size_t word, Column column, std::string& out) {
    if (column == Column::Lemma) {
      if (!tagset_->has_lemmas()) return false;
      form.set(treebank.text(word, Column::Form));
      if (chosen[word].rule == kNone)
        out += treebank.text(word, Column::Form);
      else
        form.append_lemma(tagset_->rule(chosen[word].rule), out);
      return true;
    }
    const auto& columns = tagset_->columns();
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) return false;
    out += tagset_->text_of(chosen[word].analysis, static_cast<size_t>(found - columns.begin()));
    return true;
  });
}

}  // namespace arcwise
