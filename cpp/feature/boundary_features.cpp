#include "feature/boundary_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/hash.h"

namespace arcwise {
namespace {

// The places are counted from the boundary: B1 is the character before it, A1 the one after.
enum Atom : uint8_t {
  kB1,
  kB2,
  kB3,
  kA1,
  kA2,
  kA3,
  kA4,  // characters
  kKB1,
  kKB2,
  kKB3,
  kKA1,
  kKA2,
  kKA3,  // their kinds
  kGap,
  kToken,  // so far
  kTokenLength,
  kChunk,  // around the boundary or before it
  kChunkShape,
  kChunkKinds,
  kChunkStart,  // its first three characters
  kOffset,      // in the chunk, from its beginning
  kLeft,        // of the chunk, what comes before the boundary
  kRest,        // and after it
  kNext,
  kNextShape,
  kAfterNext,
  kAfterNextShape,
  kPrevious,
  kPreviousShape,
  kChunkEnd,  // the last three characters of each
  kNextEnd,
  kAfterNextEnd,
  kPreviousEnd,
  kSentenceLength,
  kSentenceStart,  // the kind of its first character
  kLine,           // whether it ends here, how long it is, and whether the next word would have fitted in
  kNextLine,       // its length
  kOpened,         // brackets and quotation marks of the sentence that are not closed yet
  kSeen,           // how training has seen the word before the boundary, or before a period there
  kNextSeen,       // and the one after it, if it begins with a capital
  kTokenEnd4,      // its last characters
  kTokenEnd5,
  kRule,        // by which the token may be split
  kStemSeen,    // how training has seen the word that is the rest of it then
  kTokenShape,  // of all kinds one after the other, as far as they are told apart at the end
  kRestShape,   // of what follows in the chunk, at its beginning
  kThird,       // chunks
  kThirdEnd,
  kSecondLast,
  kSecondLastEnd,
  kChunkEnd5,
  kNextEnd5,
  kSentenceFirst,
  kStretch,
  kAtoms,
};

constexpr size_t kMostAtoms = 6;
// Atoms that make a feature together.
struct Conjunction {
  template <class... A>
  constexpr Conjunction(A... a) : count(sizeof...(a)), atoms{a...} {}
  uint8_t count;
  Atom atoms[kMostAtoms];
};

constexpr Conjunction kInner[] = {
    {kB1, kA1},
    {kB2, kB1, kA1},
    {kB1, kA1, kA2},
    {kB2, kB1, kA1, kA2},
    {kB3, kB2, kB1, kA1},
    {kB1, kA1, kA2, kA3},
    {kB2, kB1},
    {kA1, kA2},
    {kA1, kA2, kA3},
    {kA1, kA2, kA3, kA4},
    {kB3, kB2, kB1},
    {kToken, kA1, kA2, kA3},
    {kKB2, kKB1, kKA1, kKA2},
    {kKB3, kKB2, kKB1, kKA1, kKA2, kKA3},
    {kB1, kKA1, kKA2},
    {kKB2, kKB1, kA1},
    {kToken},
    {kToken, kA1},
    {kToken, kA1, kA2},
    {kToken, kKA1, kKA2},
    {kToken, kRest},
    {kTokenLength, kB1, kA1},
    {kTokenLength, kKB1, kKA1},
    {kChunk, kOffset},
    {kChunkShape, kOffset},
    {kRest},
    {kRest, kB1},
    {kRest, kKB1, kKB2},
    {kLeft, kA1},
    {kChunkShape, kB1, kA1},
    {kNextShape, kB1, kA1},
    {kChunkKinds, kB1, kA1},
    {kChunkKinds, kKB1, kKA1},
    {kChunkStart, kB1, kA1},
    {kChunkStart, kKB1, kKA1},
    {kChunkStart, kChunkKinds},
    {kSeen, kA1, kNextSeen},
    {kSeen, kA1, kA2, kNextShape},
    {kSeen, kTokenLength, kA1, kA2},
    {kTokenShape, kRestShape},
    {kTokenShape, kA1, kRestShape},
    {kTokenShape, kB1, kRestShape},
    {kTokenShape, kA1},
    {kTokenShape, kRest},
    {kB1, kRestShape, kNextShape},
    {kToken, kRestShape},
};

// Within an address, a number, ….
constexpr Conjunction kInStretch[] = {
    {kStretch},
    {kStretch, kB1, kA1},
    {kStretch, kTokenShape, kRestShape},
};

constexpr Conjunction kAtSpace[] = {
    {kGap},
    {kGap, kB1, kKA1},
    {kGap, kKB1, kKA1},
    {kB2, kB1, kKA1},
    {kB3, kB2, kB1, kKA1},
    {kKB3, kKB2, kKB1, kKA1, kKA2},
    {kToken},
    {kToken, kKA1},
    {kToken, kNext},
    {kToken, kNextShape},
    {kToken, kPrevious},
    {kChunk},
    {kChunk, kKA1},
    {kChunk, kNext},
    {kChunk, kPrevious},
    {kChunkShape, kNextShape},
    {kChunkShape, kNextShape, kGap},
    {kChunkShape, kB1, kNextShape, kAfterNextShape},
    {kPreviousShape, kChunkShape, kNextShape},
    {kNext},
    {kNext, kB1},
    {kNext, kGap, kKB1},
    {kNextShape, kB1},
    {kNextShape, kAfterNextShape, kB1},
    {kPrevious, kChunk, kNext},
    {kChunk, kNext, kAfterNext},
    {kNext, kAfterNext},
    {kChunkEnd, kNextEnd},
    {kChunkEnd, kNext},
    {kNextEnd, kAfterNextEnd},
    {kPreviousEnd, kChunkEnd, kNext},
    {kChunkEnd, kNextEnd, kAfterNextEnd},
    {kSentenceLength, kB1, kKA1},
    {kSentenceLength, kGap, kKA1},
    {kSentenceLength, kChunkShape},
    {kSentenceStart, kB1, kKA1},
    {kSentenceStart, kSentenceLength, kKA1},
    {kChunkEnd5, kNextEnd5},
    {kChunkEnd5, kNext},
    {kChunk, kNextEnd5},
    {kNext, kAfterNext, kThird},
    {kNext, kAfterNextEnd, kThirdEnd},
    {kNext, kThirdEnd},
    {kSecondLastEnd, kPreviousEnd, kChunkEnd},
    {kSecondLastEnd, kNext},
    {kSentenceFirst, kNext},
    {kSentenceFirst, kSentenceLength},
    {kSentenceLength, kNext},
    {kSentenceLength, kChunkEnd},
};

// White space with a sign of what it is: a mark before it, a line end, or what is no lower case after it.
constexpr Conjunction kAtSign[] = {
    {kNext, kKA1},
    {kNext, kKA1, kKB1},
    {kOpened, kB1, kKA1},
    {kOpened, kB2, kB1, kKA1},
    {kOpened, kNextShape, kB1},
    {kNextSeen, kB1},
    {kNextSeen, kGap, kKB1},
    {kNextSeen, kSeen, kB1},
    {kNextSeen, kNextShape, kB1},
    {kNextSeen, kSentenceLength, kKB1},
    {kNextSeen, kChunkEnd},
    {kSeen, kNextShape, kB1},
    {kSeen, kChunkShape, kNextShape},
    {kLine, kKB1},
    {kLine, kB1, kNextShape},
    {kLine, kNextSeen, kKB1},
    {kLine, kNext},
    {kLine, kNextLine, kKB1, kKA1},
};

// Where a token that ends here may be split.
constexpr Conjunction kOfSplit[] = {
    {kRule},
    {kRule, kStemSeen},
    {kRule, kStemSeen, kKA1},
    {kRule, kStemSeen, kTokenLength},
    {kRule, kTokenEnd4},
    {kRule, kTokenEnd5},
    {kRule, kNextEnd},
    {kRule, kPreviousEnd},
    {kToken, kNextEnd},
    {kToken, kPreviousEnd},
    {kToken, kPreviousEnd, kNextEnd},
    {kToken, kAfterNextEnd, kNextEnd},
    {kToken, kNext},
    {kToken, kPrevious},
    {kToken, kPrevious, kNextEnd},
    {kToken, kPreviousEnd, kNext},
    {kToken, kSecondLastEnd, kPreviousEnd},
    {kToken, kSecondLastEnd, kPrevious},
    {kToken, kNextEnd5},
    {kToken, kNextShape},
    {kToken, kPreviousShape},
    {kRule, kNext},
    {kRule, kPrevious},
    {kRule, kNextShape},
    {kRule, kPreviousEnd, kNextEnd},
    {kRule, kStemSeen, kPreviousEnd},
    {kRule, kStemSeen, kTokenEnd4},
};

// Small numbers count exactly, larger ones by their powers of two.
uint64_t bucket(int32_t count) {
  return count < 4 ? static_cast<uint64_t>(count) : 2 + std::bit_width(static_cast<uint32_t>(count));
}

// How training has seen the run of letters that ends before a character.
uint64_t seen_before(const SeenWords& seen, const RawText& text, int32_t end) {
  int32_t begin = end;
  while (begin > 0 && is_letter(text[begin - 1].kind) && (begin == end || text[begin - 1].gap == Gap::None))
    --begin;
  return begin == end ? 4u : seen.how(text.hash(begin, end));
}

// The same of the run that a chunk begins with, after a mark or two, if it has a capital.
uint64_t seen_after(const SeenWords& seen, const RawText& text, const Chunk& chunk) {
  constexpr int32_t kMostMarks = 2;
  int32_t begin = chunk.begin;
  while (begin < chunk.end && begin - chunk.begin < kMostMarks && !is_letter(text[begin].kind)) ++begin;
  if (begin == chunk.end || text[begin].kind != kUpper) return 4;
  int32_t end = begin + 1;
  while (end < chunk.end && is_letter(text[end].kind)) ++end;
  return seen.how(text.hash(begin, end));
}

// The kinds of a stretch of characters, runs as one. Case counts of a letter alone, as in initials.
constexpr int32_t kMostOfShape = 16;
uint64_t shape_of(const RawText& text, int32_t begin, int32_t end) {
  uint64_t shape = 0;
  for (int32_t i = begin; i < end;) {
    const int32_t first = i++;
    const CharacterKind kind = text[first].kind;
    const bool cased = kind == kLower || kind == kUpper;
    while (i < end && (text[i].kind == kind || (cased && (text[i].kind == kLower || text[i].kind == kUpper))))
      ++i;
    shape = shape * HashPowers::kBase + (cased && i - first > 1 ? kLower : kind);
  }
  return mix(shape);
}

constexpr std::array<uint64_t, kAtoms> kSalts = [] {
  std::array<uint64_t, kAtoms> salts{};
  for (size_t a = 0; a < kAtoms; ++a) salts[a] = mix(a + 1) | 1;
  return salts;
}();

// The key of a feature is the sum of its atoms; which atoms is known to the compiler.
template <const auto& conjunctions, uint64_t seed, size_t... i>
int32_t write_keys(const uint64_t* values, uint64_t* keys, std::index_sequence<i...>) {
  const auto key = [&]<size_t n>() {
    constexpr const Conjunction& c = conjunctions[n];
    uint64_t sum = mix(seed + n);
    for (size_t a = 0; a < c.count; ++a) sum += values[c.atoms[a]];
    return sum;
  };
  ((keys[i] = key.template operator()<i>()), ...);
  return sizeof...(i);
}
template <const auto& conjunctions, uint64_t seed>
int32_t write_keys(const uint64_t* values, uint64_t* keys) {
  return write_keys<conjunctions, seed>(values, keys, std::make_index_sequence<std::size(conjunctions)>());
}

}  // namespace

size_t BoundaryFeatures::size() const {
  return std::max(std::size(kInner) + std::size(kInStretch), std::size(kAtSpace) + std::size(kAtSign)) +
         std::size(kOfSplit);
}

int32_t BoundaryFeatures::extract(const BoundaryView& view, const RawText& text, uint64_t* keys) const {
  const int32_t token = view.token, sentence = view.sentence, i = view.next;
  const PossibleSplit split = view.split;
  const Character &b1 = text[i], &b2 = text[i - 1], &b3 = text[i - 2];
  const Character &a1 = text[i + 1], &a2 = text[i + 2], &a3 = text[i + 3];
  uint64_t v[kAtoms];
  const auto set = [&](Atom atom, uint64_t value) { v[atom] = (value + 1) * kSalts[atom]; };
  set(kB1, b1.code);
  set(kB2, b2.code);
  set(kB3, b3.code);
  set(kA1, a1.code);
  set(kA2, a2.code);
  set(kA3, a3.code);
  set(kA4, text[i + 4].code);
  set(kKB1, b1.kind);
  set(kKB2, b2.kind);
  set(kKB3, b3.kind);
  set(kKA1, a1.kind);
  set(kKA2, a2.kind);
  set(kKA3, a3.kind);
  set(kToken, text.hash(token, i + 1));
  const Chunk& chunk = text.chunk(b1.chunk);
  set(kChunkShape, chunk.shape);
  const Chunk& next = text.chunk(int64_t{b1.chunk} + 1);
  set(kNextShape, next.shape);
  const Chunk& previous = text.chunk(int64_t{b1.chunk} - 1);
  const Chunk& after_next = text.chunk(int64_t{b1.chunk} + 2);
  const auto end_of = [&](const Chunk& c) { return text.hash(std::max(c.begin, c.end - 3), c.end); };
  const auto end5_of = [&](const Chunk& c) { return text.hash(std::max(c.begin, c.end - 5), c.end); };
  const Chunk& second_last = text.chunk(int64_t{b1.chunk} - 2);
  const auto set_words_around = [&] {
    set(kNext, text.hash(next.begin, next.end));
    set(kNextEnd5, end5_of(next));
    set(kPrevious, text.hash(previous.begin, previous.end));
    set(kPreviousShape, previous.shape);
    set(kSecondLastEnd, end_of(second_last));
    set(kNextEnd, end_of(next));
    set(kAfterNextEnd, end_of(after_next));
    set(kPreviousEnd, end_of(previous));
  };
  int32_t count = 0;
  if (b1.gap == Gap::None) {
    set(kTokenLength, bucket(i + 1 - token));
    set(kChunk, text.hash(chunk.begin, chunk.end));
    set(kChunkKinds, chunk.kinds);
    set(kChunkStart, text.hash(chunk.begin, std::min(chunk.end, chunk.begin + 3)));
    set(kOffset, static_cast<uint64_t>(i - chunk.begin));
    set(kLeft, text.hash(chunk.begin, i + 1));
    set(kRest, text.hash(i + 1, chunk.end));
    set(kSeen, seen_before(seen_, text, b1.code == '.' ? i : i + 1));
    set(kNextSeen, seen_after(seen_, text, next));
    set(kTokenShape, shape_of(text, std::max(token, i + 1 - kMostOfShape), i + 1));
    set(kRestShape, shape_of(text, i + 1, std::min(chunk.end, i + 1 + kMostOfShape)));
    count = write_keys<kInner, 0x1000>(v, keys);
    if (b1.stretch != Stretch::None) {
      set(kStretch, static_cast<uint64_t>(b1.stretch));
      count += write_keys<kInStretch, 0x5000>(v, keys + count);
    }
  } else {
    set(kGap, static_cast<uint64_t>(b1.gap));
    set(kChunk, text.hash(chunk.begin, chunk.end));
    set(kAfterNextShape, after_next.shape);
    set(kAfterNext, text.hash(after_next.begin, after_next.end));
    set(kChunkEnd, end_of(chunk));
    set_words_around();
    set(kSentenceLength, bucket((i + 1 - sentence) / 4));
    set(kSentenceStart, text[sentence].kind);
    const Chunk& third = text.chunk(int64_t{b1.chunk} + 3);
    set(kThird, text.hash(third.begin, third.end));
    set(kThirdEnd, end_of(third));
    set(kChunkEnd5, end5_of(chunk));
    const Chunk& first = text.chunk(text[sentence].chunk);
    set(kSentenceFirst, text.hash(first.begin, first.end));
    count = write_keys<kAtSpace, 0x2000>(v, keys);
    if (!is_letter(b1.kind) || b1.gap >= Gap::Line || (a1.kind != kLower && a1.kind != kLetter)) {
      set(kSeen, seen_before(seen_, text, b1.code == '.' ? i : i + 1));
      set(kNextSeen, seen_after(seen_, text, next));
      const Character& outside = text[sentence - 1];
      const auto opened = static_cast<int8_t>(b1.brackets - outside.brackets);
      const bool quoted = (b1.quotes - outside.quotes) & 1;
      set(kOpened, 2 * static_cast<uint64_t>(std::clamp<int>(opened, -1, 2) + 1) + quoted);
      if (b1.gap >= Gap::Line) {
        const int32_t length = text.line_length(chunk.line);
        const bool fits = length + 1 + next.end - next.begin <= text.longest_line();
        set(kLine, 2 + 2 * bucket(length / 8) + fits);
        set(kNextLine, bucket(text.line_length(chunk.line + 1) / 8));
      } else {
        set(kLine, 0);
        set(kNextLine, 0);
      }
      count += write_keys<kAtSign, 0x3000>(v, keys + count);
    }
  }
  if (split.possible) {
    const auto token_end = [&](int32_t length) { return text.hash(std::max(token, i + 1 - length), i + 1); };
    set(kTokenLength, bucket(i + 1 - token));
    set(kTokenEnd4, token_end(4));
    set(kTokenEnd5, token_end(5));
    set_words_around();
    set(kRule, split.rule);
    set(kStemSeen, split.stem == 0 ? 0 : 1 + seen_.how(split.stem));
    count += write_keys<kOfSplit, 0x4000>(v, keys + count);
  }
  return count;
}

}  // namespace arcwise
