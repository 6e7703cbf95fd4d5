#include "parse/segmenter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "base/interrupts.h"
#include "search/frontier.h"
#include "text/cutting.h"

namespace arcwise {
namespace {

// Below all scores that there are, with room to be added to them.
constexpr int32_t kNever = std::numeric_limits<int32_t>::min() / 2;

// Greedy search, which does not stop where a token can only go on.
class BoundarySearch {
 public:
  BoundarySearch(const Segmentation& task, const SeenWords& seen, const FewClassScorer& scorer, int32_t bias,
                 bool bias_among_ends)
      : task_(task), scorer_(scorer), features_(seen), keys_(features_.size()) {
    for (size_t b = 0; b < kBoundaries; ++b) {
      columns_[b] = static_cast<uint16_t>(FewClassScorer::kFirst + b);
      if (is_sentence_end(static_cast<Boundary>(b)))
        (bias_among_ends ? among_ends_ : bias_)[columns_[b]] = bias;
    }
    among_ends_[columns_[static_cast<size_t>(Boundary::Inside)]] = kNever;
    has_bias_among_ends_ = bias_among_ends && bias != 0;
  }

  // What happens after each character.
  std::vector<Boundary>& run(const RawText& text) {
    task_.start(state_, text);
    while (task_.pass_inside(state_)) {
      check_interrupts();
      const Legal legal = task_.legal(state_);
      task_.apply(state_, legal.size() == 1 ? legal.first() : best(legal, text));
    }
    return state_.boundaries;
  }

 private:
  MoveId best(const Legal& legal, const RawText& text) {
    BoundaryView view;
    task_.view(state_, view);
    FewClassScorer::Scores scores = bias_;
    scorer_.add(keys_.data(), features_.extract(view, text, keys_.data()), scores);
    const MoveId move = best_legal(legal, scores.data(), columns_.data()).move;
    if (!has_bias_among_ends_ || !is_end(static_cast<Boundary>(move))) return move;
    for (size_t column = 0; column < scores.size(); ++column) scores[column] += among_ends_[column];
    return best_legal(legal, scores.data(), columns_.data()).move;
  }

