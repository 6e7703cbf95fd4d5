#include "text/segment_writer.h"

#include <algorithm>

#include "base/interrupts.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

// From LEMMA to DEPS.
constexpr std::string_view kEmptyColumns = "\t_\t_\t_\t_\t_\t_\t_\t";

constexpr std::string_view kEscaped = " \t\r\n|\\", kEscapes = "strnp\\";
constexpr size_t kMostEscaped = 6;  // bytes for one

void put_escaped(std::string_view text, Pen& pen) {
  const utf8::CodePoints characters(text);
  for (auto at = characters.begin(); at != characters.end();) {
    const char* const begin = at.position();
    const char32_t c = *at++;
    const size_t simple = kEscaped.find(static_cast<char>(c));
    if (c < 0x80 && simple != std::string_view::npos) {
      pen.put('\\');
      pen.put(kEscapes[simple]);
    } else if (character_kind(c) == kSpace) {
      pen.put("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) pen.put("0123456789ABCDEF"[c >> shift & 0xF]);
    } else {
      pen.put({begin, at.position()});
    }
  }
}

bool has_no_space(const RawText& text, int32_t begin, int32_t end) {
  return text[begin].chunk == text[end - 1].chunk;
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

// Writes a word's line, all but MISC, and says where its columns lie.
template <class WriteMisc>
void write_word(int32_t id, std::string_view form, Pen& pen, TreebankBuilder& out, WriteMisc&& write_misc) {
  std::array<uint32_t, kColumns + 1> columns;
  columns[0] = out.place(pen);
  pen.number(id);
  pen.put('\t');
  uint32_t at = columns[1] = out.place(pen);
  at += static_cast<uint32_t>(form.size()) + 1;
  for (size_t c = 2; c < kColumns; ++c, at += 2) columns[c] = at;
  pen.put(form);
  pen.put(kEmptyColumns);
  write_misc();
  pen.put('\n');
  columns[kColumns] = out.place(pen);
  out.add_word(columns);
}

}  // namespace

void SegmentWriter::write(const RawText& text, std::span<const Boundary> boundaries, TreebankBuilder& out) {
  if (text.size() == 0) return;
  if (ranges_) position_.character += (position_.mark ? 1 : 0) + utf8::count(text.space_before());
  int32_t begin = 0, token = 0;
  tokens_.clear();
  for (int32_t i = 0; i < text.size(); ++i) {
    if (!is_end(boundaries[i])) continue;
    tokens_.push_back({token, i + 1, is_split(boundaries[i])});
    token = i + 1;
    if (!is_sentence_end(boundaries[i])) continue;
    check_interrupts();
    write_sentence(text, begin, i + 1, out);
    begin = i + 1;
    tokens_.clear();
  }
  position_.starts_paragraph = text[text.size() - 1].gap == Gap::BlankLine;
}

void SegmentWriter::write_sentence(const RawText& text, int32_t begin, int32_t end, TreebankBuilder& out) {
  size_t lines = 3;  // sent_id, text, and the blank one
  if (position_.sentence == 1) ++lines, out.append("# newdoc\n");
  if (position_.starts_paragraph) ++lines, out.append("# newpar\n");
  position_.starts_paragraph = false;
  constexpr std::string_view kId = "# sent_id = ", kText = "\n# text = ";
  Pen pen = out.room(kId.size() + Pen::kMostDigits + kText.size());
  pen.put(kId);
  pen.number(position_.sentence++);
  pen.put(kText);
  out.wrote(pen);
  write_text(text, begin, end, out);
  int32_t words = 0;
  for (const Token& token : tokens_) lines += write_token(text, token, words, out);
  out.append("\n");
  out.end_sentence(lines);
}

// Between tokens there is one space, or none.
void SegmentWriter::write_text(const RawText& text, int32_t begin, int32_t end, TreebankBuilder& out) {
  const bool as_it_stands = std::all_of(tokens_.begin(), tokens_.end(), [&](const Token& token) {
    return has_no_space(text, token.begin, token.end) &&
           (token.end == end || text[token.end - 1].gap == Gap::None ||
            text.space_after(token.end - 1) == " ");
  });
  Pen pen = out.room(text.text(begin, end).size() + 1);
  if (as_it_stands) {
    pen.put(text.text(begin, end));
  } else {
    for (const Token& token : tokens_) {
      normalise(text, token.begin, token.end, form_);
      pen.put(form_);
      if (token.end < end && text[token.end - 1].gap != Gap::None) pen.put(' ');
    }
  }
  pen.put('\n');
  out.wrote(pen);
}

size_t SegmentWriter::write_token(const RawText& text, const Token& token, int32_t& words,
                                  TreebankBuilder& out) {
  constexpr size_t kMostNames = 80 + 4 * Pen::kMostDigits;  // what MISC says, and numbers
  const std::string_view own = text.text(token.begin, token.end);
  const size_t space =
      text.space_after(token.end - 1).size() + (token.begin == 0 ? text.space_before().size() : 0);
  Pen pen = out.room(own.size() + kEmptyColumns.size() + kMostNames + kMostEscaped * (own.size() + space));
  std::string_view form = own;
  bool changed = false;
  if (!has_no_space(text, token.begin, token.end)) {
    changed = normalise(text, token.begin, token.end, form_);
    form = form_;
  }
  if (!token.split) {
    write_word(++words, form, pen, out, [&] { write_misc(text, token, changed, pen); });
    out.wrote(pen);
    return 1;
  }
  splits_.words(own, words_);
  pen.number(words + 1);
  pen.put('-');
  pen.number(words + static_cast<int32_t>(words_.size()));
  pen.put('\t');
  pen.put(form);
  pen.put(kEmptyColumns);
  write_misc(text, token, changed, pen);
  pen.put('\n');
  out.wrote(pen);
  for (const std::string& word : words_) {
    pen = out.room(word.size() + kEmptyColumns.size() + kMostNames);
    write_word(++words, word, pen, out, [&] { pen.put('_'); });
    out.wrote(pen);
  }
  return 1 + words_.size();
}

void SegmentWriter::write_misc(const RawText& text, const Token& token, bool changed, Pen& pen) {
  const char* const empty = pen.at();
  const auto start = [&](std::string_view name) {
    if (pen.at() != empty) pen.put('|');
    pen.put(name);
  };
  const std::string_view own = text.text(token.begin, token.end), after = text.space_after(token.end - 1);
  if (after.empty()) {
    start("SpaceAfter=No");
  } else if (after != " ") {
    start("SpacesAfter=");
    put_escaped(after, pen);
  }
  if (token.begin == 0 && (position_.mark || !text.space_before().empty())) {
    start("SpacesBefore=");
    if (position_.mark) pen.put("\\uFEFF");
    position_.mark = false;
    put_escaped(text.space_before(), pen);
  }
  if (changed) {
    start("SpacesInToken=");
    put_escaped(own, pen);
  }
  if (ranges_) {
    start("TokenRange=");
    pen.number(position_.character);
    position_.character += utf8::count(own);
    pen.put(':');
    pen.number(position_.character);
    position_.character += utf8::count(after);
  }
  if (pen.at() == empty) pen.put('_');
}

}  // namespace arcwise
