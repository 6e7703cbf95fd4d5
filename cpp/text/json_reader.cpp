#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <limits>

#include "base/interrupts.h"
#include "text/json.h"
#include "text/json_parser.h"
#include "text/rows.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::string_view kForeign =
    "this is JSON, but not of arcwise: a document has \"sentences\", and a sentence has \"tokens\"";

constexpr size_t kUsualLength = 64;  // of a sentence; longer ones are moved about

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

std::string in_quotes(std::string_view text) {
  const std::string_view shown = utf8::prefix(text, 40);
  return "\"" + std::string(shown) + (shown.size() < text.size() ? "…\"" : "\"");
}

// Whether a text has one of a few characters. What is looked at is short: calling memchr would take longer.
template <size_t N>
bool has_any(std::string_view text, const char (&characters)[N]) {
  for (const char c : text)
    for (size_t i = 0; i + 1 < N; ++i)
      if (c == characters[i]) return true;
  return false;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class JsonReader {
 public:
  JsonReader(std::string_view json, const ReadJsonOptions& options, TextCursor& cursor)
      : json_(json), options_(options), cursor_(cursor), parser_(json), number_(options.first_sentence) {
    if (options.reading.first_line == 1 && json.starts_with("\xEF\xBB\xBF")) parser_.go_back(3);
  }

  JsonDocument read() {
    if (const size_t bad = utf8::first_invalid(json_); bad != utf8::kAllValid)
      throw TreebankError(BadSentence{source(), line_at(bad), {}, "the text is not valid UTF-8; convert it"});
    try {
      while (parser_.peek() != '\0' || parser_.at() < json_.size()) value();
    } catch (const JsonSyntaxError& error) {
      throw TreebankError(BadSentence{
          source(),
          line_at(error.at),
          {},
          "this is no JSON: " + error.reason + " at column " + std::to_string(column_at(error.at))});
    }
    return finished();
  }

 private:
  const std::string& source() const { return options_.reading.source; }
  // Lines are counted on from where they were last.
  size_t line_at(size_t at) {
    if (at < counted_) counted_ = lines_ = 0;
    lines_ += static_cast<size_t>(std::count(json_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                             json_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_ = at;
    return options_.reading.first_line + lines_;
  }
  size_t column_at(size_t at) const {
    const size_t begin = at == 0 ? 0 : json_.rfind('\n', at - 1) + 1;
    return at - begin + 1;
  }

  void value() {
    if (parser_.peek() == '[') {
      parser_.array([&] { sentence_or_document(false); });
    } else {
      sentence_or_document(true);
    }
  }

  // A bad one is passed over, if bad ones are skipped.
  void sentence_or_document(bool may_be_document) {
    check_interrupts(10);
    const size_t begin = (parser_.peek(), parser_.at());
    JsonSentence sentence;
    sentence.tokens.reserve(kUsualLength);
    try {
      bool is_document = false;
      members(sentence, may_be_document ? &is_document : nullptr);
      if (is_document) {
        ++documents_;
        text_ = std::move(sentence.text);
        return;
      }
      if (!sentence.has_tokens) throw BadJson{std::string(kForeign)};
      take(sentence, begin);
    } catch (const BadJson& bad) {
      refuse({source(), line_at(begin), name_of(sentence), bad.reason});
      conllu_.resize(conllu_end_);
      parser_.go_back(begin);
      parser_.skip();
    }
    ++number_;
  }

  std::string name_of(const JsonSentence& sentence) const {
    return sentence.id ? *sentence.id : "number " + std::to_string(number_);
  }

  void refuse(BadSentence bad) {
    if (!options_.reading.skip_bad) throw TreebankError(bad);
    bad_.push_back(std::move(bad));
  }

  void members(JsonSentence& sentence, bool* is_document) {
    if (parser_.peek() != '{') throw BadJson{std::string(kForeign)};
    parser_.object([&](std::string_view key) {
      if (key == "sentences" && is_document) {
        *is_document = true;
        cursor_ = TextCursor();
        if (parser_.peek() != '[') throw BadJson{"\"sentences\" is not an array"};
        parser_.array([&] { sentence_or_document(false); });
      } else if (parser_.takes_null()) {
        return;
      } else if (key == "sent_id" || key == "text") {
        if (parser_.peek() != '"') throw BadJson{in_quotes(key) + " is not a string"};
        std::string decoded;
        (key == "text" ? sentence.text : sentence.id).emplace(parser_.string(decoded));
      } else if (key == "comments") {
        demand_array(key);
        parser_.array([&] { sentence.comments.push_back(comment()); });
      } else if (key == "log_prob" || key == "entropy") {
        (key == "entropy" ? sentence.entropy : sentence.log_prob) = real(key);
      } else if (key == "rank" || key == "prob" || key == "score") {
        if (!is_number()) throw BadJson{in_quotes(key) + " is not a number"};
        sentence.ranked.emplace_back(key, parser_.number());
      } else if (key == "ranges") {
        const auto given = parser_.boolean();
        if (!given) throw BadJson{"\"ranges\" is neither true nor false"};
        sentence.ranges = *given;
      } else if (key == "tokens") {
        demand_array(key);
        sentence.has_tokens = true;
        parser_.array([&] { row(sentence, sentence.tokens, "word"); });
      } else if (key == "multiword_tokens") {
        demand_array(key);
        parser_.array([&] { row(sentence, sentence.multiwords, "multiword token"); });
      } else if (key == "empty_nodes") {
        demand_array(key);
        parser_.array([&] { row(sentence, sentence.empty_nodes, "empty node"); });
      } else {
        parser_.skip();
      }
    });
  }

  void demand_array(std::string_view key) {
    if (parser_.peek() != '[') throw BadJson{in_quotes(key) + " is not an array"};
  }
  bool is_number() {
    const char c = parser_.peek();
    return c == '-' || (c >= '0' && c <= '9');
  }

  // A string that can stand in a column.
  std::string_view text_of(std::string_view key, std::deque<std::string>& kept) {
    if (parser_.peek() != '"') throw BadJson{in_quotes(key) + " is not a string"};
    const std::string_view text = parser_.string(decoded_);
    if (text.data() != decoded_.data()) return text;
    demand_writable_text(text, key);
    return kept.emplace_back(std::move(decoded_));
  }
  static void demand_writable_text(std::string_view text, std::string_view key) {
    if (has_any(text, "\t\n\0"))
      throw BadJson{in_quotes(key) + " has a tab, a line end or a NUL in it, which CoNLL-U has no place for"};
  }

  static void demand_one_line(std::string_view text, std::string_view key) {
    if (has_any(text, "\n\0"))
      throw BadJson{in_quotes(key) + " has a line end or a NUL in it, and is a comment in CoNLL-U"};
  }

  std::string comment() {
    if (parser_.peek() != '"') throw BadJson{"a comment is not a string"};
    std::string decoded;
    const std::string text(parser_.string(decoded));
    if (!text.starts_with('#') || has_any(text, "\n\0"))
      throw BadJson{"the comment " + in_quotes(text) + " is no line that begins with #"};
    return text;
  }

  double real(std::string_view key) {
    if (!is_number()) throw BadJson{in_quotes(key) + " is not a number"};
    const std::string_view digits = parser_.number();
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc()) throw BadJson{in_quotes(key) + " is a number out of range"};
    return value;
  }

  // A number that is to be whole, as it is written.
  std::string_view whole(std::string_view key) {
    if (!is_number()) refuse_whole(key);
    return parser_.number();
  }
  static int64_t demand_whole(std::string_view digits, std::string_view key) {
    const auto value = whole_number(digits);
    if (!value || *value < 0) refuse_whole(key);
    return *value;
  }
  [[noreturn]] static void refuse_whole(std::string_view key) {
    throw BadJson{in_quotes(key) + " is not a whole number from 0 on"};
  }

  void row(JsonSentence& sentence, std::vector<JsonRow>& rows, std::string_view what) {
    rows.emplace_back();
    const size_t most = options_.reading.max_words;
    if (most > 0 && rows.size() > most)
      throw BadJson{"the sentence has more than " + std::to_string(most) +
                    " words; raise the limit (max_words), or cut the sentence"};
    try {
      if (parser_.peek() != '{') throw BadJson{"it is not an object"};
      parser_.object([&](std::string_view key) { cell(rows.back(), sentence.kept, key); });
      demand_id(rows, what);
      if (rows.back().form.empty()) throw BadJson{"it has no form"};
    } catch (const BadJson& bad) {
      throw BadJson{std::string(what) + " " + std::to_string(rows.size()) + ": " + bad.reason};
    }
  }

  void cell(JsonRow& row, std::deque<std::string>& kept, std::string_view key) {
    if (parser_.takes_null()) return;
    if (std::string_view* const text = text_cell(row, key)) {
      *text = text_of(key, kept);
    } else if (key == "id") {
      read_id(row, kept);
    } else if (key == "feats" || key == "misc") {
      (key == "feats" ? row.feats : row.misc) = items(key, kept);
    } else if (key == "head") {
      row.head = whole(key);
      demand_whole(row.head, key);
    } else if (key == "start" || key == "end") {
      (key == "start" ? row.start : row.end) = demand_whole(whole(key), key);
    } else if (key == "head_prob" || key == "deprel_prob") {
      (key == "head_prob" ? row.head_prob : row.deprel_prob) = probability(key, kept);
    } else if (key == "raw") {
      if (parser_.peek() != '{') throw BadJson{"\"raw\" is not an object"};
      parser_.object([&](std::string_view column) {
        std::string_view* const raw = column == "feats"  ? &row.raw_feats
                                      : column == "head" ? &row.raw_head
                                      : column == "misc" ? &row.raw_misc
                                                         : nullptr;
        if (!raw) return parser_.skip();
        *raw = text_of(column, kept);
        if (raw->empty()) throw BadJson{"\"raw\" has an empty column"};
      });
    } else {
      parser_.skip();
    }
  }

  static std::string_view* text_cell(JsonRow& row, std::string_view key) {
    if (key == "form") return &row.form;
    if (key == "lemma") return &row.lemma;
    if (key == "upos") return &row.upos;
    if (key == "xpos") return &row.xpos;
    if (key == "deprel") return &row.deprel;
    if (key == "deps") return &row.deps;
    return nullptr;
  }

  void read_id(JsonRow& row, std::deque<std::string>& kept) {
    const auto number = [&] {
      const int64_t value = demand_whole(whole("id"), "id");
      if (value >= std::numeric_limits<int32_t>::max()) throw BadJson{"\"id\" is too large"};
      return static_cast<int32_t>(value);
    };
    if (parser_.peek() == '[') {
      int count = 0;
      parser_.array([&] { (count++ == 0 ? row.first : row.last) = number(); });
      if (count != 2) throw BadJson{"\"id\" is not the numbers of the first word and the last"};
      row.id = kept.emplace_back(std::to_string(row.first) + "-" + std::to_string(row.last));
    } else if (parser_.peek() == '"') {
      row.id = text_of("id", kept);
      row.first = static_cast<int32_t>(whole_number(row.id.substr(0, row.id.find('.'))).value_or(-1));
    } else {
      row.id = whole("id");
      row.first = static_cast<int32_t>(demand_whole(row.id, "id"));
    }
  }

  static void demand_id(const std::vector<JsonRow>& rows, std::string_view what) {
    const JsonRow& row = rows.back();
    const auto number = static_cast<int32_t>(rows.size());
    if (row.id.empty()) throw BadJson{"it has no id"};
    if (what == "word" && row.first != number)
      throw BadJson{"its id is " + std::string(row.id) + ", and " + std::to_string(number) + " comes next"};
    if (what == "multiword token" && row.last == 0)
      throw BadJson{"its id is not a pair of numbers, such as [3, 4]"};
    if (what == "empty node" && (row.first < 0 || row.id.find('.') == std::string_view::npos))
      throw BadJson{"its id is not a string such as \"8.1\""};
  }

  // An object as `Case=Nom|Number=Sing`, or a string that is that already.
  std::string_view items(std::string_view key, std::deque<std::string>& kept) {
    if (parser_.peek() == '"') {
      const std::string_view text = text_of(key, kept);
      return text == kNoValue ? std::string_view() : text;
    }
    if (parser_.peek() != '{') throw BadJson{in_quotes(key) + " is not an object"};
    std::string& out = kept.emplace_back();
    bool is_first = true;
    parser_.object([&](std::string_view name) {
      const auto item = [&] {
        if (!is_first) out += '|';
        is_first = false;
        out += name;
        if (parser_.takes_null()) return;
        if (parser_.peek() != '"') throw BadJson{in_quotes(key) + " has a value that is not a string"};
        (out += '=') += parser_.string(decoded_);
      };
      if (has_any(name, "|="))
        throw BadJson{in_quotes(key) + " has the name " + in_quotes(name) + ", with | or = in it"};
      if (parser_.peek() == '[')
        parser_.array(item);
      else
        item();
    });
    demand_writable_text(out, key);
    return out;
  }

  std::string_view probability(std::string_view key, std::deque<std::string>& kept) {
    parser_.peek();
    const size_t begin = parser_.at();
    const double value = real(key);
    const std::string_view digits = json_.substr(begin, parser_.at() - begin);
    if (!(value >= 0 && value <= 1)) throw BadJson{in_quotes(key) + " is not from 0 to 1"};
    if (is_plain_probability(digits)) return digits;
    char plain[400];
    char* const end = std::to_chars(plain, plain + sizeof plain, value, std::chars_format::fixed).ptr;
    return kept.emplace_back(std::string_view(plain, end));
  }

  // Writes a sentence in CoNLL-U, which finds whatever else is wrong with it.
  void take(const JsonSentence& sentence, size_t begin) {
    if (sentence.tokens.empty()) throw BadJson{"it has no tokens"};
    const auto has_place = [](const JsonRow& row) { return row.has_place(); };
    const bool places = std::all_of(sentence.tokens.begin(), sentence.tokens.end(), has_place) &&
                        std::all_of(sentence.multiwords.begin(), sentence.multiwords.end(), has_place);
    if (sentence.ranges && !places) throw BadJson{"it has \"ranges\", but not all tokens have start and end"};
    write(sentence, sentence.ranges);
    // Another tree of the last sentence has its place.
    const auto is_alternative = [](const auto& field) {
      return field.first == "rank" && field.second != "1";
    };
    if (std::any_of(sentence.ranked.begin(), sentence.ranked.end(), is_alternative)) cursor_ = before_;
    before_ = cursor_;
    TextCursor after = cursor_;
    if (places && !are_placed(sentence, after)) {
      // They are in another text than that of the tokens with white space between them.
      conllu_.resize(conllu_end_);
      write(sentence, true);
      after = cursor_;
      if (!are_placed(sentence, after)) throw BadJson{"words of a multiword token have a place of their own"};
    } else if (!places) {
      are_placed(sentence, after);
    }
    cursor_ = after;
    begins_.push_back(begin);
    first_lines_.push_back(conllu_lines_ + 1);
    names_.push_back(name_of(sentence));
    conllu_lines_ += static_cast<size_t>(
        std::count(conllu_.begin() + static_cast<std::ptrdiff_t>(conllu_end_), conllu_.end(), '\n'));
    conllu_end_ = conllu_.size();
    log_probs_.push_back(sentence.log_prob);
    entropies_.push_back(sentence.entropy);
  }

  bool are_placed(const JsonSentence& sentence, TextCursor& cursor) const {
    std::vector<TextSpan> spans;
    cursor.place(RawSentence(std::string_view(conllu_).substr(conllu_end_)), spans);
    for (size_t i = 0; i < std::min(spans.size(), sentence.tokens.size()); ++i)
      if (!sentence.tokens[i].has_place() || spans[i] != sentence.tokens[i].place()) return false;
    return true;
  }

  void write(const JsonSentence& sentence, bool ranges) {
    write_comments(sentence);
    const size_t rows = conllu_.size();
    auto multiword = sentence.multiwords.begin();
    auto node = sentence.empty_nodes.begin();
    int32_t last_of_range = 0;
    const auto nodes_after = [&](int32_t word) {
      for (; node != sentence.empty_nodes.end() && node->first == word; ++node) write_row(*node, "", false);
    };
    nodes_after(0);
    for (int32_t word = 1; const JsonRow& token : sentence.tokens) {
      if (multiword != sentence.multiwords.end() && multiword->first == word) {
        last_of_range = multiword->last;
        write_row(*multiword++, "", ranges);
      }
      write_row(token, token.head, ranges && word > last_of_range);
      nodes_after(word++);
    }
    if (multiword != sentence.multiwords.end()) throw BadJson{out_of_place("multiword token", *multiword)};
    if (node != sentence.empty_nodes.end()) throw BadJson{out_of_place("empty node", *node)};
    conllu_ += '\n';
    // Only now there are tokens that the text can be compared with.
    if (sentence.text && !sentence.id && !has_id_or_text(sentence) &&
        text_of_sentence(std::string_view(conllu_).substr(conllu_end_)) != *sentence.text)
      insert_text(*sentence.text, rows);
  }

  void insert_text(const std::string& text, size_t at) {
    demand_one_line(text, "text");
    conllu_.insert(at, "# text = " + text + "\n");
  }

  static std::string out_of_place(const std::string& what, const JsonRow& row) {
    return "the " + what + " " + std::string(row.id) +
           " is out of place: they come in order, and among the words";
  }

  static bool has_id_or_text(const JsonSentence& sentence) {
    return std::any_of(sentence.comments.begin(), sentence.comments.end(), [](const std::string& comment) {
      return comment_value(comment, "sent_id") || comment_value(comment, "text");
    });
  }

  void write_comments(const JsonSentence& sentence) {
    const auto add = [&](std::string_view comment) {
      conllu_ += comment;
      end_line();
    };
    const auto say = [&](std::string_view key, std::string_view value) {
      demand_one_line(value, key);
      (((conllu_ += "# ") += key) += " = ") += value;
      end_line();
    };
    auto comment = sentence.comments.begin();
    const auto end = sentence.comments.end();
    if (has_id_or_text(sentence)) {
      demand_same(sentence.comments, "sent_id", sentence.id);
      demand_same(sentence.comments, "text", sentence.text);
    } else {
      for (; comment != end && announces_paragraph(*comment); ++comment) add(*comment);
      if (sentence.id) say("sent_id", *sentence.id);
      if (sentence.id && sentence.text) say("text", *sentence.text);
    }
    for (; comment != end; ++comment) add(*comment);
    for (const auto& [key, value] : sentence.ranked) say(key, value);
  }

  static void demand_same(const std::vector<std::string>& comments, std::string_view key,
                          const std::optional<std::string>& value) {
    for (const std::string& comment : comments) {
      const auto said = comment_value(comment, key);
      if (!said || said->empty()) continue;
      if (value && *value != *said)
        throw BadJson{in_quotes(key) + " is " + in_quotes(*value) + ", and its comment says " +
                      in_quotes(*said) + ": change both"};
      return;
    }
  }

  void write_row(const JsonRow& row, std::string_view head, bool range) {
    const auto add = [&](std::string_view value) { (conllu_ += value.empty() ? kNoValue : value) += '\t'; };
    add(row.id);
    add(row.form);
    add(row.lemma);
    add(row.upos);
    add(row.xpos);
    const bool raw_feats = !row.raw_feats.empty(), raw_misc = !row.raw_misc.empty();
    if (raw_feats && json_feats(row.raw_feats).items() != row.feats) refuse_raw(row, "feats");
    add(raw_feats ? row.raw_feats : row.feats);
    if (!row.raw_head.empty() && !head.empty()) refuse_raw(row, "head");
    add(row.raw_head.empty() ? head : row.raw_head);
    add(row.deprel);
    add(row.deps);
    const JsonColumn misc{row.misc, {}, row.head_prob, row.deprel_prob, false};
    if (raw_misc) {
      const JsonColumn raw = json_misc(row.raw_misc, row.has_place());
      if (raw.items() != row.misc || raw.head_prob != row.head_prob || raw.deprel_prob != row.deprel_prob)
        refuse_raw(row, "misc");
      conllu_ += row.raw_misc;
    } else {
      append_misc(misc, range ? std::optional(row.place()) : std::nullopt, conllu_);
    }
    end_line();
  }

  // A carriage return at the end would be taken for a part of the line end, if that had none of its own.
  void end_line() { conllu_ += conllu_.back() == '\r' ? "\r\n" : "\n"; }

  [[noreturn]] static void refuse_raw(const JsonRow& row, const std::string& column) {
    throw BadJson{"word " + std::string(row.id) + ": \"raw\" has another " + column + " than \"" + column +
                  "\" has: change both, or leave out \"raw\""};
  }

  JsonDocument finished() {
    Treebank treebank = Treebank::read(std::move(conllu_), {.format = Format::ConllU,
                                                            .check_trees = options_.reading.check_trees,
                                                            .skip_bad = true,
                                                            .max_words = options_.reading.max_words,
                                                            .source = source()});
    std::vector<std::ptrdiff_t> gone;  // each counted without those before it
    for (size_t dropped = 0; const BadSentence& bad : treebank.bad()) {
      const auto after = std::upper_bound(first_lines_.begin(), first_lines_.end(), bad.line);
      const auto index = static_cast<size_t>(after - first_lines_.begin()) - 1;
      refuse({source(), line_at(begins_[index]), names_[index], bad.reason});
      const auto at = static_cast<std::ptrdiff_t>(index - dropped++);
      gone.push_back(at);
    }
    for (std::ptrdiff_t at : gone) {
      begins_.erase(begins_.begin() + at);
      log_probs_.erase(log_probs_.begin() + at);
      entropies_.erase(entropies_.begin() + at);
    }
    std::vector<size_t> lines;
    for (size_t begin : begins_) lines.push_back(line_at(begin));
    treebank.set_origin(std::move(lines), std::move(bad_));
    const auto kept = [](std::vector<double>& values) {
      const bool any = std::any_of(values.begin(), values.end(), [](double v) { return !std::isnan(v); });
      return any ? std::move(values) : std::vector<double>();
    };
    Probabilities known;
    known.log_probabilities = kept(log_probs_);
    known.entropies = kept(entropies_);
    if (!known.log_probabilities.empty() || !known.entropies.empty())
      treebank = treebank.with_probabilities(std::move(known));
    return {std::move(treebank), documents_ == 1 ? text_ : std::nullopt};
  }

  std::string_view json_;
  const ReadJsonOptions& options_;
  TextCursor& cursor_;
  TextCursor before_;  // the last sentence
  JsonParser parser_;
  std::string decoded_;
  size_t counted_ = 0, lines_ = 0;

  size_t number_;
  size_t documents_ = 0;
  std::optional<std::string> text_;
  std::string conllu_;
  size_t conllu_end_ = 0, conllu_lines_ = 0;  // of whole sentences
  // Of each sentence that was written: where it is in the JSON and in CoNLL-U, and its name.
  std::vector<size_t> begins_, first_lines_;
  std::vector<std::string> names_;
  std::vector<double> log_probs_, entropies_;
  std::vector<BadSentence> bad_;
};

}  // namespace

JsonDocument read_json(std::string_view json, const ReadJsonOptions& options, TextCursor& cursor) {
  return JsonReader(json, options, cursor).read();
}

}  // namespace arcwise
