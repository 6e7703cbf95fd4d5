// A run of a decoder: an ordinary loop that asks for one decision after the other and states its loss at the
// end. Who answers depends on what the run is for: the learned policy alone in prediction; in training a
// roll-in, whose trajectory is kept, and roll-outs, which take the same way up to a step, another action
// there, and go on as their policy says (Daumé III et al. 2014; Chang et al. 2015). A beam (decoder_beam.h)
// has derivations begun as others did and gone on with greedily.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "feature/namespaces.h"
#include "learn/cost_sensitive.h"
#include "learn/policy.h"

namespace arcwise {

// What a task did wrong.
class SearchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where it did, to begin a message with; predictions from 1, 0 is before the first.
std::string place_of(uint64_t example, size_t prediction);

class DecoderRun;

// A search space as a program. Given the same answers it must ask the same questions.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void run(DecoderRun& search) = 0;
  // For messages.
  virtual std::string name_of(int32_t action) const { return std::to_string(action); }
};

struct Question {
  std::span<const int32_t> allowed;    // the actions to choose from
  std::span<const int32_t> reference;  // what the reference policy would do: any of these; it takes the first
  std::span<const float> costs;        // of each allowed action, if it is known what it would lose
  int32_t policy = 0;                  // decisions of different kinds have weights of their own
};

// The way that a roll-in or a derivation of a beam took.
struct Trajectory {
  struct Step {
    std::vector<int32_t> allowed, reference;
    std::vector<float> costs;  // that the decoder gave; in a derivation: the predicted ones of a choice
    int32_t policy = 0;
    int32_t taken = 0;
    bool by_learned = false;
    Features features;  // of a roll-in, where there was a choice

    bool is_a_choice() const { return allowed.size() > 1; }
    bool took_the_reference() const { return !reference.empty() && taken == reference.front(); }
  };

  std::span<const Step> steps() const { return {steps_.data(), size_}; }
  // The same up to a step, and this action there.
  Trajectory up_to(size_t step, int32_t action) const {
    Trajectory beginning;
    beginning.size_ = step + 1;
    beginning.steps_.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1);
    beginning.steps_[step].taken = action;
    return beginning;
  }
  double loss = 0;

 private:
  friend class DecoderRun;
  std::vector<Step> steps_;  // more than there are, for their memory
  size_t size_ = 0;
};

class DecoderRun {
 public:
  explicit DecoderRun(const CostSensitiveLearner& learner) : learner_(learner) {}

  // For decoders. The action to take; fill(features) is called only if the features are needed.
  template <class Fill>
  int32_t predict(const Question& question, Fill&& fill) {
    Asking asking(*this);
    Turn turn = next_turn(question);
    if (turn.features != nullptr) {
      turn.features->clear();
      fill(*turn.features);
      turn.action = answer(question, turn);
    }
    asking.is_answered = true;
    return turn.action;
  }
  // Adds to the loss of this run.
  void loss(double value);
  // Whether references, costs and losses are of use.
  bool is_training() const { return mode_ == Mode::RollIn || mode_ == Mode::RollOut; }
  // To begin messages with.
  std::string place_of_run() const { return place_of(example_, 0); }
  std::string place_of_next() const { return place_of(example_, step_ + 1); }

  // For those who run decoders; `example` is its number, for messages.
  void decode(Decoder& decoder, uint64_t example);
  void roll_in(Decoder& decoder, uint64_t example, const RollPolicy& actor, Trajectory& trajectory);
  // The loss of taking this action in a step of a trajectory and going on as the actor says.
  double roll_out(Decoder& decoder, uint64_t example, const Trajectory& trajectory, size_t step,
                  int32_t action, const RollPolicy& actor);
  // Takes the steps of a derivation and goes on greedily; the further steps are added to it.
  void derive(Decoder& decoder, uint64_t example, Trajectory& derivation);
  // Takes all steps of a derivation once more, and throws if it is not the same.
  void repeat(Decoder& decoder, uint64_t example, Trajectory& derivation);

  // How often each policy has chosen.
  struct ActorCounts {
    int64_t reference = 0, learned = 0;
  };
  const ActorCounts& in_roll_ins() const { return in_roll_ins_; }
  const ActorCounts& in_roll_outs() const { return in_roll_outs_; }

 private:
  enum class Mode : uint8_t { None, Predict, RollIn, RollOut, Derive, Repeat };
  struct Turn {
    int32_t action = 0;
    Features* features = nullptr;  // to be filled before there is an answer
    bool learned_acts = true;
  };
  class Running;
  // One question at a time. One that ends in an error counts for nothing: a decoder may ask again.
  class Asking {
   public:
    explicit Asking(DecoderRun& search) : search_(search) {
      if (search.is_asking_) search.refuse_another_question();
      search.is_asking_ = true;
    }
    ~Asking() {
      search_.is_asking_ = false;
      if (!is_answered) search_.take_back();
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    bool is_answered = false;

   private:
    DecoderRun& search_;
  };

  void demand_idle() const;
  [[noreturn]] void refuse_another_question() const;
  void take_back();
  Turn next_turn(const Question& question);
  Turn next_in_prediction(const Question& question);
  Turn next_in_roll_in(const Question& question);
  Turn next_in_roll_out(const Question& question);
  Turn next_in_derivation(const Question& question);
  Trajectory::Step& keep(const Question& question);
  int32_t answer_in_derivation(const Question& question);
  int32_t answer(const Question& question, const Turn& turn);
  int32_t reference_of(const Question& question) const;
  // `repeated`: how many steps have been taken before, by another run.
  void run(Decoder& decoder, uint64_t example, Mode mode, size_t repeated = 0);
  void check(const Question& question) const;
  void check_same(const Question& question, const Trajectory::Step& step) const;
  [[noreturn]] void refuse(const std::string& what) const;
  std::string list(std::span<const int32_t> actions) const;

  const CostSensitiveLearner& learner_;
  CostSensitiveLearner::Workspace workspace_;
  Mode mode_ = Mode::None;
  Decoder* decoder_ = nullptr;
  uint64_t example_ = 0;
  size_t step_ = 0;  // how many questions have been asked
  bool is_asking_ = false;
  double loss_ = 0;
  bool loss_stated_ = false;
  RollPolicy actor_;
  Features features_;
  std::vector<float> costs_;
  Trajectory* kept_ = nullptr;            // of a roll-in or derivation
  const Trajectory* followed_ = nullptr;  // by a roll-out
  size_t repeated_ = 0;
  int32_t deviating_action_ = 0;  // in the last step that is repeated
  ActorCounts in_roll_ins_, in_roll_outs_;
};

}  // namespace arcwise
