// Treebanks as Arrow tables: a row a word, a sentence or a document.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "text/arrow_column.h"
#include "text/treebank.h"

namespace arcwise {

enum class ArrowRows : uint8_t { Word, Sentence, Document };

// What a table may have of words, of sentences, and of rows that are sentences or documents.
struct ArrowNames {
  std::vector<std::string> words, sentences, whole;
};
const ArrowNames& arrow_names();

struct ArrowTableOptions {
  ArrowRows rows = ArrowRows::Word;
  std::vector<std::string> columns;  // of the names above, in any order
  bool dictionaries = true;          // tags and labels of rows of words are numbers and what they stand for
};

// `document_ends` has the number of sentences up to the end of each document, or nothing: then all sentences
// are one document, and rows of words and sentences do not say which they are of.
std::shared_ptr<const ArrowChunks> arrow_table(const Treebank& treebank,
                                               std::span<const size_t> document_ends,
                                               const ArrowTableOptions& options);

}  // namespace arcwise
