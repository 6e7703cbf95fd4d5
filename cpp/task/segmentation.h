// Segmentation: from left to right, whether a token ends after each character, whether a sentence ends with
// it, and whether the token is a multiword token, to be split. Most characters leave no choice: what training
// has never seen between two kinds of characters is not legal, and words end within a run of letters only
// where it is one of those that training has seen cut.
#pragma once

#include <algorithm>
#include <vector>

#include "task/boundary_rules.h"
#include "task/moves.h"
#include "text/raw_text.h"
#include "text/splits.h"

namespace arcwise {

struct SegmentationOptions {
  bool line_is_sentence = false;  // sentences end at line ends and nowhere else
};

struct SegmentationState {
  const RawText* text = nullptr;
  int32_t next = 0;                 // the boundary after this character is the next to be decided
  int32_t token = 0, sentence = 0;  // where those under way began
  std::vector<BoundarySet> possible;
  std::vector<Boundary> boundaries;
};

class Segmentation {
 public:
  using Input = RawText;
  using State = SegmentationState;
  struct Gold {
    std::vector<Boundary> boundaries;  // after each character
    void set(const auto& text) { boundaries = text.boundaries; }
  };
  using View = BoundaryView;
  static constexpr bool kDynamicOracle = true;

  Segmentation(const BoundaryRules& rules, const Splits& splits, const SegmentationOptions& options)
      : rules_(rules), splits_(splits), options_(options), moves_(kBoundaries) {}

  const Moves& moves() const { return moves_; }

  // The text must stay where it is.
  void start(State& s, const RawText& text) const {
    s.text = &text;
    s.next = s.token = s.sentence = 0;
    rules_.possible(text, s.possible);
    s.boundaries.assign(static_cast<size_t>(text.size()), Boundary::Inside);
  }
  bool done(const State& s) const { return s.next == static_cast<int32_t>(s.boundaries.size()); }

  // Goes on with the token where there is no choice, as far as that goes, without looking at each move; false
  // at the end.
  bool pass_inside(State& s) const {
    const auto end = s.possible.end();
    const auto choice = std::find_if(s.possible.begin() + s.next, end,
                                     [](BoundarySet set) { return set != set_of(Boundary::Inside); });
    s.next = static_cast<int32_t>(choice - s.possible.begin());
    return choice != end;
  }

  Legal legal(const State& s) const {
    using enum Boundary;
    BoundarySet set = s.possible[s.next];
    if (set == set_of(Inside)) return of_set(set);
    if (s.next + 1 == s.text->size()) {
      set = set_of(Sentence);
    } else if (options_.line_is_sentence) {
      const bool line_ends = (*s.text)[s.next].gap >= Gap::Line;
      set = line_ends ? set_of(Sentence) : set & ~set_of(Sentence);
      if (set == 0) set = set_of(End);
    }
    if (set & kEnds) {
      const Splits::Use use = splits_.use(s.text->text(s.token, s.next + 1));
      if (use != Splits::Use::Never) {
        // That a token is split is one step up from its plain end.
        const auto split = static_cast<BoundarySet>((set & kEnds) << 1);
        set = use == Splits::Use::Always ? (set & ~kEnds) | split : set | split;
      }
    }
    return of_set(set);
  }

  void apply(State& s, MoveId move) const {
    const auto boundary = static_cast<Boundary>(move);
    s.boundaries[s.next++] = boundary;
    if (!is_end(boundary)) return;
    s.token = s.next;
    if (is_sentence_end(boundary)) s.sentence = s.next;
  }

  // A boundary is right or wrong whatever came before it; that a token is split, only if the token is.
  void costs(const State& s, const Gold& gold, float* costs) const {
    const Boundary right = gold.boundaries[s.next];
    const bool token_is_right = is_gold_token(s, gold);
    legal(s).each([&](MoveId c) {
      const auto b = static_cast<Boundary>(c);
      costs[c] = static_cast<float>(2 * (is_end(b) != is_end(right)) +
                                    (is_sentence_end(b) != is_sentence_end(right)) +
                                    (token_is_right && is_split(b) != is_split(right)));
    });
  }

  void view(const State& s, View& view) const {
    view = {s.token, s.sentence, s.next, splits_.possible(s.text->text(s.token, s.next + 1))};
  }

 private:
  static bool is_gold_token(const State& s, const Gold& gold) {
    if (!is_end(gold.boundaries[s.next])) return false;
    if (s.token > 0 && !is_end(gold.boundaries[s.token - 1])) return false;
    for (int32_t i = s.token; i < s.next; ++i)
      if (is_end(gold.boundaries[i])) return false;
    return true;
  }

  static Legal of_set(BoundarySet set) {
    Legal legal;
    for (MoveId c = 0; c < kBoundaries; ++c) {
      if (!(set >> c & 1)) continue;
      const MoveId begin = c;
      while (set >> (c + 1) & 1) ++c;
      legal.add({begin, c + 1});
    }
    return legal;
  }

  const BoundaryRules& rules_;
  const Splits& splits_;
  SegmentationOptions options_;
  Moves moves_;
};

}  // namespace arcwise
