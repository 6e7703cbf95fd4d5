// A paragraph of raw text as segmentation sees it: characters, each with the marks that belong to it, and the
// white space between them; stretches of both can be hashed in no time, whatever their length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "text/characters.h"
#include "text/stretches.h"

namespace arcwise {

// The white space after a character.
enum class Gap : uint8_t { None, Space, Spaces, Line, BlankLine };

struct Character {
  uint32_t begin = 0, end = 0;  // in bytes; up to the next character's beginning, white space
  uint32_t code = 0;            // in lower case; of one with marks, a hash
  uint32_t chunk = 0;
  uint64_t before = 0;  // a hash of all codes up to this one
  CharacterKind kind = kOutside;
  Gap gap = Gap::BlankLine;
  // Up to this one: how many more brackets were opened than closed, and how many straight quotation marks
  // there were. They overflow, and differences are right all the same.
  uint8_t brackets = 0, quotes = 0;
  Stretch stretch = Stretch::None;  // that the boundary after it lies within
};

// What stands between white space.
struct Chunk {
  int32_t begin = 0, end = 0;  // characters
  uint64_t shape = 0;          // a hash of the kinds of its characters
  uint64_t kinds = 0;          // the set of them, a bit each
  uint32_t line = 0;
};

struct ReadRawText {
  bool blank_lines_end = true;    // the paragraph
  size_t most = size_t{1} << 16;  // characters: longer ones are cut where there is white space, if any
};

// Powers of a base, for hashes of stretches from hashes of what comes before their ends.
struct HashPowers {
  static constexpr int32_t kMost = 64;
  static constexpr uint64_t kBase = 0x9e3779b97f4a7c15ULL;
  constexpr HashPowers() : of{1} {
    for (int32_t i = 1; i <= kMost; ++i) of[i] = of[i - 1] * kBase;
  }
  uint64_t of[kMost + 1];
};
inline constexpr HashPowers kHashPowers;

// The hash that these characters have in a text, if none of them has marks of its own.
uint64_t text_hash(std::string_view characters);

class RawText {
 public:
  // Reads valid UTF-8 up to the end of a paragraph and returns how many bytes these are, white space after
  // the end included.
  size_t read(std::string_view text, const ReadRawText& options);

  // Leaves out what comes after so many characters, and returns how many bytes are left.
  size_t shorten(int32_t characters);
  // Whether the paragraph goes on after what was read.
  bool is_cut() const { return cut_; }

  int32_t size() const { return size_; }
  // Of those that are there, and a few on either side that are outside.
  const Character& operator[](int32_t i) const { return characters_[i + kMargin]; }
  const Chunk& chunk(int64_t number) const { return chunks_[static_cast<size_t>(number + kChunkMargin)]; }

  // In characters, any white space being one; of a line that is not there, 0.
  int32_t line_length(uint32_t line) const { return line < lines_.size() ? lines_[line] : 0; }
  int32_t longest_line() const { return longest_line_; }

  std::string_view text(int32_t begin, int32_t end) const {
    const uint32_t first = (*this)[begin].begin;
    return text_.substr(first, (*this)[end - 1].end - first);
  }
  // The white space after a character.
  std::string_view space_after(int32_t i) const {
    const uint32_t end = i + 1 < size_ ? (*this)[i + 1].begin : static_cast<uint32_t>(text_.size());
    return text_.substr((*this)[i].end, end - (*this)[i].end);
  }
  std::string_view space_before() const {
    return text_.substr(0, size_ > 0 ? (*this)[0].begin : text_.size());
  }

  // Of the characters, without the white space between them; of longer stretches the last 64 count.
  uint64_t hash(int32_t begin, int32_t end) const {
    begin = std::max(begin, end - HashPowers::kMost);
    return mix((*this)[end].before - (*this)[begin].before * kHashPowers.of[end - begin]);
  }

  static constexpr int32_t kMargin = 4, kChunkMargin = 3;

 private:
  void index();
  void mark_stretches();

  std::string_view text_;
  int32_t size_ = 0;
  bool cut_ = false;
  std::vector<Character> characters_;
  std::vector<Chunk> chunks_;
  std::vector<int32_t> lines_;  // their lengths
  int32_t longest_line_ = 0;
};

// visit(begin, end) for each run of letters.
template <class F>
void each_run(const RawText& text, F&& visit) {
  for (int32_t begin = 0; begin < text.size();) {
    int32_t end = begin + 1;
    if (is_letter(text[begin].kind)) {
      while (is_letter(text[end].kind) && text[end - 1].gap == Gap::None) ++end;
      visit(begin, end);
    }
    begin = end;
  }
}

}  // namespace arcwise
