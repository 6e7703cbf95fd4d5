#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/json.h"
#include "text/rows.h"

namespace arcwise {
namespace {

void append_string(std::string_view text, Buffer& out) {
  constexpr std::string_view kEscaped = "\"\\\n\r\t\f\b", kEscapes = "\"\\nrtfb";
  out += '"';
  size_t written = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(written, at - written);
    written = at + 1;
    out += '\\';
    if (const size_t simple = kEscaped.find(text[at]); simple != std::string_view::npos) {
      out += kEscapes[simple];
    } else {
      ((out += "u00") += "0123456789abcdef"[c >> 4]) += "0123456789abcdef"[c & 0xF];
    }
  }
  (out += text.substr(written)) += '"';
}

void append_whole(int64_t number, Buffer& out) {
  char digits[20];
  out += std::string_view(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// With a point or an exponent, so that everyone takes it for what it is.
void append_real(double number, Buffer& out) {
  char digits[32];
  const std::string_view written(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  out += written;
  if (written.find_first_of(".en") == std::string_view::npos) out += ".0";
}

void append_value(std::string_view item, Buffer& out) {
  const size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    out += "null";
  else
    append_string(item.substr(equals + 1), out);
}

class SentenceWriter {
 public:
  SentenceWriter(const Treebank& treebank, size_t sentence, std::span<const TextSpan> spans,
                 bool keeps_ranges, Buffer& out)
      : treebank_(treebank), sentence_(sentence), spans_(spans), keeps_ranges_(keeps_ranges), out_(out) {
    treebank.write(sentence, Format::ConllU, conllu_);
  }

  void write(const JsonExtras& extras) {
    out_ += '{';
    write_comments(extras);
    const auto say = [&](const char* key, const std::vector<double>& values) {
      // JSON has no word for infinity.
      if (values.empty() || !std::isfinite(values[sentence_])) return;
      start(key);
      append_real(values[sentence_], out_);
    };
    say("log_prob", treebank_.probabilities().log_probabilities);
    say("entropy", treebank_.probabilities().entropies);
    if (!extras.fields.empty()) {
      if (out_.back() != '{') out_ += ',';
      out_ += extras.fields;
    }
    ranges_ = keeps_ranges_ && all_have_ranges();
    if (ranges_) {
      start("ranges");
      out_ += "true";
    }
    Buffer multiwords, empty_nodes;
    start("tokens");
    out_ += '[';
    each_row(conllu_, [&](const Row& row) {
      const std::string_view id = column(row, Column::Id);
      if (const size_t hyphen = id.find('-'); hyphen != std::string_view::npos) {
        std::string pair = "[";
        ((pair += id.substr(0, hyphen)) += ',') += id.substr(hyphen + 1);
        const size_t first = word_;
        write_row(pair + "]", row, first, false, multiwords);
        std::from_chars(id.data() + hyphen + 1, id.data() + id.size(), last_of_range_);
      } else if (id.find('.') != std::string_view::npos) {
        write_row('"' + std::string(id) + '"', row, std::nullopt, false, empty_nodes);
      } else {
        write_row(id, row, word_, true, out_);
        ++word_;
      }
    });
    out_ += ']';
    if (!multiwords.empty()) ((out_ += ",\"multiword_tokens\":[") += multiwords.view()) += ']';
    if (!empty_nodes.empty()) ((out_ += ",\"empty_nodes\":[") += empty_nodes.view()) += ']';
    out_ += '}';
  }

 private:
  void start(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    ((out_ += '"') += key) += "\":";
  }

  // `Case=Nom|Number=Sing` as an object; items of the same name are beside each other.
  void append_items(std::string_view items, Buffer& out) {
    auto& all = items_;
    all.clear();
    each_item(items, [&](std::string_view item) { all.push_back(item); });
    const auto key = [&](size_t i) { return all[i].substr(0, all[i].find('=')); };
    out += '{';
    for (size_t i = 0; i < all.size();) {
      if (i > 0) out += ',';
      append_string(key(i), out);
      out += ':';
      const size_t begin = i++;
      while (i < all.size() && key(i) == key(begin)) ++i;
      if (i - begin > 1) out += '[';
      for (size_t j = begin; j < i; ++j) {
        if (j > begin) out += ',';
        append_value(all[j], out);
      }
      if (i - begin > 1) out += ']';
    }
    out += '}';
  }

  void write_comments(const JsonExtras& extras) {
    const auto comments = treebank_.comments(sentence_);
    const std::string_view id = treebank_.comment(sentence_, "sent_id");
    const std::string_view text = treebank_.comment(sentence_, "text");
    if (!id.empty()) {
      start("sent_id");
      append_string(id, out_);
    }
    start("text");
    append_string(text.empty() ? rebuilt() : std::string(text), out_);
    std::vector<std::string_view> all, others, usual;
    const auto is = [](std::string_view comment, std::string_view key) {
      return comment_value(comment, key).has_value();
    };
    for (std::string_view comment : comments) {
      if (std::any_of(extras.keys.begin(), extras.keys.end(),
                      [&](const auto& key) { return is(comment, key); }))
        continue;
      all.push_back(comment);
      if (!is(comment, "sent_id") && !is(comment, "text")) others.push_back(comment);
    }
    if (!are_usual(all, others, id, text)) others = all;
    if (others.empty()) return;
    start("comments");
    for (char before = '['; std::string_view comment : others) {
      out_ += before;
      append_string(comment, out_);
      before = ',';
    }
    out_ += ']';
  }

  // Whether a reader finds all comments again: a new paragraph, id and text (or neither), and the others.
  static bool are_usual(std::span<const std::string_view> all, std::span<const std::string_view> others,
                        std::string_view id, std::string_view text) {
    if (id.empty() || text.empty()) return all.size() == others.size();
    if (all.size() != others.size() + 2) return false;
    size_t before = 0;
    while (before < others.size() && announces_paragraph(others[before])) ++before;
    for (size_t i = 0; i < before; ++i)
      if (all[i] != others[i]) return false;
    const auto is = [](std::string_view comment, std::string_view start, std::string_view value) {
      return comment.starts_with(start) && comment.substr(start.size()) == value;
    };
    return is(all[before], "# sent_id = ", id) && is(all[before + 1], "# text = ", text);
  }

  std::string rebuilt() const {
    if (treebank_.format() == Format::ConllU) return text_of_sentence(treebank_.sentence_text(sentence_));
    std::string text;
    for (size_t w = treebank_.first_word(sentence_); w < treebank_.first_word(sentence_ + 1); ++w) {
      if (!text.empty()) text += ' ';
      text += treebank_.text(w, Column::Form);
    }
    return text;
  }

  // Whether TokenRange is in MISC of all tokens, and nowhere else.
  bool all_have_ranges() const {
    bool all = !spans_.empty() && conllu_.find("TokenRange=") != std::string::npos;
    size_t word = 0;
    int32_t last_of_range = 0;
    each_row(conllu_, [&](const Row& row) {
      const std::string_view id = column(row, Column::Id), misc = column(row, Column::Misc);
      if (!all || id.find('.') != std::string_view::npos) return;
      const auto range = token_range(misc);
      if (const size_t hyphen = id.find('-'); hyphen != std::string_view::npos) {
        std::from_chars(id.data() + hyphen + 1, id.data() + id.size(), last_of_range);
        all = range && *range == spans_[word];
      } else {
        const bool is_in_token = static_cast<int32_t>(++word) <= last_of_range;
        all = is_in_token ? !range : range && *range == spans_[word - 1];
      }
    });
    return all;
  }

  // `place`: the word whose place it has.
  void write_row(std::string_view id, const Row& row, std::optional<size_t> place, bool is_word,
                 Buffer& out) {
    if (!out.empty() && out.back() == '}') out += ',';
    (out += "{\"id\":") += id;
    const auto field = [&](const char* key, Column c) {
      if (column(row, c) == kNoValue && c != Column::Form) return;
      out += key;
      append_string(column(row, c), out);
    };
    const auto items = [&](const char* key, const JsonColumn& parts) {
      if (parts.items().empty()) return;
      out += key;
      append_items(parts.items(), out);
    };
    field(",\"form\":", Column::Form);
    field(",\"lemma\":", Column::Lemma);
    field(",\"upos\":", Column::Upos);
    field(",\"xpos\":", Column::Xpos);
    const std::string_view feats = column(row, Column::Feats), misc = column(row, Column::Misc);
    const JsonColumn of_feats = json_feats(feats);
    items(",\"feats\":", of_feats);
    char digits[12];
    std::string_view head = kNoValue;
    if (is_word) {
      const int32_t number = treebank_.heads()[treebank_.first_word(sentence_) + word_];
      if (number != kUnknownHead) {
        head = {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
        (out += ",\"head\":") += head;
      }
    }
    field(",\"deprel\":", Column::Deprel);
    field(",\"deps\":", Column::Deps);
    const bool has_place = place && !spans_.empty();
    if (has_place) {
      out += ",\"start\":";
      append_whole(spans_[*place].first, out);
      out += ",\"end\":";
      append_whole(spans_[*place].second, out);
    }
    const JsonColumn of_misc = json_misc(misc, has_place);
    items(",\"misc\":", of_misc);
    if (!of_misc.head_prob.empty()) (out += ",\"head_prob\":") += of_misc.head_prob;
    if (!of_misc.deprel_prob.empty()) (out += ",\"deprel_prob\":") += of_misc.deprel_prob;
    write_raw(row, head, of_feats, of_misc, is_word, place, out);
    out += '}';
  }

  // Columns that cannot be told from the other keys.
  void write_raw(const Row& row, std::string_view head, const JsonColumn& of_feats, const JsonColumn& of_misc,
                 bool is_word, std::optional<size_t> place, Buffer& out) {
    char before = '{';
    const auto unless = [&](const char* key, Column c, std::string_view told) {
      if (column(row, c) == told) return;
      out += before == '{' ? ",\"raw\":{" : ",";
      before = ',';
      ((out += '"') += key) += "\":";
      append_string(column(row, c), out);
    };
    unless("feats", Column::Feats, of_feats.items().empty() ? kNoValue : of_feats.items());
    unless("head", Column::Head, head);
    std::optional<TextSpan> range;
    const bool is_in_token = is_word && static_cast<int32_t>(word_) < last_of_range_;
    if (of_misc.has_range && (ranges_ ? !is_in_token : !keeps_ranges_)) range = spans_[*place];
    told_.clear();
    append_misc(of_misc, range, told_);
    // Where ranges are left out, they stand where a segmenter writes them.
    unless("misc", Column::Misc, told_);
    if (before != '{') out += '}';
  }

  const Treebank& treebank_;
  const size_t sentence_;
  const std::span<const TextSpan> spans_;
  const bool keeps_ranges_;
  Buffer& out_;
  std::string conllu_, told_;
  std::vector<std::string_view> items_;
  bool ranges_ = false;
  size_t word_ = 0;
  int32_t last_of_range_ = 0;
};

}  // namespace

void append_json(const Treebank& treebank, size_t sentence, std::span<const TextSpan> spans,
                 bool keeps_ranges, const JsonExtras& extras, Buffer& out) {
  SentenceWriter(treebank, sentence, spans, keeps_ranges, out).write(extras);
}

}  // namespace arcwise
