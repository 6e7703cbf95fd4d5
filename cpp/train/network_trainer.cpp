#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <unordered_map>

#include "base/interrupts.h"
#include "base/threads.h"
#include "task/tagging.h"
#include "train/mini_batch_training_of.h"
#include "train/seen_tags.h"
#include "train/silver_trees.h"
#include "train/trainer.h"
#include "train/vocabulary_counts.h"

namespace arcwise {
namespace {

// A batch is worked on in so many parts, whatever the number of threads, and their gradients are added up in
// the same order: so the model does not depend on it.
constexpr size_t kShards = 2;

// How often a sign, such as a dash or a bullet, is taken for a new one of its kind.
constexpr float kUnknownSigns = 0.05f;

// How often what a word was seen with is all that is known of it, as it is of words that are seen once, is
// kOnlySeen / (kOnlySeen + n) if it is seen n times; and how often it is not told, so that the network goes
// on learning from what words look like.
constexpr double kOnlySeen = 0.5, kNotSeen = 0.4;

// What the names of a tagger's parts begin with in the state of a parser that it is learnt along with.
const std::string kOfTags = "tags.";

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

// Makes rows of embeddings of sentences, by the vocabulary of a training set and of silver trees.
class Embedder {
 public:
  // `columns` are those of tags that the network gives to words.
  Embedder(const Treebank& treebank, const TrainingSet& set, const NetworkTrainerOptions& o,
           std::span<const Column> columns)
      : inputs_(o.tokens), word_dropout_(o.learning.word_dropout) {
    const VocabularyCounts* silver = o.silver ? &o.silver->counts->counts() : nullptr;
    std::string buffer;
    for (const TrainingSentence& s : set.sentences)
      for (size_t w = treebank.first_word(s.number); w < treebank.first_word(s.number + 1); ++w) {
        check_interrupts();
        inputs_.each(treebank, w, buffer, [&](TokenInput input, uint64_t key) { counts_.count(input, key); });
      }
    keys_ = o.vocabulary.empty()
                ? frequent_keys(counts_, o.least_affix, silver, o.silver ? o.silver->vocabulary : 0)
                : o.vocabulary;
    if (silver) {
      for (const uint64_t key : keys_) row_counts_.push_back(int64_t{counts_[key]} + (*silver)[key]);
      silver_ = o.silver->counts;
    }
    vocabulary_ = Vocabulary(keys_, o.vocabulary_bits);
    of_vectors_ = Vocabulary(o.vector_keys);
    vectors_ = placed(o, inputs_.has(TokenInput::Word), vocabulary_, keys_);
    const bool in_lower_case = inputs_.has(TokenInput::Lower) || inputs_.has(TokenInput::Word);
    if (!columns.empty() && in_lower_case && o.vocabulary.empty()) {
      seen_tags_ = SeenTags(treebank, set, columns, o.own_sentences, vocabulary_.rows());
      share_tags(o);
    }
  }

  const std::vector<uint64_t>& keys() const { return keys_; }
  const PretrainedVectors& vectors() const { return vectors_; }
  const SharedEmbeddings& shared() const { return shared_; }
  // Those that stand for unknown words.
  std::vector<int32_t> unknown_rows() const {
    std::vector<int32_t> rows;
    for (TokenInput input : {TokenInput::Form, TokenInput::Lower, TokenInput::Lemma, TokenInput::Word})
      if (inputs_.has(input)) rows.push_back(unknown_row(input));
    return rows;
  }

  // A sentence of the training set.
  NetworkSentence gold(const Treebank& treebank, size_t number) const {
    return embed(
        treebank, number,
        [&](size_t w, std::string& buffer) {
          int64_t seen = 0;
          inputs_.each(treebank, w, buffer, [&](TokenInput input, uint64_t key) {
            if (is_word(input))
              seen = std::max(seen, int64_t{counts_[key]} + (silver_ ? silver_->counts()[key] : 0));
          });
          return seen;
        },
        [&](size_t w, std::string& buffer) { return seen_tags_.elsewhere(treebank, w, buffer); });
  }
  // One of silver trees. A word without an embedding of its own need not be taken for unknown.
  NetworkSentence silver(const Treebank& treebank, size_t number) const {
    return embed(
        treebank, number,
        [&](size_t w, std::string& buffer) {
          int64_t seen = 0;
          inputs_.each_row(vocabulary_, treebank, w, buffer, [&](TokenInput input, int32_t row) {
            if (is_word(input) && row >= Vocabulary::kFirstRow)
              seen = std::max(seen, row_counts_[row - Vocabulary::kFirstRow]);
          });
          return seen;
        },
        [&](size_t w, std::string& buffer) { return seen_tags_.anywhere(treebank, w, buffer); });
  }
  // Lets go of what sentences of the training set alone are made with.
  void forget_counts() {
    counts_ = {};
    silver_.reset();
  }

