#include "learn/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "base/threads.h"
#include "text/vocabulary.h"

namespace arcwise {
namespace {

// The rate rises to its full size in so many steps, or in this part of training if that is shorter.
constexpr double kWarmUp = 100, kWarmUpShare = 0.1;
constexpr double kLeastRate = 0.02;  // of the full size, at the end
constexpr double kBeta1 = 0.9, kBeta2 = 0.999;

float normal(Random& random) {
  const double u = random.uniform() + 1e-12, v = random.uniform();
  return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v));
}

}  // namespace

void DenseParameters::resize(size_t count) {
  for (auto* values : {&weights, &first, &second, &average}) values->assign(count, 0.0f);
}

void SparseParameters::resize(size_t rows, size_t row_width) {
  width = row_width;
  DenseParameters::resize(rows * row_width);
  last.assign(rows, 0);
}

NetworkLearner::NetworkLearner(const NetworkShape& shape, const NetworkOptions& options, StateInputs inputs,
                               std::vector<int32_t> unknown_rows, PretrainedVectors vectors,
                               SharedEmbeddings shared, NetworkMoves moves, uint64_t seed)
    : shape_(shape),
      options_(options),
      inputs_(std::move(inputs)),
      unknown_rows_(std::move(unknown_rows)),
      vectors_(std::move(vectors)),
      shared_(std::move(shared)),
      moves_(std::move(moves)),
      vocabulary_rows_(static_cast<size_t>(shape.tokens) - vectors_.new_rows - shared_.new_rows) {
  const auto room = [&](size_t count) {
    const size_t at = layout_.total;
    layout_.total += count;
    return at;
  };
  const size_t width = shape_.width, products = shape_.hidden_inputs();
  for (int32_t l = 0; l < shape_.encoder_layers(); ++l) {
    layout_.weights.push_back(room(static_cast<size_t>(shape_.encoder_inputs()) * shape_.encoder_outputs()));
    layout_.bias.push_back(room(shape_.encoder_outputs()));
  }
  layout_.positions = room(width * products);
  layout_.absent = room(products);
  layout_.hidden = room(shape_.hidden);
  layout_.moves = room(static_cast<size_t>(shape_.hidden) * shape_.classes);
  layout_.move_bias = room(shape_.classes);
  layout_.move_parts = room(static_cast<size_t>(shape_.hidden) * moves_.parts);
  layout_.projection = room(vectors_.width * width);
  dense_.resize(layout_.total);
  tokens_.resize(vocabulary_rows_ + shared_.rows, width);
  extras_.resize(shape_.extras, shape_.hidden);
  if (vectors_.tuned) tuned_.resize(vectors_.rows(), vectors_.width);
  packed_layers_.resize(layout_.weights.size());
  packed_layers_back_.resize(layout_.weights.size());
  packed_positions_back_.resize(shape_.positions);
  initialise(seed);
}

void NetworkLearner::initialise(uint64_t seed) {
  Random random(seed);
  const auto fill = [&](std::vector<float>& values, size_t at, size_t count, double deviation) {
    for (size_t i = at; i < at + count; ++i) values[i] = static_cast<float>(deviation) * normal(random);
  };
  const size_t width = shape_.width, products = shape_.hidden_inputs(), half = width / 2;
  const double inputs = shape_.encoder_inputs();
  fill(tokens_.weights, 0, tokens_.weights.size(), options_.first_embeddings);
  fill(extras_.weights, 0, extras_.weights.size(), 0.1);
  auto& w = dense_.weights;
  for (size_t l = 0; l < layout_.weights.size(); ++l) {
    fill(w, layout_.weights[l], layout_.bias[l] - layout_.weights[l], std::sqrt(1 / inputs));
    // Cells that remember at first have something to learn from.
    if (shape_.encoder == Encoder::Rnn)
      for (size_t side = 0; side < 2; ++side)
        std::fill_n(w.begin() + layout_.bias[l] + side * 3 * half + half, half, 0.5f);
  }
  fill(w, layout_.positions, width * products, std::sqrt(2.0 / (shape_.positions * shape_.width)));
  fill(w, layout_.absent, products, 0.01);
  fill(w, layout_.moves, static_cast<size_t>(shape_.hidden) * shape_.classes, std::sqrt(1.0 / shape_.hidden));
  for (size_t i = 0; i < static_cast<size_t>(shape_.hidden) * shape_.classes; ++i)
    if (is_rare(static_cast<MoveId>(i % shape_.classes))) w[layout_.moves + i] = 0;
  if (vectors_.width > 0)
    fill(w, layout_.projection, vectors_.width * width, std::sqrt(1.0 / static_cast<double>(vectors_.width)));
  if (vectors_.tuned) tuned_.weights = vectors_.values;
  for (DenseParameters* p : {&dense_, static_cast<DenseParameters*>(&tokens_),
                             static_cast<DenseParameters*>(&extras_), static_cast<DenseParameters*>(&tuned_)})
    p->average = p->weights;
}

