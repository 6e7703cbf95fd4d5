// Writes segmented text as CoNLL-U, with all its white space: what was read can be put together again.
//
// White space is told in MISC as UDPipe does: SpaceAfter=No, SpacesAfter, SpacesBefore (of the first token)
// and SpacesInToken (the token with the white space that FORM has one space for), with the escapes \s \t \r
// \n \p (for |) and \\; other white space is \u and its code, such as \u00A0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/boundary.h"
#include "text/raw_text.h"
#include "text/splits.h"

namespace arcwise {

// How far a text is written.
struct TextPosition {
  int64_t sentence = 1;   // the number of the next one
  int64_t character = 0;  // the next one, in code points
  bool starts_paragraph = true;
  bool within_sentence = false;  // the last one was cut here, for its length
  bool mark = false;             // the text begins with a byte order mark, which is white space before it
};

class SegmentWriter {
 public:
  // With ranges, MISC has TokenRange=first:last, in code points.
  SegmentWriter(const Splits& splits, bool ranges, TextPosition& position)
      : splits_(splits), ranges_(ranges), position_(position) {}

  // Appends a paragraph, or more of one if the last was cut short.
  void write(const RawText& text, std::span<const Boundary> boundaries, std::string& out);

 private:
  void write_sentence(const RawText& text, std::span<const Boundary> boundaries, int32_t begin, int32_t end,
                      std::string& out);
  void write_token(const RawText& text, int32_t begin, int32_t end, bool split, int32_t& words,
                   std::string& out);
  void write_misc(const RawText& text, int32_t begin, int32_t end, bool changed, std::string& out);

  const Splits& splits_;
  bool ranges_;
  TextPosition& position_;
  std::string form_;
  std::vector<std::string> words_;
};

}  // namespace arcwise
