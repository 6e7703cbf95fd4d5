// How many of the trees drawn for a sentence have each arc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class ArcShares {
 public:
  struct Arc {
    int32_t head, label;
    int32_t draws;
  };

  explicit ArcShares(size_t words) : arcs_(words) {}

  void add(std::span<const int32_t> heads, std::span<const int32_t> labels, int32_t draws) {
    draws_ += draws;
    for (size_t w = 0; w < heads.size(); ++w) {
      auto& arcs = arcs_[w];
      const auto same = [&](const Arc& a) { return a.head == heads[w] && a.label == labels[w]; };
      const auto arc = std::find_if(arcs.begin(), arcs.end(), same);
      if (arc != arcs.end())
        arc->draws += draws;
      else
        arcs.push_back({heads[w], labels[w], draws});
    }
  }

  // Of the draws, those that give a word, counted from 0, this head; and this label with it.
  double head(size_t word, int32_t head) const {
    return share(word, [&](const Arc& a) { return a.head == head; });
  }
  double deprel(size_t word, int32_t head, int32_t label) const {
    return share(word, [&](const Arc& a) { return a.head == head && a.label == label; });
  }
  // The arcs to a word, those of most draws first.
  std::span<const Arc> sorted(size_t word) {
    std::sort(arcs_[word].begin(), arcs_[word].end(), [](const Arc& a, const Arc& b) {
      if (a.draws != b.draws) return a.draws > b.draws;
      return a.head != b.head ? a.head < b.head : a.label < b.label;
    });
    return arcs_[word];
  }
  double share(int32_t draws) const { return static_cast<double>(draws) / draws_; }

 private:
  template <class Fits>
  double share(size_t word, Fits&& fits) const {
    int32_t draws = 0;
    for (const Arc& arc : arcs_[word])
      if (fits(arc)) draws += arc.draws;
    return share(draws);
  }

  std::vector<std::vector<Arc>> arcs_;
  int32_t draws_ = 0;
};

}  // namespace arcwise
