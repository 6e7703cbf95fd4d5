// The text that a treebank was made of: its tokens, the white space around them, and where they stand in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arcwise {

// The first code point of a token, counted from 0, and the one after the last.
using TextSpan = std::pair<int64_t, int64_t>;

struct RawToken {
  std::string_view form;
  std::optional<std::string> inside;    // as it stands there, if not as its form
  std::string before;                   // white space
  std::optional<std::string> after;     // the same; nothing but the default, a space, may be known of it
  std::vector<std::string_view> words;  // of a multiword token
  std::optional<TextSpan> span;         // where MISC says that it stands

  std::string_view text() const { return inside ? std::string_view(*inside) : form; }
  size_t word_count() const { return words.empty() ? 1 : words.size(); }
};

// A sentence in CoNLL-U, whose bytes must stay where they are. Where MISC is silent on the white space after
// a token, the comment `# text` tells whether there is any.
struct RawSentence {
  std::vector<RawToken> tokens;
  bool starts_paragraph = false;  // or a document

  explicit RawSentence(std::string_view conllu);
};

// How far a text has been put together: what the parts of a stream hand on to each other.
class TextCursor {
 public:
  int64_t end() const { return end_; }  // of the last token, in code points
  // The white space after the last token.
  std::string_view space() const { return !begun_ ? "" : is_known_ ? std::string_view(after_) : " "; }

  // Adds the text of a sentence, without the white space after its last token.
  void rebuild(const RawSentence& sentence, std::string& text);
  // Adds where each word stands; those of a multiword token share its place.
  void place(const RawSentence& sentence, std::vector<TextSpan>& spans);
  // The same of a sentence in CoNLL-U, of which no more is looked at than is needed. What follows from its
  // last token is found when it is needed: its bytes must stay where they are until settle(), or the next
  // call.
  void place(std::string_view conllu, std::vector<TextSpan>& spans);
  void settle();
  // Goes past sentences, one after the other, whose number is `count`; conllu(s) gives each.
  template <class F>
  void skip(size_t count, F&& conllu) {
    std::vector<TextSpan> spans;
    // The last alone tells where it ends, if it says so.
    if (count > 0 && told(conllu(count - 1), spans)) return place(conllu(count - 1), spans), settle();
    for (size_t s = 0; s < count; ++s) place(conllu(s), spans);
    settle();
  }

 private:
  template <class F>
  void pass(const RawSentence& sentence, F&& visit);
  static bool told(std::string_view conllu, std::vector<TextSpan>& spans);

  int64_t end_ = 0;
  bool begun_ = false;
  bool is_known_ = false;  // what comes after the last token
  std::string after_;
  std::string_view unsettled_;  // the last sentence, whose places were told
};

// The tokens of one sentence with the white space between them.
std::string text_of_sentence(std::string_view conllu);

// Whether a comment is `# newpar` or `# newdoc`, whatever follows.
bool announces_paragraph(std::string_view comment);

// Finds `TokenRange=4:9` in MISC.
std::optional<TextSpan> token_range(std::string_view misc);
// MISC without it.
std::string without_token_range(std::string_view misc);

}  // namespace arcwise
