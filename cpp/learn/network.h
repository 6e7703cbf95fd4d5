// The learner of networks: weights trained by Adam (Kingma & Ba 2015) from batches of sentences, and what is
// kept in the end, their running average. The network itself is described in network/shape.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "network/float_kernels.h"
#include "network/shape.h"
#include "network/state_inputs.h"
#include "task/moves.h"

namespace arcwise {

struct NetworkOptions {
  double rate = 0.002;          // Adam's, at first; it falls to next to nothing in a straight line
  double decay = 0;             // of weights, times the rate
  double average = 0.999;       // how much of the running average stays at a step; 0: no averaging
  double clip = 5;              // the longest gradient
  double dropout = 0.2;         // of words' vectors
  double hidden_dropout = 0.3;  // of hidden units
  double word_dropout = 0.25;   // a: a word seen n times is unknown with probability a / (a + n)
  double shown_tags = 1;        // of how many sentences the tags are shown
  int32_t batch = 300;          // words
  double sure = 1;              // what is right with this probability has nothing to teach
  // Adam's second moments stay as they were restored, so that every weight has a rate of its own.
  bool given_rates = false;
  double first_embeddings = 0.25;  // the deviation of words' embeddings at first
};

// The moves of a task, as far as a network has to know.
//
// In a narrow task few moves are legal in a state: states are scored one by one, each in its range of moves.
// There, moves may have something in common with others, such as a feature that is in several bundles. The
// weights of a move are its own plus those of its parts, so that what is learnt of one is learnt of all;
// parsing sees the sums.
struct NetworkMoves {
  bool is_narrow = false;
  int32_t parts = 0;
  std::vector<std::vector<int32_t>> parts_of{};  // by move; empty: there are none
  // By move: it has no weights of its own, only those of its parts, since next to nothing is known of it
  // alone. Empty: all have.
  std::vector<uint8_t> is_rare{};
};

// A sentence as the rows of its words' embeddings; those of the word itself, its form or lemma, come first,
// then what its form was seen with elsewhere (train/seen_tags.h), and its tags last.
struct NetworkSentence {
  struct Word {
    uint32_t end = 0;     // of its rows, which begin where those of the word before end
    uint32_t seen = 0;    // where those end of what it was seen with
    uint32_t tags = 0;    // where those of its tags begin
    uint32_t shown = 0;   // of those before, where the ones end that are shown if it is taken for unknown
    int32_t vector = -1;  // its pre-trained vector
    float unknown = 0;    // how often it is taken for unknown in training
    // And how often for one of which nothing is known but what it was seen with, and how often not even that.
    float only_seen = 0, not_seen = 0;
  };
  std::vector<Word> words;
  std::vector<int32_t> rows;
  std::optional<float> weight{};  // that a decision in a silver tree has in the loss; none: it is gold
};

// Weights that are all touched in every step, and what Adam keeps of them.
struct DenseParameters {
  std::vector<float> weights, first, second, average;
  void resize(size_t count);
};

// A table of which few rows are touched in a step. The others' averages are brought up to date when they are
// needed.
struct SparseParameters : DenseParameters {
  size_t width = 0;
  std::vector<int64_t> last;  // the step that touched each row
  void resize(size_t rows, size_t row_width);
};

// The gradient of a table: rows that are touched lie side by side, in the order in which they were, so that
// they stay near however large the table is.
class SparseGradient {
 public:
  void resize(size_t rows, size_t row_width);
  std::span<const int32_t> touched() const { return touched_; }
  // Of 0 at first. It stays where it is until all is cleared.
  float* row(int32_t r) {
    if (slots_[r] < 0) touch(r);
    return at(slots_[r]);
  }
  // The same, or null if nobody has touched it.
  float* find(int32_t r) { return slots_[r] < 0 ? nullptr : at(slots_[r]); }
  // The one that was touched as the i-th.
  float* at(size_t i) { return blocks_[i / kRows].data() + i % kRows * width_; }
  size_t width() const { return width_; }
  // When all values are 0 again.
  void clear() {
    for (int32_t r : touched_) slots_[r] = -1;
    touched_.clear();
  }

 private:
  static constexpr size_t kRows = 256;  // of a block
  void touch(int32_t r) {
    slots_[r] = static_cast<int32_t>(touched_.size());
    touched_.push_back(r);
    if (touched_.size() > blocks_.size() * kRows) blocks_.emplace_back(kRows * width_);
  }

