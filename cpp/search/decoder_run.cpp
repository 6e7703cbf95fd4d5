#include "search/decoder_run.h"

#include <algorithm>
#include <cmath>

namespace arcwise {
namespace {

using namespace std::string_literals;

constexpr const char* kDependsOnNothingElse = "a run may depend on nothing but its example and the answers.";

bool contains(std::span<const int32_t> actions, int32_t action) {
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

}  // namespace

// Whatever ends a run, an error of the decoder's own included, the next one starts afresh.
class DecoderRun::Running {
 public:
  Running(DecoderRun& search, Decoder& decoder, uint64_t example, Mode mode, size_t repeated)
      : search_(search) {
    search_.demand_idle();
    search_.mode_ = mode;
    search_.decoder_ = &decoder;
    search_.example_ = example;
    search_.step_ = 0;
    search_.repeated_ = repeated;
    search_.loss_ = 0;
    search_.loss_stated_ = false;
  }
  ~Running() { search_.mode_ = Mode::None; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  DecoderRun& search_;
};

void DecoderRun::demand_idle() const {
  if (mode_ != Mode::None)
    refuse("A run was started inside another of the same search: give it a search of its own.");
}

void DecoderRun::refuse_another_question() const {
  refuse("A prediction was asked for while another is being made: ask for one after the other.");
}

void DecoderRun::take_back() {
  if (mode_ == Mode::None) return;
  --step_;
  if (mode_ == Mode::RollIn || mode_ == Mode::Derive) kept_->size_ = std::max(step_, repeated_);
}

void DecoderRun::loss(double value) {
  if (mode_ == Mode::None) refuse("A loss was stated outside a run: call loss inside run only.");
  if (!std::isfinite(value)) refuse("The loss is not a finite number: state one that is.");
  loss_ += value;
  loss_stated_ = true;
}

void DecoderRun::run(Decoder& decoder, uint64_t example, Mode mode, size_t repeated) {
  const Running running(*this, decoder, example, mode, repeated);
  decoder.run(*this);
  if (step_ < repeated)
    refuse("The run ended after " + std::to_string(step_) +
           " predictions, but with the same answers it asked for more before: " + kDependsOnNothingElse);
  if (is_training() && !loss_stated_ && step_ > 0)
    refuse("The run ended without a loss: state one with loss, be it 0.");
}

void DecoderRun::decode(Decoder& decoder, uint64_t example) { run(decoder, example, Mode::Predict); }

void DecoderRun::roll_in(Decoder& decoder, uint64_t example, const RollPolicy& actor,
                         Trajectory& trajectory) {
  demand_idle();
  actor_ = actor;
  kept_ = &trajectory;
  trajectory.size_ = 0;
  run(decoder, example, Mode::RollIn);
  trajectory.loss = loss_;
}

double DecoderRun::roll_out(Decoder& decoder, uint64_t example, const Trajectory& trajectory, size_t step,
                            int32_t action, const RollPolicy& actor) {
  demand_idle();
  actor_ = actor;
  followed_ = &trajectory;
  deviating_action_ = action;
  run(decoder, example, Mode::RollOut, step + 1);
  return loss_;
}

void DecoderRun::derive(Decoder& decoder, uint64_t example, Trajectory& derivation) {
  demand_idle();
  kept_ = &derivation;
  run(decoder, example, Mode::Derive, derivation.size_);
}

void DecoderRun::repeat(Decoder& decoder, uint64_t example, Trajectory& derivation) {
  demand_idle();
  kept_ = &derivation;
  run(decoder, example, Mode::Repeat, derivation.size_);
}

DecoderRun::Turn DecoderRun::next_turn(const Question& question) {
  if (mode_ == Mode::None) refuse("A prediction was asked for outside a run: call predict inside run only.");
  ++step_;
  if (question.allowed.empty()) refuse("No action is allowed: allow at least one.");
  switch (mode_) {
    case Mode::RollIn:
      return next_in_roll_in(question);
    case Mode::RollOut:
      return next_in_roll_out(question);
    case Mode::Derive:
    case Mode::Repeat:
      return next_in_derivation(question);
    default:
      return next_in_prediction(question);
  }
}

DecoderRun::Turn DecoderRun::next_in_prediction(const Question& question) {
  if (question.allowed.size() == 1) return {question.allowed.front()};
  return {0, &features_};
}

Trajectory::Step& DecoderRun::keep(const Question& question) {
  if (kept_->steps_.size() < step_) kept_->steps_.resize(step_);
  kept_->size_ = step_;
  Trajectory::Step& step = kept_->steps_[step_ - 1];
  step.allowed.assign(question.allowed.begin(), question.allowed.end());
  step.reference.assign(question.reference.begin(), question.reference.end());
  step.costs.assign(question.costs.begin(), question.costs.end());
  step.policy = question.policy;
  if (!step.is_a_choice()) {
    step.taken = question.allowed.front();
    step.by_learned = true;
  }
  return step;
}

DecoderRun::Turn DecoderRun::next_in_roll_in(const Question& question) {
  check(question);
  Trajectory::Step& step = keep(question);
  if (!step.is_a_choice()) return {step.taken};
  // Whoever acts, the step is to be learnt from.
  return {0, &step.features, actor_.learned_acts()};
}

DecoderRun::Turn DecoderRun::next_in_roll_out(const Question& question) {
  const size_t step = step_ - 1;
  if (step < repeated_) {
    const Trajectory::Step& before = followed_->steps()[step];
    check_same(question, before);
    return {step + 1 == repeated_ ? deviating_action_ : before.taken};
  }
  if (question.allowed.size() == 1) return {question.allowed.front()};
  if (actor_.learned_acts()) return {0, &features_};
  ++in_roll_outs_.reference;
  return {reference_of(question)};
}

DecoderRun::Turn DecoderRun::next_in_derivation(const Question& question) {
  if (step_ <= repeated_) {
    const Trajectory::Step& before = kept_->steps_[step_ - 1];
    check_same(question, before);
    if (mode_ == Mode::Derive || !before.is_a_choice()) return {before.taken};
    return {0, &features_};
  }
  if (mode_ == Mode::Repeat)
    refuse("With the same answers the run ended here before: "s + kDependsOnNothingElse);
  const Trajectory::Step& step = keep(question);
  if (!step.is_a_choice()) return {step.taken};
  return {0, &features_};
}

int32_t DecoderRun::answer_in_derivation(const Question& question) {
  Trajectory::Step& step = kept_->steps_[step_ - 1];
  costs_.resize(question.allowed.size());
  learner_.costs(features_, question.allowed, costs_, workspace_, question.policy);
  if (mode_ == Mode::Repeat) {
    if (costs_ != step.costs)
      refuse("With the same answers the run gave other features than before: "s + kDependsOnNothingElse);
    return step.taken;
  }
  for (size_t i = 0; i < costs_.size(); ++i)
    if (!std::isfinite(costs_[i]))
      refuse("The predicted cost of " + decoder_->name_of(question.allowed[i]) +
             " is not a finite number: give features smaller values, or predict without a beam.");
  step.costs = costs_;
  step.taken = question.allowed[static_cast<size_t>(std::ranges::min_element(costs_) - costs_.begin())];
  return step.taken;
}

int32_t DecoderRun::answer(const Question& question, const Turn& turn) {
  if (mode_ == Mode::Derive || mode_ == Mode::Repeat) return answer_in_derivation(question);
  const int32_t action = turn.learned_acts
                             ? learner_.best(*turn.features, question.allowed, workspace_, question.policy)
                             : reference_of(question);
  if (mode_ == Mode::RollOut) ++in_roll_outs_.learned;
  if (mode_ != Mode::RollIn) return action;
  ++(turn.learned_acts ? in_roll_ins_.learned : in_roll_ins_.reference);
  Trajectory::Step& step = kept_->steps_[step_ - 1];
  step.taken = action;
  step.by_learned = turn.learned_acts;
  return action;
}

int32_t DecoderRun::reference_of(const Question& question) const {
  if (question.reference.empty())
    refuse(
        "The reference policy is to act and there is no reference: give one, or roll in and out with the "
        "learned policy.");
  if (!contains(question.allowed, question.reference.front())) check(question);
  return question.reference.front();
}

void DecoderRun::check(const Question& question) const {
  for (int32_t action : question.reference)
    if (!contains(question.allowed, action))
      refuse("The reference is " + decoder_->name_of(action) + ", which is not allowed here: allowed are " +
             list(question.allowed) + ".");
  if (question.costs.empty()) return;
  if (question.costs.size() != question.allowed.size())
    refuse("There are " + std::to_string(question.costs.size()) + " costs for " +
           std::to_string(question.allowed.size()) + " allowed actions: give one for each.");
  for (size_t i = 0; i < question.costs.size(); ++i)
    if (!std::isfinite(question.costs[i]))
      refuse("The cost of " + decoder_->name_of(question.allowed[i]) +
             " is not a finite number: give one that is.");
}

void DecoderRun::check_same(const Question& question, const Trajectory::Step& step) const {
  if (std::ranges::equal(question.allowed, step.allowed) && question.policy == step.policy) return;
  refuse("With the same answers the run came to another question than before: allowed were " +
         list(step.allowed) + " with policy " + std::to_string(step.policy) + ", and now are " +
         list(question.allowed) + " with policy " + std::to_string(question.policy) + ": " +
         kDependsOnNothingElse);
}

void DecoderRun::refuse(const std::string& what) const {
  if (mode_ == Mode::None) throw SearchError(what);
  throw SearchError(place_of(example_, step_) + what);
}

std::string place_of(uint64_t example, size_t prediction) {
  const std::string of_example = "Example " + std::to_string(example);
  if (prediction == 0) return of_example + " (counted from 0): ";
  return of_example + ", prediction " + std::to_string(prediction - 1) + " (both counted from 0): ";
}

std::string DecoderRun::list(std::span<const int32_t> actions) const {
  constexpr size_t kMost = 20;
  std::string text;
  for (size_t i = 0; i < std::min(actions.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + decoder_->name_of(actions[i]);
  return actions.size() > kMost ? text + ", …" : text;
}

}  // namespace arcwise
