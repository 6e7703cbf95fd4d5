#include "text/json_parser.h"

#include <array>

#include "text/utf8.h"

namespace arcwise {

// So that no text can exhaust the stack.
static constexpr int kMostNested = 100;

// Which bytes stand for themselves in a string.
static constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t byte = 0x20; byte < plain.size(); ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

void JsonParser::refuse_missing(const char* what) const {
  refuse(at_ == text_.size() ? "the text ends too early" : std::string(what) + " is expected");
}

bool JsonParser::takes_word(std::string_view word) {
  peek();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::optional<bool> JsonParser::boolean() {
  if (takes_word("true")) return true;
  if (takes_word("false")) return false;
  return std::nullopt;
}

std::string_view JsonParser::string(std::string& decoded) {
  expect('"', "a string");
  bool has_escapes = false;
  for (size_t begin = at_;; ++at_) {
    if (at_ == text_.size()) refuse("the text ends within a string");
    const char c = text_[at_];
    if (kPlain[static_cast<unsigned char>(c)]) continue;
    if (c == '"') {
      const std::string_view last = text_.substr(begin, at_++ - begin);
      return has_escapes ? std::string_view(decoded += last) : last;
    }
    if (c != '\\') refuse("a string has a control character in it");
    if (!has_escapes) decoded.clear();
    has_escapes = true;
    decoded.append(text_, begin, at_ - begin);
    ++at_;
    escape(decoded);
    begin = at_ + 1;
  }
}

// Ends at the last character of the escape.
void JsonParser::escape(std::string& out) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kEscaped = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) refuse("the text ends within a string");
  if (const size_t simple = kEscapes.find(text_[at_]); simple != std::string_view::npos) {
    out += kEscaped[simple];
    return;
  }
  if (text_[at_] != 'u') refuse("a string has an escape in it that JSON does not know");
  char32_t code = code_unit();
  if (code >= 0xD800 && code <= 0xDBFF && text_.substr(at_ + 1).starts_with("\\u")) {
    at_ += 2;
    const char32_t low = code_unit();
    if (low < 0xDC00 || low > 0xDFFF) refuse("a string has half a character in it");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) refuse("a string has half a character in it");
  utf8::append(code, out);
}

char32_t JsonParser::code_unit() {
  char32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    if (++at_ >= text_.size()) refuse("the text ends within a string");
    const char c = text_[at_];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) refuse("\\u is followed by something else than four hexadecimal digits");
    code = code << 4 | static_cast<char32_t>(digit);
  }
  return code;
}

std::string_view JsonParser::number() {
  peek();
  const size_t begin = at_;
  const auto digits = [&] {
    const size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == first) refuse("a value is expected");
  };
  const auto is_next = [&](std::string_view any) {
    return at_ < text_.size() && any.find(text_[at_]) != std::string_view::npos;
  };
  if (is_next("-")) ++at_;
  const bool is_zero = is_next("0");
  digits();
  if (is_zero && at_ - begin > (text_[begin] == '-' ? 2u : 1u)) refuse("a number begins with 0");
  if (is_next(".")) {
    ++at_;
    digits();
  }
  if (is_next("eE")) {
    ++at_;
    if (is_next("+-")) ++at_;
    digits();
  }
  return text_.substr(begin, at_ - begin);
}

void JsonParser::skip(int depth) {
  if (depth > kMostNested) refuse("objects and arrays are nested too deeply");
  switch (peek()) {
    case '{':
      return object([&](std::string_view) { skip(depth + 1); });
    case '[':
      return array([&] { skip(depth + 1); });
    case '"': {
      std::string unused;
      string(unused);
      return;
    }
    default:
      if (!takes_null() && !boolean()) number();
  }
}

}  // namespace arcwise
