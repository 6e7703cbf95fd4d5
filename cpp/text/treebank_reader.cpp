// Reading: a text is cut into blocks at blank lines, and each block is a sentence or is refused.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/interrupts.h"
#include "text/treebank.h"
#include "text/utf8.h"

namespace arcwise {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Ten columns of a byte each, nine tabs and a line end.
constexpr size_t kShortestWordLine = 20;

constexpr std::array<const char*, kColumns> kConllUNames = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                            "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};
constexpr std::array<const char*, kColumns> kConllXNames = {"ID",    "FORM", "LEMMA",  "CPOSTAG", "POSTAG",
                                                            "FEATS", "HEAD", "DEPREL", "PHEAD",   "PDEPREL"};

// Says why a block is no sentence; never leaves the reader.
struct Refusal {
  size_t line;  // counted from the block's first
  std::string reason;
};

// A field in a message: quoted, and cut short if it is long.
std::string quoted(std::string_view field) {
  const std::string_view shown = utf8::prefix(field, 40);
  return "'" + std::string(shown) + (shown.size() < field.size() ? "…'" : "'");
}

// A number as ids and heads are written: digits without leading zeros. Nothing has nine digits that is
// still in range, and nine digits fit.
std::optional<int32_t> parse_number(std::string_view digits) {
  if (digits.empty() || digits.size() > 9 || (digits[0] == '0' && digits.size() > 1)) return std::nullopt;
  int32_t number = 0;
  for (char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  return number;
}

// Two numbers with `separator` between them: a range 3-4, an empty node 8.1.
std::optional<std::pair<int32_t, int32_t>> parse_pair(std::string_view id, char separator) {
  const size_t at = id.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(id.substr(0, at));
  const auto second = parse_number(id.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair(*first, *second);
}

// Follows the ids of a sentence and refuses the first that is out of place.
class IdOrder {
 public:
  enum class Kind { Word, Range, EmptyNode };

  explicit IdOrder(Format format) : format_(format) {}

  Kind next(std::string_view id, size_t line) {
    if (const auto word = parse_number(id)) return next_word(*word, line);
    if (format_ == Format::ConllX) {
      throw Refusal{line, "the id " + quoted(id) +
                              " is not a number; CoNLL-X has no multiword ranges and no empty nodes (if "
                              "this file is CoNLL-U, read it as conllu)"};
    }
    if (const auto range = parse_pair(id, '-')) return next_range(*range, id, line);
    if (const auto node = parse_pair(id, '.')) return next_empty_node(*node, id, line);
    throw Refusal{line, "the id " + quoted(id) +
                            " is neither a word (3), a multiword range (3-4) nor an empty node (3.1)"};
  }

  void end() const {
    if (range_end_ > words_) {
      throw Refusal{range_line_, "the range ends at word " + std::to_string(range_end_) +
                                     ", but the sentence's last word is " + std::to_string(words_)};
    }
  }

 private:
  Kind next_word(int32_t word, size_t line) {
    const int32_t expected = words_ + 1;
    if (word != expected) {
      std::string reason =
          "word id " + std::to_string(word) + " where " + std::to_string(expected) + " is expected";
      if (word == 1) {
        reason += "; is the blank line between two sentences missing?";
      } else if (word == words_) {
        reason += "; the id comes twice";
      } else if (word > expected) {
        reason += "; a word is missing";
      }
      throw Refusal{line, reason};
    }
    words_ = word;
    empty_nodes_ = 0;
    after_range_ = false;
    return Kind::Word;
  }

  Kind next_range(std::pair<int32_t, int32_t> range, std::string_view id, size_t line) {
    const auto [first, last] = range;
    if (first <= range_end_ && words_ < range_end_) {
      throw Refusal{line, "the range " + quoted(id) + " overlaps the range before it"};
    }
    if (first != words_ + 1) {
      throw Refusal{line, "the range " + quoted(id) + " is out of place: a range stands just before its " +
                              "first word, and the next word here is " + std::to_string(words_ + 1)};
    }
    if (last < first) throw Refusal{line, "the range " + quoted(id) + " ends before it starts"};
    range_end_ = last;
    range_line_ = line;
    after_range_ = true;
    return Kind::Range;
  }

  Kind next_empty_node(std::pair<int32_t, int32_t> node, std::string_view id, size_t line) {
    const std::pair expected(words_, empty_nodes_ + 1);
    if (node != expected || after_range_) {
      std::string remedy = after_range_
                               ? "a range is followed by its first word"
                               : "the next empty node here would be " + std::to_string(expected.first) + "." +
                                     std::to_string(expected.second);
      throw Refusal{line, "the empty node " + quoted(id) + " is out of place: " + remedy};
    }
    ++empty_nodes_;
    return Kind::EmptyNode;
  }

  Format format_;
  int32_t words_ = 0;
  int32_t empty_nodes_ = 0;  // after the last word
  int32_t range_end_ = 0;    // the last word of the last range
  size_t range_line_ = 0;
  bool after_range_ = false;
};

struct LabelHash {
  using is_transparent = void;
  size_t operator()(std::string_view label) const { return std::hash<std::string_view>()(label); }
};

}  // namespace

class TreebankReader {
 public:
  TreebankReader(std::string text, const ReadOptions& options)
      : options_(options), line_(options.first_line) {
    if (text.size() > kMaxTextBytes) {
      throw TreebankError(options.source + " is larger than 4 GiB; read it in parts, as a stream.");
    }
    treebank_.text_ = std::make_shared<const std::string>(std::move(text));
    treebank_.format_ = options.format;
    text_ = *treebank_.text_;
  }

  Treebank read() {
    reserve();
    if (line_ == 1 && text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    skip_blank_lines();
    treebank_.prologue_end_ = static_cast<uint32_t>(at_);
    while (at_ < text_.size()) {
      next_block();
      try {
        read_block();
      } catch (const Refusal& refusal) {
        refuse(refusal);
      }
    }
    treebank_.replaced_.resize(treebank_.word_count());
    return std::move(treebank_);
  }

 private:
  // What lies between two line ends, the line end itself (\n or \r\n) not included.
  struct Line {
    uint32_t begin;
    uint32_t end;
  };

  // Growing the columns step by step would cost more than finding them.
  void reserve() {
    const auto line_ends = static_cast<size_t>(std::count(text_.begin(), text_.end(), '\n'));
    const size_t words = std::min(line_ends, text_.size() / kShortestWordLine);
    treebank_.columns_.reserve(words);
    treebank_.heads_.reserve(words);
    treebank_.labels_.reserve(words);
  }

  std::string_view content(Line line) const { return text_.substr(line.begin, line.end - line.begin); }

  void skip_blank_lines() {
    while (true) {
      const std::string_view rest = text_.substr(at_, 2);
      if (!rest.starts_with('\n') && rest != "\r\n") return;
      at_ += rest.starts_with('\n') ? 1 : 2;
      ++line_;
    }
  }

  // Finds the lines up to the next blank line, and goes past the blank lines there.
  void next_block() {
    block_begin_ = at_;
    block_line_ = line_;
    block_lines_.clear();
    block_closed_ = false;
    while (at_ < text_.size()) {
      const size_t before = at_;
      skip_blank_lines();
      if (at_ != before) {
        block_closed_ = true;
        return;
      }
      check_interrupts();
      const void* found = std::memchr(text_.data() + at_, '\n', text_.size() - at_);
      const size_t end =
          found ? static_cast<size_t>(static_cast<const char*>(found) - text_.data()) : text_.size();
      const size_t content_end = found && text_[end - 1] == '\r' ? end - 1 : end;
      block_lines_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(content_end)});
      at_ = found ? end + 1 : end;
      if (found) ++line_;
    }
  }

  void read_block() {
    if (!block_closed_) {
      throw Refusal{block_lines_.size() - 1,
                    "the text ends within a sentence: a blank line must close the last sentence too (add "
                    "one if nothing is missing)"};
    }
    check_size();
    check_bytes();
    read_lines();
    read_trees();
    read_labels();
    treebank_.first_word_.push_back(treebank_.columns_.size());
    treebank_.extents_.push_back({static_cast<uint32_t>(block_begin_), static_cast<uint32_t>(at_)});
    treebank_.lines_.push_back(block_line_);
  }

  void check_size() const {
    if (options_.max_words == 0) return;
    const size_t most = max_sentence_bytes(options_.max_words);
    if (at_ - block_begin_ > most)
      refuse_size(std::to_string(most) + " bytes, too many with a limit of " +
                  std::to_string(options_.max_words) + " words");
  }

  [[noreturn]] static void refuse_size(const std::string& limit) {
    throw Refusal{
        0, "the sentence has more than " + limit + "; raise the limit (max_words), or cut the sentence"};
  }

  // Whether all bytes are ASCII and none is NUL, as in most blocks.
  static bool is_plain(std::string_view block) {
    size_t at = 0;
#if defined(__SSE2__)
    __m128i any = _mm_setzero_si128(), nul = any;
    for (; block.size() - at >= sizeof any; at += sizeof any) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.data() + at));
      any = _mm_or_si128(any, bytes);
      nul = _mm_or_si128(nul, _mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
    }
    if (_mm_movemask_epi8(_mm_or_si128(any, nul)) != 0) return false;
#endif
    return std::all_of(block.begin() + static_cast<std::ptrdiff_t>(at), block.end(),
                       [](char byte) { return static_cast<signed char>(byte) > 0; });
  }

  void check_bytes() const {
    const std::string_view block = text_.substr(block_begin_, at_ - block_begin_);
    if (is_plain(block)) return;
    if (const size_t bad = utf8::first_invalid(block); bad != utf8::kAllValid) {
      throw Refusal{line_of(bad), "the line is not valid UTF-8; convert the text to UTF-8"};
    }
    if (const size_t bad = block.find('\0'); bad != std::string_view::npos) {
      throw Refusal{line_of(bad), "the line has a NUL byte in it; the text is damaged or is not UTF-8"};
    }
  }

  size_t line_of(size_t offset_in_block) const {
    const std::string_view before = text_.substr(block_begin_, offset_in_block);
    return static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  }

  void read_lines() {
    size_t line = 0;
    while (line < block_lines_.size() && content(block_lines_[line]).starts_with('#')) ++line;
    if (line == block_lines_.size()) {
      throw Refusal{0, "comment lines without words; remove them, or the blank line that follows them"};
    }
    word_lines_.clear();
    IdOrder ids(options_.format);
    for (; line < block_lines_.size(); ++line) {
      check_interrupts();
      const auto columns = read_columns(line);
      const std::string_view id = text_.substr(columns[0], columns[1] - 1 - columns[0]);
      if (ids.next(id, line) != IdOrder::Kind::Word) continue;
      if (word_lines_.size() + 1 > options_.max_words && options_.max_words > 0)
        refuse_size(std::to_string(options_.max_words) + " words");
      treebank_.columns_.push_back(columns);
      word_lines_.push_back(static_cast<uint32_t>(line));
    }
    ids.end();
    if (word_lines_.empty()) throw Refusal{0, "the sentence has empty nodes but no words"};
  }

  // visit(at) for each tab of a line: sixteen bytes at a time where the machine has vectors, and the text
  // goes on for as long.
  template <class F>
  void each_tab(uint32_t begin, uint32_t end, F&& visit) const {
    uint32_t at = begin;
#if defined(__SSE2__)
    const __m128i tabs = _mm_set1_epi8('\t');
    for (; at < end && text_.size() - at >= sizeof tabs; at += sizeof tabs) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text_.data() + at));
      auto found = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, tabs)));
      if (end - at < sizeof tabs) found &= (1u << (end - at)) - 1;
      for (; found != 0; found &= found - 1) visit(at + static_cast<uint32_t>(std::countr_zero(found)));
    }
