// What happens after a character: the token goes on, or ends, or ends with the sentence; a token that ends
// may be a multiword token, to be split.
#pragma once

#include <cstdint>

namespace arcwise {

enum class Boundary : uint8_t { Inside, End, EndSplit, Sentence, SentenceSplit };
inline constexpr int kBoundaries = 5;
inline bool is_end(Boundary b) { return b != Boundary::Inside; }
inline bool is_sentence_end(Boundary b) { return b >= Boundary::Sentence; }
inline bool is_split(Boundary b) { return b == Boundary::EndSplit || b == Boundary::SentenceSplit; }

using BoundarySet = uint8_t;  // a bit each
constexpr BoundarySet set_of(Boundary b) { return static_cast<BoundarySet>(1u << static_cast<unsigned>(b)); }
inline constexpr BoundarySet kEnds = set_of(Boundary::End) | set_of(Boundary::Sentence);

// How a token might be split, as hashes: the word that a rule puts last (or first, if what it does not look
// at comes last), and the word that holds what it does not look at, 0 if the token is known by its form,
// which then stands for the rule (in older models, 0).
struct PossibleSplit {
  bool possible = false;
  uint64_t rule = 0, stem = 0;
};

// What is looked at when a boundary is decided on: the characters where the token and the sentence under way
// begin, the one that it follows, and how the token might be split if it ended there.
struct BoundaryView {
  int32_t token = 0, sentence = 0, next = 0;
  PossibleSplit split{};
};

}  // namespace arcwise