  std::vector<std::vector<float>> blocks_;
  std::vector<int32_t> touched_, slots_;
  size_t width_ = 0;
};

// Pre-trained vectors of words, a row each.
struct PretrainedVectors {
  size_t width = 0;
  std::vector<float> values;
  bool tuned = false;  // trained on, with the rest
  // The embedding that each is added to, if any, and the row that the sum becomes: the same, or one of so
  // many that come after all that are learnt.
  std::vector<int32_t> embeddings, places;
  size_t new_rows = 0;
  size_t rows() const { return width == 0 ? 0 : values.size() / width; }
};

// Rows of embeddings that are learnt after those of the vocabulary, for many inputs of words to share: no
// model has them. They are added to other rows, which are the vocabulary's or new ones that come after all
// that are learnt; a new row begins as a copy.
struct SharedEmbeddings {
  struct Sum {
    int32_t to = 0, copied = -1;  // -1: the row is there
    std::vector<int32_t> rows;
  };
  size_t rows = 0, new_rows = 0;
  std::vector<Sum> sums;
};

class NetworkLearner;

// A part of a batch: what the network makes of its sentences, and the gradient of its decisions. Parts of a
// batch can be worked on at the same time.
//
// A network without words of its own can look at those of another, to learn another task along with it.
class NetworkShard {
 public:
  explicit NetworkShard(const NetworkLearner& learner);

  // Encodes the sentences, with dropout.
  void begin(std::span<const NetworkSentence* const> sentences, uint64_t seed);
  // Takes the words that another shard has encoded, and will add to their gradient.
  void begin(NetworkShard& encoder, uint64_t seed);
  // Whether a sentence's tags are among what is known of its words.
  bool shows_tags(size_t sentence) const { return shows_tags_[sentence]; }
  // Takes a state of a sentence down, for these moves to be scored. States are numbered through.
  void add(size_t sentence, const TreeView& view, Range moves) { add_state(sentence, view, moves); }
  void add(size_t sentence, const LabelView& view, Range moves) { add_state(sentence, view, moves); }
  // Scores the states that were added since the last call.
  void score();
  size_t states() const { return states_; }
  // All that its gradient comes from, of its states and those of others that look at its words: a decision in
  // a gold tree counts as one, one in a silver tree as its weight, if it has anything to teach.
  double decisions() const { return decisions_ + other_decisions_; }
  const float* scores(size_t state) const;
  // For the caller to fill in: the loss's gradient by a state's scores.
  float* gradient(size_t state);
  // The weight of a state in a silver tree.
  const std::optional<float>& weight(size_t state) const { return weight_[sentence_of_[state]]; }
  // Takes a decision into account, with its weight.
  void count(double weight) { decisions_ += weight; }
  // Adds up the gradients of all weights. Shards that look at this one's words come before it.
  void backward();
  // Lets go of a batch that was begun, as if it had not been.
  void forget();

  Random& random() { return random_; }
  double sure() const;

 private:
  friend class NetworkLearner;

  template <class View>
  void add_state(size_t sentence, const View& view, Range moves);
  void begin_states();
  const std::vector<float>& words() const;  // encoded, [rows][width]
  void make_room(size_t states);
  void embed(std::span<const NetworkSentence* const> sentences);
  void encode_layer(size_t layer);
  void backward_layer(size_t layer);
  void score_moves(size_t first);
  void keep_taught();
  void backward_moves();
  void backward_narrow_moves();
  void number_places();
  void backward_states();
  void backward_places();
  void backward_embeddings();
  // visit(row, last): the rows of each sentence.
  template <class F>
  void each_sentence(F&& visit) const;
  // visit(row, side, how): where the recurrence begins in each sentence, from the left and from the right.
  template <class F>
  void each_direction(F&& visit) const;
  // What lies between sentences is 0 and stays so.
  void clear_between(std::vector<float>& rows, size_t width) const;

  const NetworkLearner& learner_;
  const NetworkShape& shape_;
  NetworkShard* encoder_ = nullptr;  // the other whose words these are
  Random random_{0};

  std::vector<size_t> base_;     // of each sentence: the row before its first
  std::vector<int32_t> length_;  // in words; ROOT comes after them
  std::vector<uint8_t> shows_tags_;
  std::vector<std::optional<float>> weight_;  // of each sentence
  size_t rows_ = 0;
  std::vector<int32_t> embedded_;     // rows of embeddings, word by word
  std::vector<size_t> embedded_end_;  // by row of this batch
  std::vector<int32_t> vector_;       // the same, or -1
  std::vector<float> pretrained_;     // [rows][vectors' width], if there are any

  std::vector<std::vector<float>> x_;      // before and after each layer, [rows][width]
  std::vector<std::vector<float>> gates_;  // of each layer, [rows][encoder_outputs]
  std::vector<std::vector<float>> cells_;  // of each layer, [rows][width]
  std::vector<float> mask_;                // of dropout, [rows][width]
  std::vector<float> products_;            // [rows][hidden_inputs]