#endif
    for (; at < end; ++at)
      if (text_[at] == '\t') visit(at);
  }

  std::array<uint32_t, kColumns + 1> read_columns(size_t line) const {
    const auto [begin, end] = block_lines_[line];
    std::array<uint32_t, kColumns + 1> start;
    start[0] = begin;
    size_t column = 0;
    each_tab(begin, end, [&](uint32_t at) {
      if (at == start[column]) refuse_empty_column(line, column);
      if (++column == kColumns) refuse_column_count(line);
      start[column] = at + 1;
    });
    if (column + 1 != kColumns) refuse_column_count(line);
    if (start[column] == end) refuse_empty_column(line, column);
    start[kColumns] = end + 1;
    return start;
  }

  [[noreturn]] void refuse_column_count(size_t line) const {
    const std::string_view shown = content(block_lines_[line]);
    if (shown.starts_with('#')) {
      throw Refusal{line,
                    "a comment between the words; comments come before the first word (is the blank "
                    "line between two sentences missing?)"};
    }
    const auto tabs = std::count(shown.begin(), shown.end(), '\t');
    std::string reason = "10 columns are expected, found " + std::to_string(tabs + 1);
    if (tabs == 0) reason += "; columns are separated by tabs, not by spaces";
    throw Refusal{line, reason};
  }

  [[noreturn]] void refuse_empty_column(size_t line, size_t column) const {
    const std::string_view shown = content(block_lines_[line]);
    if (std::count(shown.begin(), shown.end(), '\t') + 1 != kColumns) refuse_column_count(line);
    const auto& names = options_.format == Format::ConllU ? kConllUNames : kConllXNames;
    throw Refusal{line,
                  std::string("column ") + names[column] + " is empty; write _ where there is no value"};
  }

  void read_trees() {
    const size_t first = treebank_.first_word_.back();
    const auto length = static_cast<int32_t>(word_lines_.size());
    for (int32_t word = 1; word <= length; ++word) {
      const std::string_view field = treebank_.text(first + static_cast<size_t>(word) - 1, Column::Head);
      const auto head = parse_number(field);
      const bool possible = head && *head <= length && *head != word;
      if (!possible && field != kNoValue && options_.check_trees) refuse_head(field, word, length);
      treebank_.heads_.push_back(possible ? *head : kUnknownHead);
    }
    if (options_.check_trees) check_tree(std::span(treebank_.heads_).subspan(first));
  }

  [[noreturn]] void refuse_head(std::string_view field, int32_t word, int32_t length) const {
    const size_t line = word_lines_[static_cast<size_t>(word) - 1];
    const bool digits = std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (field.find('|') != std::string_view::npos) {
      throw Refusal{line, "several heads in one field, " + quoted(field) +
                              "; a word of a tree has one (CoNLL-U has column DEPS for more)"};
    }
    if (parse_number(field) == word) throw Refusal{line, "the word is its own head"};
    if (!digits || (field[0] == '0' && field.size() > 1)) {
      throw Refusal{line, "HEAD is " + quoted(field) +
                              ", which is not a number; it is the id of a word, 0 (ROOT) or _ (unknown)"};
    }
    throw Refusal{line, "HEAD is " + std::string(utf8::prefix(field, 40)) +
                            ", but the sentence's last word is " + std::to_string(length)};
  }

  // Every walk along the heads must end at ROOT or at an unknown head. Each word is walked over once.
  void check_tree(std::span<const int32_t> heads) {
    if (std::none_of(heads.begin(), heads.end(), [](int32_t head) { return head <= 0; })) {
      throw Refusal{word_lines_.front(), "the sentence has no root; give one word HEAD 0 (ROOT)"};
    }
    walked_.assign(heads.size() + 1, 0);
    for (int32_t start = 1; start <= static_cast<int32_t>(heads.size()); ++start) {
      int32_t word = start;
      while (word > 0 && walked_[static_cast<size_t>(word)] == 0) {
        walked_[static_cast<size_t>(word)] = start;
        word = heads[static_cast<size_t>(word) - 1];
      }
      if (word > 0 && walked_[static_cast<size_t>(word)] == start) refuse_cycle(heads, word);
    }
  }

  [[noreturn]] void refuse_cycle(std::span<const int32_t> heads, int32_t word) const {
    constexpr int kShown = 10;
    std::string cycle = std::to_string(word);
    int32_t next = heads[static_cast<size_t>(word) - 1];
    for (int shown = 1; next != word && shown < kShown; ++shown) {
      cycle += " → " + std::to_string(next);
      next = heads[static_cast<size_t>(next) - 1];
    }
    cycle += next == word ? " → " + std::to_string(word) : " → …";
    throw Refusal{word_lines_[static_cast<size_t>(word) - 1],
                  "the heads make a cycle, " + cycle + "; every word must lead to ROOT (HEAD 0)"};
  }

  // Last, so that a refused sentence leaves no label behind.
  void read_labels() {
    for (size_t word = treebank_.first_word_.back(); word < treebank_.columns_.size(); ++word) {
      treebank_.labels_.push_back(label_id(treebank_.text(word, Column::Deprel)));
    }
  }

  int32_t label_id(std::string_view label) {
    if (label == kNoValue) return kUnknownLabel;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(label[i]); };
    const size_t place = label.size() * 5 + byte(0) * 3 + byte(label.size() / 2) + byte(label.size() - 1) * 7;
    RecentLabel& recent = recent_labels_[place % recent_labels_.size()];
    if (recent.label != label) recent = {label, known_label_id(label)};
    return recent.id;
  }

  int32_t known_label_id(std::string_view label) {
    if (const auto known = label_ids_.find(label); known != label_ids_.end()) return known->second;
    const auto id = static_cast<int32_t>(treebank_.label_names_.size());
    treebank_.label_names_.emplace_back(label);
    label_ids_.emplace(label, id);
    return id;
  }

  void refuse(const Refusal& refusal) {
    BadSentence bad{options_.source, block_line_ + refusal.line, block_id(), refusal.reason};
    if (!options_.skip_bad) throw TreebankError(bad);
    treebank_.columns_.resize(treebank_.first_word_.back());
    treebank_.heads_.resize(treebank_.first_word_.back());
    treebank_.bad_.push_back(std::move(bad));
  }

  // The block may be refused for not being UTF-8, so that its id may not be either.
  std::string block_id() const {
    for (Line line : block_lines_) {
      if (!content(line).starts_with('#')) break;
      const auto id = comment_value(content(line), "sent_id");
      if (id && utf8::first_invalid(*id) == utf8::kAllValid) return std::string(*id);
    }
    return {};
  }

  const ReadOptions& options_;
  Treebank treebank_;
  std::string_view text_;
  size_t at_ = 0;
  size_t line_;  // the number of the line at at_

  size_t block_begin_ = 0;
  size_t block_line_ = 0;  // the number of the block's first line
  std::vector<Line> block_lines_;
  bool block_closed_ = false;

  std::vector<uint32_t> word_lines_;  // the line of each word, counted from the block's first
  std::vector<int32_t> walked_;       // which walk passed each word; 0: none yet
  std::unordered_map<std::string, int32_t, LabelHash, std::equal_to<>> label_ids_;
  // Labels are few, and most words have one that is here.
  struct RecentLabel {
    std::string_view label;
    int32_t id = 0;
  };
  std::array<RecentLabel, 256> recent_labels_;
};

Treebank Treebank::read(std::string text, const ReadOptions& options) {
  return TreebankReader(std::move(text), options).read();
}

}  // namespace arcwise
