#include "model/network_workspace.h"

#include <algorithm>

#include "base/hash.h"
#include "model/encoder_workspace.h"

namespace arcwise {
namespace {

// As many states as a sentence or two have in a beam, or in a hundred draws.
constexpr size_t kKeptStates = 1 << 10;
// Words whose products are kept of a very long sentence, in blocks that are made at once.
constexpr size_t kBlock = 96, kBlocks = 64;
// Sentences are multiplied together up to so many words: their products stay near while they are parsed.
constexpr size_t kRowsTogether = 72;
constexpr uint64_t kStep = 0x9e3779b97f4a7c15ULL;

// Those that have a range of moves.
PanelRange panels_of(Range moves) {
  return {static_cast<size_t>(moves.begin) / kInt16Lanes,
          whole_lanes(static_cast<size_t>(moves.end)) / kInt16Lanes};
}

}  // namespace

NetworkModel::Workspace::Workspace(const NetworkModel& model, Visits visits,
                                   std::shared_ptr<NetworkEncoder::Workspace> encoded)
    : model_(model),
      keeps_all_(visits == Visits::InStep),
      hidden_(static_cast<size_t>(model.shape_.hidden)),
      encoded_(std::move(encoded)),
      nodes_(model.states_.positions()),
      extras_(model.states_.extras()),
      sums_(1 + nodes_.size() + extras_.size()),
      units_(hidden_),
      scores_(model.bias_.size()),
      kept_(visits == Visits::SideBySide ? kKeptStates : 0) {
  for (size_t i = 0; i < nodes_.size() + extras_.size(); ++i)
    multipliers_.push_back(mix((i + 1) * kStep) | 1);  // odd: of two that differ in one, the products differ
}

NetworkModel::Workspace::Workspace(const NetworkModel& model, Visits visits)
    : Workspace(model, visits, model.encoder_workspace()) {}

NetworkModel::Workspace::Workspace(const NetworkModel& model, Visits visits, Workspace& other)
    : Workspace(model, visits, other.encoded_) {}

void NetworkModel::Workspace::begin(const Treebank& treebank, size_t /*first*/, size_t last) {
  encoded_->begin(treebank, last);
}

void NetworkModel::Workspace::sentence(size_t sentence) {
  ++sentences_;
  encoded_->sentence(sentence);
  treebank_ = &encoded_->treebank();
  words_ = static_cast<int32_t>(treebank().length(sentence));
  first_row_ = encoded_->first_row(sentence);
  if (batch_ != encoded_->batch() || first_row_ < multiplied_ || first_row_ >= multiplied_end_)
    multiply_from(sentence);
}

// A word's products take far more memory than the word: those of a very long sentence are made when a state
// looks at them, for the words around as well, and are made again if they are looked at much later.
void NetworkModel::Workspace::multiply_from(size_t sentence) {
  batch_ = encoded_->batch();
  multiplied_ = first_row_;
  do multiplied_end_ = encoded_->first_row(++sentence);
  while (sentence < encoded_->end_of_batch() &&
         encoded_->first_row(sentence + 1) - multiplied_ <= kRowsTogether);
  const size_t rows = multiplied_end_ - multiplied_;
  const bool is_long = rows > kBlocks * kBlock && !keeps_all_;
  blocks_.assign(is_long ? kBlocks : 0, SIZE_MAX);
  at_places_.resize(
      std::max(at_places_.size(), (is_long ? kBlocks * kBlock : rows) * model_.position_scales_.size()));
  if (is_long)
    copies_.resize(nodes_.size() * hidden_);
  else
    multiply_rows(multiplied_, rows, at_places_.data());
}

void NetworkModel::Workspace::multiply_rows(size_t first, size_t count, int16_t* products) const {
  encoded_->with_rows([&]<class Factor>(const FactorRows<Factor>& all) {
    using Matrix = std::conditional_t<std::is_same_v<Factor, uint8_t>, Int8Matrix, Int16Matrix>;
    multiply({all.rows + first, all.scales + first, count}, std::get<Matrix>(model_.positions_),
             model_.position_scales_.data(), products);
  });
}

const int16_t* NetworkModel::Workspace::at_place(size_t row, size_t position) {
  const size_t outputs = model_.position_scales_.size();
  row -= multiplied_;
  if (blocks_.empty()) return at_places_.data() + row * outputs + position * hidden_;
  const size_t block = row / kBlock, slot = block % kBlocks;
  int16_t* const products = at_places_.data() + slot * kBlock * outputs;
  if (blocks_[slot] != block) {
    const size_t first = multiplied_ + block * kBlock;
    multiply_rows(first, std::min(kBlock, multiplied_end_ - first), products);
    blocks_[slot] = block;
  }
  // Another word that the state looks at may take the slot over.
  int16_t* const copy = copies_.data() + position * hidden_;
  std::copy_n(products + (row - block * kBlock) * outputs + position * hidden_, hidden_, copy);
  return copy;
}

uint64_t NetworkModel::Workspace::look(const TreeView& view) {
  model_.states_.look(view, nodes_.data(), extras_.data());
  // Products do not wait for each other.
  uint64_t hash = sentences_ * kStep;
  const uint64_t* multiplier = multipliers_.data();
  for (int32_t node : nodes_) hash += static_cast<uint32_t>(node) * *multiplier++;
  for (int32_t extra : extras_) hash += static_cast<uint32_t>(extra) * *multiplier++;
  return mix(hash);
}

const int32_t* NetworkModel::Workspace::score(const TreeView& view) {
  const uint64_t hash = look(view);
  if (kept_.empty()) return score(scores_);
  Kept& kept = kept_[hash % kKeptStates];
  if (kept.hash == hash) return kept.scores.data();
  kept.hash = hash;
  kept.scores.resize(scores_.size());
  return score(kept.scores);
}

const int32_t* NetworkModel::Workspace::score(const TreeView& view, const Legal& legal) {
  if (!kept_.empty()) return score(view);
  model_.states_.look(view, nodes_.data(), extras_.data());
  return score(legal);
}

const int32_t* NetworkModel::Workspace::score(const Legal& legal) {
  compute_units();
  panels_.clear();
  for (const Range moves : legal.ranges()) {
    const PanelRange panels = panels_of(moves);
    if (panels_.empty() || panels.first > panels_.back().last)
      panels_.push_back(panels);
    else
      panels_.back().last = panels.last;
  }
  multiply_hidden(units_.data(), model_.moves_, model_.bias_.data(), scores_.data(), panels_);
  return scores_.data();
}

const int32_t* NetworkModel::Workspace::score(const LabelView& view, Range moves) {
  model_.states_.look(view, nodes_.data(), extras_.data());
  compute_units();
  const PanelRange panels[] = {panels_of(moves)};
  multiply_hidden(units_.data(), model_.moves_, model_.bias_.data(), scores_.data(), panels);
  return scores_.data();
}

const int32_t* NetworkModel::Workspace::score(AlignedVector<int32_t>& scores) {
  compute_units();
  const PanelRange panels[] = {{0, model_.moves_.panels()}};
  multiply_hidden(units_.data(), model_.moves_, model_.bias_.data(), scores.data(), panels);
  return scores.data();
}

void NetworkModel::Workspace::compute_units() {
  const int16_t** sum = sums_.data();
  *sum++ = model_.hidden_.data();
  for (size_t p = 0; p < nodes_.size(); ++p) {
    // ROOT, which is the first node of some systems, has the last row in all of them.
    const int32_t node = nodes_[p] == kRoot ? words_ + 1 : nodes_[p];
    *sum++ = node == kNone ? model_.absent_.data() + p * hidden_
                           : at_place(first_row_ + static_cast<size_t>(node - 1), p);
  }
  for (int32_t extra : extras_) *sum++ = model_.extras_.data() + static_cast<size_t>(extra) * hidden_;
  sum_hidden(sums_.data(), sums_.size(), hidden_, units_.data());
}

}  // namespace arcwise
