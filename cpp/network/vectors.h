// Pre-trained vectors of words, read from the text format of word2vec and fastText: a word a line, and its
// numbers after single spaces. The first line may say how many words there are and how many numbers each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
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

// The vectors of the file's first `limit` words, with keys of TokenInput::Word or Vector. Of a word that is
// there twice the first one counts.
WordVectors read_vectors(const std::string& path, size_t limit, TokenInput input);

}  // namespace arcwise
