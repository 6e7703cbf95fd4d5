// What may happen after a character, as far as training has seen it happen between two kinds of characters,
// with or without white space between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/boundary.h"
#include "text/raw_text.h"

namespace arcwise {

class BoundaryRules {
 public:
  static constexpr size_t kPairs = 2 * kCharacterKinds * kCharacterKinds;
  static constexpr BoundarySet kInAnyRun = 1 << 7;  // of two letters: words end within all runs of them

  // What is possible between two kinds, and after them within stretches of each kind, 0 where there is no
  // rule (older models have none of these); and runs of letters that words end within, by their hashes.
  // Throws std::invalid_argument if these are no rules.
  BoundaryRules(std::span<const BoundarySet> pairs, std::span<const uint64_t> cut_runs);

  std::span<const BoundarySet> pairs() const { return pairs_; }
  std::span<const uint64_t> cut_runs() const { return cut_runs_; }

  // Of Inside, End and Sentence, what may happen after each character.
  void possible(const RawText& text, std::vector<BoundarySet>& sets) const;

  static size_t pair(const Character& before, const Character& after) {
    return (size_t{before.gap != Gap::None} * kCharacterKinds + before.kind) * kCharacterKinds + after.kind;
  }

 private:
  std::vector<BoundarySet> pairs_;
  // A mark before white space may be a token wherever else it is none: `1957:` where `12:30` was seen.
  bool marks_may_end_ = false;
  std::vector<uint64_t> cut_runs_;  // in order
};

// Learns the rules from texts and what happens after each of their characters.
class BoundaryCounts {
 public:
  void add(const RawText& text, std::span<const Boundary> boundaries);
  BoundaryRules rules() const;
  int64_t characters() const { return characters_; }

 private:
  std::vector<std::array<int64_t, kBoundaries>> counts_ =
      std::vector<std::array<int64_t, kBoundaries>>(BoundaryRules::kPairs);  // by pair
  std::vector<std::array<int64_t, 2>> of_stretches_ =
      std::vector<std::array<int64_t, 2>>(kStretches);  // characters that tokens go on after, and end after
  std::vector<uint64_t> cut_runs_;
  int64_t characters_ = 0;
};

}  // namespace arcwise
