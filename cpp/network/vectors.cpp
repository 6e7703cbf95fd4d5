#include "network/vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/interrupts.h"
#include "text/case.h"
#include "text/utf8.h"

#if !defined(__cpp_lib_to_chars)
#include <cstdlib>
#endif

namespace arcwise {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMostNumbers = 10000;
constexpr size_t kMostLineBytes = 1 << 20;

// How files begin that hold their vectors compressed, and what to do about it. Others are read by their
// names.
struct Compressed {
  std::string_view magic, kind, remedy;
};
constexpr Compressed kCompressed[] = {
    {"\x1F\x8B", "gzip", "give it a name that ends in .gz"},
    {"PK\x03\x04", "zip", "unpack it first"},
    {"BZh", "bzip2", "give it a name that ends in .bz2"},
    {"\xFD\x37zXZ", "xz", "give it a name that ends in .xz"},
};

// A field in a message: quoted, and cut short where it is long, or no text.
std::string shown(std::string_view field) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  const auto end = static_cast<size_t>(std::find_if(field.begin(), field.end(), is_control) - field.begin());
  const std::string_view start = utf8::prefix(field.substr(0, std::min(end, utf8::first_invalid(field))), 40);
  std::string text = "'";
  text += start;
  return text += start.size() < field.size() ? "…'" : "'";
}

std::optional<size_t> parse_count(std::string_view digits) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<float> parse_value(std::string_view text) {
  double number = 0;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
#else
  // A library that does not have it for doubles yet.
  const std::string copy(text);
  char* end = nullptr;
  number = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size()) return std::nullopt;
#endif
  const auto value = static_cast<float>(number);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

bool VectorReader::take(std::string_view bytes) {
  while (words_ < limit_) {
    check_interrupts(10);
    const size_t end = bytes.find('\n');
    if (rest_.size() + std::min(end, bytes.size()) > kMostLineBytes) {
      ++number_;
      if (number_ == 1) refuse_compressed(rest_.empty() ? bytes : rest_);
      refuse("it has more than a million bytes: this is no file of vectors");
    }
    if (end == std::string_view::npos) {
      rest_ += bytes;
      return true;
    }
    if (rest_.empty()) {
      read_line(bytes.substr(0, end));
    } else {
      rest_ += bytes.substr(0, end);
      read_line(rest_);
      rest_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
  return false;
}

WordVectors VectorReader::finish() {
  if (words_ < limit_ && !rest_.empty()) read_line(rest_);
  if (words_ == 0) throw VectorsError(name_ + " has no vectors in it: check the name.");
  if (promised_ && words_ < std::min(*promised_, limit_))
    throw VectorsError(name_ + " is cut short: its first line says that there are " +
                       std::to_string(*promised_) + " words, and there are " + std::to_string(words_) +
                       ". Get the file again, or mend its first line.");
  return std::move(vectors_);
}

// Without its end; fastText leaves a space there.
void VectorReader::read_line(std::string_view line) {
  ++number_;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (number_ == 1) {
    refuse_compressed(line);
    if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (read_heading(line)) return;
  }
  if (!line.empty()) read_word(line);
}

void VectorReader::refuse(const std::string& why) const {
  throw VectorsError(name_ + ", line " + std::to_string(number_) + ": " + why + ".");
}

void VectorReader::refuse_compressed(std::string_view start) const {
  for (const auto& [magic, kind, remedy] : kCompressed)
    if (start.starts_with(magic))
      throw VectorsError(name_ + " is compressed (" + std::string(kind) + "): " + std::string(remedy) + ".");
}

bool VectorReader::read_heading(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const auto words = parse_count(line.substr(0, space)), width = parse_count(line.substr(space + 1));
  if (!words || !width) return false;
  if (*width == 0 || *width > kMostNumbers)
    refuse("vectors have from 1 to " + std::to_string(kMostNumbers) + " values, not " +
           std::to_string(*width));
  promised_ = words;
  vectors_.width = *width;
  return true;
}

void VectorReader::read_word(std::string_view line) {
  const size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  if (word.empty()) refuse("it begins with a space, and no word");
  if (utf8::first_invalid(word) != utf8::kAllValid)
    refuse("the word is not UTF-8. Vectors are read from the text format of word2vec and fastText");
  read_values(word, space == std::string_view::npos ? std::string_view{} : line.substr(space + 1));
  ++words_;
  const uint64_t key = TokenInputs::vector_key(input_, word);
  if (!known_.insert(key).second) return;
  vectors_.keys.push_back(key);
  to_lower(word, lower_);
  vectors_.lowered.push_back(TokenInputs::vector_key(input_, lower_));
  vectors_.values.insert(vectors_.values.end(), values_.begin(), values_.end());
}

void VectorReader::read_values(std::string_view word, std::string_view left) {
  values_.clear();
  while (!left.empty()) {
    const size_t space = left.find(' ');
    const std::string_view field = left.substr(0, space);
    const auto value = parse_value(field);
    if (!value) refuse(shown(field) + ", after the word " + shown(word) + ", is no finite number");
    values_.push_back(*value);
    left = space == std::string_view::npos ? std::string_view{} : left.substr(space + 1);
  }
  if (values_.empty() || values_.size() > kMostNumbers)
    refuse("the word " + shown(word) + " has " + std::to_string(values_.size()) + " values");
  if (vectors_.width == 0) vectors_.width = values_.size();
  if (values_.size() != vectors_.width)
    refuse("the word " + shown(word) + " has " + std::to_string(values_.size()) + " values, and not " +
           std::to_string(vectors_.width) + " as the others");
}

}  // namespace arcwise