void NetworkLearner::prepare(int threads) {
  const size_t width = shape_.width, products = shape_.hidden_inputs(), hidden = shape_.hidden;
  const size_t inputs = shape_.encoder_inputs(), outputs = shape_.encoder_outputs();
  std::vector<std::function<void()>> work;
  const auto pack = [&](size_t rows, size_t columns, MatrixView view, PackedMatrix& to) {
    work.push_back([=, &to] { to.pack(rows, columns, view); });
  };
  const auto pack_both = [&](size_t rows, size_t columns, size_t at, PackedMatrix& forward,
                             PackedMatrix& back) {
    const MatrixView view{dense(at), columns};
    pack(rows, columns, view, forward);
    pack(columns, rows, view.transposed(), back);
  };
  for (size_t l = 0; l < packed_layers_.size(); ++l)
    pack_both(inputs, outputs, layout_.weights[l], packed_layers_[l], packed_layers_back_[l]);
  const MatrixView positions{dense(layout_.positions), products};
  pack(width, products, positions, packed_positions_);
  for (size_t p = 0; p < packed_positions_back_.size(); ++p)
    pack(hidden, width, MatrixView{positions.data + p * hidden, products}.transposed(),
         packed_positions_back_[p]);
  if (moves_.is_narrow)
    work.push_back([&] { transposed_moves(dense_.weights, transposed_moves_); });
  else
    pack_both(hidden, shape_.classes, layout_.moves, packed_moves_, packed_moves_back_);
  if (vectors_.width > 0)
    pack_both(vectors_.width, width, layout_.projection, packed_projection_, packed_projection_back_);
  share_whole_work(threads, work.size(), [&](size_t i) { work[i](); });
}

void NetworkLearner::transposed_moves(const std::vector<float>& dense, std::vector<float>& to) const {
  const size_t hidden = shape_.hidden, classes = shape_.classes, parts = moves_.parts;
  to.resize(classes * hidden);
  transpose({dense.data() + layout_.moves, classes}, classes, hidden, to.data(), hidden);
  if (parts == 0) return;
  std::vector<float> of_parts(parts * hidden);
  transpose({dense.data() + layout_.move_parts, parts}, parts, hidden, of_parts.data(), hidden);
  for (size_t c = 0; c < moves_.parts_of.size(); ++c)
    for (int32_t part : moves_.parts_of[c]) add(of_parts.data() + part * hidden, hidden, &to[c * hidden]);
}

