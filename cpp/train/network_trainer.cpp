#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <unordered_map>

#include "base/interrupts.h"
#include "base/threads.h"
#include "task/tagging.h"
#include "train/mini_batch_training_of.h"
#include "train/trainer.h"

namespace arcwise {
namespace {

// A batch is worked on in so many parts, whatever the number of threads, and their gradients are added up in
// the same order: so the model does not depend on it.
constexpr size_t kShards = 2;

// How often a sign, such as a dash or a bullet, is taken for a new one of its kind.
constexpr float kUnknownSigns = 0.05f;

// What the names of a tagger's parts begin with in the state of a parser that it is learnt along with.
const std::string kOfTags = "tags.";

// An input that is rarer than this has no embedding.
int32_t least_count(TokenInput input, int32_t of_affixes) {
  switch (input) {
    case TokenInput::Form:
    case TokenInput::Lower:
    case TokenInput::Lemma:
    case TokenInput::Word:
      return 2;
    case TokenInput::Shape:
    case TokenInput::Prefix:
    case TokenInput::Suffix:
    case TokenInput::Ngram:
      return of_affixes;
    default:
      return 1;
  }
}

class KeyCounts {
 public:
  void count(TokenInput input, uint64_t key) {
    auto& seen = counts_[key];
    seen.input = input;
    ++seen.count;
  }
  int32_t operator[](uint64_t key) const { return counts_.at(key).count; }
  // Those that are frequent enough, the most frequent first.
  std::vector<uint64_t> keys(int32_t least_affix) const {
    std::vector<std::pair<int32_t, uint64_t>> frequent;
    for (const auto& [key, seen] : counts_)
      if (seen.count >= least_count(seen.input, least_affix)) frequent.emplace_back(-seen.count, key);
    std::sort(frequent.begin(), frequent.end());
    std::vector<uint64_t> keys;
    for (const auto& [count, key] : frequent) keys.push_back(key);
    return keys;
  }

