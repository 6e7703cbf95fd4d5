// UTF-8: whether bytes are valid, and which code points they spell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

namespace arcwise::utf8 {

inline constexpr size_t kAllValid = std::string_view::npos;

// How many bytes the well-formed sequence that starts at text[at] has; 0 if it is not well formed.
// The bounds of the second byte keep out overlong forms, surrogates and what lies beyond U+10FFFF
// (The Unicode Standard, table 3-7).
inline size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const unsigned char lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// Where the first byte lies that is not valid UTF-8, or kAllValid.
inline size_t first_invalid(std::string_view text) {
  constexpr uint64_t kNotAscii = 0x8080808080808080;
  size_t at = 0;
  while (at < text.size()) {
    if (uint64_t eight; text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & kNotAscii) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return kAllValid;
}

// The code points of valid UTF-8, one after the other: `for (char32_t c : CodePoints(form))`.
class CodePoints {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = char32_t;

    Iterator() = default;
    explicit Iterator(const char* at) : at_(at) {}

    char32_t operator*() const {
      const size_t length = bytes();
      if (length == 1) return byte(0);
      // A lead byte of a sequence of n bytes spends n + 1 bits on saying so.
      char32_t code_point = byte(0) & (0x7Fu >> length);
      for (size_t i = 1; i < length; ++i) code_point = code_point << 6 | (byte(i) & 0x3Fu);
      return code_point;
    }
    Iterator& operator++() {
      at_ += bytes();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

    // The first byte of this code point: prefixes and suffixes are cut here.
    const char* position() const { return at_; }

   private:
    unsigned char byte(size_t i) const { return static_cast<unsigned char>(at_[i]); }
    size_t bytes() const { return byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4; }

    const char* at_ = nullptr;
  };

  explicit CodePoints(std::string_view valid) : text_(valid) {}
  Iterator begin() const { return Iterator(text_.data()); }
  Iterator end() const { return Iterator(text_.data() + text_.size()); }

 private:
  std::string_view text_;
};

// How many code points valid UTF-8 has.
inline int64_t count(std::string_view valid) {
  int64_t count = 0;
  for (char byte : valid) count += (byte & 0xC0) != 0x80;
  return count;
}

// The first `count` code points of valid UTF-8; all of it if it has fewer.
inline std::string_view prefix(std::string_view valid, size_t count) {
  const CodePoints code_points(valid);
  auto at = code_points.begin();
  while (count-- > 0 && at != code_points.end()) ++at;
  return valid.substr(0, static_cast<size_t>(at.position() - valid.data()));
}

// The last `count` code points of valid UTF-8; all of it if it has fewer.
inline std::string_view suffix(std::string_view valid, size_t count) {
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  size_t begin = valid.size();
  for (; count > 0 && begin > 0; --count)
    for (--begin; begin > 0 && continues(valid[begin]);) --begin;
  return valid.substr(begin);
}

inline void append(char32_t code_point, std::string& out) {
  const auto byte = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  const auto continuation = [&](int shift) { byte(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
    continuation(0);
  } else if (code_point < 0x10000) {
    byte(0xE0 | code_point >> 12);
    continuation(6);
    continuation(0);
  } else {
    byte(0xF0 | code_point >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace arcwise::utf8
