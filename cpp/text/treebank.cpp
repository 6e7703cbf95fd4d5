#include "text/treebank.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/interrupts.h"
#include "text/pen.h"
#include "text/utf8.h"

namespace arcwise {

namespace {

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

void append_number(int32_t number, std::string& out) {
  char digits[12];
  const auto result = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, result.ptr);
}

void append_without_spaces(std::string_view text, std::string& out) {
  out += text;
  std::replace(out.end() - static_cast<std::ptrdiff_t>(text.size()), out.end(), ' ', '_');
}

void demand_count(size_t count, size_t word_count, const char* what) {
  if (count == word_count) return;
  throw TreebankError("There are " + std::to_string(count) + " " + what + " for " +
                      std::to_string(word_count) + " words; give one for each word of the treebank.");
}

void demand_sentence(size_t sentence, size_t sentence_count) {
  if (sentence < sentence_count) return;
  throw TreebankError("There is no sentence " + std::to_string(sentence) + ": the treebank has " +
                      std::to_string(sentence_count) + " sentences, counted from 0.");
}

void demand_writable(const std::string& label) {
  if (label.empty() || label.find_first_of(std::string_view("\t\n\0", 3)) != std::string::npos ||
      utf8::first_invalid(label) != utf8::kAllValid) {
    throw TreebankError(
        "A label name is empty, has a tab or a line end in it, or is not UTF-8; such a name cannot be "
        "written as DEPREL.");
  }
}

}  // namespace

std::string BadSentence::message() const {
  std::string message = source + ":" + std::to_string(line) + ": ";
  if (!sentence_id.empty()) message += "sentence " + sentence_id + ": ";
  return message + reason;
}

std::optional<std::string_view> comment_value(std::string_view comment, std::string_view key) {
  const size_t equals = comment.find('=');
  if (equals == std::string_view::npos || trim(comment.substr(1, equals - 1)) != key) return std::nullopt;
  return trim(comment.substr(equals + 1));
}

std::vector<std::string_view> Treebank::comments(size_t sentence) const {
  std::vector<std::string_view> comments;
  std::string_view rest = sentence_text(sentence);
  while (rest.starts_with('#')) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    comments.push_back(line);
    rest.remove_prefix(end + 1);
  }
  return comments;
}

std::string_view Treebank::comment(size_t sentence, std::string_view key) const {
  for (std::string_view comment : comments(sentence)) {
    if (const auto value = comment_value(comment, key)) return *value;
  }
  return {};
}

void Treebank::check_trees_in_range(std::span<const int32_t> heads, std::span<const int32_t> labels,
                                    size_t label_names) const {
  demand_count(heads.size(), word_count(), "heads");
  demand_count(labels.size(), word_count(), "labels");
  for (size_t s = 0; s < sentence_count(); ++s) {
    const auto length = static_cast<int32_t>(this->length(s));
    for (size_t word = first_word(s); word < first_word(s + 1); ++word) {
      if (heads[word] >= kUnknownHead && heads[word] <= length) continue;
      throw TreebankError("The head " + std::to_string(heads[word]) + " of word " +
                          std::to_string(word - first_word(s) + 1) + " in sentence " + std::to_string(s) +
                          " (counted from 0) is out of range: the sentence has " + std::to_string(length) +
                          " words; 0 is ROOT and -1 an unknown head.");
    }
  }
  for (int32_t label : labels) {
    if (label >= kUnknownLabel && label < static_cast<int32_t>(label_names)) continue;
    throw TreebankError("The label " + std::to_string(label) + " has no name: there are " +
                        std::to_string(label_names) + " label names; -1 is an unknown label.");
  }
}

Treebank Treebank::with_trees(std::vector<int32_t> heads, std::vector<int32_t> labels,
                              std::vector<std::string> label_names) const {
  check_trees_in_range(heads, labels, label_names.size());
  std::for_each(label_names.begin(), label_names.end(), demand_writable);
  Treebank result = *this;
  result.heads_ = std::move(heads);
  result.labels_ = std::move(labels);
  result.label_names_ = std::move(label_names);
  result.replaced_.assign(word_count(), true);
  result.probabilities_ = {};
  return result;
}

