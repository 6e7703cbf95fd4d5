// What segmentation looks at when it decides what happens after a character: the characters, chunks and
// shapes on either side, the token as far as it goes and the length of the sentence. Decisions within a
// chunk and at white space have features of their own.
#pragma once

#include <cstdint>

#include "feature/seen_words.h"
#include "text/boundary.h"
#include "text/raw_text.h"

namespace arcwise {

class BoundaryFeatures {
 public:
  // The words must stay where they are.
  explicit BoundaryFeatures(const SeenWords& seen) : seen_(seen) {}

  // How many features a boundary has at most.
  size_t size() const;
  // Writes their keys and returns how many there are.
  int32_t extract(const BoundaryView& view, const RawText& text, uint64_t* keys) const;

 private:
  const SeenWords& seen_;
};

}  // namespace arcwise
