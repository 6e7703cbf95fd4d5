// Makes a treebank of CoNLL-U that is being written, and need not be read for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "text/pen.h"
#include "text/treebank.h"

namespace arcwise {

class TreebankBuilder {
 public:
  // For so many bytes more; what is written there is ended by wrote().
  Pen room(size_t bytes) {
    if (text_.size() - size_ < bytes) grow(bytes);
    return Pen(text_.data() + size_);
  }
  void wrote(const Pen& pen) { size_ = static_cast<size_t>(pen.at() - text_.data()); }
  void append(std::string_view text) {
    Pen pen = room(text.size());
    pen.put(text);
    wrote(pen);
  }
  // Where a column that is written here will lie.
  uint32_t place(const Pen& pen) const { return static_cast<uint32_t>(pen.at() - text_.data()); }

  // A word without head and label, all of whose line has been written.
  void add_word(const std::array<uint32_t, kColumns + 1>& columns) { treebank_.columns_.push_back(columns); }
  // Whatever was written since the last one, in so many lines, is a sentence.
  void end_sentence(size_t lines);

  Treebank build() &&;

 private:
  void grow(size_t bytes);

  Treebank treebank_;
  std::string text_;  // as much as there is room for
  size_t size_ = 0, begin_ = 0, line_ = 1;
};

}  // namespace arcwise