Treebank Treebank::with_columns(const GiveValues& give) const {
  Treebank result = *this;
  result.rewrite(give, false);
  return result;
}

Treebank Treebank::with_trees(std::vector<int32_t> heads, std::vector<int32_t> labels,
                              std::vector<std::string> label_names, const GiveValues& give) const {
  Treebank result = with_trees(std::move(heads), std::move(labels), std::move(label_names));
  result.rewrite(give, true);
  result.replaced_.assign(word_count(), false);
  return result;
}

// With the trees in HEAD and DEPREL, nothing is left to be replaced when it is written.
void Treebank::rewrite(const GiveValues& give, bool with_trees) {
  const std::shared_ptr<const std::string> before = text_;
  const char* const from = before->data();
  std::string text(before->size() + before->size() / 2, '\0');
  size_t size = 0;
  const auto room = [&](size_t bytes) {
    if (text.size() - size < bytes) text.resize(text.size() + text.size() / 4 + bytes);
    return Pen(text.data() + size);
  };
  const auto wrote = [&](const Pen& pen) { size = static_cast<size_t>(pen.at() - text.data()); };
  const auto copy = [&](size_t begin, size_t end) {
    Pen pen = room(end - begin);
    pen.put({from + begin, end - begin});
    wrote(pen);
  };
  Values values;
  char head[Pen::kMostDigits];
  copy(0, prologue_end_);
  for (size_t s = 0; s < sentence_count(); ++s) {
    size_t copied = extents_[s].begin;
    extents_[s].begin = static_cast<uint32_t>(size);
    for (size_t word = first_word(s); word < first_word(s + 1); ++word) {
      check_interrupts();
      const auto columns = columns_[word];
      values = {};
      give(word, values);
      values[static_cast<size_t>(Column::Head)] = values[static_cast<size_t>(Column::Deprel)] = {};
      if (with_trees) {
        Pen digits(head);
        if (heads_[word] != kUnknownHead) digits.number(heads_[word]);
        values[static_cast<size_t>(Column::Head)] =
            heads_[word] == kUnknownHead ? kNoValue : std::string_view(head, digits.at());
        values[static_cast<size_t>(Column::Deprel)] =
            labels_[word] == kUnknownLabel ? kNoValue : label_names_[static_cast<size_t>(labels_[word])];
      }
      size_t bytes = columns[kColumns] - copied;
      for (const std::string_view value : values) bytes += value.size();
      Pen pen = room(bytes);
      auto& after = columns_[word];
      for (size_t c = 0; c <= kColumns; ++c) {
        // From where a column was written last.
        pen.put({from + copied, columns[c] - copied});
        copied = columns[c];
        after[c] = static_cast<uint32_t>(pen.at() - text.data());
        if (c >= static_cast<size_t>(Column::Lemma) && c < kColumns && values[c].data() != nullptr) {
          pen.put(values[c]);
          copied = columns[c + 1] - 1;
        }
      }
      wrote(pen);
    }
    copy(copied, extents_[s].end);
    extents_[s].end = static_cast<uint32_t>(size);
    if (size > kMaxTextBytes)
      throw TreebankError("With its tags the text is larger than 4 GiB; read it in parts.");
  }
  text.resize(size);
  text.shrink_to_fit();
  text_ = std::make_shared<const std::string>(std::move(text));
}

