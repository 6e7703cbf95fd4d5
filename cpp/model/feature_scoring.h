// Scores of states by the weights of their features, whether these are frozen or still being learnt: as long
// as a sentence lasts they stay as they are, so that what was scored once can be kept.
#pragma once

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/hash.h"
#include "feature/templates.h"
#include "model/rows.h"
#include "model/scoring.h"

namespace arcwise {

// Scorer has width(), the size of a vector of scores; columns(), where in it that of each class is, if these
// are in it as they are; scale(); and add(keys, count, scratch, scores), which adds the weights of these
// features.
template <class Scorer>
class FeatureScoring {
 public:
  FeatureScoring(const Templates& templates, const Scorer& scorer, Visits visits)
      : templates_(templates),
        scorer_(scorer),
        visits_(visits),
        keys_(templates_.size() + 1),
        fronts_(visits == Visits::SideBySide ? kFronts : 1),
        states_(visits == Visits::SideBySide ? kStates : 1),
        kept_(visits == Visits::SideBySide ? templates.pieces() : 0) {}

  void begin(const Treebank& treebank, size_t /*first*/, size_t /*last*/) { treebank_ = &treebank; }
  void sentence(size_t sentence) {
    own_.fill(*treebank_, sentence, templates_.token_attributes());
    this->sentence(own_);
  }
  // One whose attributes are at hand.
  [[gnu::noinline]] void sentence(const TokenTable& tokens) {
    tokens_ = &tokens;
    forget(fronts_);
    forget(tops_);
    forget(states_);
    for (auto& of_part : kept_) forget(of_part);
  }
  int32_t words() const { return tokens_->words(); }
  const Treebank& treebank() const { return *treebank_; }

  // Compiled once for each scorer, and not into every search.
  [[gnu::noinline]] const int32_t* score(const TreeView& view) {
    const SlotNodes& nodes = view.nodes;
    if (visits_ == Visits::Anywhere) {
      clear(states_[0]);
      add(0, extract(Part::All, view), states_[0]);
      return states_[0].scores.data();
    }
    const auto keep = [&](Kept& kept, uint64_t of, Part part) {
      if (kept.of == of) return;
      kept.of = of;
      clear(kept);
      add(0, extract(part, view), kept);
    };
    Kept& front = fronts_[of_node(nodes[Slot::N0]) & (fronts_.size() - 1)];
    Kept& top = tops_[of_node(nodes[Slot::S0]) % kTops];
    keep(front, of_front(nodes), Part::Front);
    keep(top, of_node(nodes[Slot::S0]), Part::Top);
    if (visits_ == Visits::SideBySide) {
      extract(Part::Pieces, view, ends_.data());
      return sum_of_pieces(front, top);
    }
    sum(front, top, states_[0]);
    add(0, extract(Part::Rest, view), states_[0]);
    return states_[0].scores.data();
  }

  const uint16_t* columns() const
    requires requires(const Scorer& scorer) { scorer.columns(); }
  {
    return scorer_.columns();
  }
  double scale() const { return scorer_.scale(); }

 private:
  using Part = Templates::Part;

  // Scores that are kept for a sentence, and of what.
  static constexpr uint64_t kNothing = 0;
  struct Kept {
    uint64_t of = kNothing;
    std::vector<int32_t> scores;
  };

  // What derivations side by side have in common beyond the front and the top is found by the sum of its
  // features' keys, a hash as good as any: a whole state, or else its pieces.
  const int32_t* sum_of_pieces(const Kept& front, const Kept& top) {
    std::array<uint64_t, Templates::kMostPieces> of;
    uint64_t of_state = (front.of << 32 | front.of >> 32) + top.of;
    for (size_t p = 0, begin = 0; p < kept_.size(); begin = ends_[p++]) {
      of[p] = mix(std::accumulate(&keys_[begin], &keys_[ends_[p]], uint64_t{p}));
      of_state += of[p];
    }
    Kept& state = states_[of_state % kStates];
    if (state.of == of_state) return state.scores.data();
    state.of = of_state;
    sum(front, top, state);
    for (size_t p = 0, begin = 0; p < kept_.size(); begin = ends_[p++]) {
      const int32_t count = ends_[p] - static_cast<int32_t>(begin);
      if (count == 0) continue;
      Kept& piece = kept_[p][of[p] % kStates];
      if (piece.of != of[p]) {
        piece.of = of[p];
        clear(piece);
        add(begin, count, piece);
      }
      add_scores(piece.scores.data(), scorer_.width(), state.scores.data());
    }
    return state.scores.data();
  }

  int32_t extract(Part part, const TreeView& view, int32_t* ends = nullptr) {
    return templates_.extract(part, view, *tokens_, keys_.data(), ends);
  }
  // Adds the weights of so many features that were extracted.
  void add(size_t first, int32_t count, Kept& to) {
    scorer_.add(&keys_[first], count, scratch_, to.scores.data());
  }
  void sum(const Kept& a, const Kept& b, Kept& both) const {
    both.scores.resize(scorer_.width());
    sum_scores(a.scores.data(), b.scores.data(), scorer_.width(), both.scores.data());
  }
  static uint64_t of_node(int32_t node) { return static_cast<uint64_t>(node + 2); }
  // The front of a buffer in the order of the sentence is known by its first word. Where a system has changed
  // the order it is known by a hash of all that is seen of it.
  static uint64_t of_front(const SlotNodes& nodes) {
    const int32_t first = nodes[Slot::N0];
    const auto follows = [&](Slot slot, int32_t by) {
      return nodes[slot] == first + by || nodes[slot] == kNone;
    };
    if (follows(Slot::N1, 1) && follows(Slot::N2, 2) && follows(Slot::N3, 3)) return of_node(first);
    uint64_t hash = of_node(first);
    for (Slot slot : {Slot::N1, Slot::N2, Slot::N3}) hash = mix(hash + of_node(nodes[slot]));
    return hash | uint64_t{1} << 63;
  }
  void clear(Kept& kept) const {
    kept.scores.resize(scorer_.width());
    std::memset(kept.scores.data(), 0, kept.scores.size() * sizeof(int32_t));
  }
  static void forget(auto& all) {
    for (Kept& kept : all) kept.of = kNothing;
  }
  // The part that a word brings along wherever it comes to the front of the buffer, or to the top of the
  // stack. They are kept by the word's number: few are ever on the stack at a time.
  static constexpr size_t kFronts = 8, kTops = 64;
  static constexpr size_t kStates = 256;

  const Templates& templates_;
  const Scorer& scorer_;
  const Visits visits_;
  const Treebank* treebank_ = nullptr;
  TokenTable own_;
  const TokenTable* tokens_ = nullptr;
  typename Scorer::Scratch scratch_;
  std::vector<uint64_t> keys_;
  std::array<int32_t, Templates::kMostPieces> ends_;  // of pieces, in keys_
  std::array<Kept, kTops> tops_;
  std::vector<Kept> fronts_;  // one where there is one front at a time: more would fill up the cache
  std::vector<Kept> states_;  // the same
  std::vector<std::array<Kept, kStates>> kept_;  // by piece
};

}  // namespace arcwise
