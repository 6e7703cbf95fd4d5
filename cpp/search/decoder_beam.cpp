#include "search/decoder_beam.h"

#include <algorithm>
#include <memory>
#include <tuple>

namespace arcwise {
namespace {

// The first steps of a derivation that was run to its end.
struct Beginning {
  std::shared_ptr<Trajectory> derivation;
  size_t length = 0;
  double cost = 0;

  bool is_done() const { return length == derivation->steps().size(); }
};

// A beginning that is done, or with one of the allowed actions as its next step.
struct Candidate {
  double cost;
  size_t beginning, choice = 0;
  float predicted = 0;  // of the choice

  // Ties go to the beginning that stands before the other, and then to the action that is taken greedily.
  bool operator<(const Candidate& other) const {
    return std::tie(cost, beginning, predicted, choice) <
           std::tie(other.cost, other.beginning, other.predicted, other.choice);
  }
};

void find_candidates(std::span<const Beginning> beam, std::vector<Candidate>& candidates) {
  candidates.clear();
  for (size_t b = 0; b < beam.size(); ++b) {
    if (beam[b].is_done()) {
      candidates.push_back({beam[b].cost, b});
      continue;
    }
    const Trajectory::Step& step = beam[b].derivation->steps()[beam[b].length];
    for (size_t i = 0; i < step.allowed.size(); ++i) {
      const float predicted = step.is_a_choice() ? step.costs[i] : 0;
      // Costs are learnt as differences from the best action's: none is below 0, whatever is predicted.
      candidates.push_back({beam[b].cost + std::max(predicted, 0.0f), b, i, predicted});
    }
  }
}

}  // namespace

void decode_with_beam(DecoderRun& search, Decoder& decoder, uint64_t example, size_t width) {
  std::vector<Beginning> beam, next;
  std::vector<Candidate> candidates;
  std::shared_ptr<Trajectory> last;
  const auto run = [&](Trajectory beginning) {
    last = std::make_shared<Trajectory>(std::move(beginning));
    search.derive(decoder, example, *last);
    return last;
  };
  beam.push_back({run({})});
  // Sums do not fall: once the first is done, none of the others will be before it.
  while (!beam.front().is_done()) {
    find_candidates(beam, candidates);
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(width, candidates.size()));
    std::partial_sort(candidates.begin(), end, candidates.end());
    next.clear();
    for (const Candidate& c : std::span(candidates.begin(), end)) {
      const auto& [derivation, length, cost] = beam[c.beginning];
      if (beam[c.beginning].is_done()) {
        next.push_back(beam[c.beginning]);
        continue;
      }
      const Trajectory::Step& step = derivation->steps()[length];
      const int32_t action = step.allowed[c.choice];
      next.push_back(
          {action == step.taken ? derivation : run(derivation->up_to(length, action)), length + 1, c.cost});
    }
    beam.swap(next);
  }
  const std::shared_ptr<Trajectory>& best = beam.front().derivation;
  if (best != last) search.repeat(decoder, example, *best);
}

}  // namespace arcwise
