#include "text/case.h"

#include <numeric>
#include <vector>

#include "text/utf8.h"

namespace arcwise {
namespace {

bool between(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

bool is_cased_lower(char32_t c) {
  return between(c, 'a', 'z') || between(c, 0xDF, 0xF6) || between(c, 0xF8, 0xFF) ||
         (between(c, 0x100, 0x24F) && lower(c) == c) || between(c, 0x3AC, 0x3CE) || c == 0x390 ||
         between(c, 0x430, 0x45F) || (between(c, 0x460, 0x52F) && lower(c) == c) ||
         between(c, 0x561, 0x587) || (between(c, 0x1E00, 0x1EFF) && lower(c) == c) ||
         (between(c, 0x1F00, 0x1FFF) && lower(c) == c);
}

bool is_punctuation_or_symbol(char32_t c) {
  return between(c, 0xA1, 0xBF) || c == 0xD7 || c == 0xF7 || between(c, 0x2000, 0x2BFF) ||
         between(c, 0x3000, 0x303F) || between(c, 0xFF01, 0xFF0F) || between(c, 0x1F000, 0x1FAFF);
}

}  // namespace

char32_t lower(char32_t c) {
  if (between(c, 'A', 'Z')) return c + 32;
  if (c < 0xC0) return c;
  if (between(c, 0xC0, 0xDE) && c != 0xD7) return c + 32;
  // Latin Extended-A: pairs of upper and lower, the upper even but for two stretches.
  if (between(c, 0x139, 0x148) || between(c, 0x179, 0x17E)) return c + (c & 1);
  if (c == 0x178) return 0xFF;
  if (between(c, 0x100, 0x177) && c != 0x130 && c != 0x131 && c != 0x138 && c != 0x149) return c | 1;
  // Latin Extended-B has few pairs in a row: Vietnamese O and U with horn, the schwa of Azerbaijani.
  if (c == 0x1A0 || c == 0x1AF) return c + 1;
  if (c == 0x18F) return 0x259;
  if (between(c, 0x1CD, 0x1DC)) return c + (c & 1);
  if (c == 0x1F6 || c == 0x1F7 || c == 0x220) return c;
  if (between(c, 0x1DE, 0x24F) && c != 0x1F0 && !between(c, 0x234, 0x245)) return c | 1;
  // Greek, with its accented letters.
  if (c == 0x386) return 0x3AC;
  if (between(c, 0x388, 0x38A)) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (between(c, 0x391, 0x3AB) && c != 0x3A2) return c + 32;
  // Cyrillic and Armenian.
  if (between(c, 0x410, 0x42F)) return c + 32;
  if (between(c, 0x400, 0x40F)) return c + 80;
  if (between(c, 0x460, 0x481) || between(c, 0x48A, 0x4BF) || between(c, 0x4D0, 0x52F)) return c | 1;
  if (between(c, 0x4C1, 0x4CE)) return c + (c & 1);
  if (c == 0x4C0) return 0x4CF;
  if (between(c, 0x531, 0x556)) return c + 48;
  // Latin Extended Additional (Vietnamese among others), polytonic Greek.
  if (between(c, 0x1E00, 0x1E95) || between(c, 0x1EA0, 0x1EFF)) return c | 1;
  if (c == 0x1E9E) return 0xDF;
  if (between(c, 0x1F00, 0x1F6F) && (c & 8)) return c - 8;
  return c;
}

char32_t upper(char32_t c) {
  static const std::vector<char32_t> kUpper = [] {
    constexpr char32_t kEndOfCase = 0x2000;  // lower() changes nothing from there on
    std::vector<char32_t> table(kEndOfCase);
    std::iota(table.begin(), table.end(), char32_t{0});
    for (char32_t u = kEndOfCase; u-- > 0;)
      if (lower(u) != u) table[lower(u)] = u;
    return table;
  }();
  return c < kUpper.size() ? kUpper[c] : c;
}

void to_lower(std::string_view form, std::string& out) {
  out.assign(form);
  bool ascii = true;
  for (char& c : out) {
    ascii &= static_cast<unsigned char>(c) < 0x80;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  if (ascii) return;
  out.clear();
  for (const char32_t c : utf8::CodePoints(form)) utf8::append(lower(c), out);
}

void word_shape(std::string_view form, std::string& out) {
  out.clear();
  constexpr char32_t kNoCharacter = 0x110000;
  char32_t last = kNoCharacter, before = kNoCharacter;
  for (const char32_t c : utf8::CodePoints(form)) {
    char32_t kind = 'o';
    if (between(c, '0', '9'))
      kind = 'd';
    else if (lower(c) != c)
      kind = 'X';
    else if (is_cased_lower(c))
      kind = 'x';
    else if (c < 0x80 || is_punctuation_or_symbol(c))
      kind = c;
    if (kind == last && kind == before) continue;
    before = last;
    last = kind;
    utf8::append(kind, out);
  }
}

}  // namespace arcwise