 private:
  struct Seen {
    TokenInput input{};
    int32_t count = 0;
  };
  std::unordered_map<uint64_t, Seen> counts_;
};

// The sentences of a training set as rows of embeddings, and the vocabulary that says which.
struct EmbeddedSentences {
  std::vector<NetworkSentence> sentences;
  std::vector<uint64_t> keys;
  std::vector<int32_t> unknown_rows;
  PretrainedVectors vectors;
};

// If words have embeddings (TokenInput::Word), each vector is added to that of its word, or of unknown words.
// Words that have none of their own get rows for the sums, and so do forms that are not in lower case.
PretrainedVectors placed(const NetworkTrainerOptions& o, bool are_added, const Vocabulary& learnt,
                         std::vector<uint64_t>& keys) {
  PretrainedVectors vectors = o.vectors;
  for (size_t v = 0; v < vectors.rows(); ++v) {
    vectors.embeddings.push_back(are_added ? row_of(learnt, TokenInput::Word, o.lowered_keys[v])
                                           : Vocabulary::kMissing);
    int32_t place = learnt.row(o.vector_keys[v]);
    if (place == Vocabulary::kMissing) {
      place = Vocabulary::kFirstRow + static_cast<int32_t>(keys.size());
      keys.push_back(o.vector_keys[v]);
      ++vectors.new_rows;
    }
    vectors.places.push_back(place);
  }
  return vectors;
}

EmbeddedSentences embed(const Treebank& treebank, const TrainingSet& set, const NetworkTrainerOptions& o) {
  EmbeddedSentences embedded;
  const TokenInputs inputs(o.tokens);
  for (TokenInput input : {TokenInput::Form, TokenInput::Lower, TokenInput::Lemma, TokenInput::Word})
    if (inputs.has(input)) embedded.unknown_rows.push_back(unknown_row(input));
  KeyCounts counts;
  std::string buffer;
  const auto each_word = [&](const TrainingSentence& s, auto&& visit) {
    const size_t first = treebank.first_word(s.number);
    for (size_t w = first; w < first + treebank.length(s.number); ++w) {
      check_interrupts();
      visit(w);
    }
  };
  for (const TrainingSentence& s : set.sentences)
    each_word(s, [&](size_t w) {
      inputs.each(treebank, w, buffer, [&](TokenInput input, uint64_t key) { counts.count(input, key); });
    });
  embedded.keys = o.vocabulary.empty() ? counts.keys(o.least_affix) : o.vocabulary;
  const Vocabulary vocabulary(embedded.keys), of_vectors(o.vector_keys);
  embedded.vectors = placed(o, inputs.has(TokenInput::Word), vocabulary, embedded.keys);
  for (const TrainingSentence& s : set.sentences) {
    NetworkSentence& sentence = embedded.sentences.emplace_back();
    each_word(s, [&](size_t w) {
      NetworkSentence::Word word;
      int32_t seen = 0;
      inputs.each(treebank, w, buffer, [&](TokenInput input, uint64_t key) {
        if (is_word(input)) seen = std::max(seen, counts[key]);
      });
      if (seen > 0)
        word.unknown = static_cast<float>(o.learning.word_dropout / (o.learning.word_dropout + seen));
      std::vector<int32_t> kind, others, tags;
      inputs.each_row(vocabulary, treebank, w, buffer, [&](TokenInput input, int32_t row) {
        (is_word(input)              ? sentence.rows
         : is_tag(input)             ? tags
         : input == TokenInput::Kind ? kind
                                     : others)
            .push_back(row);
      });
      if (!o.vector_keys.empty())
        inputs.each_row(of_vectors, treebank, w, buffer, [&](TokenInput input, int32_t row) {
          if ((input == TokenInput::Word && row != unknown_row(input)) || input == TokenInput::Vector)
            word.vector = row - Vocabulary::kFirstRow;
        });
      sentence.rows.insert(sentence.rows.end(), kind.begin(), kind.end());
      word.shown = static_cast<uint32_t>(sentence.rows.size());
      sentence.rows.insert(sentence.rows.end(), others.begin(), others.end());
      word.tags = static_cast<uint32_t>(sentence.rows.size());
      // Of a new sign nothing but its kind is known: those that were seen show what to do then.
      if (!kind.empty() && is_sign(treebank.text(w, Column::Form)))
        word.unknown = std::max(word.unknown, kUnknownSigns);
      else
        word.shown = word.tags;
      sentence.rows.insert(sentence.rows.end(), tags.begin(), tags.end());
      word.end = static_cast<uint32_t>(sentence.rows.size());
      sentence.words.push_back(word);
    });
  }
  return embedded;
}

// A network that gives tags goes by the parts of words, most of which are seldom seen: what their embeddings
// were at first must not drown what others have learnt.
NetworkOptions learning_of(const NetworkTrainerOptions& network, bool gives_tags) {
  NetworkOptions learning = network.learning;
  if (gives_tags) learning.first_embeddings = 0.01;
  return learning;
}

NetworkMoves moves_of(const Tagset& tagset) {
  return {.is_narrow = kIsNarrow<Tagging>,
          .parts = tagset.part_count(),
          .parts_of = tagset.parts(),
          .is_rare = tagset.is_rare()};
}

// A task that is learnt along with another, from the words that the other's network has encoded.
class TagHead {
 public:
  TagHead(const MultiTaskTagger& tagger, int32_t width, const TrainerOptions& options)
      : tagset_(std::make_shared<const Tagset>(tagger.set.tagset())),
        task_(tagset_),
        how_(tagger.how),
        sentences_(tagger.set.training.sentences),
        shape_(tagger.network.shape) {
    for (const TrainingSentence& s : sentences_) by_number_[s.number] = &s;
    StateInputs inputs(tagger.network.states, tagset_->tags());
    shape_.encoder = Encoder::None;
    shape_.width = width;
    shape_.tokens = 0;
    shape_.positions = static_cast<int32_t>(inputs.positions());
    shape_.extras = inputs.extra_rows();
    shape_.classes = task_.moves().size();
    learner_ = std::make_unique<NetworkLearner>(shape_, tagger.network.learning, std::move(inputs),
                                                std::vector<int32_t>{}, PretrainedVectors{},
                                                moves_of(*tagset_), mix(options.seed + 2));
  }

  NetworkLearner& learner() { return *learner_; }
  const NetworkLearner& learner() const { return *learner_; }