  size_t states_ = 0, scored_ = 0, room_ = 0;
  double decisions_ = 0, other_decisions_ = 0;
  float most_hidden_ = 0, most_hidden_before_ = 0;  // this batch
  std::vector<int32_t> positions_;                  // rows, [states][positions]
  std::vector<int32_t> extras_;                     // [states][extras]
  std::vector<Range> moves_;                        // [states]
  std::vector<uint32_t> sentence_of_;               // [states]
  std::vector<float> hidden_;                       // [states][hidden]
  std::vector<float> scores_;                       // [states][classes]
  std::vector<float> score_gradient_;

  std::vector<const float*> summands_;
  std::vector<float*> receivers_;

  // States with a gradient. Going back, theirs are the first rows of hidden_ and score_gradient_.
  std::vector<size_t> taught_;
  // The pairs of a position and a row that have a gradient, numbered position by position.
  std::vector<int32_t> places_;      // [positions][rows], or -1
  std::vector<int32_t> place_rows_;  // [places]
  std::vector<size_t> place_end_;    // by position
  std::vector<float> d_places_;      // [places][hidden]
  std::vector<float> at_places_;     // words, [places of a position][width]
  std::vector<float> d_hidden_, d_x_, d_gates_, d_window_, carry_;
  std::vector<float> d_words_;  // from others that look at these words
  PackedMatrix packed_;

  std::vector<float> dense_gradient_;
  SparseGradient token_gradient_, extra_gradient_, vector_gradient_;
  SparseGradient move_gradient_, part_gradient_;  // of narrow moves, [classes][hidden] and [parts][hidden]
};

class NetworkLearner {
 public:
  // The shape's numbers of rows, positions and extras are filled in by the caller.
  // `unknown_rows` are the embeddings that stand for a word's own rows where it is taken for unknown.
  NetworkLearner(const NetworkShape& shape, const NetworkOptions& options, StateInputs inputs,
                 std::vector<int32_t> unknown_rows, PretrainedVectors vectors, SharedEmbeddings shared,
                 NetworkMoves moves, uint64_t seed);

  // To be called before the shards of a batch begin. Threads change no result, here and below.
  void prepare(int threads);
  // A step along the shards' gradients, which are left at 0. `progress` is how much of training is done, from
  // 0 to 1. Throws std::domain_error if a gradient is no finite number.
  void step(std::span<NetworkShard* const> shards, double progress, int threads);

  // The weights to parse with. Pre-trained vectors have become embeddings like the others.
  NetworkWeights weights() const;
  size_t parameters() const;
  // How far from 0 the sum of a hidden unit has got.
  float most_hidden() const { return most_hidden_[0]; }

  // All that is learnt in so many steps, by name, and back. Throws std::invalid_argument if it does not fit.
  std::map<std::string, std::vector<uint8_t>> state() const;
  void restore(const std::map<std::string, std::vector<uint8_t>>& state, int64_t steps);
  // The same of a learner that goes on from the weights to parse with, whose pre-trained vectors are
  // embeddings like the others; without what follows from that.
  std::map<std::string, std::vector<uint8_t>> settled() const;
  int64_t steps() const { return steps_; }

 private:
  friend class NetworkShard;

  // Where each part lies among the dense weights.
  struct Layout {
    std::vector<size_t> weights, bias;  // of each layer
    size_t positions = 0, absent = 0, hidden = 0, moves = 0, move_bias = 0, move_parts = 0, projection = 0,
           total = 0;
  };
  const float* dense(size_t at) const { return dense_.weights.data() + at; }
  bool is_rare(MoveId c) const { return !moves_.is_rare.empty() && moves_.is_rare[c] != 0; }
  // The weights of moves, [classes][hidden], with those of their parts.
  void transposed_moves(const std::vector<float>& dense, std::vector<float>& to) const;
  void initialise(uint64_t seed);
  template <class F>
  void each_part(F&& visit);
  std::vector<float> averaged(const SparseParameters& table) const;

  NetworkShape shape_;
  NetworkOptions options_;
  StateInputs inputs_;
  std::vector<int32_t> unknown_rows_;
  PretrainedVectors vectors_;
  SharedEmbeddings shared_;
  NetworkMoves moves_;
  size_t vocabulary_rows_;  // that are learnt, which shared ones follow
  Layout layout_;
  DenseParameters dense_;
  SparseParameters tokens_, extras_, tuned_;
  int64_t steps_ = 0;
  std::vector<float> most_hidden_{1.0f};  // one, kept as all that is stored

  // The weights as the shards of a batch use them.
  std::vector<PackedMatrix> packed_layers_, packed_layers_back_, packed_positions_back_;
  PackedMatrix packed_positions_, packed_moves_, packed_moves_back_, packed_projection_,
      packed_projection_back_;
  std::vector<float> transposed_moves_;  // of a narrow task
};

}  // namespace arcwise
