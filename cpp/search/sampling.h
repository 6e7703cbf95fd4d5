// Trees drawn from the model's distribution over derivations (Goldberg 2013, 3.3): in every state a move is
// drawn from the probabilities of the legal ones.
//
// The draws of a sentence walk together for as long as they draw the same moves, so that a state which many
// of them come to is scored once. Each has random numbers of its own: what one draws depends neither on how
// many others there are nor on their company.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/drawing.h"

namespace arcwise {

struct SamplingOptions {
  int32_t samples = 100;
  uint64_t seed = 1;
};

// A tree as far as it is of interest once it is drawn.
struct DrawnTree {
  struct Arc {
    int32_t head, label;
  };
  std::span<const Arc> arcs;
  int32_t draws;  // that ended in it, by one derivation

  int32_t output_head(int32_t word) const { return arcs[word - 1].head; }
  int32_t label(int32_t word) const { return arcs[word - 1].label; }
};

// What a worker needs to draw trees, made once and used for many sentences.
template <Task T, Scoring S>
class SamplingSearch {
 public:
  SamplingSearch(const T& task, S& scoring, const Odds& odds, const Treebank& treebank,
                 const SamplingOptions& options)
      : treebank_(treebank), options_(options), scoring_(scoring), walk_(task, scoring, odds) {}

  // Draws trees of a sentence, one of those the workspace has begun.
  void parse(size_t sentence) {
    scoring_.sentence(sentence);
    start(sentence);
    walk_.start();
    walk({0, draws_.size(), 0, {}, 0});
    while (!groups_.empty()) {
      const Group group = groups_.back();
      groups_.pop_back();
      walk_.back_to(group.moves);
      walk_.take(group.drawn);
      walk(group);
    }
  }

  // visit(tree) for the tree of each derivation that was drawn.
  template <class Visit>
  void each_tree(Visit&& visit) const {
    const auto words = static_cast<size_t>(scoring_.words());
    for (size_t i = 0; i < ends_.size(); ++i)
      visit(DrawnTree{std::span(arcs_).subspan(i * words, words), ends_[i]});
  }
  // Of the distribution over derivations: in nats, the mean over all draws of the entropies of the choices
  // they met. It has no bias, whatever their number.
  double entropy() const { return entropy_ / static_cast<double>(draws_.size()); }

 private:
  using Drawn = typename Drawing<T, S>::Drawn;
  struct Draw {
    Random random;
    Drawn next;
  };
  // Draws that go on from a state after so many moves, with the same move.
  struct Group {
    size_t begin, end;
    size_t moves;
    Drawn drawn;
    double entropy;
  };

  // Random numbers depend on the words alone, not on where in a treebank the sentence stands; other words
  // have others.
  void start(size_t sentence) {
    uint64_t seed = mix(options_.seed);
    const size_t first = treebank_.first_word(sentence);
    for (size_t word = first; word < first + treebank_.length(sentence); ++word)
      seed = hash_bytes(treebank_.text(word, Column::Form), seed);
    draws_.clear();
    for (int32_t i = 0; i < options_.samples; ++i)
      draws_.push_back({Random(mix(seed + static_cast<uint64_t>(i))), {}});
    arcs_.clear();
    ends_.clear();
    entropy_ = 0;
  }

  // Goes on with one of the groups that a group falls into, and leaves the others for later.
  void walk(Group group) {
    while (walk_.to_next_choice()) {
      group.entropy += walk_.entropy();
      const auto draws = std::span(draws_).subspan(group.begin, group.end - group.begin);
      bool together = true;
      for (Draw& draw : draws) {
        draw.next = walk_.draw(draw.random.uniform());
        together &= draw.next == draws[0].next;
      }
      if (!together) group.end = group.begin + part(draws, group);
      walk_.take(draws_[group.begin].next);
    }
    finish(group);
  }
  // Puts the draws of the same move together; returns how many have the first.
  size_t part(std::span<Draw> draws, const Group& group) {
    std::sort(draws.begin(), draws.end(), [](const Draw& a, const Draw& b) { return a.next < b.next; });
    walk_.part();
    const auto end_of = [&](size_t begin) {
      size_t end = begin + 1;
      while (end < draws.size() && draws[end].next == draws[begin].next) ++end;
      return end;
    };
    const size_t first = end_of(0);
    for (size_t begin = first, end; begin < draws.size(); begin = end) {
      end = end_of(begin);
      groups_.push_back(
          {group.begin + begin, group.begin + end, walk_.moves(), draws[begin].next, group.entropy});
    }
    return first;
  }
  void finish(const Group& group) {
    const auto draws = static_cast<int32_t>(group.end - group.begin);
    const Tree& tree = walk_.state().tree;
    for (int32_t word = 1; word <= tree.words(); ++word)
      arcs_.push_back({tree.output_head(word), tree.label(word)});
    ends_.push_back(draws);
    entropy_ += draws * group.entropy;
  }

  const Treebank& treebank_;
  const SamplingOptions options_;
  S& scoring_;
  Drawing<T, S> walk_;
  std::vector<Draw> draws_;
  std::vector<Group> groups_;
  std::vector<DrawnTree::Arc> arcs_;  // of one tree after the other
  std::vector<int32_t> ends_;         // how many draws ended in each
  double entropy_ = 0;
};

}  // namespace arcwise