  HeadArrays frozen() const { return freeze_head(shape_, learner_->weights(), learner_->most_hidden()); }

  // A thread's part in a batch.
  class Part {
   public:
    explicit Part(const TagHead& head)
        : head_(head), training_(head.task_, head.how_), shard_(*head.learner_) {}
    NetworkShard& shard() { return shard_; }

    // The words of these sentences have been encoded. Those whose tags were shown have nothing to teach.
    void run(const Treebank& treebank, std::span<const TrainingSentence* const> sentences,
             NetworkShard& encoder, uint64_t seed, int epoch) {
      own_.clear();
      for (size_t s = 0; s < sentences.size(); ++s) {
        const auto found = head_.by_number_.find(sentences[s]->number);
        own_.push_back(encoder.shows_tags(s) || found == head_.by_number_.end() ? nullptr : found->second);
      }
      shard_.begin(encoder, seed);
      TrainingProgress progress;
      training_.train(treebank, own_, epoch, shard_, progress);
      shard_.backward();
    }

   private:
    const TagHead& head_;
    MiniBatchTrainingOf<Tagging> training_;
    NetworkShard shard_;
    std::vector<const TrainingSentence*> own_;
  };

 private:
  std::shared_ptr<const Tagset> tagset_;
  Tagging task_;
  OracleAndPolicy how_;
  std::vector<TrainingSentence> sentences_;
  std::unordered_map<size_t, const TrainingSentence*> by_number_;
  NetworkShape shape_;
  std::unique_ptr<NetworkLearner> learner_;
};

// What is learnt: a task, by the training loop of each worker.
struct NetworkTask {
  std::function<std::unique_ptr<MiniBatchTraining>()> training;
  MoveId moves = 0;
  int32_t labels = 0;  // that the network may see of words that came before
  NetworkMoves of_moves{};
  const char* model = kParserModel;  // what it is called
};

class NetworkTrainer final : public Trainer {
 public:
  NetworkTrainer(const NetworkTask& task, const TrainerOptions& options, const NetworkTrainerOptions& network,
                 const Treebank& treebank, const NetworkShape& shape, StateInputs inputs,
                 EmbeddedSentences embedded, TrainingSet set, std::unique_ptr<TagHead> tags)
      : Trainer(options, std::move(set)),
        name_(task.model),
        treebank_(treebank),
        shape_(shape),
        embedding_bits_(network.embedding_bits),
        batch_(network.learning.batch),
        epochs_(network.epochs),
        threads_(std::min(network.threads, static_cast<int>(kShards))),
        keys_(std::move(embedded.keys)),
        sentences_(std::move(embedded.sentences)),
        learner_(shape, learning_of(network, task.of_moves.is_narrow || tags), std::move(inputs),
                 std::move(embedded.unknown_rows), std::move(embedded.vectors), task.of_moves,
                 mix(options.seed + 1)),
        tags_(std::move(tags)) {
    for (size_t s = 0; s < kShards; ++s)
      parts_.push_back(std::make_unique<Part>(task, learner_, tags_.get()));
  }

  LearntModels learnt() const override {
    const NetworkWeights weights = learner_.weights();
    LearntModels models;
    models.emplace_back(kEncoderModel, to_parts(freeze_encoder(shape_, weights, keys_, embedding_bits_)));
    models.emplace_back(name_, to_parts(freeze_head(shape_, weights, learner_.most_hidden())));
    if (tags_) models.emplace_back(kTaggerModel, to_parts(tags_->frozen()));
    return models;
  }
  std::optional<size_t> parameters() const override {
    return learner_.parameters() + (tags_ ? tags_->learner().parameters() : 0);
  }

 private:
  // A part of a batch, with all that a thread needs to work on it.
  struct Part {
    Part(const NetworkTask& task, const NetworkLearner& learner, const TagHead* head)
        : training(task.training()), shard(learner) {
      if (head) tags.emplace(*head);
    }
    const std::unique_ptr<MiniBatchTraining> training;
    NetworkShard shard;
    std::optional<TagHead::Part> tags;
    std::vector<const TrainingSentence*> sentences;
    std::vector<const NetworkSentence*> inputs;
    int64_t words = 0;
    uint64_t seed = 0;
    TrainingProgress progress;

