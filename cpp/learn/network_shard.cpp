#include <algorithm>
#include <cmath>

#include "base/interrupts.h"
#include "learn/network.h"
#include "network/token_inputs.h"

namespace arcwise {
namespace {

// The row of nodes that are not there. It lies before the first sentence.
constexpr int32_t kAbsentRow = 0;

uint32_t seed_of(Random& random) { return static_cast<uint32_t>(random.next() >> 32); }

}  // namespace

void SparseGradient::resize(size_t rows, size_t row_width) {
  width_ = row_width;
  blocks_.clear();
  touched_.clear();
  slots_.assign(rows, -1);
}

NetworkShard::NetworkShard(const NetworkLearner& learner) : learner_(learner), shape_(learner.shape_) {
  const auto layers = static_cast<size_t>(shape_.encoder_layers());
  x_.resize(layers + 1);
  gates_.resize(layers);
  cells_.resize(layers);
  dense_gradient_.assign(learner.layout_.total, 0.0f);
  token_gradient_.resize(learner.tokens_.last.size(), shape_.width);
  extra_gradient_.resize(shape_.extras, shape_.hidden);
  if (learner.vectors_.tuned) vector_gradient_.resize(learner.vectors_.rows(), learner.vectors_.width);
  if (learner.moves_.is_narrow) move_gradient_.resize(shape_.classes, shape_.hidden);
  part_gradient_.resize(learner.moves_.parts, shape_.hidden);
}

template <class F>
void NetworkShard::each_sentence(F&& visit) const {
  for (size_t s = 0; s < base_.size(); ++s) visit(base_[s] + 1, base_[s] + length_[s] + 1);
}

template <class F>
void NetworkShard::each_direction(F&& visit) const {
  const auto outputs = static_cast<ptrdiff_t>(shape_.encoder_outputs()),
             width = static_cast<ptrdiff_t>(shape_.width);
  each_sentence([&](size_t first, size_t last) {
    const size_t rows = last - first + 1, half = shape_.width / 2;
    visit(first, 0, Recurrence{rows, half, outputs, width});
    visit(last, 1, Recurrence{rows, half, -outputs, -width});
  });
}

void NetworkShard::clear_between(std::vector<float>& rows, size_t width) const {
  size_t next = 0;
  each_sentence([&](size_t first, size_t last) {
    std::fill(rows.begin() + next * width, rows.begin() + first * width, 0.0f);
    next = last + 1;
  });
  std::fill(rows.begin() + next * width, rows.end(), 0.0f);
}

void NetworkShard::begin(std::span<const NetworkSentence* const> sentences, uint64_t seed) {
  random_ = Random(seed);
  most_hidden_before_ = most_hidden_;
  states_ = scored_ = 0;
  decisions_ = other_decisions_ = 0;
  base_.clear();
  if (sentences.empty()) return;
  embed(sentences);
  for (size_t l = 0; l < gates_.size(); ++l) encode_layer(l);
  d_words_.assign(rows_ * shape_.width, 0.0f);
  begin_states();
}

void NetworkShard::begin(NetworkShard& encoder, uint64_t seed) {
  random_ = Random(seed);
  most_hidden_before_ = most_hidden_;
  states_ = scored_ = 0;
  decisions_ = other_decisions_ = 0;
  encoder_ = &encoder;
  base_ = encoder.base_;
  if (base_.empty()) return;
  length_ = encoder.length_;
  weight_ = encoder.weight_;
  rows_ = encoder.rows_;
  begin_states();
}

const std::vector<float>& NetworkShard::words() const { return encoder_ ? encoder_->words() : x_.back(); }

void NetworkShard::begin_states() {
  const size_t width = shape_.width, products = shape_.hidden_inputs();
  products_.resize(rows_ * products);
  multiply(rows_, {words().data(), width}, learner_.packed_positions_, false, products_.data(), products);
  std::copy_n(learner_.dense(learner_.layout_.absent), products, products_.data() + kAbsentRow * products);

  size_t states = 0;  // a word is pushed once and leaves once
  for (int32_t length : length_) states += 2 * static_cast<size_t>(length) + 2;
  make_room(states);
}

void NetworkShard::make_room(size_t states) {
  if (states <= room_) return;
  room_ = std::max(states, room_ + room_ / 2);
  positions_.resize(room_ * shape_.positions);
  extras_.resize(room_ * learner_.inputs_.extras());
  moves_.resize(room_);
  sentence_of_.resize(room_);
  hidden_.resize(room_ * shape_.hidden);
  scores_.resize(room_ * shape_.classes);
  score_gradient_.resize(room_ * shape_.classes);
}

// Rows of 0 lie before, between and after the sentences, so that a window is a piece of memory.
void NetworkShard::embed(std::span<const NetworkSentence* const> sentences) {
  const size_t width = shape_.width, pad = std::max(1, shape_.window);
  base_.clear();
  length_.clear();
  shows_tags_.clear();
  weight_.clear();
  rows_ = pad;
  for (const NetworkSentence* s : sentences) {
    base_.push_back(rows_ - 1);
    length_.push_back(static_cast<int32_t>(s->words.size()));
    weight_.push_back(s->weight);
    rows_ += s->words.size() + 1 + pad;
  }
  embedded_.clear();
  embedded_end_.assign(rows_, 0);
  vector_.assign(rows_, -1);
  auto& x = x_[0];
  x.assign(rows_ * width, 0.0f);
  size_t row = 0;
  for (size_t k = 0; k < sentences.size(); ++k) {
    const NetworkSentence& sentence = *sentences[k];
    for (; row <= base_[k]; ++row) embedded_end_[row] = embedded_.size();
    size_t from = 0;
    // There is nothing to draw where all tags are shown.
    const double shown = learner_.options_.shown_tags;
    shows_tags_.push_back(shown >= 1 || random_.uniform() < shown);
    for (const NetworkSentence::Word& word : sentence.words) {
      const double drawn = random_.uniform();
      const bool unknown = drawn < word.unknown, only_seen = drawn < word.unknown + word.only_seen;
      const auto show = [&](size_t first, size_t last) {
        embedded_.insert(embedded_.end(), sentence.rows.begin() + first, sentence.rows.begin() + last);
      };
      const size_t itself = from + learner_.unknown_rows_.size();
      if (only_seen)
        embedded_.insert(embedded_.end(), learner_.unknown_rows_.begin(), learner_.unknown_rows_.end());
      else
        show(from, itself);
      if (!unknown && drawn < 1 - word.not_seen) show(itself, word.seen);
      show(word.seen, unknown ? word.shown : word.tags);
      if (shows_tags_.back()) show(word.tags, word.end);
      from = word.end;
      vector_[row] = word.vector;
      embedded_end_[row++] = embedded_.size();
    }
    embedded_.push_back(Vocabulary::kRootRow);
    embedded_end_[row++] = embedded_.size();
  }
  for (; row < rows_; ++row) embedded_end_[row] = embedded_.size();

  for (size_t r = 1; r < rows_; ++r, check_interrupts())
    for (size_t i = embedded_end_[r - 1]; i < embedded_end_[r]; ++i)
      arcwise::add(learner_.tokens_.weights.data() + embedded_[i] * width, width, x.data() + r * width);
  const PretrainedVectors& vectors = learner_.vectors_;
  if (vectors.width > 0) {
    const float* values = vectors.tuned ? learner_.tuned_.weights.data() : vectors.values.data();
    pretrained_.assign(rows_ * vectors.width, 0.0f);
    for (size_t r = 0; r < rows_; ++r)
      if (vector_[r] >= 0)
        std::copy_n(values + vector_[r] * vectors.width, vectors.width, &pretrained_[r * vectors.width]);
    multiply(rows_, {pretrained_.data(), vectors.width}, learner_.packed_projection_, true, x.data(), width);
  }

  const double p = learner_.options_.dropout;
  if (p > 0) {
    mask_.resize(rows_ * width);
    draw(Dropout(p), seed_of(random_), mask_.size(), mask_.data());
    for (size_t i = 0; i < mask_.size(); ++i) x[i] *= mask_[i];
  }
}

void NetworkShard::encode_layer(size_t layer) {
  const size_t width = shape_.width, half = width / 2, outputs = shape_.encoder_outputs();
  const size_t pad = shape_.window;
  const std::vector<float>& x = x_[layer];
  std::vector<float>&a = gates_[layer], &to = x_[layer + 1];
  a.resize(rows_ * outputs);
  const float* bias = learner_.dense(learner_.layout_.bias[layer]);
  for (size_t r = 0; r < rows_; ++r) std::copy_n(bias, outputs, a.data() + r * outputs);
  multiply(rows_ - 2 * pad, {x.data(), width}, learner_.packed_layers_[layer], true, a.data() + pad * outputs,
           outputs);
  to = x;
  if (shape_.encoder == Encoder::Conv) {
    each_sentence([&](size_t first, size_t last) {
      for (size_t r = first; r <= last; ++r) {
        const float* from = a.data() + r * outputs;
        float* out = to.data() + r * width;
        for (size_t j = 0; j < width; ++j) out[j] += std::max(from[j], from[width + j]);
      }
    });
    return;
  }
  activate_gates(a.data(), rows_, half);
  auto& cells = cells_[layer];
  cells.resize(rows_ * width);
  each_direction([&](size_t first, size_t side, const Recurrence& how) {
    const size_t at = first * width + side * half;
    recur(how, a.data() + first * outputs + side * 3 * half, cells.data() + at, to.data() + at);
  });
}

template <class View>
void NetworkShard::add_state(size_t sentence, const View& view, Range moves) {
  make_room(states_ + 1);
  moves_[states_] = moves;
  sentence_of_[states_] = static_cast<uint32_t>(sentence);
  const size_t positions = shape_.positions;
  int32_t* nodes = positions_.data() + states_ * positions;
  learner_.inputs_.look(view, nodes, extras_.data() + states_ * learner_.inputs_.extras());
  const auto base = static_cast<int32_t>(base_[sentence]);
  for (size_t p = 0; p < positions; ++p)
    nodes[p] = nodes[p] == kNone   ? kAbsentRow
               : nodes[p] == kRoot ? base + length_[sentence] + 1
                                   : base + nodes[p];
  ++states_;
}
template void NetworkShard::add_state(size_t, const TreeView&, Range);
template void NetworkShard::add_state(size_t, const LabelView&, Range);

void NetworkShard::score() {
  const size_t hidden = shape_.hidden, positions = shape_.positions, extras = learner_.inputs_.extras();
  const Dropout dropout(learner_.options_.hidden_dropout);
  summands_.resize(1 + positions + extras);
  summands_[0] = learner_.dense(learner_.layout_.hidden);
  for (size_t s = scored_; s < states_; ++s) {
    const float** next = summands_.data() + 1;
    for (size_t i = 0; i < positions; ++i)
      *next++ = products_.data() + (positions_[s * positions + i] * positions + i) * hidden;
    for (size_t i = 0; i < extras; ++i)
      *next++ = learner_.extras_.weights.data() + extras_[s * extras + i] * hidden;
    const float most = hidden_units(summands_.data(), summands_.size(), dropout, seed_of(random_), hidden,
                                    hidden_.data() + s * hidden);
    most_hidden_ = std::max(most_hidden_, most);
  }
  score_moves(scored_);
  scored_ = states_;
}

void NetworkShard::score_moves(size_t first) {
  const size_t hidden = shape_.hidden, classes = shape_.classes;
  const float* bias = learner_.dense(learner_.layout_.move_bias);
  for (size_t s = first; s < states_; ++s)
    std::copy(bias + moves_[s].begin, bias + moves_[s].end, scores_.data() + s * classes + moves_[s].begin);
  if (!learner_.moves_.is_narrow) {
    multiply(states_ - first, {hidden_.data() + first * hidden, hidden}, learner_.packed_moves_, true,
             scores_.data() + first * classes, classes);
    return;
  }
  for (size_t s = first; s < states_; ++s)
    add_products(hidden_.data() + s * hidden, hidden,
                 learner_.transposed_moves_.data() + moves_[s].begin * hidden, moves_[s].size(),
                 scores_.data() + s * classes + moves_[s].begin);
}

double NetworkShard::sure() const { return learner_.options_.sure; }

const float* NetworkShard::scores(size_t state) const { return scores_.data() + state * shape_.classes; }
float* NetworkShard::gradient(size_t state) { return score_gradient_.data() + state * shape_.classes; }

void NetworkShard::forget() {
  most_hidden_ = most_hidden_before_;
  std::fill(dense_gradient_.begin(), dense_gradient_.end(), 0.0f);
  for (SparseGradient* gradient :
       {&token_gradient_, &extra_gradient_, &vector_gradient_, &move_gradient_, &part_gradient_}) {
    for (size_t i = 0; i < gradient->touched().size(); ++i)
      std::fill_n(gradient->at(i), gradient->width(), 0.0f);
    gradient->clear();
  }
}

void NetworkShard::backward() {
  if (base_.empty()) return;
  keep_taught();
  backward_moves();
  backward_states();
  backward_places();
  if (encoder_) {
    encoder_->other_decisions_ += decisions_;
    return;
  }
  std::swap(d_x_, d_words_);
  for (size_t l = gates_.size(); l-- > 0;) backward_layer(l);
  backward_embeddings();
}

// What a state that is sure of the right move could teach is 0, and there are many of them.
void NetworkShard::keep_taught() {
  const size_t hidden = shape_.hidden, classes = shape_.classes;
  taught_.clear();
  for (size_t s = 0; s < states_; ++s) {
    const float* d = score_gradient_.data() + s * classes;
    if (std::all_of(d + moves_[s].begin, d + moves_[s].end, [](float value) { return value == 0; })) continue;
    const size_t to = taught_.size();
    taught_.push_back(s);
    if (to == s) continue;
    std::copy(d + moves_[s].begin, d + moves_[s].end,
              score_gradient_.data() + to * classes + moves_[s].begin);
    std::copy_n(hidden_.data() + s * hidden, hidden, hidden_.data() + to * hidden);
  }
}

void NetworkShard::backward_moves() {
  const size_t hidden = shape_.hidden, classes = shape_.classes, count = taught_.size();
  float* bias = dense_gradient_.data() + learner_.layout_.move_bias;
  for (size_t i = 0; i < count; ++i) {
    const Range moves = moves_[taught_[i]];
    const float* const d = score_gradient_.data() + i * classes;
    for (MoveId c = moves.begin; c < moves.end; ++c)
      if (!learner_.is_rare(c)) bias[c] += d[c];
  }
  d_hidden_.resize(count * hidden);
  if (learner_.moves_.is_narrow) {
    std::fill(d_hidden_.begin(), d_hidden_.end(), 0.0f);
    backward_narrow_moves();
    return;
  }
  packed_.pack(count, classes, {score_gradient_.data(), classes});
  multiply(hidden, MatrixView{hidden_.data(), hidden}.transposed(), packed_, true,
           dense_gradient_.data() + learner_.layout_.moves, classes);
  multiply(count, {score_gradient_.data(), classes}, learner_.packed_moves_back_, false, d_hidden_.data(),
           hidden);
}

void NetworkShard::backward_narrow_moves() {
  const size_t hidden = shape_.hidden, classes = shape_.classes, parts = learner_.moves_.parts;
  for (size_t i = 0; i < taught_.size(); ++i) {
    check_interrupts();
    const Range moves = moves_[taught_[i]];
    const float* d = score_gradient_.data() + i * classes;
    for (MoveId c = moves.begin; c < moves.end; ++c)
      if (d[c] != 0) {
        add_scaled(hidden_.data() + i * hidden, d[c], hidden, move_gradient_.row(c));
        add_scaled(learner_.transposed_moves_.data() + c * hidden, d[c], hidden, &d_hidden_[i * hidden]);
      }
  }
  if (parts > 0)
    for (MoveId c : move_gradient_.touched())
      for (int32_t part : learner_.moves_.parts_of[c])
        arcwise::add(move_gradient_.row(c), hidden, part_gradient_.row(part));
  const auto exchange = [&](SparseGradient& from, float* to, size_t stride, auto&& is_learnt) {
    for (int32_t r : from.touched()) {
      float* row = from.row(r);
      if (is_learnt(r))
        for (size_t j = 0; j < hidden; ++j) to[j * stride + r] += row[j];
      std::fill_n(row, hidden, 0.0f);
    }
    from.clear();
  };
  exchange(move_gradient_, dense_gradient_.data() + learner_.layout_.moves, classes,
           [&](MoveId c) { return !learner_.is_rare(c); });
  exchange(part_gradient_, dense_gradient_.data() + learner_.layout_.move_parts, parts,
           [](int32_t) { return true; });
}

void NetworkShard::number_places() {
  const size_t positions = shape_.positions;
  places_.assign(positions * rows_, -1);
  for (size_t s : taught_)
    for (size_t i = 0; i < positions; ++i) places_[i * rows_ + positions_[s * positions + i]] = 0;
  place_rows_.clear();
  place_end_.clear();
  for (size_t i = 0; i < positions; ++i) {
    for (size_t r = 0; r < rows_; ++r) {
      int32_t& place = places_[i * rows_ + r];
      if (place < 0) continue;
      place = static_cast<int32_t>(place_rows_.size());
      place_rows_.push_back(static_cast<int32_t>(r));
    }
    place_end_.push_back(place_rows_.size());
  }
}

void NetworkShard::backward_states() {
  const size_t hidden = shape_.hidden, positions = shape_.positions, extras = learner_.inputs_.extras();
  const float scale = Dropout(learner_.options_.hidden_dropout).scale;
  number_places();
  d_places_.assign(place_rows_.size() * hidden, 0.0f);
  receivers_.resize(1 + positions + extras);
  receivers_[0] = dense_gradient_.data() + learner_.layout_.hidden;
  for (size_t t = 0; t < taught_.size(); ++t) {
    check_interrupts();
    const size_t s = taught_[t];
    float** next = receivers_.data() + 1;
    for (size_t i = 0; i < positions; ++i)
      *next++ = d_places_.data() + places_[i * rows_ + positions_[s * positions + i]] * hidden;
    for (size_t i = 0; i < extras; ++i) *next++ = extra_gradient_.row(extras_[s * extras + i]);
    float* d = d_hidden_.data() + t * hidden;
    hidden_gradient(hidden_.data() + t * hidden, scale, hidden, d);
    add_to_rows(d, hidden, receivers_.data(), receivers_.size());
  }
}

void NetworkShard::backward_places() {
  const size_t width = shape_.width, hidden = shape_.hidden, products = shape_.hidden_inputs();
  const auto& layout = learner_.layout_;
  std::vector<float>& d_words = encoder_ ? encoder_->d_words_ : d_words_;
  size_t first = 0;
  for (size_t i = 0; i < place_end_.size(); ++i) {
    const float* d = d_places_.data() + first * hidden;
    const int32_t* rows = place_rows_.data() + first;
    size_t count = place_end_[i] - first;
    first = place_end_[i];
    if (count > 0 && rows[0] == kAbsentRow) {  // no word
      arcwise::add(d, hidden, dense_gradient_.data() + layout.absent + i * hidden);
      d += hidden;
      ++rows;
      --count;
    }
    at_places_.resize(count * width);
    for (size_t k = 0; k < count; ++k)
      std::copy_n(words().data() + rows[k] * width, width, at_places_.data() + k * width);
    packed_.pack(count, hidden, {d, hidden});
    multiply(width, MatrixView{at_places_.data(), width}.transposed(), packed_, true,
             dense_gradient_.data() + layout.positions + i * hidden, products);
    multiply(count, {d, hidden}, learner_.packed_positions_back_[i], false, at_places_.data(), width);
    for (size_t k = 0; k < count; ++k)
      arcwise::add(at_places_.data() + k * width, width, d_words.data() + rows[k] * width);
  }
}

void NetworkShard::backward_layer(size_t layer) {
  const size_t width = shape_.width, half = width / 2, outputs = shape_.encoder_outputs();
  const size_t inputs = shape_.encoder_inputs(), pad = shape_.window;
  const std::vector<float>& a = gates_[layer];
  d_gates_.resize(rows_ * outputs);
  clear_between(d_gates_, outputs);
  if (shape_.encoder == Encoder::Conv) {
    each_sentence([&](size_t first, size_t last) {
      for (size_t r = first; r <= last; ++r) {
        const float *from = a.data() + r * outputs, *d = d_x_.data() + r * width;
        float* to = d_gates_.data() + r * outputs;
        for (size_t j = 0; j < width; ++j) {
          const bool is_left = from[j] >= from[width + j];
          to[j] = is_left ? d[j] : 0.0f;
          to[width + j] = is_left ? 0.0f : d[j];
        }
      }
    });
  } else {
    carry_.resize(half);
    each_direction([&](size_t first, size_t side, const Recurrence& how) {
      const size_t at = first * width + side * half, gates = first * outputs + side * 3 * half;
      std::fill(carry_.begin(), carry_.end(), 0.0f);
      recur_back(how, a.data() + gates, cells_[layer].data() + at, d_x_.data() + at, carry_.data(),
                 d_gates_.data() + gates);
    });
  }
  const size_t windows = rows_ - 2 * pad;
  const float* d = d_gates_.data() + pad * outputs;
  packed_.pack(windows, outputs, {d, outputs});
  multiply(inputs, MatrixView{x_[layer].data(), width}.transposed(), packed_, true,
           dense_gradient_.data() + learner_.layout_.weights[layer], outputs);
  for (size_t r = 0; r < windows; ++r)
    arcwise::add(d + r * outputs, outputs, dense_gradient_.data() + learner_.layout_.bias[layer]);
  d_window_.resize(windows * inputs);
  multiply(windows, {d, outputs}, learner_.packed_layers_back_[layer], false, d_window_.data(), inputs);
  for (size_t r = 0; r < windows; ++r) arcwise::add(d_window_.data() + r * inputs, inputs, &d_x_[r * width]);
  clear_between(d_x_, width);
}

void NetworkShard::backward_embeddings() {
  const size_t width = shape_.width;
  if (learner_.options_.dropout > 0)
    for (size_t i = 0; i < rows_ * width; ++i) d_x_[i] *= mask_[i];
  for (size_t r = 1; r < rows_; ++r, check_interrupts())
    for (size_t i = embedded_end_[r - 1]; i < embedded_end_[r]; ++i)
      arcwise::add(d_x_.data() + r * width, width, token_gradient_.row(embedded_[i]));
  const PretrainedVectors& vectors = learner_.vectors_;
  if (vectors.width == 0) return;
  packed_.pack(rows_, width, {d_x_.data(), width});
  multiply(vectors.width, MatrixView{pretrained_.data(), vectors.width}.transposed(), packed_, true,
           dense_gradient_.data() + learner_.layout_.projection, width);
  if (!vectors.tuned) return;
  std::vector<float>& d = pretrained_;  // no longer needed
  multiply(rows_, {d_x_.data(), width}, learner_.packed_projection_back_, false, d.data(), vectors.width);
  for (size_t r = 0; r < rows_; ++r)
    if (vector_[r] >= 0)
      arcwise::add(d.data() + r * vectors.width, vectors.width, vector_gradient_.row(vector_[r]));
}

}  // namespace arcwise
