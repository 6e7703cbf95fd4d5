#include "network/fasttext.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "base/interrupts.h"
#include "text/case.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr int32_t kMagic = 793712314, kVersion = 12;
constexpr int64_t kMostWords = int64_t{1} << 31;
constexpr int32_t kMostWidth = 10000, kMostLength = 64;
constexpr std::string_view kEndOfSentence = "</s>";

// Reads what stands one after the other, in the order of bytes of the machines that write such files.
class Bytes {
 public:
  Bytes(std::span<const uint8_t> all, const std::string& name) : left_(all), name_(name) {}

  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view text() {
    const auto end = std::find(left_.begin(), left_.end(), uint8_t{0});
    const auto length = static_cast<size_t>(end - left_.begin());
    const auto bytes = take(length + 1);
    return {reinterpret_cast<const char*>(bytes.data()), length};
  }
  std::span<const uint8_t> take(size_t count) {
    if (left_.size() < count) refuse("is cut short: get the file again");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  [[noreturn]] void refuse(const std::string& why) const { throw VectorsError(name_ + " " + why + "."); }
  void demand(bool holds) const {
    if (!holds) refuse("is damaged: a number in it is out of range. Get the file again");
  }

 private:
  std::span<const uint8_t> left_;
  const std::string& name_;
};

class FastText {
 public:
  FastText(std::span<const uint8_t> file, const std::string& name, TokenInput input)
      : bytes_(file, name), input_(input) {
    if (bytes_.number<int32_t>() != kMagic) bytes_.refuse("is no file of fastText");
    if (bytes_.number<int32_t>() != kVersion)
      bytes_.refuse("is of another version of fastText than is read: write its vectors as text (.vec)");
    width_ = bytes_.number<int32_t>();
    for (int unused = 0; unused < 7; ++unused) bytes_.number<int32_t>();
    buckets_ = bytes_.number<int32_t>();
    shortest_ = bytes_.number<int32_t>();
    longest_ = bytes_.number<int32_t>();
    bytes_.number<int32_t>();
    bytes_.number<double>();
    bytes_.demand(width_ > 0 && width_ <= kMostWidth && buckets_ >= 0 && shortest_ >= 0 &&
                  longest_ <= kMostLength);
    read_words();
    if (bytes_.number<uint8_t>() != 0)
      bytes_.refuse("is quantised (.ftz): write its vectors as text (.vec), or use the file it was made of");
    const auto rows = bytes_.number<int64_t>(), columns = bytes_.number<int64_t>();
    bytes_.demand(columns == width_ && rows == static_cast<int64_t>(words_.size()) + buckets_);
    values_ = bytes_.take(static_cast<size_t>(rows) * static_cast<size_t>(width_) * sizeof(float));
  }

  void add(std::string_view word) {
    if (word.empty() || word == kEndOfSentence || utf8::first_invalid(word) != utf8::kAllValid) return;
    const uint64_t key = TokenInputs::vector_key(input_, word);
    if (!known_.insert(key).second) return;
    sum_.assign(static_cast<size_t>(width_), 0);
    size_t count = 0;
    const auto take = [&](int64_t row) {
      const uint8_t* from = values_.data() + static_cast<size_t>(row) * sum_.size() * sizeof(float);
      for (double& sum : sum_) {
        float value;
        std::memcpy(&value, from, sizeof(float));
        sum += value;
        from += sizeof(float);
      }
      ++count;
    };
    if (const auto found = words_.find(word); found != words_.end()) take(found->second);
    each_stretch(word, take);
    if (count == 0) return;
    for (double sum : sum_) {
      if (!std::isfinite(sum)) bytes_.refuse("is damaged: a vector in it is not finite. Get the file again");
      vectors_.values.push_back(static_cast<float>(sum / static_cast<double>(count)));
    }
    vectors_.keys.push_back(key);
    to_lower(word, lower_);
    vectors_.lowered.push_back(TokenInputs::vector_key(input_, lower_));
  }

  const std::vector<std::string_view>& words() const { return in_order_; }
  WordVectors vectors() && {
    vectors_.width = static_cast<size_t>(width_);
    return std::move(vectors_);
  }

 private:
  // Words, the most frequent first. What texts are classified by stands among them.
  void read_words() {
    const auto size = bytes_.number<int32_t>(), words = bytes_.number<int32_t>(),
               labels = bytes_.number<int32_t>();
    bytes_.number<int64_t>();
    const auto pruned = bytes_.number<int64_t>();
    bytes_.demand(size >= 0 && words >= 0 && labels >= 0 && size == int64_t{words} + labels &&
                  size < kMostWords);
    if (labels != 0) bytes_.refuse("is a classifier, and no file of vectors");
    if (pruned > 0) bytes_.refuse("is pruned: write its vectors as text (.vec)");
    for (int32_t w = 0; w < size; ++w) {
      check_interrupts(10);
      const std::string_view word = bytes_.text();
      bytes_.number<int64_t>();
      bytes_.number<int8_t>();
      words_.emplace(word, w);
      in_order_.push_back(word);
    }
    bytes_.demand(words_.size() == in_order_.size());
  }

  // visit(row) for each stretch of the word in angle brackets, of as many characters as the file says.
  template <class F>
  void each_stretch(std::string_view word, const F& visit) {
    if (buckets_ == 0) return;
    marked_ = '<';
    marked_ += word;
    marked_ += '>';
    const utf8::CodePoints characters(marked_);
    for (auto from = characters.begin(); from != characters.end(); ++from) {
      auto to = from;
      for (int32_t n = 1; n <= longest_ && to != characters.end(); ++n) {
        ++to;
        const bool is_mark = n == 1 && (from == characters.begin() || to == characters.end());
        if (n < shortest_ || is_mark) continue;
        const auto length = static_cast<size_t>(to.position() - from.position());
        visit(static_cast<int64_t>(words_.size()) + hash({from.position(), length}) % buckets_);
      }
    }
  }
  // FNV-1a as fastText has it, whose bytes have signs.
  static uint32_t hash(std::string_view text) {
    uint32_t h = 2166136261u;
    for (char c : text) h = (h ^ static_cast<uint32_t>(static_cast<int8_t>(c))) * 16777619u;
    return h;
  }

  Bytes bytes_;
  TokenInput input_;
  int32_t width_ = 0, buckets_ = 0, shortest_ = 0, longest_ = 0;
  std::unordered_map<std::string_view, int32_t> words_;
  std::vector<std::string_view> in_order_;
  std::span<const uint8_t> values_;
  std::unordered_set<uint64_t> known_;
  std::vector<double> sum_;
  std::string marked_, lower_;
  WordVectors vectors_;
};

}  // namespace

WordVectors read_fasttext(std::span<const uint8_t> file, const std::string& name, size_t limit,
                          std::span<const std::string> others, TokenInput input) {
  FastText model(file, name, input);
  for (const std::string_view word : std::span(model.words()).first(std::min(limit, model.words().size()))) {
    check_interrupts(10);
    model.add(word);
  }
  for (const std::string& word : others) model.add(word);
  WordVectors vectors = std::move(model).vectors();
  if (vectors.keys.empty()) throw VectorsError(name + " has no vectors in it: check the name.");
  return vectors;
}

}  // namespace arcwise
