#include "text/raw_text.h"

#include "text/case.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

// Counts the line ends of white space; CR LF is one.
class LineEnds {
 public:
  void see(char32_t c) {
    if (c == '\n' ? !after_return_ : c == '\r' || c == 0x85 || c == 0x2028) ++count_;
    if (c == 0x2029) count_ += 2;
    after_return_ = c == '\r';
    ++spaces_;
  }
  Gap gap() const {
    if (count_ > 0) return count_ > 1 ? Gap::BlankLine : Gap::Line;
    return spaces_ == 0 ? Gap::None : spaces_ == 1 ? Gap::Space : Gap::Spaces;
  }

 private:
  int count_ = 0, spaces_ = 0;
  bool after_return_ = false;
};

// Of a character with its marks: text of nothing but marks has to end somewhere, too.
constexpr uint32_t kMostBytes = 256;

struct Decoded {
  char32_t code;
  uint32_t bytes;
};
Decoded decode(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1};
  const utf8::CodePoints::Iterator here(text.data() + at);
  return {*here, lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u};
}

// 1, -1 or, for most characters, 0.
uint8_t opens_or_closes(const Character& c) {
  if (c.kind == kOpen || c.code == '(' || c.code == '[') return 1;
  return c.kind == kClose || c.code == ')' || c.code == ']' ? 0xFF : 0;
}

}  // namespace

uint64_t text_hash(std::string_view characters) {
  uint64_t codes = 0;
  for (const char32_t c : utf8::CodePoints(characters)) codes = codes * HashPowers::kBase + lower(c) + 1;
  return mix(codes);
}

size_t RawText::read(std::string_view text, const ReadRawText& options) {
  characters_.assign(kMargin, {});
  cut_ = false;
  size_t at = 0;
  const auto skip_space = [&] {
    LineEnds lines;
    while (at < text.size()) {
      const auto [code, bytes] = decode(text, at);
      if (character_kind(code) != kSpace) break;
      lines.see(code);
      at += bytes;
    }
    return lines.gap();
  };
  skip_space();
  bool half_a_flag = false, joiner = false;  // what the last character ends in
  size_t after_line = 0, after_space = 0;    // the last characters that follow white space
  while (at < text.size()) {
    const auto [code, bytes] = decode(text, at);
    const CharacterKind kind = character_kind(code);
    Character& last = characters_.back();
    if (last.gap == Gap::None && last.end - last.begin < kMostBytes &&
        (kind == kJoined || joiner || (half_a_flag && is_regional_indicator(code)))) {
      last.end += bytes;
      last.code = static_cast<uint32_t>(mix(uint64_t{last.code} << 32 | code));
      if (code == kEmojiSelector && last.kind == kSymbol) last.stretch = Stretch::Emoji;
      half_a_flag = false;
    } else {
      if (characters_.size() == kMargin + options.most) {
        cut_ = true;
        const size_t cut = after_line > 0 ? after_line : after_space;
        if (cut > 0 && cut < characters_.size()) {
          at = characters_[cut].begin;
          characters_.resize(cut);
        }
        break;
      }
      const auto begin = static_cast<uint32_t>(at);
      characters_.push_back(
          {begin, begin + bytes, static_cast<uint32_t>(lower(code)), 0, 0, kind, Gap::None});
      if (is_emoji(code)) characters_.back().stretch = Stretch::Emoji;
      half_a_flag = is_regional_indicator(code);
    }
    joiner = code == kZeroWidthJoiner;
    at += bytes;
    if (at < text.size() && text[at] > ' ') continue;  // most often, and certainly no white space
    const Gap gap = skip_space();
    if (gap == Gap::None) continue;
    characters_.back().gap = gap;
    if (gap == Gap::BlankLine && options.blank_lines_end) break;
    (gap >= Gap::Line ? after_line : after_space) = characters_.size();
  }
  text_ = text.substr(0, at);
  size_ = static_cast<int32_t>(characters_.size()) - kMargin;
  characters_.resize(characters_.size() + kMargin);
  index();
  return at;
}

size_t RawText::shorten(int32_t characters) {
  text_ = text_.substr(0, (*this)[characters].begin);
  size_ = characters;
  return text_.size();
}

// Shapes have at most two characters of a kind side by side.
void RawText::index() {
  chunks_.assign(kChunkMargin, {});
  lines_.assign(1, -1);  // the space before its first chunk is none
  uint64_t codes = 0;
  uint8_t brackets = 0, quotes = 0;
  bool starts = true;
  CharacterKind last = kOutside, before_last = kOutside;
  for (int32_t i = 0; i < size_; ++i) {
    Character& c = characters_[i + kMargin];
    c.before = codes;
    brackets += opens_or_closes(c);
    quotes += c.code == '"';
    c.brackets = brackets;
    c.quotes = quotes;
    codes = codes * HashPowers::kBase + c.code + 1;
    if (starts) {
      chunks_.push_back({i, i});
      chunks_.back().line = static_cast<uint32_t>(lines_.size()) - 1;
      last = before_last = kOutside;
    }
    Chunk& chunk = chunks_.back();
    c.chunk = static_cast<uint32_t>(chunks_.size()) - 1 - kChunkMargin;
    chunk.end = i + 1;
    chunk.kinds |= uint64_t{1} << c.kind;
    if (c.kind != last || c.kind != before_last) chunk.shape = chunk.shape * HashPowers::kBase + c.kind;
    before_last = last;
    last = c.kind;
    starts = c.gap != Gap::None;
    if (!starts) continue;
    lines_.back() += chunk.end - chunk.begin + 1;
    if (c.gap >= Gap::Line) lines_.push_back(-1);
  }
  longest_line_ = *std::max_element(lines_.begin(), lines_.end());
  for (int32_t i = size_; i < size_ + kMargin; ++i) characters_[i + kMargin].before = codes;
  chunks_.insert(chunks_.end(), kChunkMargin, {size_, size_});
  mark_stretches();
}

void RawText::mark_stretches() {
  for (int32_t i = 0; i < size_; ++i) {
    Character& c = characters_[i + kMargin];
    if (c.stretch == Stretch::Emoji && (c.gap != Gap::None || (*this)[i + 1].stretch != Stretch::Emoji))
      c.stretch = Stretch::None;
  }
  for (const Chunk& chunk : chunks_) {
    if (!may_have_stretches(chunk)) continue;
    for (int32_t i = chunk.begin; i < chunk.end; ++i) {
      const StretchFound found = stretch_at(*this, i, chunk.begin, chunk.end);
      if (found.kind == Stretch::None) continue;
      for (; i + 1 < found.end; ++i) characters_[i + kMargin].stretch = found.kind;
      if (found.kind == Stretch::Initials) characters_[i - 1 + kMargin].stretch = Stretch::LastInitial;
    }
  }
}

}  // namespace arcwise
