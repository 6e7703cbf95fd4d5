#include "text/cutting.h"

#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::array<char32_t, 24> kStops = {'.',    '!',    '?',    0x0589, 0x061F, 0x06D4, 0x0964, 0x0965,
                                             0x0F0D, 0x104B, 0x1362, 0x1367, 0x17D4, 0x2026, 0x203C, 0x203D,
                                             0x2047, 0x2048, 0x2049, 0x3002, 0xFE52, 0xFF01, 0xFF0E, 0xFF1F};

bool is_quote(char32_t c) { return c == '"' || c == '\'' || c == 0x2019 || c == 0x201D || c == 0xBB; }
bool closes(char32_t c) {
  return is_quote(c) || c == ')' || c == ']' || c == '}' || character_kind(c) == kClose;
}
// Whether something may end with it.
bool is_mark(char32_t c) {
  if (c < 0x80) return std::string_view(",;:-.!?)]}\"'").find(static_cast<char>(c)) != std::string_view::npos;
  const CharacterKind kind = character_kind(c);
  return kind == kClose || kind == kDash || kind == kPunctuation;
}
bool is_stop(char32_t c) { return std::find(kStops.begin(), kStops.end(), c) != kStops.end(); }

template <class F>
bool all(std::string_view word, F&& is) {
  for (char32_t c : utf8::CodePoints(word))
    if (!is(c)) return false;
  return true;
}

// Whether the last character is a stop, but for what closes after it.
bool ends_in_stop(std::string_view word) {
  bool found = false;
  for (char32_t c : utf8::CodePoints(word)) found = is_stop(c) || (found && closes(c));
  return found;
}

}  // namespace

size_t cut_place(std::span<const std::string_view> words) {
  for (size_t i = words.size(); i > 0; --i) {
    if (!ends_in_stop(words[i - 1])) continue;
    while (i < words.size() && all(words[i], closes)) ++i;
    return i;
  }
  for (size_t i = words.size(); i > 0; --i)
    if (all(words[i - 1], is_mark)) return i;
  return words.size();
}

}  // namespace arcwise
