#include "model/network_workspace.h"

#include <algorithm>

#include "feature/hash.h"

namespace arcwise {
namespace {

// So many words make a batch: enough to use weights often while they are near, few enough for the batch to
// stay near as well.
constexpr size_t kBatch = 256;
// With them, parsing is 7 % faster than with none, and 20 % where there is no encoder; more would not help.
constexpr size_t kKnownWords = 1 << 12;

// As many states as a sentence or two have in a beam, or in a hundred draws.
constexpr size_t kKeptStates = 1 << 10;
constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;  // odd, and its bits are spread

// The columns that a network may look at lie side by side.
std::string_view columns(const Treebank& treebank, size_t word) {
  const std::string_view form = treebank.text(word, Column::Form), feats = treebank.text(word, Column::Feats);
  return {form.data(), static_cast<size_t>(feats.data() + feats.size() - form.data())};
}

}  // namespace

NetworkModel::Workspace::KnownWords::KnownWords(size_t width)
    : width_(width),
      hashes_(kKnownWords, 0),
      sums_(std::make_unique_for_overwrite<float[]>(kKnownWords * width)) {}

std::pair<float*, bool> NetworkModel::Workspace::KnownWords::find(uint64_t hash) {
  hash |= 1;  // 0 is no word's
  const size_t slot = (hash >> 32) % kKnownWords;
  const bool known = hashes_[slot] == hash;
  hashes_[slot] = hash;
  return {sums_.get() + slot * width_, known};
}

NetworkModel::Workspace::Workspace(const NetworkModel& model, Visits visits)
    : model_(model),
      width_(static_cast<size_t>(model.shape_.width)),
      hidden_(static_cast<size_t>(model.shape_.hidden)),
      known_(width_),
      nodes_(model.states_.positions()),
      extras_(model.states_.extras()),
      sums_(1 + nodes_.size() + extras_.size()),
      units_(hidden_),
      scores_(model.bias_.size()),
      kept_(visits == Visits::SideBySide ? kKeptStates : 0) {}

void NetworkModel::Workspace::begin(const Treebank& treebank, size_t /*first*/, size_t last) {
  treebank_ = &treebank;
  last_ = last;
  batch_first_ = batch_last_ = 0;
}

void NetworkModel::Workspace::sentence(size_t sentence) {
  ++sentences_;
  if (sentence < batch_first_ || sentence >= batch_last_) prepare(sentence);
  words_ = static_cast<int32_t>(treebank_->length(sentence));
  sentence_ = at_places_.data() + first_row_[sentence - batch_first_] * model_.positions_.outputs();
}

const int32_t* NetworkModel::Workspace::score(const Tree& tree, const SlotNodes& nodes) {
  model_.states_.look(tree, nodes, nodes_.data(), extras_.data());
  if (kept_.empty()) return score(scores_);
  uint64_t hash = sentences_;
  for (int32_t node : nodes_) hash = (hash + static_cast<uint32_t>(node)) * kMultiplier;
  for (int32_t extra : extras_) hash = (hash + static_cast<uint32_t>(extra)) * kMultiplier;
  hash = mix(hash);
  Kept& kept = kept_[hash % kKeptStates];
  if (kept.hash == hash) return kept.scores.data();
  kept.hash = hash;
  kept.scores.resize(scores_.size());
  return score(kept.scores);
}

const int32_t* NetworkModel::Workspace::score(const Tree& tree, const SlotNodes& nodes, Range moves) {
  model_.states_.look(tree, nodes, nodes_.data(), extras_.data());
  compute_units();
  const auto first = static_cast<size_t>(moves.begin) / kInt16Lanes;
  const auto last = (static_cast<size_t>(moves.end) + kInt16Lanes - 1) / kInt16Lanes;
  multiply_hidden(units_.data(), model_.moves_, model_.bias_.data(), scores_.data(), first, last);
  return scores_.data();
}

const int32_t* NetworkModel::Workspace::score(std::vector<int32_t>& scores) {
  compute_units();
  multiply_hidden(units_.data(), model_.moves_, model_.bias_.data(), scores.data(), 0,
                  model_.moves_.panels());
  return scores.data();
}

void NetworkModel::Workspace::compute_units() {
  const size_t row = model_.positions_.outputs();
  const int16_t** sum = sums_.data();
  *sum++ = model_.hidden_.data();
  for (size_t p = 0; p < nodes_.size(); ++p) {
    // ROOT, which is the first node of some systems, has the last row in all of them.
    const int32_t node = nodes_[p] == kRoot ? words_ + 1 : nodes_[p];
    const int16_t* at =
        node == kNone ? model_.absent_.data() : sentence_ + static_cast<size_t>(node - 1) * row;
    *sum++ = at + p * hidden_;
  }
  for (int32_t extra : extras_) *sum++ = model_.extras_.data() + static_cast<size_t>(extra) * hidden_;
  sum_hidden(sums_.data(), sums_.size(), hidden_, units_.data());
}

void NetworkModel::Workspace::prepare(size_t first) {
  batch_first_ = batch_last_ = first;
  first_row_.assign(1, 0);
  do {
    first_row_.push_back(first_row_.back() + treebank_->length(batch_last_) + 1);
    ++batch_last_;
  } while (batch_last_ < last_ && first_row_.back() < kBatch);
  lay_out();
  embed();
  encode();
  multiply_positions();
}

void NetworkModel::Workspace::lay_out() {
  const size_t rows = first_row_.back(), sentences = batch_last_ - batch_first_,
               window = static_cast<size_t>(model_.shape_.window);
  x_.resize(rows * width_);
  scales_.resize(rows);
  windows_.resize(rows);
  vectors_.resize(rows);
  integers_.assign((rows + (sentences + 1) * window) * width_, 0);
  int16_t* at = integers_.data();
  for (size_t s = 0; s < sentences; ++s, at += window * width_)
    for (size_t row = first_row_[s]; row < first_row_[s + 1]; ++row, at += width_) {
      windows_[row] = at;
      vectors_[row] = at + window * width_;
    }
}

void NetworkModel::Workspace::embed() {
  float* x = x_.data();
  const int16_t* root = model_.embeddings_.data() + Vocabulary::kRootRow * width_;
  for (size_t s = batch_first_; s < batch_last_; ++s) {
    const size_t first = treebank_->first_word(s), last = first + treebank_->length(s);
    for (size_t word = first; word < last; ++word, x += width_) {
      const auto [sum, known] = known_.find(hash_bytes(columns(*treebank_, word), 0));
      if (!known) embed_word(word, sum);
      std::copy_n(sum, width_, x);
    }
    sum_embeddings(&root, 1, width_, model_.token_scale_, x);
    x += width_;
  }
}

void NetworkModel::Workspace::embed_word(size_t word, float* x) {
  embeddings_.clear();
  model_.tokens_.each_row(model_.vocabulary_, *treebank_, word, buffer_, [&](TokenInput, int32_t row) {
    embeddings_.push_back(model_.embeddings_.data() + static_cast<size_t>(row) * width_);
  });
  sum_embeddings(embeddings_.data(), embeddings_.size(), width_, model_.token_scale_, x);
}

void NetworkModel::Workspace::encode() {
  const auto outputs = static_cast<size_t>(model_.shape_.encoder_outputs());
  for (const Layer& layer : model_.encoder_) {
    const auto each_sentence = [&](auto&& visit) {
      for (size_t s = 0; s + 1 < first_row_.size(); ++s)
        visit(first_row_[s], first_row_[s + 1] - first_row_[s]);
    };
    each_sentence([&](size_t first, size_t rows) {
      const float scale = quantise(x_.data() + first * width_, rows * width_, vectors_[first]);
      std::fill_n(scales_.begin() + static_cast<ptrdiff_t>(first), rows, scale);
    });
    products_.resize(vectors_.size() * outputs);
    multiply(rows(windows_), layer.weights, layer.scales.data(), layer.bias.data(), products_.data());
    const auto add = model_.shape_.encoder == Encoder::Conv ? add_conv : add_rnn;
    each_sentence([&](size_t first, size_t rows) {
      add(products_.data() + first * outputs, rows, width_, x_.data() + first * width_);
    });
  }
}

void NetworkModel::Workspace::multiply_positions() {
  for (size_t row = 0; row < vectors_.size(); ++row)
    scales_[row] = quantise(x_.data() + row * width_, width_, vectors_[row]);
  at_places_.resize(vectors_.size() * model_.positions_.outputs());
  multiply(rows(vectors_), model_.positions_, model_.position_scales_.data(), at_places_.data());
}

}  // namespace arcwise
