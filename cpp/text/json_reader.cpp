#include <algorithm>
#include <cmath>

#include "base/interrupts.h"
#include "text/json.h"
#include "text/json_sentence.h"
#include "text/rows.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::string_view kForeign =
    "this is JSON, but not of arcwise: a document has \"sentences\", and a sentence has \"tokens\"";

class JsonReader {
 public:
  JsonReader(std::string_view json, const ReadJsonOptions& options, TextCursor& cursor)
      : json_(json),
        options_(options),
        cursor_(cursor),
        parser_(json),
        sentences_(json, parser_, options.reading.max_words),
        number_(options.first_sentence) {
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
    try {
      bool is_document = false;
      if (parser_.peek() != '{') throw BadJson{std::string(kForeign)};
      sentences_.read(sentence, [&](std::string_view key) {
        if (key != "sentences" || !may_be_document) return false;
        is_document = true;
        cursor_ = TextCursor();
        if (parser_.peek() != '[') throw BadJson{"\"sentences\" is not an array"};
        parser_.array([&] { sentence_or_document(false); });
        return true;
      });
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

  static void demand_one_line(std::string_view text, std::string_view key) {
    if (has_any(text, "\n\0"))
      throw BadJson{in_quotes(key) + " has a line end or a NUL in it, and is a comment in CoNLL-U"};
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
    std::vector<bool> is_good(begins_.size(), true);
    for (const BadSentence& bad : treebank.bad()) {
      const auto after = std::upper_bound(first_lines_.begin(), first_lines_.end(), bad.line);
      const auto index = static_cast<size_t>(after - first_lines_.begin()) - 1;
      refuse({source(), line_at(begins_[index]), names_[index], bad.reason});
      is_good[index] = false;
    }
    const auto keep_good = [&](auto& values) {
      size_t good = 0;
      for (size_t i = 0; i < values.size(); ++i)
        if (is_good[i]) values[good++] = values[i];
      values.resize(good);
    };
    keep_good(begins_);
    keep_good(log_probs_);
    keep_good(entropies_);
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
  JsonSentenceReader sentences_;
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