    void run(const Treebank& treebank, int epoch) {
      progress = {};
      shard.begin(inputs, seed);
      training->train(treebank, sentences, epoch, shard, progress);
      if (tags) tags->run(treebank, sentences, shard, mix(seed + 1), epoch);
      shard.backward();
    }
    void forget() {
      shard.forget();
      if (tags) tags->shard().forget();
    }
  };

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    const Random before = random_;
    const size_t taken = share(sentences);
    learner_.prepare(threads_);
    if (tags_) tags_->learner().prepare(threads_);
    try {
      share_work(threads_, kShards, [&](size_t p) { parts_[p]->run(treebank_, static_cast<int>(epoch())); });
    } catch (...) {
      for (auto& part : parts_) part->forget();
      random_ = before;
      throw;
    }

    std::vector<NetworkShard*> shards, of_tags;
    for (auto& part : parts_) {
      progress += part->progress;
      seen_ += part->progress.words;
      shards.push_back(&part->shard);
      if (part->tags) of_tags.push_back(&part->tags->shard());
    }
    const double done = static_cast<double>(seen_) / static_cast<double>(set_.words * epochs_);
    learner_.step(shards, done, threads_);
    if (tags_) tags_->learner().step(of_tags, done, threads_);
    return taken;
  }

  // Deals a batch out to the parts, each sentence to the one with the fewest words.
  size_t share(std::span<const uint32_t> sentences) {
    for (auto& part : parts_) {
      part->sentences.clear();
      part->inputs.clear();
      part->words = 0;
      part->seed = random_.next();
    }
    int64_t words = 0;
    size_t taken = 0;
    for (; taken < sentences.size() && words < batch_; ++taken) {
      Part& least = **std::min_element(parts_.begin(), parts_.end(),
                                       [](const auto& a, const auto& b) { return a->words < b->words; });
      const uint32_t s = sentences[taken];
      least.sentences.push_back(&set_.sentences[s]);
      least.inputs.push_back(&sentences_[s]);
      least.words += set_.sentences[s].words();
      words += set_.sentences[s].words();
    }
    return taken;
  }

  void store(TrainerCheckpoint& state) const override {
    state.steps = learner_.steps();
    state.learner = learner_.state();
    state.learner["seen"] = to_bytes(std::vector<int64_t>{seen_});
    if (!tags_) return;
    state.learner[kOfTags + "steps"] = to_bytes(std::vector<int64_t>{tags_->learner().steps()});
    for (auto& [name, bytes] : tags_->learner().state()) state.learner[kOfTags + name] = std::move(bytes);
  }
  void settle(TrainerCheckpoint& state) const override {
    state.steps = learner_.steps();
    state.learner = learner_.settled();
  }
  void take_up(const TrainerCheckpoint& state) override {
    const auto seen = from_bytes<int64_t>(state, "seen");
    demand_count(seen, "words");
    learner_.restore(state.learner, state.steps);
    seen_ = seen[0];
    if (!tags_) return;
    std::map<std::string, std::vector<uint8_t>> of_tags;
    for (const auto& [name, bytes] : state.learner)
      if (name.starts_with(kOfTags)) of_tags[name.substr(kOfTags.size())] = bytes;
    const auto steps = from_bytes<int64_t>(state, kOfTags + "steps");
    demand_count(steps, "steps of the tagger");
    tags_->learner().restore(of_tags, steps[0]);
  }
  static void demand_count(const std::vector<int64_t>& count, const char* what) {
    if (count.size() != 1 || count[0] < 0 || count[0] > kMostCount)
      throw std::invalid_argument(std::string("The checkpoint is damaged: it does not say how many ") + what +
                                  " there were.");
  }

