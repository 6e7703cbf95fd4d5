#include "model/compact_scoring.h"

#include <numeric>

namespace arcwise {

CompactScoring::CompactScoring(const Templates& templates, const CompactScorer& scorer, Visits visits)
    : templates_(templates),
      scorer_(scorer),
      visits_(visits),
      any_(templates, scorer, visits),
      columns_(static_cast<size_t>(scorer.classes().moves())),
      sums_(scorer.width()),
      scores_(columns_.size()),
      keys_(templates.size() + 1),
      of_ranges_(columns_.size()) {
  std::iota(columns_.begin(), columns_.end(), uint16_t{0});
}

void CompactScoring::sentence(size_t sentence) {
  tokens_.fill(*treebank_, sentence, templates_.token_attributes());
  any_is_at_sentence_ = false;
  if (finds_best()) score_words();
}

const int32_t* CompactScoring::score(const TreeView& view) {
  if (!any_is_at_sentence_) any_.sentence(tokens_);
  any_is_at_sentence_ = true;
  scorer_.score_moves(any_.score(view), scores_.data());
  return scores_.data();
}

// The features of a few words are looked up together, so that none waits for memory.
void CompactScoring::score_words() {
  const int32_t words = tokens_.words();
  of_words_.resize(static_cast<size_t>(words) + 2);
  of_words_[0] = {};
  const CompactSums none{};
  TreeView view;
  for (int32_t word = 0; word <= words; ++word) {
    const auto at = [&](int32_t ahead) { return word + ahead <= words + 1 ? word + ahead : kNone; };
    view.nodes[Slot::S0] = view.nodes[Slot::N0] = word;
    view.nodes[Slot::N1] = at(1);
    view.nodes[Slot::N2] = at(2);
    view.nodes[Slot::N3] = at(3);
    OfWord& of_word = of_words_[static_cast<size_t>(word) + 1];
    for (const auto& [part, sums] :
         {std::pair(Part::Front, &of_word.front), std::pair(Part::Top, &of_word.top)})
      scorer_.best(keys_.data(), templates_.extract(part, view, tokens_, keys_.data()), none, none, 1, *sums);
  }
}

uint32_t CompactScoring::classes_of(const Legal& legal) {
  uint32_t classes = 0;
  for (const Range range : legal.ranges()) {
    OfRange& known = of_ranges_[static_cast<size_t>(range.begin)];
    if (known.end != range.end) {
      known = {range.end, 0};
      for (MoveId m = range.begin; m < range.end; ++m)
        known.classes |= uint32_t{1} << scorer_.classes().of(m);
    }
    classes |= known.classes;
  }
  return classes;
}

ScoredMove CompactScoring::best(const TreeView& view, const Legal& legal) {
  const SlotNodes& nodes = view.nodes;
  const int32_t front = nodes[Slot::N0], words = tokens_.words();
  // A system may have changed the order of words; and after the last there is hardly a choice.
  const auto follows = [&](Slot slot, int32_t by) {
    return nodes[slot] == (front + by <= words + 1 ? front + by : kNone);
  };
  if (front > words || front < 0 || !follows(Slot::N1, 1) || !follows(Slot::N2, 2) || !follows(Slot::N3, 3))
    return best_legal(legal, score(view), columns());
  const int32_t count = templates_.extract(Part::Rest, view, tokens_, keys_.data());
  CompactSums sums;
  const size_t best =
      scorer_.best(keys_.data(), count, of_words_[static_cast<size_t>(front) + 1].front,
                   of_words_[static_cast<size_t>(nodes[Slot::S0] + 1)].top, classes_of(legal), sums);
  if (scorer_.classes().is_shared(best)) return best_of_all(view, legal, sums);
  return {sums.of[kFirstClassSum + best] * CompactScorer::kParts, scorer_.classes()[best].begin};
}

// Where moves share the best class.
ScoredMove CompactScoring::best_of_all(const TreeView& view, const Legal& legal, const CompactSums& classes) {
  std::fill(sums_.begin(), sums_.end(), 0);
  std::copy_n(classes.of, kCompactSums, sums_.begin());
  const int32_t count = templates_.extract(Part::All, view, tokens_, keys_.data());
  scorer_.members().add(keys_.data(), count, scratch_.members, sums_.data() + kCompactSums);
  scorer_.score_moves(sums_.data(), scores_.data());
  return best_legal(legal, scores_.data(), columns());
}

}  // namespace arcwise
