// Learning to search (Daumé III et al. 2014; Chang et al. 2015): a decoder is run once to see where it gets
// to, and again for what would have come of other actions on the way; from the differences a cost-sensitive
// learner learns which action to take.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/cost_sensitive.h"
#include "search/decoder_run.h"

namespace arcwise {

struct LearningToSearchOptions {
  // Who rolls in. Mix: the learned policy or the reference, as `mixing` says.
  enum class RollIn : uint8_t { Reference, Learned, Mix };
  // Who goes on after a deviation. Where the reference would and a decoder knows what that would cost, nobody
  // has to. Exact: it always knows. None: an action costs 0 if it is the reference's, else 1.
  enum class RollOut : uint8_t { Reference, Learned, Mix, None, Exact };
  // How often a mixture is the reference: (1 - annealing)^t after t decisions have been learnt from; beta; or
  // beta^(e - 1) in epoch e, where 0^0 is 1.
  enum class Mixing : uint8_t { Anneal, Constant, Epochs };
  enum class Per : uint8_t { State, Trajectory };  // how often it is drawn which of the two acts

  RollIn rollin = RollIn::Mix;
  RollOut rollout = RollOut::Reference;
  Mixing mixing = Mixing::Anneal;
  Per per = Per::State;
  double annealing = 1e-5;
  double beta = 0.5;
  int32_t deviations = 0;  // how many steps of an example are learnt from, drawn at random; 0: all
  uint64_t seed = 1;
};

// A step of a trajectory and what each of its allowed actions costs, the best one 0.
struct CostedStep {
  size_t step = 0;
  std::vector<float> costs;
};

struct LearningToSearchProgress {
  int64_t examples = 0;
  int64_t predictions = 0;  // in roll-ins
  int64_t decisions = 0;    // learnt from
  int64_t roll_outs = 0;    // runs of the decoder
  int64_t shared = 0;       // roll-outs that the roll-in itself was
  double loss = 0;          // of roll-ins
  double learner_loss = 0;  // of the learner, before it learns
};

// What was learnt from one example.
struct Lesson {
  int64_t decisions = 0;
  int64_t wrong = 0;  // of these: the roll-in took an action that was not the best
  double loss = 0;    // of the learner, before it learns
};

class LearningToSearch {
 public:
  LearningToSearch(const LearningToSearchOptions& options, CostSensitiveLearner& learner);

  // What there is to be learnt from an example: all roll-outs are made before anything is. Epochs count
  // from 1.
  std::span<const CostedStep> examine(Decoder& decoder, int epoch, uint64_t example);
  // Learns from that.
  Lesson learn(std::span<const CostedStep> examined);

  // For a run that goes on where another stopped, which had learnt from so many decisions.
  void resume(int64_t decisions) { progress_.decisions = decisions; }

  const Trajectory& trajectory() const { return trajectory_; }  // of the last roll-in
  const LearningToSearchProgress& progress() const { return progress_; }
  const DecoderRun& run() const { return run_; }
  // How often the reference acts in a mixture at this time.
  double reference_share(int epoch) const;

 private:
  RollPolicy rollin_actor(int epoch, Random& random) const;
  RollPolicy rollout_actor(int epoch, Random& random) const;
  RollPolicy mixture(int epoch, Random& random) const;
  void choose_steps(Random& random);
  void cost(Decoder& decoder, uint64_t example, const RollPolicy& actor, CostedStep& costed);
  void known_costs(uint64_t example, CostedStep& costed) const;
  bool goes_on_as(const RollPolicy& actor, size_t step) const;

  LearningToSearchOptions options_;
  CostSensitiveLearner& learner_;
  CostSensitiveLearner::Workspace workspace_;
  DecoderRun run_;
  Trajectory trajectory_;
  std::vector<size_t> chosen_;
  std::vector<CostedStep> costed_;  // more than there are, for their memory
  // From which step on the roll-in was the reference's alone, and the learned policy's alone.
  size_t reference_from_ = 0, learned_from_ = 0;
  LearningToSearchProgress progress_;
};

}  // namespace arcwise