 private:
  // Each form has what is learnt of its tags in its own row, if it has one, and in those of its vectors.
  void share_tags(const NetworkTrainerOptions& o) {
    std::unordered_map<uint64_t, std::vector<int32_t>> places;
    for (size_t v = 0; v < vectors_.rows(); ++v)
      if (inputs_.has(TokenInput::Word)) places[o.lowered_keys[v]].push_back(vectors_.places[v]);
    shared_.rows = seen_tags_.rows();
    std::unordered_map<uint64_t, int32_t> known;
    for (size_t k = 0; k < keys_.size(); ++k)
      known.emplace(keys_[k], Vocabulary::kFirstRow + static_cast<int32_t>(k));
    for (auto& [key, rows] : seen_tags_.of_forms()) {
      std::vector<int32_t>& own = places[key];
      const auto found = known.find(key);
      if (found == known.end()) {
        const int32_t to = Vocabulary::kFirstRow + static_cast<int32_t>(keys_.size());
        keys_.push_back(key);
        ++shared_.new_rows;
        shared_.sums.push_back({to, unknown_row(TokenInput::Lower), rows});
      } else if (std::find(own.begin(), own.end(), found->second) == own.end()) {
        own.push_back(found->second);
      }
      for (const int32_t to : own) shared_.sums.push_back({to, -1, rows});
    }
  }

  template <class SeenOf, class TagsOf>
  NetworkSentence embed(const Treebank& treebank, size_t number, const SeenOf& seen_of,
                        const TagsOf& tags_of) const {
    NetworkSentence sentence;
    std::string buffer;
    for (size_t w = treebank.first_word(number); w < treebank.first_word(number + 1); ++w) {
      check_interrupts();
      NetworkSentence::Word word;
      const auto seen = static_cast<double>(seen_of(w, buffer));
      if (seen > 0) word.unknown = static_cast<float>(word_dropout_ / (word_dropout_ + seen));
      std::vector<int32_t> kind, others, tags;
      inputs_.each_row(vocabulary_, treebank, w, buffer, [&](TokenInput input, int32_t row) {
        (is_word(input)              ? sentence.rows
         : is_tag(input)             ? tags
         : input == TokenInput::Kind ? kind
                                     : others)
            .push_back(row);
      });
      if (vectors_.rows() > 0)
        inputs_.each_row(of_vectors_, treebank, w, buffer, [&](TokenInput input, int32_t row) {
          if ((input == TokenInput::Word && row != unknown_row(input)) || input == TokenInput::Vector)
            word.vector = row - Vocabulary::kFirstRow;
        });
      const std::vector<int32_t> elsewhere = tags_of(w, buffer);
      if (!elsewhere.empty() && word_dropout_ > 0) {
        word.only_seen = static_cast<float>(kOnlySeen / (kOnlySeen + std::max(1.0, seen)));
        word.not_seen = kNotSeen;
      }
      sentence.rows.insert(sentence.rows.end(), elsewhere.begin(), elsewhere.end());
      word.seen = static_cast<uint32_t>(sentence.rows.size());
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
    }
    return sentence;
  }

  TokenInputs inputs_;
  double word_dropout_;
  VocabularyCounts counts_;                     // of the training set
  std::shared_ptr<const SilverCounts> silver_;  // if there are silver trees
  std::vector<int64_t> row_counts_;             // of keys in both, if there are
  std::vector<uint64_t> keys_;                  // with those of vectors
  Vocabulary vocabulary_, of_vectors_;          // of what is learnt; of vectors
  PretrainedVectors vectors_;
  SeenTags seen_tags_;
  SharedEmbeddings shared_;
};

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
    learner_ = std::make_unique<NetworkLearner>(
        shape_, tagger.network.learning, std::move(inputs), std::vector<int32_t>{}, PretrainedVectors{},
        SharedEmbeddings{}, moves_of(*tagset_), mix(options.seed + 2));
  }

