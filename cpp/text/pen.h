// Writes bytes one after the other where there is room for them.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace arcwise {

class Pen {
 public:
  static constexpr size_t kMostDigits = 20;  // of a number, with its sign

  explicit Pen(char* at) : at_(at) {}

  void put(char c) { *at_++ = c; }
  void put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void number(int64_t number) {
    if (number >= 0 && number < 10)
      put(static_cast<char>('0' + number));
    else
      at_ = std::to_chars(at_, at_ + kMostDigits, number).ptr;
  }

  // Where the next byte goes.
  char* at() const { return at_; }

 private:
  char* at_;
};

}  // namespace arcwise
