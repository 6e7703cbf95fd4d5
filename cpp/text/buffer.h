// Text that is put together of many short pieces, in fewer steps than a std::string takes for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace arcwise {

class Buffer {
 public:
  void reserve(size_t bytes) {
    if (text_.size() < bytes) text_.resize(bytes);
  }

  Buffer& operator+=(char c) {
    if (size_ == text_.size()) grow(1);
    text_[size_++] = c;
    return *this;
  }
  Buffer& operator+=(std::string_view piece) {
    if (text_.size() - size_ < piece.size()) grow(piece.size());
    char* const at = text_.data() + size_;
    if (piece.size() > kShort) {
      std::memcpy(at, piece.data(), piece.size());
    } else if (piece.size() >= 8) {
      copy<uint64_t>(piece, at);
    } else if (piece.size() >= 4) {
      copy<uint32_t>(piece, at);
    } else {
      for (size_t i = 0; i < piece.size(); ++i) at[i] = piece[i];
    }
    size_ += piece.size();
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char back() const { return text_[size_ - 1]; }
  std::string_view view() const { return {text_.data(), size_}; }
  void clear() { size_ = 0; }

 private:
  static constexpr size_t kShort = 16;

  // The first bytes and the last, which may be the same.
  template <class Word>
  static void copy(std::string_view piece, char* at) {
    Word first, last;
    std::memcpy(&first, piece.data(), sizeof first);
    std::memcpy(&last, piece.data() + piece.size() - sizeof last, sizeof last);
    std::memcpy(at, &first, sizeof first);
    std::memcpy(at + piece.size() - sizeof last, &last, sizeof last);
  }
  void grow(size_t bytes) { text_.resize(std::max(2 * text_.size(), size_ + bytes)); }

  std::string text_;  // as much as there is room for
  size_t size_ = 0;
};

}  // namespace arcwise
