// Treebanks as JSON: an object a sentence, with all that CoNLL-U says of it (docs/formats.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/buffer.h"
#include "text/raw_sentence.h"
#include "text/treebank.h"

namespace arcwise {

// What else is said of a sentence than CoNLL-U says.
struct JsonExtras {
  std::string fields;             // of JSON, with commas between: "rank":1,"prob":0.5
  std::vector<std::string> keys;  // theirs; comments of these names are left out
};

// Appends a sentence. `spans` has the places of its words, or nothing if they are not known. Without
// `keeps_ranges`, TokenRange in MISC is taken for what places say as well.
void append_json(const Treebank& treebank, size_t sentence, std::span<const TextSpan> spans,
                 bool keeps_ranges, const JsonExtras& extras, Buffer& out);

struct JsonDocument {
  Treebank treebank;
  std::optional<std::string> text;  // of the whole, where an object says it
};

struct ReadJsonOptions {
  ReadOptions reading;        // the format is CoNLL-U
  size_t first_sentence = 1;  // the number of the first, when the text is part of a file
};

// Reads sentences, one after the other or in an array, or documents, which have an array of them. The cursor
// goes on from part to part of a file. Throws TreebankError if it is no JSON, or other JSON; sentences that
// make no sense are as bad as those of Treebank::read.
JsonDocument read_json(std::string_view json, const ReadJsonOptions& options, TextCursor& cursor);

// What a column such as `Case=Nom|Number=Sing` is in an object of JSON. Names that come twice have their
// values together, which is all that is lost of it.
struct JsonColumn {
  std::string_view all;             // what stands in the column, if that is what it is in JSON
  std::optional<std::string> some;  // otherwise
  std::string_view head_prob, deprel_prob;
  bool has_range = false;

  std::string_view items() const { return some ? std::string_view(*some) : all; }
};
JsonColumn json_feats(std::string_view feats);
// Probabilities have keys of their own, if they are such, and so has the place, if it is known.
JsonColumn json_misc(std::string_view misc, bool has_place);
// Appends MISC with what has keys of its own, where a segmenter and a parser write it.
void append_misc(const JsonColumn& parts, const std::optional<TextSpan>& range, std::string& out);
// Whether this is what a probability looks like in MISC, and a number in JSON.
bool is_plain_probability(std::string_view number);

}  // namespace arcwise
