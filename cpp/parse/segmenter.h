// A trained segmenter: from raw text to sentences and tokens. Immutable and shared.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "feature/boundary_features.h"
#include "model/few_class_scorer.h"
#include "task/segmentation.h"
#include "text/segment_writer.h"

namespace arcwise {

struct SegmentOptions {
  SegmentationOptions task;
  ReadRawText reading;
  bool ranges = false;          // in MISC
  bool whole = true;            // the text ends here; if not, its last paragraph is left for later
  int32_t max_words = 200'000;  // in a sentence
};

// A sentence that was too long.
struct CutSentence {
  int64_t number;  // of its first piece
  int64_t words;
  int32_t pieces;
  int32_t characters;  // looked at together without finding its end; 0: there were too many words
};

// What sentence ends are given beforehand, in the learner's scores.
struct SentenceBias {
  double bias = 0;
  bool among_ends = true;  // where a token ends; in older models it could make it end
};

class Segmenter {
 public:
  // Throws std::invalid_argument if the scorer is for another task.
  Segmenter(BoundaryRules rules, SeenWords seen, Splits splits, const LinearScorer& scorer,
            SentenceBias bias);

  // Appends the sentences of valid UTF-8 without NULs, which goes on from the position, and those that it
  // cut, and returns how many bytes were segmented.
  size_t segment(std::string_view text, const SegmentOptions& options, TextPosition& position,
                 TreebankBuilder& out, std::vector<CutSentence>& cut) const;

  // What features with these keys say of each boundary, for looking at from outside.
  std::array<int32_t, kBoundaries> scores(std::span<const uint64_t> keys) const;

 private:
  void cut_long_sentences(const RawText& paragraph, int32_t max_words, int64_t number,
                          std::vector<Boundary>& boundaries, std::vector<CutSentence>& cut) const;

  BoundaryRules rules_;
  SeenWords seen_;
  Splits splits_;
  FewClassScorer scorer_;
  int32_t bias_;
  bool bias_among_ends_;
};

}  // namespace arcwise
