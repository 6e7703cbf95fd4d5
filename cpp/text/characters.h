// What kind of character a code point is, for all of Unicode: as much as segmentation wants to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

// `out` becomes the kinds of a form's characters, one letter each, a run of the same once: all letters with
// case are of one kind, and so is each sort of ASCII and other marks. What there is after many is left out.
void kinds_of(std::string_view form, std::string& out);
// Whether a form has signs alone, no letters or digits.
bool is_sign(std::string_view form);
// Whether it is made of such symbols alone as are no punctuation: of currencies and mathematics, arrows,
// pictures. Not those of ASCII, which are used as either, nor accents, lines, bullets and ornaments.
bool is_symbol(std::string_view form);

// Of scripts where words are written with nothing but letters, so that words seldom end within a run of them.
inline bool is_letter(CharacterKind kind) { return kind >= kLower && kind <= kLetter; }

inline constexpr char32_t kZeroWidthJoiner = 0x200D;
// Two of them make a flag.
inline bool is_regional_indicator(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

}  // namespace arcwise
