#include "text/characters.h"

#include <algorithm>
#include <array>

#include "text/case.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

struct CodeRange {
  char32_t begin;
  CharacterKind kind;
};
constexpr CodeRange kStretches[] = {
#include "text/character_kinds.inc"
};

CharacterKind ascii_kind(char32_t c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) return kSpace;
  if (c >= '0' && c <= '9') return kDigit;
  if (c >= 'a' && c <= 'z') return kLower;
  if (c >= 'A' && c <= 'Z') return kUpper;
  if (c < ' ' || c == 0x7F) return kSymbol;
  const char32_t before = c < '0' ? '!' : c < 'A' ? ':' - 15 : c < 'a' ? '[' - 22 : '{' - 28;
  return static_cast<CharacterKind>(kMarks + (c - before));
}

CharacterKind with_case(CharacterKind kind, char32_t c) {
  if (kind != kCased) return kind;
  return lower(c) != c ? kUpper : kLower;
}

CharacterKind kind_in_table(char32_t c) {
  const auto after = std::upper_bound(std::begin(kStretches), std::end(kStretches), c,
                                      [](char32_t code, const CodeRange& s) { return code < s.begin; });
  return with_case((after - 1)->kind, c);
}

constexpr char32_t kAtHand = 0x10000;  // of the characters before it the kind is looked up at once

const std::array<CharacterKind, kAtHand> kinds_at_hand = [] {
  std::array<CharacterKind, kAtHand> kinds;
  for (char32_t c = 0; c < kStretches[0].begin; ++c) kinds[c] = ascii_kind(c);
  const CodeRange* stretch = kStretches;
  for (char32_t c = stretch->begin; c < kAtHand; ++c) {
    while (stretch + 1 != std::end(kStretches) && stretch[1].begin <= c) ++stretch;
    kinds[c] = with_case(stretch->kind, c);
  }
  return kinds;
}();

// ASCII marks among the other signs of their kind.
CharacterKind among_others(CharacterKind kind, char32_t c) {
  if (kind == kUpper) return kLower;
  if (kind < kMarks) return kind;
  switch (c) {
    case '(':
    case '[':
    case '{':
      return kOpen;
    case ')':
    case ']':
    case '}':
      return kClose;
    case '-':
      return kDash;
    case '$':
    case '+':
    case '<':
    case '=':
    case '>':
    case '^':
    case '`':
    case '|':
    case '~':
      return kSymbol;
    default:
      return kPunctuation;
  }
}

constexpr size_t kMostKinds = 6;  // of a form, that are told apart

}  // namespace

CharacterKind character_kind(char32_t c) { return c < kAtHand ? kinds_at_hand[c] : kind_in_table(c); }

void kinds_of(std::string_view form, std::string& out) {
  out.clear();
  for (const char32_t c : utf8::CodePoints(form)) {
    const CharacterKind kind = among_others(character_kind(c), c);
    const char letter = static_cast<char>('a' + kind);
    if (kind == kJoined || (!out.empty() && out.back() == letter)) continue;
    if (out.size() == kMostKinds) break;
    out.push_back(letter);
  }
}

bool is_sign(std::string_view form) {
  const utf8::CodePoints characters(form);
  return std::all_of(characters.begin(), characters.end(), [](char32_t c) {
    const auto kind = character_kind(c);
    return kind == kJoined || kind >= kOpen;
  });
}

bool is_symbol(std::string_view form) {
  const utf8::CodePoints characters(form);
  const auto is_within = [](char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; };
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    const auto kind = character_kind(c);
    if (kind != kSymbol) return kind == kJoined;
    const bool is_accent = c == 0xA8 || c == 0xAF || c == 0xB4 || c == 0xB8 || is_within(c, 0x2C2, 0x2FF);
    const bool is_line_or_bullet = is_within(c, 0x2500, 0x25FF) || is_within(c, 0x2700, 0x27BF);
    const bool is_star_or_suit = is_within(c, 0x2605, 0x2606) || is_within(c, 0x2660, 0x2667);
    return c > 0x7F && !is_accent && !is_line_or_bullet && !is_star_or_suit;
  });
}

}  // namespace arcwise
