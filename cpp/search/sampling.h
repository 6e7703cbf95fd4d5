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

#include "base/hash.h"
#include "base/random.h"
#include "search/drawing.h"
#include "search/sampling_options.h"
#include "text/treebank.h"

namespace arcwise {

// What a worker needs to draw trees, made once and used for many sentences.
template <Task T, class S>
class SamplingSearch {
 public:
  SamplingSearch(const T& task, S& scoring, const Softmax& odds, const SamplingOptions& options)
      : options_(options), walk_(task, scoring, odds) {}

  // Random numbers depend on the forms of the words alone, not on where in a treebank the sentence stands;
  // other words have others.
  void seed(const Treebank& treebank, size_t sentence) {
    seed_ = mix(options_.seed);
    const size_t first = treebank.first_word(sentence);
    for (size_t word = first; word < first + treebank.length(sentence); ++word)
      seed_ = hash_bytes(treebank.text(word, Column::Form), seed_);
  }

  // Draws trees of a sentence that the scoring workspace is at, after seed().
  void run(int32_t words) {
    words_ = static_cast<size_t>(words);
    start();
    walk_.start(words);
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
    for (size_t i = 0; i < ends_.size(); ++i)
      visit(DrawnTree{std::span(arcs_).subspan(i * words_, words_), ends_[i]});
  }
  // Of the distribution over derivations: in nats, the mean over all draws of the entropies of the choices
  // they met. It has no bias, whatever their number.
  double entropy() const { return entropy_ / static_cast<double>(draws_.size()); }

 private:
  struct Draw {
    Random random;
    SiteMove next;
  };
  // Draws that go on from a state after so many moves, with the same move.
  struct Group {
    size_t begin, end;
    size_t moves;
    SiteMove drawn;
    double entropy;
  };

  void start() {
    draws_.clear();
    for (int32_t i = 0; i < options_.samples; ++i)
      draws_.push_back({Random(mix(seed_ + static_cast<uint64_t>(i))), {}});
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

  const SamplingOptions options_;
  Drawing<T, S> walk_;
  uint64_t seed_ = 0;
  size_t words_ = 0;
  std::vector<Draw> draws_;
  std::vector<Group> groups_;
  std::vector<DrawnTree::Arc> arcs_;  // of one tree after the other
  std::vector<int32_t> ends_;         // how many draws ended in each
  double entropy_ = 0;
};

}  // namespace arcwise
