#include "text/segment_writer.h"

#include <algorithm>
#include <charconv>

#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::string_view kEmptyColumns = "\t_\t_\t_\t_\t_\t_\t_\t";

constexpr std::string_view kEscaped = " \t\r\n|\\", kEscapes = "strnp\\";

void append_number(int64_t number, std::string& out) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_escaped(std::string_view text, std::string& out) {
  const utf8::CodePoints characters(text);
  for (auto at = characters.begin(); at != characters.end();) {
    const char* const begin = at.position();
    const char32_t c = *at++;
    const size_t simple = kEscaped.find(static_cast<char>(c));
    if (c < 0x80 && simple != std::string_view::npos) {
      (out += '\\') += kEscapes[simple];
    } else if (character_kind(c) == kSpace) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[c >> shift & 0xF];
    } else {
      out.append(begin, at.position());
    }
  }
}

// A token as FORM has it: one space in place of white space of any other kind than a single visible space.
// Returns whether that changed anything.
bool normalise(const RawText& text, int32_t begin, int32_t end, std::string& form) {
  form.clear();
  bool changed = false;
  for (int32_t first = begin; first < end;) {
    int32_t last = first + 1;
    while (last < end && text[last - 1].gap == Gap::None) ++last;
    form += text.text(first, last);
    if (last < end) {
      const std::string_view space = text.space_after(last - 1);
      const bool keeps = text[last - 1].gap == Gap::Space && static_cast<unsigned char>(space[0]) >= ' ';
      form += keeps ? space : " ";
      changed |= !keeps;
    }
    first = last;
  }
  return changed;
}

}  // namespace

void SegmentWriter::write(const RawText& text, std::span<const Boundary> boundaries, std::string& out) {
  if (text.size() == 0) return;
  if (ranges_) position_.character += (position_.mark ? 1 : 0) + utf8::count(text.space_before());
  int32_t begin = 0;
  for (int32_t i = 0; i < text.size(); ++i) {
    if (!is_sentence_end(boundaries[i])) continue;
    if (position_.sentence == 1) out += "# newdoc\n";
    if (position_.starts_paragraph) out += "# newpar\n";
    position_.starts_paragraph = false;
    write_sentence(text, boundaries, begin, i + 1, out);
    begin = i + 1;
  }
  position_.starts_paragraph = text[text.size() - 1].gap == Gap::BlankLine;
}

void SegmentWriter::write_sentence(const RawText& text, std::span<const Boundary> boundaries, int32_t begin,
                                   int32_t end, std::string& out) {
  out += "# sent_id = ";
  append_number(position_.sentence++, out);
  out += "\n# text = ";
  const auto each_token = [&](auto&& visit) {
    for (int32_t first = begin, last = begin + 1; last <= end; ++last) {
      if (!is_end(boundaries[last - 1])) continue;
      visit(first, last);
      first = last;
    }
  };
  each_token([&](int32_t first, int32_t last) {
    normalise(text, first, last, form_);
    out += form_;
    if (last < end && text[last - 1].gap != Gap::None) out += ' ';
  });
  out += '\n';
  int32_t words = 0;
  each_token([&](int32_t first, int32_t last) {
    write_token(text, first, last, is_split(boundaries[last - 1]), words, out);
  });
  out += '\n';
}

void SegmentWriter::write_token(const RawText& text, int32_t begin, int32_t end, bool split, int32_t& words,
                                std::string& out) {
  if (split) splits_.words(text.text(begin, end), words_);
  const bool changed = normalise(text, begin, end, form_);
  append_number(++words, out);
  if (split) {
    out += '-';
    append_number(words + static_cast<int32_t>(words_.size()) - 1, out);
  }
  out += '\t';
  out += form_;
  out += kEmptyColumns;
  write_misc(text, begin, end, changed, out);
  out += '\n';
  if (!split) return;
  for (const std::string& word : words_) {
    append_number(words++, out);
    out += '\t';
    out += word;
    out += kEmptyColumns;
    out += "_\n";
  }
  --words;
}

void SegmentWriter::write_misc(const RawText& text, int32_t begin, int32_t end, bool changed,
                               std::string& out) {
  const size_t empty = out.size();
  const auto start = [&](std::string_view name) {
    if (out.size() != empty) out += '|';
    out += name;
  };
  const std::string_view token = text.text(begin, end), after = text.space_after(end - 1);
  if (after.empty()) {
    start("SpaceAfter=No");
  } else if (after != " ") {
    start("SpacesAfter=");
    append_escaped(after, out);
  }
  if (begin == 0 && (position_.mark || !text.space_before().empty())) {
    start("SpacesBefore=");
    if (position_.mark) out += "\\uFEFF";
    position_.mark = false;
    append_escaped(text.space_before(), out);
  }
  if (changed) {
    start("SpacesInToken=");
    append_escaped(token, out);
  }
  if (ranges_) {
    start("TokenRange=");
    append_number(position_.character, out);
    position_.character += utf8::count(token);
    out += ':';
    append_number(position_.character, out);
    position_.character += utf8::count(after);
  }
  if (out.size() == empty) out += '_';
}

}  // namespace arcwise