  NetworkLearner& learner() { return *learner_; }
  const NetworkLearner& learner() const { return *learner_; }

  // What a sentence teaches, by its number in the treebank; null: nothing.
  const TrainingSentence* find(size_t number) const {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : found->second;
  }

  HeadArrays frozen() const { return freeze_head(shape_, learner_->weights(), learner_->most_hidden()); }

  // A thread's part in a batch.
  class Part {
   public:
    explicit Part(const TagHead& head)
        : head_(head), training_(head.task_, head.how_), shard_(*head.learner_) {}
    NetworkShard& shard() { return shard_; }

    // The words of these sentences have been encoded. Those whose tags were shown have nothing to teach, nor
    // have those that are null.
    void run(const Treebank& treebank, std::span<const TrainingSentence* const> sentences,
             NetworkShard& encoder, uint64_t seed, int epoch, Teachers* teachers) {
      own_.clear();
      for (size_t s = 0; s < sentences.size(); ++s)
        own_.push_back(encoder.shows_tags(s) ? nullptr : sentences[s]);
      shard_.begin(encoder, seed);
      TrainingProgress progress;
      training_.train(treebank, own_, epoch, shard_, progress, teachers);
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
                 std::unique_ptr<Embedder> embedder, TrainingSet set, std::unique_ptr<TagHead> tags)
      : Trainer(options, std::move(set)),
        name_(task.model),
        treebank_(treebank),
        shape_(shape),
        embedding_bits_(network.embedding_bits),
        batch_(network.learning.batch),
        epochs_(network.epochs),
        threads_(std::min(network.threads, static_cast<int>(kShards))),
        keys_(embedder->keys()),
        learner_(shape, learning_of(network, task.of_moves.is_narrow || tags), std::move(inputs),
                 embedder->unknown_rows(), embedder->vectors(), embedder->shared(), task.of_moves,
                 mix(options.seed + 1)),
        tags_(std::move(tags)),
        embedder_(std::move(embedder)) {
    sentences_.reserve(set_.sentences.size());
    for (const TrainingSentence& s : set_.sentences)
      sentences_.push_back(embedder_->gold(treebank_, s.number));
    embedder_->forget_counts();
    for (size_t s = 0; s < kShards; ++s)
      parts_.push_back(std::make_unique<Part>(task, learner_, tags_.get(), network.silver));
  }

  // Silver trees join in; `of_tags` says what they teach the tagger that is learnt along.
  void add_silver(const SilverOptions& silver, const TrainingSetOptions& how,
                  std::optional<SilverTags> of_tags, uint64_t seed) {
    silver_ = std::make_unique<SilverTrees>(
        silver, set_, treebank_.label_names(), how, std::move(of_tags),
        [this](const Treebank& treebank, size_t number) { return embedder_->silver(treebank, number); },
        seed);
  }
  std::optional<int64_t> wanted_silver() const override {
    if (!silver_ || epoch_is_done() || !silver_->is_waiting(epoch())) return {};
    return silver_->wanted();
  }
  void give_silver(const Treebank& chunk) override {
    if (!wanted_silver()) throw std::logic_error("No silver trees are wanted here.");
    silver_->give(chunk);
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
    Part(const NetworkTask& task, const NetworkLearner& learner, const TagHead* head,
         const std::optional<SilverOptions>& silver)
        : training(task.training()), shard(learner) {
      if (head) tags.emplace(*head);
      if (silver && !silver->teachers.empty()) teachers.emplace(silver->teachers);
    }
    const std::unique_ptr<MiniBatchTraining> training;
    NetworkShard shard;
    std::optional<TagHead::Part> tags;
    std::optional<Teachers> teachers;
    std::vector<const TrainingSentence*> sentences;
    std::vector<const NetworkSentence*> inputs;
    std::vector<const TrainingSentence*> tagged;  // what the tagger learns from them
    int64_t words = 0;
    uint64_t seed = 0;
    TrainingProgress progress;

    void run(const Treebank& treebank, int epoch) {
      progress = {};
      shard.begin(inputs, seed);
      Teachers* const present = teachers ? &*teachers : nullptr;
      if (present) present->begin(sentences);
      training->train(treebank, sentences, epoch, shard, progress, present);
      if (tags) tags->run(treebank, tagged, shard, mix(seed + 1), epoch, present);
      shard.backward();
    }
    void add(const TrainingSentence& sentence, const NetworkSentence& input,
             const TrainingSentence* of_tags) {
      sentences.push_back(&sentence);
      inputs.push_back(&input);
      tagged.push_back(of_tags);
      words += sentence.words();
    }
    void forget() {
      shard.forget();
      if (tags) tags->shard().forget();
    }
  };

