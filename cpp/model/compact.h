// A linear scorer, frozen for parsing at the highest speed: a class for a few moves, and for all the rare
// ones of an action together (task/move_classes.h), with weights of 8 bits.
//
// The table is made of cache lines of two slots, each with the low half of a feature's key as a check (0:
// empty) and a weight for each class. A feature is in its home line or nowhere: where more than two have the
// same home, the lightest are left out. So a feature costs one read, and no branch. The moves of a class that
// is shared are told apart by a linear scorer in 16 bits, which is asked where such a class wins.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.h"
#include "model/linear.h"
#include "task/move_classes.h"

namespace arcwise {

struct alignas(64) CompactLine {
  struct Slot {
    uint32_t check;
    int8_t weights[MoveClasses::kMost];
  };
  Slot slots[2];
};
inline constexpr size_t kWordsInCompactLine = sizeof(CompactLine) / sizeof(uint32_t);  // as files have it

// The key's high half, spread evenly over the lines.
inline const CompactLine* home_of_key(std::span<const CompactLine> table, uint64_t key) {
  return &table[((key >> 32) * table.size()) >> 32];
}
// Never 0, which is an empty slot.
inline uint32_t check_of_key(uint64_t key) { return static_cast<uint32_t>(key) | 1; }

// The sums of weights, one for each byte of a slot: those of the check are of no account.
inline constexpr size_t kCompactSums = sizeof(CompactLine::Slot);
inline constexpr size_t kFirstClassSum = kCompactSums - MoveClasses::kMost;
struct alignas(64) CompactSums {
  int16_t of[kCompactSums];
};

class CompactScorer {
 public:
  // So many features' weights, of a byte each, can be added up in 16 bits.
  static constexpr size_t kMostFeatures = 256;
  // The weights that tell moves of a class apart are in parts of the others' unit.
  static constexpr int32_t kParts = 16;

  struct Scratch {
    LinearScorer::Scratch members;
  };

  // Checks what it is given before it takes it over; throws std::invalid_argument.
  CompactScorer(std::span<const uint16_t> begins, std::span<const uint32_t> table, LinearScorer members);

  const MoveClasses& classes() const { return classes_; }
  const LinearScorer& members() const { return members_; }
  double scale() const { return members_.scale(); }

  // Features whose weights are on their way: what is done between fetching and adding them costs no time.
  struct Fetched {
    const CompactLine* home;
    uint32_t check;
  };
  void fetch(const uint64_t* keys, int32_t count, Fetched* to) const {
    for (int32_t i = 0; i < count; ++i) {
      to[i] = {home_of_key(table_, keys[i]), check_of_key(keys[i])};
      __builtin_prefetch(to[i].home);
    }
  }
  // Adds the weights of features, of which there are at most kMostFeatures in the end.
  static void add(const Fetched* features, int32_t count, CompactSums& sums);
  // The lowest of the best classes among those that are legal, a bit each.
  static size_t best(const CompactSums& sums, uint32_t legal);

  // For FeatureScoring: vectors of scores that can be added up, those of classes and of the moves that share
  // one. What they say of moves is in score_moves.
  size_t width() const { return kCompactSums + members_.width(); }
  void add(const uint64_t* keys, int32_t count, Scratch& scratch, int32_t* scores) const;
  void score_moves(const int32_t* scores, int32_t* moves) const;

 private:
  MoveClasses classes_;
  HugeVector<CompactLine> table_;
  LinearScorer members_;
};

struct CompactArrays {
  std::vector<CompactLine> table;
  std::vector<uint16_t> begins;
  LinearArrays members;
  size_t features = 0, weights = 0;  // that are not zero, of the table and of the members
};

class CompactBuilder {
 public:
  explicit CompactBuilder(const MoveClasses& classes) : classes_(classes), members_(classes.moves()) {}
  // The weights of one feature come one after the other, for a class or, numbered after these, for a move.
  void add(uint64_t key, MoveId number, float weight);
  // A table of so many lines at most.
  CompactArrays build(size_t most_lines) const;

 private:
  struct Row {
    uint64_t key;
    float weights[MoveClasses::kMost];
  };
  const MoveClasses& classes_;
  std::vector<Row> rows_;
  LinearBuilder members_;
  float most_ = 0;
};

}  // namespace arcwise
