// A trained segmenter: from raw text to sentences and tokens, in CoNLL-U. Immutable and shared.
#pragma once

#include <string>
#include <string_view>

#include "feature/boundary_features.h"
#include "model/linear.h"
#include "task/segmentation.h"
#include "text/segment_writer.h"

namespace arcwise {

struct SegmentOptions {
  SegmentationOptions task;
  ReadRawText reading;
  bool ranges = false;  // in MISC
  bool whole = true;    // the text ends here; if not, its last paragraph is left for later
};

class Segmenter {
 public:
  // The bias, in the learner's scores, is what sentence ends are given beforehand. Throws
  // std::invalid_argument if the scorer is for another task.
  Segmenter(BoundaryRules rules, Splits splits, LinearScorer scorer, double bias);

  // Appends CoNLL-U of valid UTF-8, which goes on from the position, and returns how many bytes were
  // segmented.
  size_t segment(std::string_view text, const SegmentOptions& options, TextPosition& position,
                 std::string& conllu) const;

 private:
  BoundaryRules rules_;
  Splits splits_;
  LinearScorer scorer_;
  int32_t bias_;
};

}  // namespace arcwise