  const Segmentation& task_;
  const FewClassScorer& scorer_;
  BoundaryFeatures features_;
  std::vector<uint64_t> keys_;
  std::array<uint16_t, kBoundaries> columns_;  // where the score of each boundary is
  FewClassScorer::Scores bias_{}, among_ends_{};
  bool has_bias_among_ends_;
  Segmentation::State state_;
};

// Where the last sentence but one ends, in characters; 0 if there is but one.
int32_t last_sentence_end(std::span<const Boundary> boundaries) {
  int32_t end = static_cast<int32_t>(boundaries.size()) - 1;
  while (end > 0 && !is_sentence_end(boundaries[end - 1])) --end;
  return std::max(end, 0);
}

}  // namespace

Segmenter::Segmenter(BoundaryRules rules, SeenWords seen, Splits splits, const LinearScorer& scorer,
                     SentenceBias bias)
    : rules_(std::move(rules)),
      seen_(std::move(seen)),
      splits_(std::move(splits)),
      scorer_(scorer),
      bias_among_ends_(bias.among_ends) {
  constexpr double kMost = 1e6;
  if (!(std::fabs(bias.bias / scorer_.scale()) < kMost))
    throw std::invalid_argument("The segmenter is damaged: its bias is out of range.");
  bias_ = static_cast<int32_t>(std::lround(bias.bias / scorer_.scale()));
  if (scorer_.classes() != kBoundaries)
    throw std::invalid_argument("The weights are damaged: they are not those of a segmenter.");
}

size_t Segmenter::segment(std::string_view text, const SegmentOptions& options, TextPosition& position,
                          TreebankBuilder& out, std::vector<CutSentence>& cut) const {
  // A line that is a sentence is looked at as a whole, if its words are not too many.
  constexpr size_t kCharactersPerWord = 8;
  const size_t most_of_line = kCharactersPerWord * static_cast<size_t>(options.max_words);
  RawText paragraph;
  Segmentation task(rules_, splits_, options.task);
  BoundarySearch search(task, seen_, scorer_, bias_, bias_among_ends_);
  SegmentWriter writer(splits_, options.ranges, position);
  std::vector<CutSentence> told;  // of a sentence that has been named for its characters
  ReadRawText reading = options.reading;
  size_t done = 0;
  while (done < text.size()) {
    size_t bytes = paragraph.read(text.substr(done), reading);
    if (!options.whole && done + bytes == text.size()) break;
    std::vector<Boundary>& boundaries = search.run(paragraph);
    bool goes_on = false;
    const bool ends_line = options.task.line_is_sentence && paragraph[paragraph.size() - 1].gap >= Gap::Line;
    if (paragraph.is_cut() && !ends_line) {
      // Its last sentence may go on, and is left for the next piece.
      if (const int32_t end = last_sentence_end(boundaries); end > 0) {
        bytes = paragraph.shorten(end);
        boundaries.resize(static_cast<size_t>(end));
      } else if (options.task.line_is_sentence && reading.most < most_of_line &&
                 std::any_of(boundaries.begin(), boundaries.end() - 1, is_end)) {
        reading.most *= 2;
        continue;
      } else {
        goes_on = true;
      }
    }
    if (goes_on && !position.within_sentence)
      cut.push_back({position.sentence, 0, 0, static_cast<int32_t>(reading.most)});
    if (boundaries.size() * splits_.most_words() > static_cast<size_t>(options.max_words))
      cut_long_sentences(paragraph, options.max_words, position.sentence, boundaries,
                         goes_on || position.within_sentence ? told : cut);
    writer.write(paragraph, boundaries, out);
    position.within_sentence = goes_on;
    reading.most = options.reading.most;
    done += bytes;
  }
  return done;
}

std::array<int32_t, kBoundaries> Segmenter::scores(std::span<const uint64_t> keys) const {
  FewClassScorer::Scores scores{};
  scorer_.add(keys.data(), static_cast<int32_t>(keys.size()), scores);
  std::array<int32_t, kBoundaries> of_boundaries;
  std::copy_n(scores.begin() + FewClassScorer::kFirst, kBoundaries, of_boundaries.begin());
  return of_boundaries;
}

void Segmenter::cut_long_sentences(const RawText& paragraph, int32_t max_words, int64_t number,
                                   std::vector<Boundary>& boundaries, std::vector<CutSentence>& cut) const {
  const auto most = static_cast<size_t>(max_words);
  std::vector<std::string> words;        // of a multiword token
  std::vector<std::string_view> tokens;  // of the piece under way
  std::vector<int32_t> ends;             // where they end
  std::vector<size_t> counts;            // of words, up to each
  CutSentence found{number, 0, 1, 0};
  int32_t begin = 0;
  for (int32_t i = 0; i < paragraph.size(); ++i) {
    if (!is_end(boundaries[i])) continue;
    size_t count = 1;
    if (is_split(boundaries[i])) {
      splits_.words(paragraph.text(begin, i + 1), words);
      count = words.size();
    }
    found.words += static_cast<int64_t>(count);
    if (!counts.empty() && counts.back() + count > most) {
      // Not in the first half: both pieces are to be worth something.
      const auto half = std::upper_bound(counts.begin(), counts.end() - 1, most / 2) - counts.begin();
      const size_t kept = static_cast<size_t>(half) + cut_place(std::span(tokens).subspan(half));
      boundaries[ends[kept - 1]] =
          is_split(boundaries[ends[kept - 1]]) ? Boundary::SentenceSplit : Boundary::Sentence;
      const size_t before = counts[kept - 1];
      const auto drop = [&](auto& values) {
        values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kept));
      };
      drop(tokens), drop(ends), drop(counts);
      for (size_t& c : counts) c -= before;
      ++found.pieces;
    }
    tokens.push_back(paragraph.text(begin, i + 1));
    ends.push_back(i);
    counts.push_back((counts.empty() ? 0 : counts.back()) + count);
    begin = i + 1;
    if (!is_sentence_end(boundaries[i])) continue;
    if (found.pieces > 1) cut.push_back(found);
    found = {found.number + found.pieces, 0, 1, 0};
    tokens.clear(), ends.clear(), counts.clear();
  }
}

}  // namespace arcwise
