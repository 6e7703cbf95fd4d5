// Greedy search, written once for every task and scorer (Goldberg & Nivre 2013, Algorithm 1).
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "feature/templates.h"
#include "model/rows.h"
#include "task/task.h"

namespace arcwise {

struct ScoredMove {
  int32_t score = 0;
  Class move = -1;
};

// The best-scored legal move; ties go to the lowest. The score of class c is at places[c].
inline ScoredMove best_legal(const Legal& legal, const int32_t* scores, const uint16_t* places) {
  ScoredMove best{scores[places[legal.first()]], legal.first()};
  for (Range r : legal.ranges())
    for (Class c = r.begin; c < r.end; ++c)
      if (scores[places[c]] > best.score) best = {scores[places[c]], c};
  return best;
}

// What a worker needs to parse, made once and used for many sentences.
template <Task T, class Scorer>
class GreedySearch {
 public:
  GreedySearch(const T& task, const Templates& templates, const Scorer& scorer)
      : task_(task),
        templates_(templates),
        scorer_(scorer),
        keys_(templates.size() + 1),
        scores_(scorer.width()) {}

  // Leaves the tree in state().
  void parse(const TokenTable& tokens) {
    task_.start(state_, tokens.words());
    forget();
    if constexpr (T::kSingleSite) {
      while (!task_.done(state_)) {
        const Legal legal = task_.legal(state_, 0);
        task_.apply(state_, 0, legal.size() == 1 ? legal.first() : best_at(tokens, legal, 0).move);
      }
    } else {
      agenda_.clear();
      version_.assign(static_cast<size_t>(tokens.words()) + 1, 0);
      const auto look = [&](int32_t site) {
        ++version_[site];
        const Legal legal = task_.legal(state_, site);
        if (legal.size() == 0) return;
        const ScoredMove best = best_at(tokens, legal, site);
        agenda_.push({best.score, site, best.move, version_[site]});
      };
      task_.each_site(state_, look);
      while (!task_.done(state_)) {
        const Item item = agenda_.pop();
        // A site whose left node has gone, or that was looked at again since, is out of date.
        if (item.version != version_[item.site] || !state_.in_list(item.site)) continue;
        const int32_t head = task_.head_of(state_, item.site, item.move);
        task_.apply(state_, item.site, item.move);
        task_.each_touched_site(state_, head, look);
      }
    }
  }

  const typename T::State& state() const { return state_; }

 private:
  // The part of the scores that a word brings along wherever it comes to the front of the buffer, or to
  // the top of the stack. The words on the stack are kept by their number: few are ever on it at a time.
  static constexpr int32_t kNotKept = -2;
  static constexpr size_t kTops = 64;
  struct Kept {
    int32_t node = kNotKept;
    std::vector<int32_t> scores;
  };
  void forget() {
    front_.node = kNotKept;
    for (Kept& top : tops_) top.node = kNotKept;
  }

  struct Item {
    int32_t score;
    int32_t site;
    Class move;
    uint32_t version;
    // The first to be taken is the best-scored, then the leftmost.
    bool operator<(const Item& o) const { return score != o.score ? score < o.score : site > o.site; }
  };
  class Agenda {
   public:
    void clear() { items_.clear(); }
    void push(const Item& item) {
      items_.push_back(item);
      std::push_heap(items_.begin(), items_.end());
    }
    Item pop() {
      std::pop_heap(items_.begin(), items_.end());
      const Item top = items_.back();
      items_.pop_back();
      return top;
    }

   private:
    std::vector<Item> items_;
  };

  ScoredMove best_at(const TokenTable& tokens, const Legal& legal, int32_t site) {
    using Part = Templates::Part;
    SlotNodes nodes;
    task_.slots(state_, site, nodes);
    const auto add = [&](Part part, int32_t* scores) {
      const int32_t count = templates_.extract(part, state_.tree, nodes, tokens, keys_.data());
      scorer_.add(keys_.data(), count, scratch_, scores);
    };
    if constexpr (T::kSingleSite) {
      const auto keep = [&](Kept& kept, int32_t node, Part part) {
        if (kept.node == node) return;
        kept.node = node;
        kept.scores.assign(scorer_.width(), 0);
        add(part, kept.scores.data());
      };
      Kept& top = tops_[static_cast<size_t>(nodes[Slot::S0] + 1) % kTops];
      keep(front_, nodes[Slot::N0], Part::Front);
      keep(top, nodes[Slot::S0], Part::Top);
      sum_scores(front_.scores.data(), top.scores.data(), scores_.size(), scores_.data());
      add(Part::Rest, scores_.data());
    } else {
      std::fill(scores_.begin(), scores_.end(), 0);
      add(Part::All, scores_.data());
    }
    return best_legal(legal, scores_.data(), scorer_.places());
  }

  const T& task_;
  const Templates& templates_;
  const Scorer& scorer_;
  typename T::State state_;
  typename Scorer::Scratch scratch_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> scores_;
  Kept front_;
  std::array<Kept, kTops> tops_;
  Agenda agenda_;
  std::vector<uint32_t> version_;
};

}  // namespace arcwise
