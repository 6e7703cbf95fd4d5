#include "train/learning_to_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/interrupts.h"

namespace arcwise {
namespace {

// What is random in an example depends on nothing that was drawn for others.
uint64_t seed_of(uint64_t seed, int epoch, uint64_t example) {
  return mix(mix(mix(seed) + static_cast<uint64_t>(epoch)) + example);
}

}  // namespace

LearningToSearch::LearningToSearch(const LearningToSearchOptions& options, CostSensitiveLearner& learner)
    : options_(options), learner_(learner), run_(learner) {
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  if (!is_share(options.annealing)) throw std::invalid_argument("alpha must be a number from 0 to 1.");
  if (!is_share(options.beta)) throw std::invalid_argument("beta must be a number from 0 to 1.");
  if (options.deviations < 0)
    throw std::invalid_argument("The number of deviations must not be negative: 0 are all.");
}

double LearningToSearch::reference_share(int epoch) const {
  switch (options_.mixing) {
    case LearningToSearchOptions::Mixing::Anneal:
      return std::pow(1 - options_.annealing, static_cast<double>(progress_.decisions));
    case LearningToSearchOptions::Mixing::Epochs:
      return std::pow(options_.beta, epoch - 1);
    default:
      return options_.beta;
  }
}

RollPolicy LearningToSearch::mixture(int epoch, Random& random) const {
  RollPolicy actor{1 - reference_share(epoch), Random(random.next())};
  if (options_.per == LearningToSearchOptions::Per::Trajectory) actor.learned = actor.learned_acts() ? 1 : 0;
  return actor;
}

RollPolicy LearningToSearch::rollin_actor(int epoch, Random& random) const {
  switch (options_.rollin) {
    case LearningToSearchOptions::RollIn::Reference:
      return {0};
    case LearningToSearchOptions::RollIn::Learned:
      return {1};
    default:
      return mixture(epoch, random);
  }
}

RollPolicy LearningToSearch::rollout_actor(int epoch, Random& random) const {
  switch (options_.rollout) {
    case LearningToSearchOptions::RollOut::Learned:
      return {1};
    case LearningToSearchOptions::RollOut::Mix:
      return mixture(epoch, random);
    default:
      return {0};
  }
}

Lesson LearningToSearch::learn(std::span<const CostedStep> examined) {
  constexpr int64_t kStepsInPeace = 4096;  // an interrupt would leave the others out
  Lesson lesson;
  for (const CostedStep& costed : examined) {
    if (lesson.decisions % kStepsInPeace == kStepsInPeace - 1) interrupts::look();
    const Trajectory::Step& step = trajectory_.steps()[costed.step];
    lesson.loss += learner_.learn(step.features, step.allowed, costed.costs, workspace_, step.policy);
    ++lesson.decisions;
    const auto taken = std::find(step.allowed.begin(), step.allowed.end(), step.taken);
    lesson.wrong += costed.costs[taken - step.allowed.begin()] > 0;
  }
  ++progress_.examples;
  progress_.predictions += static_cast<int64_t>(trajectory_.steps().size());
  progress_.decisions += lesson.decisions;
  progress_.loss += trajectory_.loss;
  progress_.learner_loss += lesson.loss;
  return lesson;
}

std::span<const CostedStep> LearningToSearch::examine(Decoder& decoder, int epoch, uint64_t example) {
  Random random(seed_of(options_.seed, epoch, example));
  run_.roll_in(decoder, example, rollin_actor(epoch, random), trajectory_);
  const auto steps = trajectory_.steps();
  reference_from_ = learned_from_ = steps.size();
  const auto was_forced = [&](size_t s) { return !steps[s].is_a_choice(); };
  while (reference_from_ > 0 &&
         (was_forced(reference_from_ - 1) || steps[reference_from_ - 1].took_the_reference()))
    --reference_from_;
  while (learned_from_ > 0 && steps[learned_from_ - 1].by_learned) --learned_from_;

  choose_steps(random);
  size_t count = 0;
  for (size_t step : chosen_) {
    if (costed_.size() == count) costed_.emplace_back();
    CostedStep& costed = costed_[count];
    costed.step = step;
    // One for all actions of a step, with the same draws: what differs is the action.
    cost(decoder, example, rollout_actor(epoch, random), costed);
    const auto [least, most] = std::minmax_element(costed.costs.begin(), costed.costs.end());
    if (*least == *most) continue;  // a decision that makes no difference
    const float best = *least;
    for (float& c : costed.costs) c -= best;
    ++count;
  }
  return {costed_.data(), count};
}

void LearningToSearch::choose_steps(Random& random) {
  const auto steps = trajectory_.steps();
  chosen_.clear();
  for (size_t s = 0; s < steps.size(); ++s)
    if (steps[s].is_a_choice()) chosen_.push_back(s);
  const auto wanted = static_cast<size_t>(options_.deviations);
  if (wanted == 0 || chosen_.size() <= wanted) return;
  for (size_t i = 0; i < wanted; ++i) std::swap(chosen_[i], chosen_[i + random.below(chosen_.size() - i)]);
  chosen_.resize(wanted);
  std::sort(chosen_.begin(), chosen_.end());
}

void LearningToSearch::cost(Decoder& decoder, uint64_t example, const RollPolicy& actor, CostedStep& costed) {
  using RollOut = LearningToSearchOptions::RollOut;
  const Trajectory::Step& step = trajectory_.steps()[costed.step];
  costed.costs.clear();
  if (options_.rollout == RollOut::None || options_.rollout == RollOut::Exact ||
      (options_.rollout == RollOut::Reference && !step.costs.empty())) {
    known_costs(example, costed);
    return;
  }
  for (int32_t action : step.allowed) {
    if (action == step.taken && goes_on_as(actor, costed.step + 1)) {
      costed.costs.push_back(static_cast<float>(trajectory_.loss));
      ++progress_.shared;
      continue;
    }
    costed.costs.push_back(
        static_cast<float>(run_.roll_out(decoder, example, trajectory_, costed.step, action, actor)));
    ++progress_.roll_outs;
  }
}

void LearningToSearch::known_costs(uint64_t example, CostedStep& costed) const {
  const Trajectory::Step& step = trajectory_.steps()[costed.step];
  const auto refuse = [&](const char* what) { throw SearchError(place_of(example, costed.step + 1) + what); };
  if (options_.rollout != LearningToSearchOptions::RollOut::None) {
    if (step.costs.empty())
      refuse("Roll-outs are exact and there are no costs: give some, or choose other roll-outs.");
    costed.costs = step.costs;
    return;
  }
  if (step.reference.empty())
    refuse("There are no roll-outs and there is no reference: give one, or choose roll-outs.");
  for (int32_t action : step.allowed)
    costed.costs.push_back(std::find(step.reference.begin(), step.reference.end(), action) ==
                           step.reference.end());
}

// Would a roll-out from this step on do what the roll-in did?
bool LearningToSearch::goes_on_as(const RollPolicy& actor, size_t step) const {
  if (step >= trajectory_.steps().size()) return true;
  return (actor.learned <= 0 && step >= reference_from_) || (actor.learned >= 1 && step >= learned_from_);
}

}  // namespace arcwise
