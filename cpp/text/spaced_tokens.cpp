#include "text/spaced_tokens.h"

#include "text/raw_sentence.h"

namespace arcwise {
namespace {

// Goes through a text once, from code point to code point.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  bool is_behind(int64_t place) const { return place < place_; }
  // What lies between here and a place further on, or the end.
  std::string_view up_to(int64_t place) {
    const size_t begin = byte_;
    while (place_ < place && byte_ < text_.size()) {
      do ++byte_;
      while (byte_ < text_.size() && (static_cast<uint8_t>(text_[byte_]) & 0xc0) == 0x80);
      ++place_;
    }
    return text_.substr(begin, byte_ - begin);
  }
  std::string_view rest() const { return text_.substr(byte_); }

 private:
  std::string_view text_;
  size_t byte_ = 0;
  int64_t place_ = 0;
};

class Tokens {
 public:
  explicit Tokens(SpacedTokens& out) : out_(out) {}

  void add(std::string_view text, bool space) {
    out_.texts.push_back(text);
    out_.spaces.push_back(space);
    out_.starts.push_back(false);
  }
  void add_word(std::string_view text, bool space) {
    out_.words.push_back(static_cast<int64_t>(out_.texts.size()));
    add(text, space);
  }
  void add_gap(std::string_view gap) {
    if (!out_.texts.empty() && gap.starts_with(' ')) {
      out_.spaces.back() = true;
      gap.remove_prefix(1);
    }
    if (!gap.empty()) add(gap, false);
  }

 private:
  SpacedTokens& out_;
};

}  // namespace

SpacedTokens spaced_tokens(const Treebank& treebank, std::string_view text) {
  SpacedTokens out;
  std::vector<TextSpan> spans;
  TextCursor cursor;
  for (size_t s = 0; s < treebank.sentence_count(); ++s) cursor.place(treebank.sentence_text(s), spans);
  cursor.settle();
  Places places(text);
  Tokens tokens(out);
  size_t end;
  for (size_t begin = 0; begin < spans.size(); begin = end) {
    // Words of a multiword token share its place.
    for (end = begin + 1; end < spans.size() && spans[end] == spans[begin];) ++end;
    const auto form = [&](size_t word) { return treebank.text(word, Column::Form); };
    // Places that MISC gives may be any.
    std::string_view written;
    if (!places.is_behind(spans[begin].first)) {
      tokens.add_gap(places.up_to(spans[begin].first));
      written = places.up_to(spans[begin].second);
    }
    if (end == begin + 1) {
      tokens.add_word(written.empty() ? form(begin) : written, false);
      continue;
    }
    std::string joined;
    for (size_t word = begin; word < end; ++word) joined += form(word);
    const bool is_cut = joined == written;
    out.differs |= !is_cut;
    const size_t first = out.texts.size();
    for (size_t word = begin; word < end; ++word) tokens.add_word(form(word), !is_cut && word + 1 < end);
    out.multiword.push_back({first, out.texts.size(), written});
  }
  tokens.add_gap(places.rest());
  for (size_t s = 0; s < treebank.sentence_count(); ++s)
    out.starts[static_cast<size_t>(out.words[treebank.first_word(s)])] = true;
  if (!out.starts.empty()) {
    // White space at the beginning is a part of the first sentence.
    if (!out.words.empty()) out.starts[static_cast<size_t>(out.words[0])] = false;
    out.starts[0] = true;
  }
  return out;
}

}  // namespace arcwise
