#include "task/boundary_rules.h"

#include <numeric>
#include <stdexcept>

namespace arcwise {
namespace {

// Pairs that were seen less often may do what others do.
constexpr int64_t kFew = 8;
// The share of a kind's characters that may be otherwise than all others are, if there are many.
constexpr double kSlips = 0.005;
// The share of pairs of letters with a word's end between them that makes every one of them a choice.
constexpr double kManyCuts = 0.01;

constexpr BoundarySet kAnything = kEnds | set_of(Boundary::Inside);
constexpr BoundarySet kInside = set_of(Boundary::Inside);

bool is_mark(const Character& c) { return c.kind > kDigit; }

}  // namespace

BoundaryRules::BoundaryRules(std::span<const BoundarySet> pairs, std::span<const uint64_t> cut_runs)
    : pairs_(pairs.begin(), pairs.end()), cut_runs_(cut_runs.begin(), cut_runs.end()) {
  const bool possible = std::all_of(pairs_.begin(), pairs_.end(), [&](const BoundarySet& set) {
    const bool may_be_empty = &set >= pairs_.data() + kPairs;
    return ((set & kAnything) != 0 || may_be_empty) && (set & ~(kAnything | kInAnyRun)) == 0;
  });
  if ((pairs_.size() != kPairs && pairs_.size() != kPairs + kStretches) || !possible)
    throw std::invalid_argument("The segmenter is damaged: its rules are not whole.");
  marks_may_end_ = pairs_.size() > kPairs;
  pairs_.resize(kPairs + kStretches);
  std::sort(cut_runs_.begin(), cut_runs_.end());
}

void BoundaryRules::possible(const RawText& text, std::vector<BoundarySet>& sets) const {
  sets.resize(static_cast<size_t>(text.size()));
  for (int32_t i = 0; i < text.size(); ++i) sets[i] = pairs_[pair(text[i], text[i + 1])];
  each_run(text, [&](int32_t begin, int32_t end) {
    if (end - begin > 1 && !(sets[begin] & kInAnyRun) &&
        !std::binary_search(cut_runs_.begin(), cut_runs_.end(), text.hash(begin, end)))
      std::fill(sets.begin() + begin, sets.begin() + end - 1, kInside);
  });
  for (int32_t i = 0; i < text.size(); ++i)
    if (const BoundarySet set = pairs_[kPairs + static_cast<size_t>(text[i].stretch)]; set != 0)
      sets[i] = set;
    else if (marks_may_end_ && text[i].gap == Gap::None && text[i + 1].gap != Gap::None &&
             is_mark(text[i + 1]))
      sets[i] |= set_of(Boundary::End);
  for (BoundarySet& set : sets) set &= kAnything;
  if (!sets.empty()) sets.back() = set_of(Boundary::Sentence);
}

void BoundaryCounts::add(const RawText& text, std::span<const Boundary> boundaries) {
  characters_ += text.size();
  const auto is_cut = [&](int32_t i) { return is_end(boundaries[i]); };
  for (int32_t i = 0; i + 1 < text.size(); ++i) {
    Boundary b = boundaries[i];
    if (is_split(b)) b = is_sentence_end(b) ? Boundary::Sentence : Boundary::End;
    ++counts_[BoundaryRules::pair(text[i], text[i + 1])][static_cast<size_t>(b)];
    ++of_stretches_[static_cast<size_t>(text[i].stretch)][is_cut(i)];
  }
  each_run(text, [&](int32_t begin, int32_t end) {
    for (int32_t i = begin; i + 1 < end; ++i) {
      if (!is_cut(i)) continue;
      cut_runs_.push_back(text.hash(begin, end));
      break;
    }
  });
}

BoundaryRules BoundaryCounts::rules() const {
  // How letters stand side by side does not depend on their case, and neither should this.
  std::array<int64_t, kBoundaries> letters{};
  const auto is_pair_of_letters = [](size_t pair) {
    return pair < kCharacterKinds * kCharacterKinds &&
           is_letter(static_cast<CharacterKind>(pair / kCharacterKinds)) &&
           is_letter(static_cast<CharacterKind>(pair % kCharacterKinds));
  };
  for (size_t pair = 0; pair < counts_.size(); ++pair)
    for (size_t b = 0; b < kBoundaries; ++b) letters[b] += is_pair_of_letters(pair) ? counts_[pair][b] : 0;
  const int64_t all = std::accumulate(letters.begin(), letters.end(), int64_t{0});
  const auto cut = static_cast<double>(all - letters[0]);
  const bool in_any_run = cut > kManyCuts * static_cast<double>(all);

  std::vector<BoundarySet> pairs(counts_.size());
  for (size_t pair = 0; pair < counts_.size(); ++pair) {
    int64_t seen = 0;
    for (size_t b = 0; b < kBoundaries; ++b) {
      seen += counts_[pair][b];
      if (counts_[pair][b] > 0) pairs[pair] |= set_of(static_cast<Boundary>(b));
    }
    const bool has_gap = pair >= kCharacterKinds * kCharacterKinds;
    if (seen < kFew) pairs[pair] |= has_gap ? kEnds : kAnything;
    if (in_any_run && is_pair_of_letters(pair)) pairs[pair] |= kAnything | BoundaryRules::kInAnyRun;
  }
  // Stretches are one token, and emoji one each, unless the treebank says otherwise.
  pairs.resize(BoundaryRules::kPairs + kStretches);
  for (size_t s = 1; s < kStretches; ++s) {
    const auto [inside, ends] = of_stretches_[s];
    const bool are_apart = static_cast<Stretch>(s) == Stretch::Emoji;
    const int64_t others = are_apart ? inside : ends;
    if (static_cast<double>(others) <= kSlips * static_cast<double>(inside + ends))
      pairs[BoundaryRules::kPairs + s] = set_of(are_apart ? Boundary::End : Boundary::Inside);
  }
  std::vector<uint64_t> runs = cut_runs_;
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  if (in_any_run) runs.clear();
  return BoundaryRules(pairs, runs);
}

}  // namespace arcwise
