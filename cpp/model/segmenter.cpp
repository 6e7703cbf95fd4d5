#include "model/segmenter.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "search/greedy.h"

namespace arcwise {
namespace {

// Scores boundaries by the weights of their features.
class BoundaryScoring {
 public:
  BoundaryScoring(const LinearScorer& scorer, int32_t bias, const RawText& text)
      : scorer_(scorer),
        text_(text),
        keys_(features_.size()),
        bias_(scorer.width()),
        scores_(scorer.width()) {
    for (int b = 0; b < kBoundaries; ++b)
      if (is_sentence_end(static_cast<Boundary>(b))) bias_[places()[b]] = bias;
  }

  void sentence(size_t /*paragraph*/) {}
  int32_t words() const { return text_.size(); }
  const int32_t* score(const Tree& tree, const SlotNodes& slots) {
    std::copy(bias_.begin(), bias_.end(), scores_.begin());
    scorer_.add(keys_.data(), features_.extract(tree, slots, text_, keys_.data()), scratch_, scores_.data());
    return scores_.data();
  }
  const uint16_t* places() const { return scorer_.places(); }
  double scale() const { return scorer_.scale(); }

 private:
  const LinearScorer& scorer_;
  const RawText& text_;
  BoundaryFeatures features_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> bias_, scores_;
  LinearScorer::Scratch scratch_;
};

}  // namespace

Segmenter::Segmenter(BoundaryRules rules, Splits splits, LinearScorer scorer, double bias)
    : rules_(std::move(rules)), splits_(std::move(splits)), scorer_(std::move(scorer)) {
  constexpr double kMost = 1e6;
  if (!(std::fabs(bias / scorer_.scale()) < kMost))
    throw std::invalid_argument("The segmenter is damaged: its bias is out of range.");
  bias_ = static_cast<int32_t>(std::lround(bias / scorer_.scale()));
  if (scorer_.classes() != kBoundaries)
    throw std::invalid_argument("The weights are damaged: they are not those of a segmenter.");
}

size_t Segmenter::segment(std::string_view text, const SegmentOptions& options, TextPosition& position,
                          std::string& conllu) const {
  RawText paragraph;
  Segmentation task(rules_, splits_, options.task);
  task.take(paragraph);
  BoundaryScoring scoring(scorer_, bias_, paragraph);
  GreedySearch search(task, scoring);
  SegmentWriter writer(splits_, options.ranges, position);
  size_t done = 0;
  while (done < text.size()) {
    const size_t bytes = paragraph.read(text.substr(done), options.reading);
    if (!options.whole && done + bytes == text.size()) break;
    done += bytes;
    search.parse(0);
    writer.write(paragraph, search.state().boundaries, conllu);
  }
  return done;
}

}  // namespace arcwise