  const char* name_;  // of the model
  Treebank treebank_;
  NetworkShape shape_;
  int embedding_bits_;
  int32_t batch_;  // words
  int64_t epochs_;
  int threads_;
  std::vector<uint64_t> keys_;
  std::vector<NetworkSentence> sentences_;
  NetworkLearner learner_;
  std::unique_ptr<TagHead> tags_;
  std::vector<std::unique_ptr<Part>> parts_;
  int64_t seen_ = 0;  // words
};

void check_network(const NetworkTrainerOptions& o) {
  const auto demand = [](bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  };
  const auto& l = o.learning;
  demand(l.rate > 0, "The learning rate (rate) must be positive.");
  demand(l.decay >= 0, "The decay of weights must not be negative.");
  demand(l.average >= 0 && l.average < 1,
         "The share of the average that stays must be at least 0 and below 1.");
  demand(l.clip > 0, "The longest gradient (clip) must be positive.");
  demand(l.dropout >= 0 && l.dropout < 1 && l.hidden_dropout >= 0 && l.hidden_dropout < 1,
         "Dropout must be at least 0 and below 1.");
  demand(l.word_dropout >= 0, "Word dropout must not be negative.");
  demand(l.shown_tags >= 0 && l.shown_tags <= 1,
         "The share of sentences whose tags are shown must lie between 0 and 1.");
  demand(o.embedding_bits == 8 || o.embedding_bits == 4, "Embeddings are stored in 8 bits or in 4.");
  demand(l.batch > 0, "A batch has at least one word.");
  const auto& s = o.shape;
  demand(s.encoder == Encoder::None || (s.layers > 0 && s.layers <= 16), "An encoder has 1 to 16 layers.");
  demand(s.window >= 0 && s.window <= 8, "A window has 0 to 8 words on either side.");
  demand(s.width > 0 && s.width <= 1024 && s.width % 16 == 0,
         "The width must be a multiple of 16, up to 1024.");
  demand(s.hidden > 0 && s.hidden <= 1024 && s.hidden % 16 == 0,
         "The number of hidden units must be a multiple of 16, up to 1024.");
}

std::unique_ptr<Trainer> make_trainer(const NetworkTask& task, const TrainerOptions& options,
                                      const NetworkTrainerOptions& network, const Treebank& treebank,
                                      TrainingSet set, std::unique_ptr<TagHead> tags = nullptr) {
  EmbeddedSentences embedded = embed(treebank, set, network);
  StateInputs inputs(network.states, task.labels);
  NetworkShape shape = network.shape;
  shape.tokens = Vocabulary::kFirstRow + static_cast<int32_t>(embedded.keys.size());
  shape.positions = static_cast<int32_t>(inputs.positions());
  shape.extras = inputs.extra_rows();
  shape.classes = task.moves;
  return std::make_unique<NetworkTrainer>(task, options, network, treebank, shape, std::move(inputs),
                                          std::move(embedded), std::move(set), std::move(tags));
}

}  // namespace

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options, const NetworkTrainerOptions& network,
                                         const Treebank& treebank, TrainingSet set,
                                         const MultiTaskTagger* tagger) {
  check_network(network);
  if (tagger) {
    check_network(tagger->network);
    tagger->set.check_fit(treebank);
  }
  const std::shared_ptr<const SystemTraining> system = system_training(options.system, set);
  const NetworkTask task{.training = [&] { return system->mini_batches(options); },
                         .moves = system->moves().size(),
                         .labels = static_cast<int32_t>(set.labels.size())};
  task.training();  // refuses a system that no network can learn
  check(options, system->facts(), true);
  auto tags = tagger ? std::make_unique<TagHead>(*tagger, network.shape.width, options) : nullptr;
  return make_trainer(task, options, network, treebank, std::move(set), std::move(tags));
}

std::unique_ptr<Trainer> Trainer::create(const TrainerOptions& options, const NetworkTrainerOptions& network,
                                         const Treebank& treebank, const TaggingSet& set) {
  check_network(network);
  set.check_fit(treebank);
  const auto tagset = std::make_shared<const Tagset>(set.tagset());
  const Tagging tagging(tagset);
  check(options, {.name = "tagging", .dynamic_oracle = Tagging::kDynamicOracle}, true);
  const NetworkTask task{
      .training = [&] { return std::make_unique<MiniBatchTrainingOf<Tagging>>(tagging, options); },
      .moves = tagset->size(),
      .labels = tagset->tags(),
      .of_moves = moves_of(*tagset),
      .model = kTaggerModel};
  return make_trainer(task, options, network, treebank, set.training);
}

}  // namespace arcwise
