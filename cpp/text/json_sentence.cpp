#include "text/json_sentence.h"

#include <charconv>

#include "text/json.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr size_t kUsualLength = 64;  // of a sentence; longer ones are moved about

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void demand_writable_text(std::string_view text, std::string_view key) {
  if (has_any(text, "\t\n\0"))
    throw BadJson{in_quotes(key) + " has a tab, a line end or a NUL in it, which CoNLL-U has no place for"};
}

[[noreturn]] void refuse_whole(std::string_view key) {
  throw BadJson{in_quotes(key) + " is not a whole number from 0 on"};
}

int64_t demand_whole(std::string_view digits, std::string_view key) {
  const auto value = whole_number(digits);
  if (!value || digits[0] == '-') refuse_whole(key);
  return *value;
}

std::string_view* text_cell(JsonRow& row, std::string_view key) {
  if (key == "form") return &row.form;
  if (key == "lemma") return &row.lemma;
  if (key == "upos") return &row.upos;
  if (key == "xpos") return &row.xpos;
  if (key == "deprel") return &row.deprel;
  if (key == "deps") return &row.deps;
  return nullptr;
}

void demand_id(const std::vector<JsonRow>& rows, std::string_view what) {
  const JsonRow& row = rows.back();
  const auto number = static_cast<int32_t>(rows.size());
  if (row.id.empty()) throw BadJson{"it has no id"};
  if (what == "word" && (row.first != number || has_any(row.id, "-.")))
    throw BadJson{"its id is " + std::string(row.id) + ", and " + std::to_string(number) + " comes next"};
  if (what == "multiword token" && row.last == 0)
    throw BadJson{"its id is not a pair of numbers, such as [3, 4]"};
  if (what == "empty node" && (row.first < 0 || row.id.find('.') == std::string_view::npos))
    throw BadJson{"its id is not a string such as \"8.1\""};
}

}  // namespace

std::string in_quotes(std::string_view text) {
  const std::string_view shown = utf8::prefix(text, 40);
  std::string quoted = "\"";
  quoted += shown;
  return quoted += shown.size() < text.size() ? "…\"" : "\"";
}

void JsonSentenceReader::read(JsonSentence& sentence,
                              const std::function<bool(std::string_view key)>& takes) {
  sentence.tokens.reserve(kUsualLength);
  parser_.object([&](std::string_view key) {
    if (takes(key) || parser_.takes_null()) return;
    if (key == "sent_id" || key == "text") {
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

void JsonSentenceReader::demand_array(std::string_view key) {
  if (parser_.peek() != '[') throw BadJson{in_quotes(key) + " is not an array"};
}
bool JsonSentenceReader::is_number() {
  const char c = parser_.peek();
  return c == '-' || (c >= '0' && c <= '9');
}

// A string that can stand in a column.
std::string_view JsonSentenceReader::text_of(std::string_view key, std::deque<std::string>& kept) {
  if (parser_.peek() != '"') throw BadJson{in_quotes(key) + " is not a string"};
  const std::string_view text = parser_.string(decoded_);
  if (text.data() != decoded_.data()) return text;
  demand_writable_text(text, key);
  return kept.emplace_back(std::move(decoded_));
}
std::string JsonSentenceReader::comment() {
  if (parser_.peek() != '"') throw BadJson{"a comment is not a string"};
  std::string decoded;
  const std::string text(parser_.string(decoded));
  if (!text.starts_with('#') || has_any(text, "\n\0"))
    throw BadJson{"the comment " + in_quotes(text) + " is no line that begins with #"};
  return text;
}

double JsonSentenceReader::real(std::string_view key) {
  if (!is_number()) throw BadJson{in_quotes(key) + " is not a number"};
  const std::string_view digits = parser_.number();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) throw BadJson{in_quotes(key) + " is a number out of range"};
  return value;
}

// A number that is to be whole, as it is written.
std::string_view JsonSentenceReader::whole(std::string_view key) {
  if (!is_number()) refuse_whole(key);
  return parser_.number();
}
void JsonSentenceReader::row(JsonSentence& sentence, std::vector<JsonRow>& rows, std::string_view what) {
  rows.emplace_back();
  if (max_words_ > 0 && rows.size() > max_words_)
    throw BadJson{"the sentence has more than " + std::to_string(max_words_) +
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

void JsonSentenceReader::cell(JsonRow& row, std::deque<std::string>& kept, std::string_view key) {
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

void JsonSentenceReader::read_id(JsonRow& row, std::deque<std::string>& kept) {
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

// An object as `Case=Nom|Number=Sing`, or a string that is that already.
std::string_view JsonSentenceReader::items(std::string_view key, std::deque<std::string>& kept) {
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

std::string_view JsonSentenceReader::probability(std::string_view key, std::deque<std::string>& kept) {
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

}  // namespace arcwise
