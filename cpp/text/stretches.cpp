#include "text/stretches.h"

#include <string_view>

#include "text/raw_text.h"

namespace arcwise {
namespace {

constexpr uint64_t bit(CharacterKind kind) { return uint64_t{1} << kind; }
constexpr uint64_t marks(std::string_view of) {
  uint64_t set = 0;
  for (const char c : of) {
    const int before = c < '0' ? '!' : c < 'A' ? ':' - 15 : c < 'a' ? '[' - 22 : '{' - 28;
    set |= uint64_t{1} << (kMarks + (c - before));
  }
  return set;
}

bool is_one_of(const Character& c, std::string_view of) {
  return c.code < 0x80 && of.find(static_cast<char>(c.code)) != std::string_view::npos;
}
bool is_digit(const Character& c) { return c.kind == kDigit; }
bool is_alphanumeric(const Character& c) { return c.kind >= kLower && c.kind <= kDigit; }

// Looks at characters one after the other, and at those outside when there are no more.
class Reading {
 public:
  Reading(const RawText& text, int32_t at, int32_t end) : text_(text), at_(at), end_(end) {}

  int32_t at() const { return at_; }
  void back_to(int32_t at) { at_ = at; }
  const Character& next(int32_t ahead = 0) const {
    return text_[at_ + ahead < end_ ? at_ + ahead : kOutsideAt];
  }
  bool is_next(std::string_view of, int32_t ahead = 0) const { return is_one_of(next(ahead), of); }
  bool take(std::string_view of) {
    const bool taken = is_next(of);
    at_ += taken;
    return taken;
  }
  template <class Wanted>
  int32_t take_all(Wanted&& wanted) {
    const int32_t begin = at_;
    while (at_ < end_ && wanted(text_[at_])) ++at_;
    return at_ - begin;
  }
  // To the end of an address, without what a sentence puts after it.
  void take_rest_of_address() {
    const int32_t begin = at_;
    take_all([](const Character& c) {
      return c.kind != kOpen && c.kind != kClose && !is_one_of(c, "<>\"") && c.kind != kHan;
    });
    while (at_ > begin && !is_alphanumeric(text_[at_ - 1]) && !is_one_of(text_[at_ - 1], "/=&#~_%+-")) --at_;
  }

