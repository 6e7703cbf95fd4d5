// A text as tokens that leave nothing of it out, as spaCy has them: each may be followed by one space, and
// other white space is a token of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/treebank.h"

namespace arcwise {

struct SpacedTokens {
  struct Multiword {
    size_t begin, end;  // tokens
    std::string_view text;
  };
  std::vector<std::string_view> texts;  // of the treebank or the text, whose bytes must stay where they are
  std::vector<bool> spaces;             // whether one follows
  std::vector<bool> starts;             // whether a sentence starts there
  std::vector<int64_t> words;           // the token of each word of the treebank
  std::vector<Multiword> multiword;
  bool differs =
      false;  // from the text: words of a multiword token are no pieces of it, and stand in its place
};

// The treebank, in CoNLL-U, was made of the text, which is UTF-8.
SpacedTokens spaced_tokens(const Treebank& treebank, std::string_view text);

}  // namespace arcwise
