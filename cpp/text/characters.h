// What kind of character a code point is, for all of Unicode: as much as segmentation wants to know.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

// ASCII punctuation marks are kinds of their own, from kMarks on, in the order of their codes.
enum CharacterKind : uint8_t {
  kOutside,  // before the beginning and after the end of a text
  kSpace,
  kJoined,  // marks, joiners, variation selectors, skin tones: they belong to the character before them
  kLower,
  kUpper,
  kLetter,  // of a script without case
  kHan,
  kHiragana,
  kKatakana,
  kHangul,
  kSouthEast,  // of a script that is written without spaces between words: Thai, Lao, Khmer, …
  kDigit,
  kOpen,
  kClose,
  kDash,
  kPunctuation,
  kSymbol,
  kMarks,
  kCased = 63,  // in the table alone, which does not tell upper case from lower
};
inline constexpr size_t kCharacterKinds = 64;

CharacterKind character_kind(char32_t c);

// Of scripts where words are written with nothing but letters, so that words seldom end within a run of them.
inline bool is_letter(CharacterKind kind) { return kind >= kLower && kind <= kLetter; }

inline constexpr char32_t kZeroWidthJoiner = 0x200D;
// Two of them make a flag.
inline bool is_regional_indicator(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

}  // namespace arcwise