void NetworkLearner::step(std::span<NetworkShard* const> shards, double progress, int threads) {
  NetworkShard& all = *shards[0];
  const std::span others = shards.subspan(1);
  double decisions = 0;
  for (NetworkShard* shard : shards) {
    decisions += shard->decisions();
    most_hidden_[0] = std::max(most_hidden_[0], shard->most_hidden_);
  }

  // Pieces of the gradient, whatever the number of threads: of dense weights, or of the rows of a table.
  struct Table {
    SparseParameters* weights;
    SparseGradient NetworkShard::* gradient;
  };
  static constexpr size_t kWeights = size_t{1} << 14, kRows = 128;
  const Table tables[] = {{&tokens_, &NetworkShard::token_gradient_},
                          {&extras_, &NetworkShard::extra_gradient_},
                          {&tuned_, &NetworkShard::vector_gradient_}};
  struct Piece {
    const Table* table;  // none: of dense weights
    size_t first, last;
    double squares = 0;
  };
  std::vector<Piece> pieces;
  const auto divide = [&](const Table* table, size_t count, size_t size) {
    for (size_t i = 0; i < count; i += size) pieces.push_back({table, i, std::min(i + size, count)});
  };
  divide(nullptr, layout_.total, kWeights);
  for (const Table& table : tables) {
    SparseGradient& sum = all.*table.gradient;
    for (NetworkShard* other : others)
      for (int32_t r : (other->*table.gradient).touched()) sum.row(r);
    divide(&table, sum.touched().size(), kRows);
  }
  const auto in_pieces = [&](auto&& work) {
    share_whole_work(threads, pieces.size(), [&](size_t i) { work(pieces[i]); });
  };

  in_pieces([&](Piece& piece) {
    if (!piece.table) {
      float* const to = all.dense_gradient_.data() + piece.first;
      const size_t n = piece.last - piece.first;
      for (NetworkShard* other : others) move_gradient(other->dense_gradient_.data() + piece.first, n, to);
      piece.squares = squares(to, n);
      return;
    }
    SparseGradient& sum = all.*piece.table->gradient;
    for (size_t i = piece.first; i < piece.last; ++i) {
      for (NetworkShard* other : others)
        if (float* from = (other->*piece.table->gradient).find(sum.touched()[i]))
          move_gradient(from, sum.width(), sum.at(i));
      piece.squares += squares(sum.at(i), sum.width());
    }
  });
  for (NetworkShard* other : others)
    for (const Table& table : tables) (other->*table.gradient).clear();
  if (decisions == 0) {
    for (const Table& table : tables) (all.*table.gradient).clear();
    return;
  }
  double length = 0;
  for (const Piece& piece : pieces) length += piece.squares;
  length = std::sqrt(length) / decisions;
  if (!std::isfinite(length))
    throw std::domain_error(
        "The network's weights have grown beyond all bounds: lower the learning rate (rate), or the longest "
        "gradient (clip).");

  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double rate = options_.rate * std::min(1.0, std::max(t / kWarmUp, progress / kWarmUpShare)) *
                      std::max(kLeastRate, 1 - progress);
  AdamStep s;
  s.rate = static_cast<float>(rate / (1 - std::pow(kBeta1, t)));
  s.beta1 = static_cast<float>(kBeta1);
  s.beta2 = options_.given_rates ? 1.0f : static_cast<float>(kBeta2);
  s.correction2 = options_.given_rates ? 1.0f : static_cast<float>(1 / (1 - std::pow(kBeta2, t)));
  s.decay = static_cast<float>(rate * options_.decay);
  s.average = static_cast<float>(std::min(options_.average, (1 + t) / (10 + t)));
  s.scale = static_cast<float>(std::min(1.0, options_.clip / length) / decisions);
  const auto learn = [](const AdamStep& step, size_t at, size_t n, DenseParameters& p, float* gradient) {
    adam(step, n, p.weights.data() + at, gradient, p.first.data() + at, p.second.data() + at,
         p.average.data() + at);
  };
  in_pieces([&](const Piece& piece) {
    if (!piece.table) {
      learn(s, piece.first, piece.last - piece.first, dense_, all.dense_gradient_.data() + piece.first);
      return;
    }
    SparseParameters& weights = *piece.table->weights;
    SparseGradient& gradient = all.*piece.table->gradient;
    for (size_t i = piece.first; i < piece.last; ++i) {
      const int32_t r = gradient.touched()[i];
      AdamStep own = s;
      if (const int64_t missed = steps_ - 1 - weights.last[r]; missed > 0)
        own.kept = std::pow(s.average, static_cast<float>(missed));
      weights.last[r] = steps_;
      learn(own, r * weights.width, weights.width, weights, gradient.at(i));
    }
  });
  for (const Table& table : tables) (all.*table.gradient).clear();
}

std::vector<float> NetworkLearner::averaged(const SparseParameters& table) const {
  if (options_.average == 0) return table.weights;
  std::vector<float> all = table.average;
  const auto t = static_cast<double>(steps_);
  const auto share = static_cast<float>(std::min(options_.average, (1 + t) / (10 + t)));
  for (size_t r = 0; r < table.last.size(); ++r) {
    const float kept = std::pow(share, static_cast<float>(steps_ - table.last[r]));
    for (size_t i = r * table.width; i < (r + 1) * table.width; ++i)
      all[i] = kept * all[i] + (1 - kept) * table.weights[i];
  }
  return all;
}

