#include "model/network_encoder.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/interrupts.h"
#include "model/network_checks.h"

namespace arcwise {
namespace {

constexpr int32_t kMostWidth = 1024, kMostLayers = 16, kMostWindow = 8;

// So many words make a batch: enough to use weights often while they are near, few enough for the batch to
// stay near as well.
constexpr size_t kBatch = 256;
// Of longer batches, which are of a single long sentence, products are made in blocks.
constexpr size_t kRowsAtOnce = 4 * kBatch, kMostProducts = 16 * kRowsAtOnce;
// With them, parsing is 7 % faster than with none, and 20 % where there is no encoder; more would not help.
constexpr size_t kKnownWords = 1 << 12;

// The columns that a network may look at lie side by side.
std::string_view columns(const Treebank& treebank, size_t word) {
  const std::string_view form = treebank.text(word, Column::Form), feats = treebank.text(word, Column::Feats);
  return {form.data(), static_cast<size_t>(feats.data() + feats.size() - form.data())};
}

}  // namespace

void NetworkEncoder::check_shape() const {
  constexpr auto kStep = static_cast<int32_t>(kInt16Lanes);
  if (!is_within(shape_.width, kStep, kMostWidth) || shape_.width % kStep != 0)
    damaged("the width of words is no multiple of 16 from 16 to 1024");
  if (shape_.encoder > Encoder::Rnn) damaged("there is no such encoder");
  if (!is_within(shape_.layers, 0, kMostLayers)) damaged("an encoder has no more than 16 layers");
  if (!is_within(shape_.window, 0, kMostWindow)) damaged("a window reaches no further than 8 words");
}

NetworkEncoder::NetworkEncoder(const NetworkShape& shape, const EncoderParts<ConstSpan>& parts,
                               float token_scale)
    : shape_(shape), token_scale_(token_scale) {
  if (parts.keys.size() > INT32_MAX / 2) damaged("it has more rows than can be counted");
  check_shape();
  vocabulary_ = Vocabulary(parts.keys);
  shape_.tokens = vocabulary_.rows();
  const auto width = static_cast<size_t>(shape_.width), layers = static_cast<size_t>(shape_.encoder_layers()),
             inputs = static_cast<size_t>(shape_.encoder_inputs()),
             outputs = static_cast<size_t>(shape_.encoder_outputs());
  check_size(parts.tokens, static_cast<size_t>(shape_.tokens) * width, "embeddings of words");
  check_size(parts.token_shifts, static_cast<size_t>(shape_.tokens), "shifts of embeddings");
  check_size(parts.encoder_weights, layers * inputs * outputs, "encoder's weights");
  check_size(parts.encoder_scales, layers * outputs, "encoder's scales");
  check_size(parts.encoder_bias, layers * outputs, "encoder's biases");
  check_scales(parts.encoder_scales);
  check_scales({&token_scale, 1});
  for (float bias : parts.encoder_bias)
    if (!std::isfinite(bias)) damaged("a bias is not a number");
  embeddings_.resize(parts.tokens.size());
  for (size_t i = 0; i < embeddings_.size(); ++i) {
    const uint8_t shift = parts.token_shifts[i / width];
    if (shift > kMostTokenShift) damaged("an embedding is too large");
    embeddings_[i] = static_cast<int16_t>(parts.tokens[i] * (1 << shift));
  }
  for (size_t l = 0; l < layers; ++l) {
    const size_t size = inputs * outputs, at = l * outputs;
    const auto of_layer = [&](std::span<const float> all) {
      return AlignedVector<float>(all.begin() + at, all.begin() + at + outputs);
    };
    layers_.push_back({checked_matrix(parts.encoder_weights.subspan(l * size, size), inputs, outputs),
                       of_layer(parts.encoder_scales), of_layer(parts.encoder_bias)});
  }
}

NetworkEncoder::Workspace::KnownWords::KnownWords(size_t width)
    : width_(width),
      hashes_(kKnownWords, 0),
      sums_(std::make_unique_for_overwrite<float[]>(kKnownWords * width)) {}

std::pair<float*, bool> NetworkEncoder::Workspace::KnownWords::find(uint64_t hash) {
  hash |= 1;  // 0 is no word's
  const size_t slot = (hash >> 32) % kKnownWords;
  const bool known = hashes_[slot] == hash;
  hashes_[slot] = hash;
  return {sums_.get() + slot * width_, known};
}

NetworkEncoder::Workspace::Workspace(const NetworkEncoder& encoder, const TokenInputs& inputs)
    : encoder_(encoder), inputs_(inputs), width_(static_cast<size_t>(encoder.shape_.width)), known_(width_) {}

void NetworkEncoder::Workspace::begin(const Treebank& treebank, size_t last) {
  treebank_ = &treebank;
  end_ = last;
  first_ = last_ = 0;
}

void NetworkEncoder::Workspace::encode_batch(size_t first) {
  ++batch_;
  first_ = last_ = first;
  first_row_.assign(1, 0);
  do {
    first_row_.push_back(first_row_.back() + treebank_->length(last_) + 1);
    ++last_;
  } while (last_ < end_ && first_row_.back() < kBatch);
  lay_out();
  embed();
  run_layers();
  for (size_t row = 0; row < vectors_.size(); ++row)
    scales_[row] = quantise(x_.data() + row * width_, width_, vectors_[row]);
}

void NetworkEncoder::Workspace::lay_out() {
  const size_t rows = first_row_.back(), sentences = last_ - first_,
               window = static_cast<size_t>(encoder_.shape_.window);
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

void NetworkEncoder::Workspace::embed() {
  float* x = x_.data();
  const int16_t* root = encoder_.embeddings_.data() + Vocabulary::kRootRow * width_;
  for (size_t s = first_; s < last_; ++s) {
    const size_t first = treebank_->first_word(s), last = first + treebank_->length(s);
    for (size_t word = first; word < last; ++word, x += width_) {
      check_interrupts();
      const auto [sum, known] = known_.find(hash_bytes(columns(*treebank_, word), 0));
      if (!known) embed_word(word, sum);
      std::copy_n(sum, width_, x);
    }
    sum_embeddings(&root, 1, width_, encoder_.token_scale_, x);
    x += width_;
  }
}

void NetworkEncoder::Workspace::embed_word(size_t word, float* x) {
  embeddings_.clear();
  inputs_.each_row(encoder_.vocabulary_, *treebank_, word, buffer_, [&](TokenInput, int32_t row) {
    embeddings_.push_back(encoder_.embeddings_.data() + static_cast<size_t>(row) * width_);
  });
  sum_embeddings(embeddings_.data(), embeddings_.size(), width_, encoder_.token_scale_, x);
}

void NetworkEncoder::Workspace::run_layers() {
  const auto outputs = static_cast<size_t>(encoder_.shape_.encoder_outputs());
  for (const Layer& layer : encoder_.layers_) {
    const auto each_sentence = [&](auto&& visit) {
      for (size_t s = 0; s + 1 < first_row_.size(); ++s)
        visit(first_row_[s], first_row_[s + 1] - first_row_[s]);
    };
    each_sentence([&](size_t first, size_t rows) {
      const float scale = quantise(x_.data() + first * width_, rows * width_, vectors_[first]);
      std::fill_n(scales_.begin() + static_cast<ptrdiff_t>(first), rows, scale);
    });
    const auto multiply_rows = [&](size_t first, size_t rows, const Int16Matrix& weights, size_t output) {
      products_.resize(std::max(products_.size(), rows * weights.outputs()));
      multiply({windows_.data() + first, scales_.data() + first, rows}, weights, layer.scales.data() + output,
               layer.bias.data() + output, products_.data());
    };
    if (encoder_.shape_.encoder == Encoder::Conv) {
      // Words do not wait for each other: long sentences need no more room for products than short ones.
      for (size_t first = 0; first < windows_.size(); first += kRowsAtOnce) {
        const size_t rows = std::min(kRowsAtOnce, windows_.size() - first);
        multiply_rows(first, rows, layer.weights, 0);
        add_conv(products_.data(), rows, width_, x_.data() + first * width_);
      }
      continue;
    }
    const bool is_long = windows_.size() > kMostProducts;
    if (!is_long) multiply_rows(0, windows_.size(), layer.weights, 0);
    for (size_t direction : {0, 1}) {
      const size_t share = outputs / 2, own = direction * share;
      each_sentence([&](size_t first, size_t rows) {
        carried_.assign(width_ / 2, 0);
        if (!is_long) {
          add_rnn(products_.data() + first * outputs + own, outputs, rows, width_, direction, carried_.data(),
                  x_.data() + first * width_);
          return;
        }
        // There is no room for the products of so many words.
        const size_t panel = own / kInt16Lanes, output = panel * kInt16Lanes;
        const Int16Matrix weights = layer.weights.part(panel, whole_lanes(own + share) / kInt16Lanes);
        const size_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
        for (size_t step = 0; step < blocks; ++step) {
          const size_t from = (direction == 0 ? step : blocks - 1 - step) * kRowsAtOnce;
          const size_t count = std::min(kRowsAtOnce, rows - from);
          multiply_rows(first + from, count, weights, output);
          add_rnn(products_.data() + own - output, weights.outputs(), count, width_, direction,
                  carried_.data(), x_.data() + (first + from) * width_);
        }
      });
    }
  }
}

}  // namespace arcwise
