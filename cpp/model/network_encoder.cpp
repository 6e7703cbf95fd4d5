#include "model/network_encoder.h"

#include <algorithm>
#include <cmath>

#include "base/interrupts.h"
#include "model/encoder_workspace.h"
#include "model/network_checks.h"

namespace arcwise {
namespace {

constexpr int32_t kMostWidth = 1024, kMostLayers = 16, kMostWindow = 8;

// So many words make a batch: enough to use weights often while they are near, few enough for the batch to
// stay near as well.
constexpr size_t kBatch = 96;
// Of longer batches, which are of a single long sentence, products are made in blocks.
constexpr size_t kRowsAtOnce = 4 * kBatch, kMostProducts = 16 * kRowsAtOnce;
// Words that are multiplied at once in the first layer: their products, as floats, stay near.
constexpr size_t kFreshAtOnce = 48;
constexpr uint64_t kRootHash = 2;  // even, as no word's is
constexpr size_t kRootWord = SIZE_MAX;

// The columns that a network may look at lie side by side.
std::string_view columns(const Treebank& treebank, size_t word) {
  const std::string_view form = treebank.text(word, Column::Form), feats = treebank.text(word, Column::Feats);
  return {form.data(), static_cast<size_t>(feats.data() + feats.size() - form.data())};
}

Vocabulary vocabulary_of(const KeysOf<ConstSpan>& keys) {
  const auto check = [](size_t count) {
    if (count > INT32_MAX / 2) damaged("it has more rows than can be counted");
  };
  if (const auto* whole = std::get_if<ConstSpan<uint64_t>>(&keys)) {
    check(whole->size());
    return Vocabulary(*whole);
  }
  const std::vector<uint64_t> known = from_short_keys(std::get<ConstSpan<uint8_t>>(keys));
  check(known.size());
  return Vocabulary(known, kShortKeyBits);
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
    : shape_(shape) {
  check_shape();
  vocabulary_ = vocabulary_of(parts.keys);
  shape_.tokens = vocabulary_.rows();
  const auto width = static_cast<size_t>(shape_.width), layers = static_cast<size_t>(shape_.encoder_layers()),
             outputs = static_cast<size_t>(shape_.encoder_outputs());
  embeddings_ = Embeddings(parts.tokens, token_scale, static_cast<size_t>(shape_.tokens), width);
  check_size(parts.encoder_scales, layers * outputs, "encoder's scales");
  check_size(parts.encoder_bias, layers * outputs, "encoder's biases");
  check_scales(parts.encoder_scales);
  for (float bias : parts.encoder_bias)
    if (!std::isfinite(bias)) damaged("a bias is not a number");
  set_layers(parts);
}

void NetworkEncoder::set_layers(const EncoderParts<ConstSpan>& parts) {
  const auto inputs = static_cast<size_t>(shape_.encoder_inputs()),
             outputs = static_cast<size_t>(shape_.encoder_outputs()), size = inputs * outputs;
  std::visit(
      [&](const auto& weights) {
        check_size(weights, static_cast<size_t>(shape_.encoder_layers()) * size, "encoder's weights");
        using Matrix = decltype(checked_matrix(weights, inputs, outputs));
        Layers<Matrix> layers;
        for (size_t at = 0; at < parts.encoder_bias.size(); at += outputs) {
          const auto of_layer = [&](std::span<const float> all) {
            return AlignedVector<float>(all.begin() + at, all.begin() + at + outputs);
          };
          layers.push_back({checked_matrix(weights.subspan(at * inputs, size), inputs, outputs),
                            of_layer(parts.encoder_scales), of_layer(parts.encoder_bias)});
        }
        layers_ = std::move(layers);
        if constexpr (std::is_same_v<Matrix, Int8Matrix>)
          if (!weights.empty()) set_first_layer(weights.first(size));
      },
      parts.encoder_weights);
}

void NetworkEncoder::set_first_layer(std::span<const int8_t> weights) {
  const auto width = static_cast<size_t>(shape_.width),
             outputs = static_cast<size_t>(shape_.encoder_outputs()),
             places = weights.size() / width / outputs;
  std::vector<int8_t> by_word(weights.size());
  for (size_t place = 0; place < places; ++place)
    for (size_t i = 0; i < width; ++i)
      std::copy_n(weights.begin() + static_cast<ptrdiff_t>((place * width + i) * outputs), outputs,
                  by_word.begin() + static_cast<ptrdiff_t>((i * places + place) * outputs));
  first_layer_.weights = Int8Matrix(by_word, width, places * outputs);
  first_layer_.bias.assign(places * outputs, 0);
  const auto& scales = std::get<Layers<Int8Matrix>>(layers_).front().scales;
  for (size_t place = 0; place < places; ++place)
    first_layer_.scales.insert(first_layer_.scales.end(), scales.begin(), scales.end());
}

NetworkEncoder::Workspace::Workspace(const NetworkEncoder& encoder, const TokenInputs& inputs)
    : encoder_(encoder),
      inputs_(inputs),
      width_(static_cast<size_t>(encoder.shape_.width)),
      places_(2 * static_cast<size_t>(encoder.shape_.window) + 1),
      outputs_(static_cast<size_t>(encoder.shape_.encoder_outputs())),
      known_(width_, encoder.first_layer_.weights.outputs()) {
  if (!encoder.has_bytes()) rows_ = EncodedRows<Int16Matrix>();
}

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
  embed();
  std::visit(
      [&]<class Matrix>(EncodedRows<Matrix>& encoded) {
        encoded.lay_out(first_row_, static_cast<size_t>(encoder_.shape_.window), width_);
        run_layers(std::get<Layers<Matrix>>(encoder_.layers_), encoded);
        for (size_t row = 0; row < encoded.size(); ++row) encoded.set(row, x_.data() + row * width_);
      },
      rows_);
}

void NetworkEncoder::Workspace::embed() {
  words_.clear();
  for (size_t s = first_; s < last_; ++s) {
    const size_t first = treebank_->first_word(s), last = first + treebank_->length(s);
    for (size_t word = first; word < last; ++word)
      words_.push_back({word, KnownWords::hash_of(columns(*treebank_, word))});
    words_.push_back({kRootWord, kRootHash});
  }
  x_.resize(words_.size() * width_);
  found_.resize(words_.size());
  for (size_t row = 0; row < words_.size(); ++row) {
    check_interrupts();
    float* const x = x_.data() + row * width_;
    found_[row] = known_.find(words_[row].hash);
    if (found_[row].sum != nullptr) {
      std::copy_n(found_[row].sum, width_, x);
    } else {
      embed(words_[row], x);
      if (encoder_.first_layer_.weights.outputs() == 0) known_.add(words_[row].hash, {.sum = x});
    }
  }
  is_embedded_ = true;
}

void NetworkEncoder::Workspace::embed(const Word& word, float* x) {
  rows_of_word_.clear();
  const auto add = [&](int32_t row) { encoder_.embeddings_.add(row, rows_of_word_); };
  if (word.number == kRootWord)
    add(Vocabulary::kRootRow);
  else
    inputs_.each_row(encoder_.vocabulary_, *treebank_, word.number, buffer_,
                     [&](TokenInput, int32_t row) { add(row); });
  encoder_.embeddings_.sum(rows_of_word_, x);
}

// Words that are not known are multiplied together, and known only when those that were are no longer looked
// at: they may take their places.
void NetworkEncoder::Workspace::multiply_known(size_t first, size_t count) {
  const size_t window = places_ / 2, begin = first - std::min(first, window),
               end = std::min(words_.size(), first + count + window);
  fresh_.clear();
  for (size_t row = begin; row < end; ++row) {
    if (!is_embedded_) found_[row] = known_.find(words_[row].hash);
    if (found_[row].sum == nullptr) fresh_.push_back(row);
  }
  multiply_fresh();
  const Layer<Int8Matrix>& layer = std::get<Layers<Int8Matrix>>(encoder_.layers_).front();
  products_.resize(std::max(products_.size(), count * outputs_));
  auto sentence = std::upper_bound(first_row_.begin(), first_row_.end(), first) - 1;
  for (size_t row = first; row < first + count; ++row) {
    if (row == sentence[1]) ++sentence;
    const int16_t* around[2 * kMostWindow + 1];
    float scales[2 * kMostWindow + 1];
    size_t words = 0;
    for (size_t place = 0; place < places_; ++place) {
      const size_t word = row + place;  // that many places further on
      if (word < sentence[0] + window || word >= sentence[1] + window) continue;
      around[words] = found_[word - window].products + place * outputs_;
      scales[words++] = found_[word - window].scale;
    }
    sum_products({around, scales, words}, outputs_, layer.bias.data(),
                 products_.data() + (row - first) * outputs_);
  }
  for (size_t row : fresh_) known_.add(words_[row].hash, found_[row]);
  is_embedded_ = false;
}

void NetworkEncoder::Workspace::multiply_fresh() {
  const Layer<Int8Matrix>& layer = encoder_.first_layer_;
  const size_t outputs = layer.weights.outputs();
  fresh_sums_.resize(std::max(fresh_sums_.size(), fresh_.size() * width_));
  fresh_products_.resize(std::max(fresh_products_.size(), fresh_.size() * outputs));
  fresh_floats_.resize(kFreshAtOnce * outputs);
  for (size_t at = 0; at < fresh_.size(); at += kFreshAtOnce) {
    const size_t count = std::min(kFreshAtOnce, fresh_.size() - at), rows[] = {0, count};
    fresh_rows_.lay_out(rows, 0, width_);
    for (size_t i = 0; i < count; ++i) {
      const size_t row = fresh_[at + i];
      float* const sum = fresh_sums_.data() + (at + i) * width_;
      if (is_embedded_)
        std::copy_n(x_.data() + row * width_, width_, sum);
      else
        embed(words_[row], sum);
      fresh_rows_.set(i, sum);
    }
    multiply(fresh_rows_.rows(), layer.weights, layer.scales.data(), layer.bias.data(), fresh_floats_.data());
    for (size_t i = 0; i < count; ++i) {
      int16_t* const products = fresh_products_.data() + (at + i) * outputs;
      const float scale = quantise(fresh_floats_.data() + i * outputs, outputs, products);
      found_[fresh_[at + i]] = {fresh_sums_.data() + (at + i) * width_, products, scale};
    }
  }
}

template <class Matrix>
void NetworkEncoder::Workspace::run_layers(const Layers<Matrix>& layers, EncodedRows<Matrix>& encoded) {
  const size_t rows_of_batch = encoded.size();
  const auto each_sentence = [&](auto&& visit) {
    for (size_t s = 0; s + 1 < first_row_.size(); ++s)
      visit(first_row_[s], first_row_[s + 1] - first_row_[s]);
  };
  for (const Layer<Matrix>& layer : layers) {
    const bool is_known = std::is_same_v<Matrix, Int8Matrix> && &layer == layers.data();
    if (!is_known)
      each_sentence(
          [&](size_t first, size_t rows) { encoded.set_together(first, rows, x_.data() + first * width_); });
    // The products of some rows with some panels, or with all; how far they are apart.
    const auto multiply_rows = [&](size_t first, size_t rows, const Matrix& weights, size_t output) {
      if (is_known) {
        multiply_known(first, rows);
        return outputs_;
      }
      products_.resize(std::max(products_.size(), rows * weights.outputs()));
      multiply(encoded.windows(first, rows), weights, layer.scales.data() + output,
               layer.bias.data() + output, products_.data());
      return weights.outputs();
    };
    if (encoder_.shape_.encoder == Encoder::Conv) {
      // Words do not wait for each other: long sentences need no more room for products than short ones.
      for (size_t first = 0; first < rows_of_batch; first += kRowsAtOnce) {
        const size_t rows = std::min(kRowsAtOnce, rows_of_batch - first);
        multiply_rows(first, rows, layer.weights, 0);
        add_conv(products_.data(), rows, width_, x_.data() + first * width_);
      }
      continue;
    }
    const bool is_long = rows_of_batch > kMostProducts;
    size_t stride = is_long ? 0 : multiply_rows(0, rows_of_batch, layer.weights, 0);
    for (size_t direction : {0, 1}) {
      const size_t share = outputs_ / 2, own = direction * share;
      each_sentence([&](size_t first, size_t rows) {
        carried_.assign(width_ / 2, 0);
        if (!is_long) {
          add_rnn(products_.data() + first * stride + own, stride, rows, width_, direction, carried_.data(),
                  x_.data() + first * width_);
          return;
        }
        // There is no room for the products of so many words.
        const size_t panel = own / kInt16Lanes, output = is_known ? 0 : panel * kInt16Lanes;
        const Matrix weights = layer.weights.part(panel, whole_lanes(own + share) / kInt16Lanes);
        const size_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
        for (size_t step = 0; step < blocks; ++step) {
          const size_t from = (direction == 0 ? step : blocks - 1 - step) * kRowsAtOnce;
          const size_t count = std::min(kRowsAtOnce, rows - from);
          stride = multiply_rows(first + from, count, weights, output);
          add_rnn(products_.data() + own - output, stride, count, width_, direction, carried_.data(),
                  x_.data() + (first + from) * width_);
        }
      });
    }
  }
}

}  // namespace arcwise
