// Stretches of text that most treebanks have as one token, whatever it is made of: addresses, hashtags,
// numbers with separators, emoticons, arrows; and emoji, each of which is a token of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arcwise {

class RawText;
struct Chunk;

// What the boundary after a character lies within; for emoji, between two of which.
enum class Stretch : uint8_t {
  None,
  Address,   // https://…, www.…, name.example/path, somebody@name.example
  Handle,    // #hashtag, @name
  Number,    // 1,250.00, 12:30, 5/11/2021
  Fraction,  // 3/4
  Emoticon,  // :-)
  Arrow,     // =>
  Emoji,
  Year,         // '68
  Initials,     // U.S.A, before their last period
  LastInitial,  // and between the last of them and that
};
inline constexpr size_t kStretches = 11;

// Pictures, of those symbols that are no signs of writing.
inline constexpr bool is_emoji(char32_t c) { return c >= 0x1F000 && c <= 0x1FBFF; }
inline constexpr char32_t kEmojiSelector = 0xFE0F;  // makes one of the character before it

struct StretchFound {
  Stretch kind = Stretch::None;
  int32_t end = 0;
};
// The stretch that begins with a character, within what stands between white space from `begin` to `end`.
StretchFound stretch_at(const RawText& text, int32_t at, int32_t begin, int32_t end);
// Whether there may be any there, at a glance.
bool may_have_stretches(const Chunk& chunk);

}  // namespace arcwise
