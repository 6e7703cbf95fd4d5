#include "model/compact_scoring.h"

#include <numeric>

namespace arcwise {
namespace {

constexpr int32_t kWordsAhead = 3;
constexpr Slot kBuffer[] = {Slot::N0, Slot::N1, Slot::N2, Slot::N3};

}  // namespace

CompactScoring::CompactScoring(const Templates& templates, const CompactScorer& scorer, Visits visits)
    : templates_(templates),
      scorer_(scorer),
      visits_(visits),
      any_(templates, scorer, visits),
      columns_(static_cast<size_t>(scorer.classes().moves())),
      sums_(scorer.width()),
      scores_(columns_.size()),
      keys_of_word_(templates.size() + 2),
      keys_((kWordsAhead + 1) * keys_of_word_),
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

// The features of some words are fetched while those of the words before them are added up.
void CompactScoring::score_words() {
  struct Fetched {
    int32_t front = 0, all = 0;  // features
    uint64_t* keys = nullptr;
  };
  Fetched fetched[kWordsAhead + 1];
  const int32_t words = tokens_.words();
  const CompactSums none{};
  of_words_.resize(static_cast<size_t>(words) + 2);
  of_words_[0] = {};
  TreeView view;
  for (int32_t word = 0; word <= words + kWordsAhead; ++word) {
    Fetched& at = fetched[word % (kWordsAhead + 1)];
    if (word <= words) {
      at.keys = keys_.data() + static_cast<size_t>(word % (kWordsAhead + 1)) * keys_of_word_;
      for (int32_t ahead = 0; ahead <= 3; ++ahead)
        view.nodes[kBuffer[ahead]] = word + ahead <= words + 1 ? word + ahead : kNone;
      view.nodes[Slot::S0] = word;
      at.front = templates_.extract(Part::Front, view, tokens_, at.keys);
      at.all = at.front + templates_.extract(Part::Top, view, tokens_, at.keys + at.front);
      for (int32_t i = 0; i < at.all; ++i) scorer_.prefetch(at.keys[i]);
    }
    const int32_t done = word - kWordsAhead;
    if (done < 0) continue;
    const Fetched& of = fetched[done % (kWordsAhead + 1)];
    OfWord& of_word = of_words_[static_cast<size_t>(done) + 1];
    scorer_.best(of.keys, of.front, none, none, 1, of_word.front);
    scorer_.best(of.keys + of.front, of.all - of.front, none, none, 1, of_word.top);
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
  bool in_order = front >= 0 && front <= words;
  for (int32_t ahead = 1; ahead <= 3; ++ahead)
    in_order &= nodes[kBuffer[ahead]] == (front + ahead <= words + 1 ? front + ahead : kNone);
  if (!in_order) return best_legal(legal, score(view), columns());
  const int32_t count = templates_.extract(Part::Rest, view, tokens_, keys_.data());
  CompactSums sums;
  const size_t best =
      scorer_.best(keys_.data(), count, of_words_[static_cast<size_t>(front) + 1].front,
                   of_words_[static_cast<size_t>(nodes[Slot::S0] + 1)].top, classes_of(legal), sums);
  if (scorer_.classes().is_shared(best)) return best_of_all(view, legal, sums, best, count);
  return {sums.of[kFirstClassSum + best] * CompactScorer::kParts, scorer_.classes()[best].begin};
}

// Where moves share the best class: so many of the state's features have been extracted. As long as all of
// these moves are legal, the best is one of them.
ScoredMove CompactScoring::best_of_all(const TreeView& view, const Legal& legal, const CompactSums& classes,
                                       size_t best, int32_t count) {
  std::fill(sums_.begin(), sums_.end(), 0);
  for (const Part part : {Part::Front, Part::Top})
    count += templates_.extract(part, view, tokens_, keys_.data() + count);
  int32_t* const of_members = sums_.data() + kCompactSums;
  scorer_.members().add(keys_.data(), count, scratch_.members, of_members);
  const Range shared = scorer_.classes()[best];
  for (const Range range : legal.ranges())
    if (range.begin <= shared.begin && shared.end <= range.end)
      return {classes.of[kFirstClassSum + best] * CompactScorer::kParts,
              best_legal(Legal(shared), of_members, scorer_.members().columns()).move};
  std::copy_n(classes.of, kCompactSums, sums_.begin());
  scorer_.score_moves(sums_.data(), scores_.data());
  return best_legal(legal, scores_.data(), columns());
}

}  // namespace arcwise
