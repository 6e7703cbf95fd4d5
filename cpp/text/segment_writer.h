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
#include "text/treebank_builder.h"

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
  void write(const RawText& text, std::span<const Boundary> boundaries, TreebankBuilder& out);

 private:
  struct Token {
    int32_t begin, end;  // characters
    bool split;
  };

  void write_sentence(const RawText& text, int32_t begin, int32_t end, TreebankBuilder& out);
  void write_text(const RawText& text, int32_t begin, int32_t end, TreebankBuilder& out);
  // Returns how many lines it wrote.
  size_t write_token(const RawText& text, const Token& token, int32_t& words, TreebankBuilder& out);
  void write_misc(const RawText& text, const Token& token, bool changed, Pen& pen);

  const Splits& splits_;
  bool ranges_;
  TextPosition& position_;
  std::vector<Token> tokens_;  // of a sentence
  std::string form_;
  std::vector<std::string> words_;
};

}  // namespace arcwise
