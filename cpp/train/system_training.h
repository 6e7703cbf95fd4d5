// How a transition system is trained, whatever the learner: what trainers see of it, once a sentence or a
// mini-batch. How it is made of a system is in system_training_of.h, compiled for each system in a file of
// its own (system/).
#pragma once

#include <memory>
#include <span>

#include "feature/templates.h"
#include "learn/linear_learners.h"
#include "learn/mini_batch_learner.h"
#include "learn/policy.h"
#include "search/decoder_run.h"
#include "task/system_facts.h"
#include "text/treebank.h"
#include "train/beam_training_options.h"
#include "train/progress.h"
#include "train/teachers.h"
#include "train/training_set.h"

namespace arcwise {

// Sentence by sentence, as linear learners are trained.
class OnlineTraining {
 public:
  virtual ~OnlineTraining() = default;
  // Whether something has been learnt from a sentence that is interrupted.
  virtual bool learns_on_the_way() const = 0;
  virtual void train(const TrainingSentence& sentence, int epoch, Random& random,
                     TrainingProgress& progress) = 0;
};

// By mini-batches, as networks are. A worker has one of its own.
class MiniBatchTraining {
 public:
  virtual ~MiniBatchTraining() = default;
  // The shard has begun with these sentences of the treebank, and so have teachers, if there are any; those
  // that are null are left out. Leaves the gradients of all their decisions in the shard.
  virtual void train(const Treebank& treebank, std::span<const TrainingSentence* const> sentences, int epoch,
                     NetworkShard& shard, TrainingProgress& progress, Teachers* teachers) = 0;
};

struct OracleAndPolicy {
  Oracle oracle = Oracle::Dynamic;
  AnyPolicy policy{ExplorePolicy({})};
};

// A system as a decoder, for learning to search.
struct TaskDecoderOptions {
  bool label_apart = true;  // an action and then its label
  bool exact = true;        // give what actions cost by the dynamic oracle; without, roll-outs have to tell
  float wrong_head = 2, wrong_label = 1;  // the loss of a word
};
class TreeDecoder : public Decoder {
 public:
  // The sentence that the next runs are about, which must stay where it is.
  virtual void sentence(const TokenTable& tokens, std::span<const int32_t> heads,
                        std::span<const int32_t> labels) = 0;
};

class SystemTraining {
 public:
  virtual ~SystemTraining() = default;

  virtual SystemFacts facts() const = 0;
  virtual const Moves& moves() const = 0;

  // Throw std::invalid_argument if the system cannot be trained like this. What is given must stay where it
  // is.
  virtual std::unique_ptr<OnlineTraining> online(LinearLearners::Pointer learner, const Templates& templates,
                                                 const OracleAndPolicy& how) const = 0;
  virtual std::unique_ptr<OnlineTraining> with_beam(Perceptron& learner, const Templates& templates,
                                                    Oracle oracle,
                                                    const BeamTrainingOptions& options) const = 0;
  virtual std::unique_ptr<MiniBatchTraining> mini_batches(const OracleAndPolicy& how) const = 0;
  // For learning to search; what its predictions are made from goes into the options of the learner.
  virtual std::unique_ptr<TreeDecoder> decoder(const Templates& templates, const TaskDecoderOptions& options,
                                               CostSensitiveOptions& learner) const = 0;
};

template <BuildsTrees T>
std::unique_ptr<SystemTraining> make_system_training(const T& task);

}  // namespace arcwise