  size_t train(std::span<const uint32_t> sentences, TrainingProgress& progress) override {
    const Random before = random_;
    const SilverTrees::Place place = silver_ ? silver_->place() : SilverTrees::Place{};
    const auto [taken, gold_words] = share(sentences);
    learner_.prepare(threads_);
    if (tags_) tags_->learner().prepare(threads_);
    try {
      share_work(threads_, kShards, [&](size_t p) { parts_[p]->run(treebank_, static_cast<int>(epoch())); });
    } catch (...) {
      for (auto& part : parts_) part->forget();
      random_ = before;
      if (silver_) silver_->go_back(place);
      throw;
    }
    // Silver trees come in beside: the learning rate falls as the passes over the treebank go by.
    seen_ += gold_words;

    std::vector<NetworkShard*> shards, of_tags;
    for (auto& part : parts_) {
      progress += part->progress;
      shards.push_back(&part->shard);
      if (part->tags) of_tags.push_back(&part->tags->shard());
    }
    const double done = static_cast<double>(seen_) / static_cast<double>(set_.words * epochs_);
    learner_.step(shards, done, threads_);
    if (tags_) tags_->learner().step(of_tags, done, threads_);
    return taken;
  }

  // Deals a batch out to the parts, each sentence to the one with the fewest words, and says how many of the
  // sentences are in it, and how many words these have. Silver trees come in between; if there are no more
  // of them to be had now, the batch is smaller.
  std::pair<size_t, int64_t> share(std::span<const uint32_t> sentences) {
    for (auto& part : parts_) {
      part->sentences.clear();
      part->inputs.clear();
      part->tagged.clear();
      part->words = 0;
      part->seed = random_.next();
    }
    int64_t words = 0, gold_words = 0;
    size_t taken = 0;
    while (words < batch_) {
      Part& least = **std::min_element(parts_.begin(), parts_.end(),
                                       [](const auto& a, const auto& b) { return a->words < b->words; });
      const int64_t before = least.words;
      if (silver_ && silver_->is_due(epoch())) {
        if (silver_->is_used_up()) break;
        const SilverTrees::Sentence& next = silver_->next();
        least.add(next.tree, next.input, next.tags);
      } else if (taken < sentences.size()) {
        const TrainingSentence& next = set_.sentences[sentences[taken]];
        least.add(next, sentences_[sentences[taken]], tags_ ? tags_->find(next.number) : nullptr);
        gold_words += next.words();
        if (silver_) silver_->saw_gold(next.words());
        ++taken;
      } else {
        break;
      }
      words += least.words - before;
    }
    return {taken, gold_words};
  }

