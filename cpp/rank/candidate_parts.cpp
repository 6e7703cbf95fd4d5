#include "rank/candidate_parts.h"

#include "base/hash.h"
#include "base/interrupts.h"

namespace arcwise {

RankLabels::RankLabels(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    hashes.push_back(hash_bytes(name, 3));
    roles.push_back(role_of_label(name));
  }
}

void CandidateParts::begin(const Treebank& treebank, size_t sentence) {
  tokens_.fill(treebank, sentence, templates_.token_attributes());
  if (++sentence_ == 0) {  // after four thousand million of them
    memo_.assign(memo_.size(), {});
    sentence_ = 1;
  }
  parts_.clear();
  features_.clear();
  tree_ends_.assign(1, 0);
  feature_ends_.assign(1, 0);
}

void CandidateParts::add(std::span<const int32_t> heads, std::span<const int32_t> labels) {
  tree_.set(heads, labels);
  each_part(tree_, labels_.roles, [&](PartKind kind, const PartNodes& nodes) {
    if (templates_.any(kind)) parts_.push_back(part_of(kind, nodes));
  });
  tree_ends_.push_back(parts_.size());
}

uint32_t CandidateParts::part_of(PartKind kind, const PartNodes& nodes) {
  check_interrupts();
  templates_.look(kind, nodes, tree_, labels_.hashes, view_);
  const size_t mask = memo_.size() - 1;
  size_t i = view_.key & mask;
  for (; memo_[i].sentence == sentence_; i = (i + 1) & mask)
    if (memo_[i].key == view_.key) return memo_[i].part;
  const auto part = static_cast<uint32_t>(parts());
  memo_[i] = {view_.key, part, sentence_};
  keys_.clear();
  templates_.extract(kind, view_, tokens_, keys_);
  for (const uint64_t key : keys_) features_.push_back(static_cast<uint32_t>(key >> shift_));
  feature_ends_.push_back(features_.size());
  if (parts() * 2 > memo_.size()) grow();
  return part;
}

void CandidateParts::grow() {
  std::vector<Known> old(memo_.size() * 2);
  old.swap(memo_);
  const size_t mask = memo_.size() - 1;
  for (const Known& known : old) {
    if (known.sentence != sentence_) continue;
    size_t i = known.key & mask;
    while (memo_[i].sentence == sentence_) i = (i + 1) & mask;
    memo_[i] = known;
  }
}

}  // namespace arcwise