 private:
  static constexpr int32_t kOutsideAt = -1;
  const RawText& text_;
  int32_t at_, end_;
};

// Names with periods between them, the last of two letters or more.
bool take_host(Reading& r) {
  int32_t names = 0;
  bool is_word = false;  // the last of them
  do {
    const int32_t begin = r.at();
    r.take_all([](const Character& c) { return is_alphanumeric(c) || c.code == '-'; });
    const int32_t end = r.at();
    r.back_to(begin);
    is_word =
        r.take_all([](const Character& c) { return is_letter(c.kind); }) == end - begin && end - begin > 1;
    r.back_to(end);
    if (end == begin) return false;
    ++names;
  } while (r.is_next(".") && is_alphanumeric(r.next(1)) && r.take("."));
  return names > 1 && is_word;
}

bool is_address(Reading& r) {
  const int32_t begin = r.at();
  const int32_t letters = r.take_all([](const Character& c) { return is_letter(c.kind); });
  if (letters > 1 && r.is_next(":") && r.is_next("/", 1) && r.is_next("/", 2)) {
    r.take_rest_of_address();
    return r.at() > begin + letters + 3;
  }
  r.back_to(begin);
  if (letters == 3 && r.is_next("w") && r.is_next("w", 1) && r.is_next("w", 2) && r.is_next(".", 3)) {
    r.take_rest_of_address();
    return r.at() > begin + 4;
  }
  r.take_all([](const Character& c) { return is_alphanumeric(c) || is_one_of(c, "._+-"); });
  if (r.at() > begin && r.take("@")) return take_host(r);
  r.back_to(begin);
  if (!take_host(r) || !r.is_next("/")) return false;
  r.take_rest_of_address();
  return true;
}

bool is_handle(Reading& r) {
  const bool is_name = r.is_next("@");
  if (!r.take("#@")) return false;
  int32_t characters = 0, others = 0;  // those that are no letters
  const auto part = [&](const Character& c) {
    const bool taken = is_alphanumeric(c) || c.code == '_';
    others += taken && !is_letter(c.kind);
    characters += taken;
    return taken;
  };
  r.take_all(part);
  while (is_name && r.is_next(".") && is_alphanumeric(r.next(1)) && r.take(".")) r.take_all(part);
  return characters > others;
}

Stretch number(Reading& r) {
  const auto groups = [&](std::string_view separators) {
    int32_t count = 0;
    while (r.is_next(separators) && is_digit(r.next(1)) && r.take(separators))
      count += r.take_all(is_digit) > 0;
    return is_alphanumeric(r.next()) ? 0 : count;
  };
  if (r.take_all(is_digit) == 0) return Stretch::None;
  if (groups(".,:") > 0) return Stretch::Number;
  const int32_t slashes = groups("/");
  return slashes == 0 ? Stretch::None : slashes == 1 ? Stretch::Fraction : Stretch::Number;
}

// All that stands between white space, but for the mark of a sentence.
bool is_emoticon(Reading& r) {
  const auto is_mouth = [](const Character& c) { return is_one_of(c, "()[]{}dpo/\\|*"); };
  const auto ends = [&] {
    const int32_t end = r.at();
    r.take_all([](const Character& c) { return is_one_of(c, ".,!?"); });
    const bool at_end = r.next().kind == kOutside;
    r.back_to(end);
    return at_end;
  };
  const int32_t begin = r.at();
  if (r.take(":;=")) {
    r.take("-^'");
    if (r.take_all(is_mouth) > 0 && ends()) return true;
  }
  r.back_to(begin);
  if (r.is_next("^-oxut.") && r.is_next("_", 1) && r.next(2).code == r.next().code) {
    r.back_to(begin + 3);
    return ends();
  }
  return false;
}

bool is_arrow(Reading& r) {
  const auto shaft = [](const Character& c) { return is_one_of(c, "-="); };
  if (r.take("<")) return r.take_all(shaft) > 0;
  return r.take_all(shaft) > 0 && r.take(">");
}

// An apostrophe and the last two digits of a year, or such a decade.
bool is_year(Reading& r) {
  if (r.take_all([](const Character& c) { return c.code == '\'' || c.code == U'’'; }) != 1) return false;
  if (r.take_all(is_digit) != 2) return false;
  r.take("s");
  return !is_alphanumeric(r.next());
}

bool is_initials(Reading& r) {
  int32_t count = 0;
  while (is_letter(r.next().kind) && r.is_next(".", 1)) {
    r.back_to(r.at() + 2);
    ++count;
  }
  return count > 1 && !is_alphanumeric(r.next());
}

}  // namespace

StretchFound stretch_at(const RawText& text, int32_t at, int32_t begin, int32_t end) {
  Reading r(text, at, end);
  const auto is = [&](bool (*matches)(Reading&)) {
    r.back_to(at);
    return matches(r);
  };
  const bool at_start = at == begin;
  const bool after_mark = at_start || !is_alphanumeric(text[at - 1]);
  if (after_mark && is_alphanumeric(text[at])) {
    if (is(is_address)) return {Stretch::Address, r.at()};
    if (is(is_initials)) return {Stretch::Initials, r.at()};
    if (!is_digit(text[at]) || (!at_start && is_one_of(text[at - 1], ".,:/"))) return {};
    r.back_to(at);
    const Stretch kind = number(r);
    return {kind, r.at()};
  }
  if (at_start && is(is_emoticon)) return {Stretch::Emoticon, r.at()};
  if (after_mark && is(is_year)) return {Stretch::Year, r.at()};
  if (after_mark && is(is_handle)) return {Stretch::Handle, r.at()};
  if (is(is_arrow)) return {Stretch::Arrow, r.at()};
  return {};
}

bool may_have_stretches(const Chunk& chunk) {
  constexpr uint64_t kAny = marks("@/#=<>:;^_"), kBetweenDigits = marks(".,'") | bit(kClose),
                     kPeriod = marks(".");
  if ((chunk.kinds & kAny) || ((chunk.kinds & bit(kDigit)) && (chunk.kinds & kBetweenDigits))) return true;
  return (chunk.kinds & kPeriod) && chunk.end - chunk.begin > 3;
}

}  // namespace arcwise
