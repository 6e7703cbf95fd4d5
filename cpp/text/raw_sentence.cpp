#include "text/raw_sentence.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "text/rows.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::string_view kRange = "TokenRange=", kBlankLine = "\n\n";
constexpr size_t kMostDigits = 18;

// What Python takes for white space.
bool is_white(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// How many bytes of white space a text begins with.
size_t leading_space(std::string_view text) {
  const utf8::CodePoints characters(text);
  auto at = characters.begin();
  while (at != characters.end() && is_white(*at)) ++at;
  return static_cast<size_t>(at.position() - text.data());
}

std::string_view stripped(std::string_view text) {
  text.remove_prefix(leading_space(text));
  while (!text.empty()) {
    const std::string_view last = utf8::suffix(text, 1);
    if (leading_space(last) == 0) break;
    text.remove_suffix(last.size());
  }
  return text;
}

std::optional<int> hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// The code point of `u00A0`; halves of characters are none.
std::optional<char32_t> escaped_code(std::string_view code) {
  if (code.size() < 5 || code[0] != 'u') return std::nullopt;
  char32_t value = 0;
  for (char c : code.substr(1, 4)) {
    const auto digit = hex(c);
    if (!digit) return std::nullopt;
    value = value << 4 | static_cast<char32_t>(*digit);
  }
  if (value >= 0xD800 && value <= 0xDFFF) return std::nullopt;
  return value;
}

// White space as MISC has it: `\s`, `\t`, `\u00A0`, ….
std::string unescaped(std::string_view value) {
  constexpr std::string_view kEscapes = "strnp\\", kEscaped = " \t\r\n|\\";
  std::string text;
  for (size_t at = 0; at < value.size(); ++at) {
    if (value[at] == '\\' && at + 1 < value.size()) {
      if (const size_t simple = kEscapes.find(value[at + 1]); simple != std::string_view::npos) {
        text += kEscaped[simple];
        ++at;
        continue;
      }
      if (const auto code = escaped_code(value.substr(at + 1))) {
        utf8::append(*code, text);
        at += 5;
        continue;
      }
    }
    text += value[at];
  }
  return text;
}

std::optional<int64_t> number(std::string_view& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto digits = static_cast<size_t>(end - text.data());
  if (error != std::errc() || digits > kMostDigits || text[0] == '-') return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::optional<TextSpan> range_of(std::string_view item) {
  if (!item.starts_with(kRange)) return std::nullopt;
  item.remove_prefix(kRange.size());
  const auto begin = number(item);
  if (!begin || !item.starts_with(':')) return std::nullopt;
  item.remove_prefix(1);
  const auto end = number(item);
  if (!end || !item.empty()) return std::nullopt;
  return TextSpan(*begin, *end);
}

RawToken token_of(std::string_view form, std::string_view misc) {
  RawToken token{form, {}, {}, {}, {}, {}};
  if (misc.find('=') == std::string_view::npos) return token;
  token.span = token_range(misc);
  if (misc.find("Space") == std::string_view::npos) return token;
  bool no_space = false;
  std::optional<std::string> after;
  each_item(misc, [&](std::string_view item) {
    const size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    if (key == "SpaceAfter") no_space = value == "No";
    if (key == "SpacesAfter") after = unescaped(value);
    if (key == "SpacesBefore") token.before = unescaped(value);
    if (key == "SpacesInToken" && !value.empty()) token.inside = unescaped(value);
  });
  token.after = after ? std::move(after) : no_space ? std::optional<std::string>("") : std::nullopt;
  return token;
}

// Takes the spaces away that the text does not have, and of which MISC does not speak. A text that has other
// tokens tells nothing.
void take_spaces_from(std::string_view text, std::vector<RawToken>& tokens) {
  std::vector<RawToken*> touching;
  for (RawToken& token : tokens) {
    if (!text.starts_with(token.form)) return;
    text.remove_prefix(token.form.size());
    const size_t space = leading_space(text);
    if (!token.after && !text.empty() && space == 0) touching.push_back(&token);
    text.remove_prefix(space);
  }
  for (RawToken* token : touching) token->after.emplace();
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

}  // namespace

bool announces_paragraph(std::string_view comment) {
  comment.remove_prefix(1);
  comment.remove_prefix(leading_space(comment));
  if (!comment.starts_with("newpar") && !comment.starts_with("newdoc")) return false;
  return comment.size() == 6 || !is_word_character(comment[6]);
}

std::optional<TextSpan> token_range(std::string_view misc) {
  std::optional<TextSpan> found;
  if (misc.find(kRange) == std::string_view::npos) return found;
  each_item(misc, [&](std::string_view item) {
    if (!found) found = range_of(item);
  });
  return found;
}

std::string without_token_range(std::string_view misc) {
  std::string rest;
  bool is_first = true;
  each_item(misc, [&](std::string_view item) {
    if (range_of(item)) return;
    if (!is_first) rest += '|';
    rest += item;
    is_first = false;
  });
  return rest.empty() ? std::string(kNoValue) : rest;
}

RawSentence::RawSentence(std::string_view conllu) {
  std::optional<std::string_view> text;
  each_comment(conllu, [&](std::string_view comment) {
    starts_paragraph |= announces_paragraph(comment);
    if (!text) text = comment_value(comment, "text");
  });
  int32_t word = 0, last_of_range = 0;
  tokens.reserve(static_cast<size_t>(std::count(conllu.begin(), conllu.end(), '\n')));
  each_row(conllu, [&](const Row& row) {
    const std::string_view id = column(row, Column::Id), form = column(row, Column::Form);
    if (id.find('.') != std::string_view::npos) return;
    if (const size_t hyphen = id.find('-'); hyphen != std::string_view::npos) {
      std::from_chars(id.data() + hyphen + 1, id.data() + id.size(), last_of_range);
    } else if (++word <= last_of_range) {
      tokens.back().words.push_back(form);
      return;
    }
    tokens.push_back(token_of(form, column(row, Column::Misc)));
  });
  if (text && !text->empty()) take_spaces_from(*text, tokens);
}

template <class F>
void TextCursor::pass(const RawSentence& sentence, F&& visit) {
  // Unless MISC knows better, and not only that there is none.
  const bool is_apart = sentence.starts_paragraph && begun_ && (!is_known_ || after_.empty());
  bool is_first = true;
  for (const RawToken& token : sentence.tokens) {
    visit(is_first && is_apart ? kBlankLine : space(), token);
    is_first = false;
    begun_ = true;
    is_known_ = token.after.has_value();
    after_ = token.after.value_or("");
  }
}

void TextCursor::rebuild(const RawSentence& sentence, std::string& text) {
  pass(sentence, [&](std::string_view space, const RawToken& token) {
    ((text += space) += token.before) += token.text();
  });
}

void TextCursor::place(const RawSentence& sentence, std::vector<TextSpan>& spans) {
  pass(sentence, [&](std::string_view space, const RawToken& token) {
    const int64_t begin = end_ + utf8::count(space) + utf8::count(token.before);
    const TextSpan span = token.span.value_or(TextSpan(begin, begin + utf8::count(token.text())));
    spans.insert(spans.end(), token.word_count(), span);
    end_ = span.second;
  });
}

// Whether MISC says of every token where it stands.
bool TextCursor::told(std::string_view conllu, std::vector<TextSpan>& spans) {
  const size_t before = spans.size();
  bool all = true;
  int32_t word = 0, last_of_range = 0;
  TextSpan of_range;
  each_row(conllu, [&](const Row& row) {
    const std::string_view id = column(row, Column::Id);
    if (!all || id.find('.') != std::string_view::npos) return;
    const size_t hyphen = id.find('-');
    if (hyphen == std::string_view::npos && ++word <= last_of_range) {
      spans.push_back(of_range);
      return;
    }
    const auto range = token_range(column(row, Column::Misc));
    all = range.has_value();
    if (!all) return;
    if (hyphen == std::string_view::npos) {
      spans.push_back(*range);
    } else {
      std::from_chars(id.data() + hyphen + 1, id.data() + id.size(), last_of_range);
      of_range = *range;
    }
  });
  if (!all) spans.resize(before);
  return all;
}

void TextCursor::place(std::string_view conllu, std::vector<TextSpan>& spans) {
  if (told(conllu, spans)) {
    unsettled_ = conllu;
    return;
  }
  settle();
  place(RawSentence(conllu), spans);
}

void TextCursor::settle() {
  if (unsettled_.empty()) return;
  std::vector<TextSpan> spans;
  place(RawSentence(std::exchange(unsettled_, {})), spans);
}

std::string text_of_sentence(std::string_view conllu) {
  std::string text;
  TextCursor().rebuild(RawSentence(conllu), text);
  return std::string(stripped(text));
}

}  // namespace arcwise
