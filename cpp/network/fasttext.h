// Vectors of words from a binary file of fastText, which has vectors of stretches of characters as well: any
// word is the mean of those of its stretches, and, if the file knows it, its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "network/vectors.h"

namespace arcwise {

// The vectors of the file's first `limit` words and, after them, of `others` that are not among those. Throws
// VectorsError, with the file's name, if it is none, is damaged, or is of a kind that is not read.
WordVectors read_fasttext(std::span<const uint8_t> file, const std::string& name, size_t limit,
                          std::span<const std::string> others, TokenInput input);

}  // namespace arcwise
