// Reads JSON step by step: whoever asks knows what may come next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arcwise {

// The text is no JSON: where, and why.
struct JsonSyntaxError {
  size_t at;
  std::string reason;
};

class JsonParser {
 public:
  // The text must be valid UTF-8.
  explicit JsonParser(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  void go_back(size_t at) { at_ = at; }
  // The first character of the next value, or of what is in its place; 0 at the end.
  char peek() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
    }
    return '\0';
  }
  bool takes(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!takes(c)) refuse_missing(what);
  }

  // visit(key) for each member of an object; it must read the value. The key is gone after that.
  template <class F>
  void object(F&& visit) {
    expect('{', "an object");
    if (takes('}')) return;
    std::string decoded;
    do {
      const std::string_view key = string(decoded);
      expect(':', "a colon");
      visit(key);
    } while (takes(','));
    expect('}', "a comma or the end of an object");
  }

  // visit() for each item of an array; it must read it.
  template <class F>
  void array(F&& visit) {
    expect('[', "an array");
    if (takes(']')) return;
    do visit();
    while (takes(','));
    expect(']', "a comma or the end of an array");
  }

  // Where it stands in the text or, if it has escapes in it, in `decoded`: only then it may have control
  // characters in it.
  std::string_view string(std::string& decoded);
  std::string_view number();
  bool takes_null() { return peek() == 'n' && takes_word("null"); }
  // Nothing if the next value is another.
  std::optional<bool> boolean();
  void skip() { skip(0); }

 private:
  void skip(int depth);
  bool takes_word(std::string_view word);
  void escape(std::string& out);
  char32_t code_unit();
  [[noreturn]] void refuse(const std::string& reason) const { throw JsonSyntaxError{at_, reason}; }
  [[noreturn]] void refuse_missing(const char* what) const;

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace arcwise
