// Pre-trained vectors of words, read from the text format of word2vec and fastText: a word a line, and its
// numbers after single spaces. The first line may say how many words there are and how many numbers each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "network/token_inputs.h"

namespace arcwise {

// A file of vectors that cannot be read: the file, the line, what is wrong and what to do.
struct VectorsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct WordVectors {
  size_t width = 0;
  std::vector<uint64_t> keys;     // each once
  std::vector<uint64_t> lowered;  // those of the words in lower case
  std::vector<float> values;      // [keys][width]
};

// Reads the vectors of a file's first `limit` words, with keys of TokenInput::Word or Vector, from its bytes
// as they come. Of a word that is there twice the first one counts.
class VectorReader {
 public:
  VectorReader(std::string name, size_t limit, TokenInput input)
      : name_(std::move(name)), limit_(limit), input_(input) {}

  // Whether there is anything to come that is wanted. Throws VectorsError.
  bool take(std::string_view bytes);
  // What was read, when there are no more bytes. Throws VectorsError.
  WordVectors finish();

 private:
  void read_line(std::string_view line);
  bool read_heading(std::string_view line);
  void read_word(std::string_view line);
  void read_values(std::string_view word, std::string_view left);
  void refuse_compressed(std::string_view start) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string name_;
  size_t limit_;
  TokenInput input_;
  std::string rest_;   // of a line whose end is not there yet
  size_t number_ = 0;  // of the line
  size_t words_ = 0;
  std::optional<size_t> promised_;
  std::vector<float> values_;
  std::string lower_;
  std::unordered_set<uint64_t> known_;
  WordVectors vectors_;
};

}  // namespace arcwise
