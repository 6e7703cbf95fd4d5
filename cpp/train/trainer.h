// A training run: which learner learns which task by which policy. It can be stopped after any step, stored,
// and taken up again to end in the same model.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "learn/network.h"
#include "model/model_parts.h"
#include "network/token_inputs.h"
#include "task/systems.h"
#include "train/learning_to_search.h"
#include "train/silver_trees.h"
#include "train/system_training.h"
#include "train/tagging_set.h"

namespace arcwise {

struct TrainerOptions : OracleAndPolicy {
  SystemOptions system;  // its single_root is the training set's
  uint64_t seed = 1;
};

struct LinearTrainerOptions {
  std::string learner = "perceptron";  // or adagrad
  std::vector<std::string> templates;
  Perceptron::Options perceptron;
  AdagradRda::Options adagrad;
  std::optional<BeamTrainingOptions> beam;  // the perceptron's; none: greedily, by the policy
  std::optional<double> lambda;  // adagrad's; none: 1 / (20 * words in the training set), as in Goldberg 2013
  std::optional<size_t> compact_lines;  // of the table of a compact model, at most; none: it is not compact
};

struct NetworkTrainerOptions {
  NetworkShape shape;  // but for what depends on the training set
  NetworkOptions learning;
  TokenInputOptions tokens;
  int32_t least_affix = 3;          // a rarer prefix, suffix or shape has no embedding
  std::vector<std::string> states;  // inputs
  PretrainedVectors vectors;
  std::vector<uint64_t> vector_keys, lowered_keys;  // of the words that have them, and in lower case
  std::vector<uint64_t> vocabulary;  // of a model, the keys of vectors among them; empty: the training set's
  int vocabulary_bits = 64;          // that are known of its keys
  // The first sentences of the training set, which tell what words are seen with; others are their variants.
  int64_t own_sentences = INT64_MAX;
  int embedding_bits = 8;  // of rare inputs of words in the model: 8 or 4
  int32_t epochs = 1;      // in all: the learning rate falls until then
  int threads = 1;         // of at most kShards; the model is the same
  // Trees beside those of the training set, for a parser, and how these are made ready.
  std::optional<SilverOptions> silver{};
  TrainingSetOptions silver_set{};
};

// A tagger that is learnt along with a parser: it looks at the words that the parser's network has encoded.
struct MultiTaskTagger {
  const TaggingSet& set;
  const NetworkTrainerOptions& network;  // but for the encoder and what it looks at
  OracleAndPolicy how;
};

struct LearningToSearchTrainerOptions {
  std::vector<std::string> templates;
  CostSensitiveOptions learner;  // but for what depends on the training set
  LearningToSearchOptions search;
  TaskDecoderOptions decoder;
};

// All that a run is at some moment, but for its training set and options. No run has more steps or words than
// kMostCount, nor more epochs than kMostEpochs.
inline constexpr int64_t kMostCount = int64_t{1} << 40, kMostEpochs = INT32_MAX;
struct TrainerCheckpoint {
  uint64_t random = 0;
  int64_t epoch = 0, position = 0, steps = 0;
  std::vector<uint32_t> order;
  std::map<std::string, std::vector<uint8_t>> learner;
};

template <class T>
std::vector<uint8_t> to_bytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
// Throws std::invalid_argument if the state has no such values.
template <class T>
std::vector<T> from_bytes(const TrainerCheckpoint& state, const std::string& name) {
  const auto found = state.learner.find(name);
  if (found == state.learner.end() || found->second.size() % sizeof(T) != 0)
    throw std::invalid_argument("The checkpoint is damaged: it has no '" + name + "'.");
  std::vector<T> values(found->second.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->second.data(), found->second.size());
  return values;
}

// A weight that is not zero.
struct Weight {
  uint64_t key = 0;  // of the feature
  MoveId move = 0;
  float value = 0;
};

class Trainer {
 public:
  virtual ~Trainer() = default;

  // Throw std::invalid_argument if the oracle, policy, learner and system do not go together.
  static std::unique_ptr<Trainer> create(const TrainerOptions& options, LinearTrainerOptions linear,
                                         TrainingSet set);
  static std::unique_ptr<Trainer> create(const TrainerOptions& options, const NetworkTrainerOptions& network,
                                         const Treebank& treebank, TrainingSet set,
                                         const MultiTaskTagger* tagger = nullptr);
  static std::unique_ptr<Trainer> create(const TrainerOptions& options, const NetworkTrainerOptions& network,
                                         const Treebank& treebank, const TaggingSet& set);
  static std::unique_ptr<Trainer> create(const TrainerOptions& options,
                                         const LearningToSearchTrainerOptions& search, TrainingSet set);

  // Goes on until this many words are done, the epoch ends, or silver trees are wanted. After an interrupt
  // the next call goes on, and tells of what was done before it too; but if it came in the middle of a very
  // long sentence, of which a part had been learnt from, the run can be neither gone on with nor stored.
  TrainingProgress run(int64_t words);
  bool epoch_is_done() const { return position_ == order_.size(); }
  int64_t epoch() const { return epoch_; }  // the one under way, or just done; 1 is the first
  const TrainingSet& set() const { return set_; }

  // The number of the chunk of silver trees that the run waits for, from 0, through all passes over them.
  virtual std::optional<int64_t> wanted_silver() const { return {}; }
  virtual void give_silver(const Treebank&) { throw std::logic_error("No silver trees are wanted here."); }

  TrainerCheckpoint state() const;
  void restore(const TrainerCheckpoint& state);
  // What other training sets can be learnt from later, by a trainer with the labels and the vocabulary of
  // this one: the model's weights in full, and what the learner knows of how they came about. A trainer that
  // is restored from a state of its own takes these parts in place of its own.
  TrainerCheckpoint settled() const;

  // What has been learnt so far, frozen for parsing.
  virtual LearntModels learnt() const = 0;
  // How many weights there are, unless there are as many as it turns out to take.
  virtual std::optional<size_t> parameters() const { return {}; }
  // Those of a linear model one by one, in the order of features and moves.
  virtual std::optional<std::vector<Weight>> weights() const { return {}; }

 protected:
  Trainer(const TrainerOptions& options, TrainingSet set);

  // Trains on the first of these sentences, or the first few, and returns how many. What it throws leaves
  // everything as it was, or else it has called tear().
  virtual size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) = 0;
  virtual void store(TrainerCheckpoint& state) const = 0;
  virtual void settle(TrainerCheckpoint& state) const { store(state); }
  virtual void take_up(const TrainerCheckpoint& state) = 0;

  // How the system is trained on trees with the labels and roots of a set.
  static std::unique_ptr<SystemTraining> system_training(SystemOptions options, const TrainingSet& set);
  // Throws std::invalid_argument if these do not go together.
  static void check(const OracleAndPolicy& how, const SystemFacts& system, bool probabilistic);

  void tear() { torn_ = true; }
  // Throws std::logic_error after tear().
  void demand_whole() const;

  TrainingSet set_;
  Random random_;

 private:
  std::vector<uint32_t> order_;
  size_t position_;
  int64_t epoch_ = 0;
  TrainingProgress untold_;  // what was done by a call that was interrupted
  bool torn_ = false;
};

}  // namespace arcwise