NetworkWeights NetworkLearner::weights() const {
  const std::vector<float>& dense = options_.average == 0 ? dense_.weights : dense_.average;
  const auto part = [&](size_t at, size_t count) {
    return std::vector<float>(dense.begin() + at, dense.begin() + at + count);
  };
  const size_t width = shape_.width;
  NetworkWeights w;
  w.tokens = averaged(tokens_);
  const std::vector<float> shared(w.tokens.begin() + vocabulary_rows_ * width, w.tokens.end());
  w.tokens.resize(shape_.tokens * width);
  if (vectors_.width > 0) {
    const std::vector<float> vectors = vectors_.tuned ? averaged(tuned_) : vectors_.values;
    std::vector<float> sums(vectors_.rows() * width);
    for (size_t v = 0; v < vectors_.rows(); ++v)
      if (const int32_t own = vectors_.embeddings[v]; own != Vocabulary::kMissing)
        std::copy_n(&w.tokens[own * width], width, &sums[v * width]);
    PackedMatrix projection;
    projection.pack(vectors_.width, width, {dense.data() + layout_.projection, width});
    multiply(vectors_.rows(), {vectors.data(), vectors_.width}, projection, true, sums.data(), width);
    for (size_t v = 0; v < vectors_.rows(); ++v)
      std::copy_n(&sums[v * width], width, &w.tokens[vectors_.places[v] * width]);
  }
  for (const auto& [to, copied, rows] : shared_.sums) {
    if (copied >= 0) std::copy_n(&w.tokens[copied * width], width, &w.tokens[to * width]);
    for (const int32_t row : rows)
      add(&shared[(row - vocabulary_rows_) * width], width, &w.tokens[to * width]);
  }
  const size_t outputs = shape_.encoder_outputs(), products = shape_.hidden_inputs();
  for (size_t l = 0; l < layout_.weights.size(); ++l)
    w.encoder.push_back(
        {part(layout_.weights[l], shape_.encoder_inputs() * outputs), part(layout_.bias[l], outputs)});
  w.positions = part(layout_.positions, shape_.width * products);
  w.absent = part(layout_.absent, products);
  w.extras = averaged(extras_);
  w.hidden = part(layout_.hidden, shape_.hidden);
  std::vector<float> moves;
  transposed_moves(dense, moves);
  w.moves.resize(moves.size());
  transpose({moves.data(), static_cast<size_t>(shape_.hidden)}, shape_.hidden, shape_.classes, w.moves.data(),
            shape_.classes);
  w.bias = part(layout_.move_bias, shape_.classes);
  return w;
}

size_t NetworkLearner::parameters() const {
  return layout_.total + tokens_.weights.size() + extras_.weights.size() + tuned_.weights.size();
}

// visit(name, vector) for everything that training changes.
template <class F>
void NetworkLearner::each_part(F&& visit) {
  const auto table = [&](const std::string& name, DenseParameters& p) {
    visit(name + ".weights", p.weights);
    visit(name + ".first", p.first);
    visit(name + ".second", p.second);
    visit(name + ".average", p.average);
  };
  table("dense", dense_);
  table("tokens", tokens_);
  table("extras", extras_);
  table("vectors", tuned_);
  visit("tokens.last", tokens_.last);
  visit("extras.last", extras_.last);
  visit("vectors.last", tuned_.last);
  visit("most_hidden", most_hidden_);
}

std::map<std::string, std::vector<uint8_t>> NetworkLearner::state() const {
  std::map<std::string, std::vector<uint8_t>> state;
  const_cast<NetworkLearner*>(this)->each_part([&](const std::string& name, auto& values) {
    auto& bytes = state[name];
    bytes.resize(values.size() * sizeof(values[0]));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  });
  return state;
}

std::map<std::string, std::vector<uint8_t>> NetworkLearner::settled() const {
  std::map<std::string, std::vector<uint8_t>> state;
  // Without the projection of vectors, which comes last, and with zeros for rows that have learnt nothing.
  const auto put = [&](const std::string& name, const std::vector<float>& values, size_t count,
                       size_t known) {
    auto& bytes = state[name];
    bytes.resize(count * sizeof(float));
    if (known != 0) std::memcpy(bytes.data(), values.data(), known * sizeof(float));
  };
  const auto table = [&](const std::string& name, const DenseParameters& p, const std::vector<float>& weights,
                         size_t count, size_t learnt) {
    put(name + ".weights", weights, count, count);
    put(name + ".first", p.first, count, learnt);
    put(name + ".second", p.second, count, learnt);
  };
  const NetworkWeights w = weights();
  table("dense", dense_, options_.average == 0 ? dense_.weights : dense_.average, layout_.projection,
        layout_.projection);
  table("tokens", tokens_, w.tokens, w.tokens.size(), vocabulary_rows_ * static_cast<size_t>(shape_.width));
  table("extras", extras_, w.extras, w.extras.size(), w.extras.size());
  put("most_hidden", most_hidden_, most_hidden_.size(), most_hidden_.size());
  return state;
}

void NetworkLearner::restore(const std::map<std::string, std::vector<uint8_t>>& state, int64_t steps) {
  each_part([&](const std::string& name, auto& values) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.size() != values.size() * sizeof(values[0]))
      throw std::invalid_argument("The checkpoint is damaged: '" + name + "' is not of the right size.");
    if (!values.empty()) std::memcpy(values.data(), found->second.data(), found->second.size());
    // The rest are the steps in which rows were last changed.
    for (const auto value : values)
      if (std::is_floating_point_v<decltype(value)> ? !std::isfinite(static_cast<double>(value))
                                                    : value < 0 || value > steps)
        throw std::invalid_argument("The checkpoint is damaged: '" + name + "' has a number out of range.");
  });
  steps_ = steps;
}

}  // namespace arcwise
