#include "feature/interactions.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace arcwise {
namespace {

// Smaller values are as good as 0, and squares of larger ones leave the range of a float.
constexpr float kLeastValue = 1e-10f, kMostValue = 1e12f;

// Both hashes are well mixed already: a sum with different weights is, too.
uint64_t combine(uint64_t left, uint64_t right) { return left * 0x9e3779b97f4a7c15ULL + right; }

bool counts(float value) {
  if (std::fabs(value) <= kMostValue) return std::fabs(value) >= kLeastValue;
  throw std::invalid_argument(
      "A feature has a value that is not a number or is beyond 1e12 (interactions multiply values): give "
      "finite values of a moderate size.");
}

}  // namespace

Interactions::Interactions(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::vector<std::string>> seen;
  for (std::vector<std::string> list : lists) {
    if (list.size() < 2 || list.size() > 3)
      throw std::invalid_argument("An interaction is one of two or three namespaces, not " +
                                  std::to_string(list.size()) + ".");
    std::sort(list.begin(), list.end());
    if (std::find(seen.begin(), seen.end(), list) != seen.end()) continue;
    seen.push_back(list);
    Term term{static_cast<int32_t>(list.size()), {}};
    for (size_t i = 0; i < list.size(); ++i) {
      const uint64_t name = namespace_key(list[i]);
      const auto found = std::find(names_.begin(), names_.end(), name);
      term.members[i] = static_cast<int32_t>(found - names_.begin());
      if (found == names_.end()) names_.push_back(name);
    }
    terms_.push_back(term);
  }
}

void Interactions::find_names(const Features& features, Scratch& scratch) const {
  const auto groups = features.groups();
  scratch.names.resize(groups.size(), 0);
  scratch.indices.resize(groups.size(), kAlone);
  scratch.namespaces.resize(names_.size());
  for (auto& n : scratch.namespaces) {
    n.hashes.clear();
    n.values.clear();
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const int32_t known = scratch.indices[g];
    if (scratch.names[g] == groups[g].name && known != kAlone && static_cast<size_t>(known) < names_.size() &&
        names_[static_cast<size_t>(known)] == groups[g].name)
      continue;
    const auto found = std::find(names_.begin(), names_.end(), groups[g].name);
    scratch.names[g] = groups[g].name;
    scratch.indices[g] = found == names_.end() ? kAlone : static_cast<int32_t>(found - names_.begin());
  }
}

size_t Interactions::expand(const Features& features, uint64_t salt, Scratch& scratch,
                            std::vector<HashedFeature>& out) const {
  out.clear();
  find_names(features, scratch);
  const auto groups = features.groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    const uint64_t name = groups[g].name + salt;
    const auto keys = features.keys(groups[g]);
    const auto values = features.values(groups[g]);
    auto* named = scratch.indices[g] == kAlone ? nullptr : &scratch.namespaces[scratch.indices[g]];
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!counts(values[i])) continue;
      const uint64_t hash = mix(keys[i] ^ name);
      out.push_back({hash, values[i]});
      if (named == nullptr) continue;
      named->hashes.push_back(hash);
      named->values.push_back(values[i]);
    }
  }
  const size_t plain = out.size();
  const auto push = [&](uint64_t hash, float value) {
    if (counts(value)) out.push_back({hash, value});
  };
  for (const Term& term : terms_) {
    const auto& a = scratch.namespaces[term.members[0]];
    const auto& b = scratch.namespaces[term.members[1]];
    for (size_t i = 0; i < a.hashes.size(); ++i) {
      for (size_t j = &a == &b ? i + 1 : 0; j < b.hashes.size(); ++j) {
        const uint64_t hash = combine(a.hashes[i], b.hashes[j]);
        const float value = a.values[i] * b.values[j];
        if (term.size == 2) {
          push(hash, value);
          continue;
        }
        const auto& c = scratch.namespaces[term.members[2]];
        for (size_t k = &b == &c ? j + 1 : 0; k < c.hashes.size(); ++k)
          push(combine(hash, c.hashes[k]), value * c.values[k]);
      }
    }
  }
  return plain;
}

}  // namespace arcwise
