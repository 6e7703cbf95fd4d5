// Estimates of arcs' probabilities from the moves of the one derivation that built them, while it is built.
//
// An arc is there if the move that makes it is taken, and no move before it that rules it out. So an arc's
// estimate is the share of the moves that make it, in the state in which it was made, times what was left to
// the moves that do not rule it out, in each state before. What rules arcs out depends on where their ends
// stand (task/risks.h) and is multiplied up for each node as it goes along, so that a move takes constant
// time. What it cannot know is what other derivations would have come to.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "search/masses.h"
#include "search/move_probabilities.h"
#include "search/search.h"
#include "task/foreign.h"
#include "task/risks.h"
#include "task/task.h"
#include "tree/pseudo_projective.h"

namespace arcwise {

template <class T>
concept HasRisks = requires { T::kRisks; };
template <class T>
constexpr size_t risk_count() {
  if constexpr (HasRisks<T>)
    return T::kRisks.size();
  else
    return 0;
}

// What is asked of estimates, whatever the system.
class DerivationEstimates {
 public:
  // Of the arc to a word, counted from 1: that it has this head, and this head and label.
  float head(int32_t word) const { return static_cast<float>(arcs_[word].head); }
  float deprel(int32_t word) const { return static_cast<float>(arcs_[word].deprel); }
  // Of the derivation: the logarithm of its probability, and the entropies of its choices added up.
  double log_probability() const { return log_probability_; }
  double entropy() const { return entropy_; }

 protected:
  struct Arc {
    double head = 1, deprel = 1;
    bool made = false;
  };
  std::vector<Arc> arcs_;
  double log_probability_ = 0, entropy_ = 0;
};

template <Task T>
class ArcEstimates final : public DerivationEstimates, public Watch<typename T::State> {
 public:
  using State = typename T::State;

  // What the labels of moves mean tells which moves lead to the same head.
  ArcEstimates(const T& task, const Softmax& odds, std::span<const LiftedLabel> labels)
      : task_(task), moves_ahead_(odds) {
    std::map<int32_t, int32_t> heads;
    std::map<std::pair<int32_t, int32_t>, int32_t> deprels;
    const auto number = [](auto& numbers, const auto& of) {
      return numbers.emplace(of, static_cast<int32_t>(numbers.size())).first->second;
    };
    for (MoveId c = 0; c < task.moves().size(); ++c) {
      const int32_t label = task.moves()[c].label;
      const LiftedLabel meaning = label < 0 ? LiftedLabel{} : labels[label];
      heads_.push_back(number(heads, meaning.lifted_from));
      deprels_.push_back(number(deprels, std::pair(meaning.lifted_from, meaning.base)));
    }
  }

  void start(const State& state) override {
    const size_t nodes = static_cast<size_t>(state.words()) + 2;
    arcs_.assign(nodes, {});
    log_probability_ = entropy_ = 0;
    if constexpr (HasRisks<T>) kept_.assign(nodes, all_kept());
    masses_.start(state.words());
    best_.start(state.words());
  }
  void look(int32_t site, const Legal& legal, const int32_t* scores, const uint16_t* columns,
            MoveId best) override {
    moves_ahead_.look(legal, scores, columns);
    masses_.set(site, moves_ahead_.mass());
    best_[site] = {moves_ahead_.log_odds(best), arc_by(best)};
  }
  void before(const State& state, SiteMove move) override {
    Sites<T>::view(task_, state, move.site, view_);
    is_a_choice_ = !masses_.total().empty();
    making_ = is_a_choice_ ? best_[move.site].arc : Arc{};
    if (is_a_choice_) count(masses_.total(), best_[move.site].log_odds);
    Sites<T>::each_gone(task_, state, move, [&](int32_t gone) { masses_.set(gone, {}); });
  }
  void after(const State& state, SiteMove taken) override {
    const MoveId move = taken.move;
    const auto look_for_arc = [&](int32_t word) {
      if (word < 1 || word > state.words() || !state.tree.has_head(word) || arcs_[word].made) return;
      arcs_[word] = making_;
      arcs_[word].made = true;
      if constexpr (HasRisks<T>) survive(arcs_[word], word, state.tree[word].head, move);
    };
    if constexpr (std::derived_from<T, Foreign>)  // whose arcs may join any words
      for (int32_t word = 1; word <= state.words(); ++word) look_for_arc(word);
    else
      for (Slot end : kEnds) look_for_arc(view_.nodes[end]);
    if constexpr (HasRisks<T>) run_risks(move);
  }

 private:
  struct Best {
    double log_odds;
    Arc arc;
  };
  // Where the ends of an arc can stand that a move makes.
  static constexpr auto kEnds = [] {
    if constexpr (ManySites<T>)
      return std::array{Slot::L0, Slot::R0};
    else
      return std::array{Slot::S0, Slot::S1, Slot::N0};
  }();

  void count(const Mass& mass, double log_odds) {
    log_probability_ += std::min(0.0, log_odds - mass.log_total);
    entropy_ += mass.entropy();
  }
  // Moves that mark a word as lifted lead to another head than those that do not.
  Arc arc_by(MoveId move) const {
    Arc arc{0, 0};
    moves_ahead_.each_like(move, [&](MoveId c, double share) {
      if (heads_[c] == heads_[move]) arc.head += share;
      if (deprels_[c] == deprels_[move]) arc.deprel += share;
    });
    return arc;
  }

  using Kept = std::array<double, risk_count<T>()>;
  static constexpr Kept all_kept() {
    Kept all;
    all.fill(1);
    return all;
  }
  // What each end of a new arc has survived before.
  void survive(Arc& arc, int32_t dependent, int32_t head, MoveId move) const {
    const RisksOfArc risks = task_.risks_of(task_.moves()[move].action, head == kRoot || head > words());
    for (size_t r = 0; r < T::kRisks.size(); ++r) {
      double kept = 1;
      if (has(risks.dependent, r)) kept *= kept_[dependent][r];
      if (has(risks.head, r)) kept *= kept_[head][r];
      arc.head *= kept;
      arc.deprel *= kept;
    }
  }
  void run_risks(MoveId move) {
    if (!is_a_choice_) return;
    const auto shares = moves_ahead_.shares_of_actions(task_.moves());
    for (size_t r = 0; r < T::kRisks.size(); ++r) {
      const Risk& risk = T::kRisks[r];
      const int32_t node = view_.nodes[risk.place];
      if (node < 0 || has(risk.actions, task_.moves()[move].action)) continue;
      double kept = 1;
      for (size_t a = 0; a < kMostActions; ++a)
        if (has(risk.actions, a)) kept -= shares[a];
      kept_[node][r] *= std::max(0.0, kept);
    }
  }
  int32_t words() const { return static_cast<int32_t>(arcs_.size()) - 2; }

  const T& task_;
  // Moves of the same number give a word the same head, and the same label with it.
  std::vector<int32_t> heads_, deprels_;
  MoveProbabilities moves_ahead_;
  bool is_a_choice_ = false;
  TreeView view_;           // before the move
  Arc making_;              // what the move alone says of an arc
  std::vector<Kept> kept_;  // by every node from every risk so far
  Masses<T> masses_;
  typename Sites<T>::template Kept<Best> best_;
};

}  // namespace arcwise
