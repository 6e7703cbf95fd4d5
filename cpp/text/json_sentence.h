// A sentence of JSON, before it is one of CoNLL-U.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json_parser.h"
#include "text/raw_sentence.h"

namespace arcwise {

// Why a sentence is refused.
struct BadJson {
  std::string reason;
};

// A word, a multiword token or an empty node.
struct JsonRow {
  std::string_view id;
  int32_t first = 0, last = 0;  // words; an empty node comes after the first of them
  std::string_view form, lemma, upos, xpos, deprel, deps, feats, misc, head, head_prob, deprel_prob;
  std::string_view raw_feats, raw_head, raw_misc;  // empty: not given
  std::optional<int64_t> start, end;

  bool has_place() const { return start && end; }
  TextSpan place() const { return {*start, *end}; }
};

// What rows have is where it stands in the JSON, or in `kept`.
struct JsonSentence {
  std::deque<std::string> kept;
  std::optional<std::string> id, text;
  std::vector<std::string> comments;
  std::vector<std::pair<std::string, std::string>> ranked;  // further keys, which are comments
  double log_prob = std::numeric_limits<double>::quiet_NaN();
  double entropy = std::numeric_limits<double>::quiet_NaN();
  bool ranges = false, has_tokens = false;
  std::vector<JsonRow> tokens, multiwords, empty_nodes;
};

// A string in a message.
std::string in_quotes(std::string_view text);

// Whether a text has one of a few characters. What is looked at is short: calling memchr would take longer.
template <size_t N>
bool has_any(std::string_view text, const char (&characters)[N]) {
  for (const char c : text)
    for (size_t i = 0; i + 1 < N; ++i)
      if (c == characters[i]) return true;
  return false;
}

// Reads sentences from where a parser is.
class JsonSentenceReader {
 public:
  // `json` is what the parser reads; sentences of more words are refused, unless this is 0.
  JsonSentenceReader(std::string_view json, JsonParser& parser, size_t max_words)
      : json_(json), parser_(parser), max_words_(max_words) {}

  // Reads an object; takes(key) says whether it has read the value of a key itself. What makes no sense is
  // refused with BadJson.
  void read(JsonSentence& sentence, const std::function<bool(std::string_view key)>& takes);

 private:
  void demand_array(std::string_view key);
  bool is_number();
  std::string_view text_of(std::string_view key, std::deque<std::string>& kept);
  std::string comment();
  double real(std::string_view key);
  std::string_view whole(std::string_view key);
  void row(JsonSentence& sentence, std::vector<JsonRow>& rows, std::string_view what);
  void cell(JsonRow& row, std::deque<std::string>& kept, std::string_view key);
  void read_id(JsonRow& row, std::deque<std::string>& kept);
  std::string_view items(std::string_view key, std::deque<std::string>& kept);
  std::string_view probability(std::string_view key, std::deque<std::string>& kept);

  std::string_view json_;
  JsonParser& parser_;
  size_t max_words_;
  std::string decoded_;
};

}  // namespace arcwise