  void store(TrainerCheckpoint& state) const override {
    state.steps = learner_.steps();
    state.learner = learner_.state();
    state.learner["seen"] = to_bytes(std::vector<int64_t>{seen_});
    if (silver_) {
      const auto [chunk, position, seen, gold] = silver_->place();
      state.learner["silver"] = to_bytes(std::vector<int64_t>{chunk, position, seen, gold});
    }
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
    std::vector<int64_t> place;
    if (silver_) {
      place = from_bytes<int64_t>(state, "silver");
      if (place.size() != 4 ||
          std::any_of(place.begin(), place.end(), [](int64_t n) { return n < 0 || n > kMostCount; }) ||
          place[3] > set_.words * epochs_)
        throw std::invalid_argument(
            "The checkpoint is damaged: it does not say how many silver trees there were.");
    }
    learner_.restore(state.learner, state.steps);
    seen_ = seen[0];
    if (silver_) silver_->take_up({place[0], place[1], place[2], place[3]});
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
  std::unique_ptr<Embedder> embedder_;
  std::unique_ptr<SilverTrees> silver_;
  std::vector<std::unique_ptr<Part>> parts_;
  int64_t seen_ = 0;  // words of the treebank
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
  if (o.silver) {
    demand(o.silver->weight > 0 && o.silver->weight <= 1,
           "The weight of silver trees is above 0 and at most 1.");
    demand(o.silver->words >= 0 && o.silver->words <= kMostCount && o.silver->vocabulary >= 0 &&
               o.silver->epochs >= 1,
           "There are silver trees in at least one epoch.");
    demand(o.silver->counts && o.silver->counts->tokens() == o.tokens,
           "The inputs of silver words were counted as others than the network's.");
  }
  const auto& s = o.shape;
  demand(s.encoder == Encoder::None || (s.layers > 0 && s.layers <= 16), "An encoder has 1 to 16 layers.");
  demand(s.window >= 0 && s.window <= 8, "A window has 0 to 8 words on either side.");
  demand(s.width > 0 && s.width <= 1024 && s.width % 16 == 0,
         "The width must be a multiple of 16, up to 1024.");
  demand(s.hidden > 0 && s.hidden <= 1024 && s.hidden % 16 == 0,
         "The number of hidden units must be a multiple of 16, up to 1024.");
}

// A teacher's scores are looked up by the numbers of the student's moves, and its inputs by those of labels.
void check_teacher(const NetworkModel& model, MoveId moves, int32_t labels) {
  bool fits = model.classes() == moves && model.labels() == labels;
  for (Slot slot : model.slots()) fits &= is_on_stack_or_buffer(slot);
  if (!fits)
    throw std::invalid_argument(
        "A teacher has other moves or labels than the model that it is to teach: number them alike.");
}

// What silver trees, or teachers in their place, say of tags; nothing, if a teacher has nothing to say.
std::optional<SilverTags> tags_of(const SilverOptions& silver, const TaggingSet& set) {
  for (const Teacher& teacher : silver.teachers) {
    if (!teacher.tagger) return {};
    const Tagset tagset = set.tagset();
    check_teacher(*teacher.tagger, tagset.size(), tagset.tags());
  }
  return SilverTags(set, silver.counts->has_features());
}

std::unique_ptr<NetworkTrainer> make_trainer(const NetworkTask& task, const TrainerOptions& options,
                                             const NetworkTrainerOptions& network, const Treebank& treebank,
                                             TrainingSet set, std::span<const Column> columns,
                                             std::unique_ptr<TagHead> tags = nullptr) {
  auto embedder = std::make_unique<Embedder>(treebank, set, network, columns);
  StateInputs inputs(network.states, task.labels);
  NetworkShape shape = network.shape;
  shape.tokens = Vocabulary::kFirstRow + static_cast<int32_t>(embedder->keys().size());
  shape.positions = static_cast<int32_t>(inputs.positions());
  shape.extras = inputs.extra_rows();
  shape.classes = task.moves;
  return std::make_unique<NetworkTrainer>(task, options, network, treebank, shape, std::move(inputs),
                                          std::move(embedder), std::move(set), std::move(tags));
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
  std::vector<Column> columns;
  if (tagger) columns = tagger->set.parts.columns;
  auto trainer = make_trainer(task, options, network, treebank, std::move(set), columns, std::move(tags));
  if (network.silver) {
    for (const Teacher& teacher : network.silver->teachers)
      check_teacher(*teacher.parser, task.moves, task.labels);
    std::optional<SilverTags> of_tags;
    if (tagger) of_tags = tags_of(*network.silver, tagger->set);
    trainer->add_silver(*network.silver, network.silver_set, std::move(of_tags), mix(options.seed + 3));
  }
  return trainer;
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
  return make_trainer(task, options, network, treebank, set.training, set.parts.columns);
}

}  // namespace arcwise