void Treebank::append(const Treebank& from, size_t sentence) {
  const auto add = [begin = from.first_word(sentence), end = from.first_word(sentence + 1)](auto& to,
                                                                                            const auto& all) {
    to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
              all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  add(columns_, from.columns_);
  add(heads_, from.heads_);
  add(labels_, from.labels_);
  add(replaced_, from.replaced_);
  first_word_.push_back(heads_.size());
  extents_.push_back(from.extents_[sentence]);
  lines_.push_back(from.lines_[sentence]);
  const auto add_if_any = [&](auto& to, const auto& all) {
    if (!all.empty()) add(to, all);
  };
  add_if_any(probabilities_.heads, from.probabilities_.heads);
  add_if_any(probabilities_.deprels, from.probabilities_.deprels);
  const auto add_one_if_any = [&](auto& to, const auto& all) {
    if (!all.empty()) to.push_back(all[sentence]);
  };
  add_one_if_any(probabilities_.log_probabilities, from.probabilities_.log_probabilities);
  add_one_if_any(probabilities_.entropies, from.probabilities_.entropies);
}

Treebank Treebank::select(std::span<const size_t> sentences) const {
  Treebank result;
  result.text_ = text_;
  result.format_ = format_;
  result.label_names_ = label_names_;
  result.probabilities_.least = probabilities_.least;
  for (size_t sentence : sentences) {
    demand_sentence(sentence, sentence_count());
    result.append(*this, sentence);
  }
  return result;
}

Treebank Treebank::slice(size_t begin, size_t end) const {
  if (begin >= end) return select({});
  demand_sentence(end - 1, sentence_count());
  std::vector<size_t> sentences(end - begin);
  std::iota(sentences.begin(), sentences.end(), begin);
  return select(sentences);
}

bool Treebank::is_replaced(size_t sentence) const {
  const auto begin = replaced_.begin() + static_cast<std::ptrdiff_t>(first_word(sentence));
  const auto end = replaced_.begin() + static_cast<std::ptrdiff_t>(first_word(sentence + 1));
  return std::find(begin, end, true) != end;
}

void Treebank::write_head(size_t word, std::string& out) const {
  if (!replaced_[word]) {
    out += text(word, Column::Head);
  } else if (heads_[word] == kUnknownHead) {
    out += '_';
  } else {
    append_number(heads_[word], out);
  }
}

void Treebank::write_label(size_t word, std::string& out) const {
  if (!replaced_[word]) {
    out += text(word, Column::Deprel);
  } else if (labels_[word] == kUnknownLabel) {
    out += '_';
  } else {
    out += label_names_[static_cast<size_t>(labels_[word])];
  }
}

void Treebank::write(size_t sentence, Format format, std::string& out) const {
  if (format != format_) return convert(sentence, format, out);
  const bool probabilities = writes_probabilities() && format == Format::ConllU;
  if (!probabilities && !is_replaced(sentence)) {
    out += sentence_text(sentence);
    return;
  }
  const Extent extent = extents_[sentence];
  size_t written = extent.begin;
  for (size_t word = first_word(sentence); word < first_word(sentence + 1); ++word) {
    const auto& start = columns_[word];
    const size_t head = start[static_cast<size_t>(Column::Head)];
    out.append(*text_, written, head - written);
    write_head(word, out);
    out += '\t';
    write_label(word, out);
    written = start[static_cast<size_t>(Column::Deps)] - 1;
    if (!probabilities) continue;
    const size_t misc = start[static_cast<size_t>(Column::Misc)];
    out.append(*text_, written, misc - written);
    write_misc(word, text(word, Column::Misc), out);
    written = misc + text(word, Column::Misc).size();
  }
  out.append(*text_, written, extent.end - written);
}

void Treebank::convert(size_t sentence, Format format, std::string& out) const {
  const bool to_conll_x = format == Format::ConllX;
  if (!to_conll_x) {
    for (std::string_view comment : comments(sentence)) (out += comment) += '\n';
  }
  for (size_t word = first_word(sentence); word < first_word(sentence + 1); ++word) {
    for (Column column :
         {Column::Id, Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats}) {
      if (to_conll_x && (column == Column::Form || column == Column::Lemma)) {
        append_without_spaces(text(word, column), out);
      } else {
        out += text(word, column);
      }
      out += '\t';
    }
    write_head(word, out);
    out += '\t';
    write_label(word, out);
    out += "\t_\t";
    if (!to_conll_x && writes_probabilities())
      write_misc(word, kNoValue, out);
    else
      out += kNoValue;
    out += '\n';
  }
  out += '\n';
}

void Treebank::write(Format format, std::string& out) const {
  size_t bytes = prologue_end_;
  for (const Extent& extent : extents_) bytes += extent.end - extent.begin;
  // A little more than what was read leaves room for longer heads and labels.
  out.reserve(out.size() + bytes + bytes / 16);
  if (format == format_) out.append(*text_, 0, prologue_end_);
  for (size_t sentence = 0; sentence < sentence_count(); ++sentence) {
    check_interrupts(10);
    write(sentence, format, out);
  }
}

}  // namespace arcwise
