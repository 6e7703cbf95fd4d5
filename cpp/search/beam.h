// Beam search, written once for every left-to-right task and every scorer: of all states that are a move
// away from those in the beam, the best `width` go on.
//
// Derivations that parted from the best one more than kHorizon moves ago leave the beam, so that the ways
// between those in it stay short and the search is linear in the length of the sentence, whatever the model.
// A word takes two moves: sentences of up to 1,024 words lose nothing.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interrupts.h"
#include "model/scoring.h"
#include "model/softmax.h"
#include "search/beam_options.h"
#include "search/move_scores.h"
#include "search/prefix_tree.h"
#include "search/search.h"
#include "task/grammatical.h"

namespace arcwise {

// What a worker needs to parse, made once and used for many sentences.
template <LeftToRight T, Scoring<TreeView> S>
class BeamSearch {
 public:
  BeamSearch(const T& task, S& scoring, const BeamOptions& options)
      : task_(task),
        scoring_(scoring),
        options_(options),
        odds_(scoring.scale()),
        width_(static_cast<size_t>(options.width)),
        kept_(LooksFirst<S, TreeView> ? kKeptStates : 0) {}

  // Leaves the best derivations of a sentence that the scoring workspace is at in the beam.
  void run(int32_t words) {
    start(words);
    while (!all_done()) step(AllLegal{});
  }
  // The same of a part of the sentence: other moves have built a tree, and are taken until the front of the
  // buffer is the first word of the part. After the last, those that are left are taken as soon as the best
  // derivation has come to a state like one of theirs, unless they break a rule now. If every way past the
  // part breaks a rule, the beam is left empty.
  void run(int32_t words, std::span<const SiteMove> moves, WordRange part)
    requires HasGrammar<T>
  {
    start(words);
    size_t taken = 0;
    for (; taken < moves.size() && best_state().next() < part.first; ++taken) follow(moves[taken].move);
    others_ = best_state();
    while (!all_done()) {
      step(AllLegal{});
      if (best_state().next() <= part.last) continue;
      if (tree_[beam_[0].item].loss >= GrammarOfSentence::kBroken / 2) return beam_.clear();
      for (; taken < moves.size() && is_before(others_, best_state()); ++taken)
        task_.apply(others_, moves[taken].move);
      if (!others_.stands_as(best_state())) continue;
      for (; beam_.size() > 1; beam_.pop_back()) free_.push_back(beam_.back().cursor);
      for (; taken < moves.size() && keeps_to_rules(moves[taken].move); ++taken) {
        follow(moves[taken].move);
        task_.apply(others_, moves[taken].move);
      }
    }
  }
  void set(const BeamOptions& options) {
    options_ = options;
    width_ = static_cast<size_t>(options.width);
  }

  // The same a step at a time, for a sentence that the workspace is at. In each step, choose(item, state,
  // legal) says which of the legal moves of an item's state are considered; probabilities are those among
  // them.
  void start(int32_t words) {
    words_ = words;
    used_ = 0;
    moves_ = 0;
    steps_ = 0;
    free_.clear();
    beam_.assign(1, {tree_.start(), new_cursor()});
  }
  bool all_done() const {
    return std::all_of(beam_.begin(), beam_.end(), [&](const Entry& e) { return task_.done(state(e)); });
  }
  template <class Choose>
  void step(const Choose& choose) {
    expand(choose);
    advance();
    if (++steps_ % kHorizon == 0) forget_before(steps_ - kHorizon);
  }
  const PrefixTree& items() const { return tree_; }

  // The beam, best first. Two derivations may have built the same tree.
  size_t size() const { return beam_.size(); }
  int32_t item(size_t i) const { return beam_[i].item; }
  const Tree& tree(size_t i) const { return cursors_[beam_[i].cursor].state().tree; }
  // What its moves are worth, whatever rules they break.
  double score(size_t i) const {
    const Item& item = tree_[beam_[i].item];
    return (item.score + item.loss) * (options_.probabilistic ? 1 : scoring_.scale());
  }
  void moves_of(size_t i, std::vector<SiteMove>& moves) const {
    moves.clear();
    for (int32_t item = beam_[i].item; tree_[item].step > 0; item = tree_[item].parent)
      moves.push_back({0, tree_[item].move});
    std::reverse(moves.begin(), moves.end());
  }
  // Shows the derivation of one of them to a watch, as greedy search shows its own.
  void show(size_t i, Watch<StackState>& watch) {
    moves_to_show_.clear();
    for (int32_t item = beam_[i].item; tree_[item].step > 0; item = tree_[item].parent)
      moves_to_show_.push_back(tree_[item].move);
    task_.start(shown_, words_);
    watch.start(shown_);
    for (; !moves_to_show_.empty(); moves_to_show_.pop_back()) {
      check_interrupts();
      const MoveId move = moves_to_show_.back();
      const Legal legal = task_.legal(shown_);
      if (legal.size() > 1) {
        TreeView view;
        task_.view(shown_, view);
        watch.look(0, legal, scoring_.score(view), scoring_.columns(), move);
      }
      watch.before(shown_, {0, move});
      task_.apply(shown_, move);
      watch.after(shown_, {0, move});
    }
  }
  // How many moves were made and taken back for this sentence: what the search costs besides scoring.
  int64_t moves() const { return moves_; }

 private:
  static constexpr MoveId kStay = -1;
  static constexpr int32_t kNoCursor = -1;
  static constexpr int32_t kHorizon = 1024;
  // Derivations side by side come to states that look alike again and again: as many as a sentence or two
  // have in a beam are kept. A newer one takes the slot of an older one over.
  static constexpr size_t kKeptStates = 1 << 10;
  static constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;  // odd, and its bits are spread
  // A move has no more than all of the probability, as far as the odds of moves are exact.
  static constexpr double kInexact = 1e-3;
  // Under a grammar, how much less probable than the best a move is, in nats, that is not looked at.
  static constexpr double kHopeless = 9;
  // What is spent on finding a free cursor near by: so many are looked at, and where none is nearer than
  // that any will do.
  static constexpr size_t kLooks = 64;
  static constexpr int32_t kFar = 64;

  struct Entry {
    int32_t item;
    int32_t cursor;
  };
  // A move from an entry of the beam; kStay for one that is done.
  struct Candidate {
    double score;
    int32_t from;
    int32_t move_score;
    MoveId move;
    double loss = 0;  // of the score, by rules that the move breaks
    // Ties go to the earlier entry and the lowest move. Among the moves of one entry their own scores
    // decide, as in greedy search, even where sums are rounded to the same.
    bool operator<(const Candidate& o) const {
      if (score != o.score) return score > o.score;
      if (from != o.from) return from < o.from;
      if (move_score != o.move_score) return move_score > o.move_score;
      return move < o.move;
    }
  };

  int32_t new_cursor() {
    if (used_ == cursors_.size()) cursors_.emplace_back(task_);
    cursors_[used_].start(words_);
    return static_cast<int32_t>(used_++);
  }
  const StackState& state(const Entry& entry) const { return cursors_[entry.cursor].state(); }
  const StackState& best_state() const { return state(beam_[0]); }

  // Takes a move from the one derivation that there is.
  void follow(MoveId move) {
    Entry& only = beam_[0];
    only.item = tree_.add(only.item, move, tree_[only.item].score);
    moves_ += cursors_[only.cursor].go_to(only.item, tree_);
    ++steps_;
  }
  // Whether moves to come may lead from one state to another: words leave the buffer and then the stack.
  static bool is_before(const StackState& a, const StackState& b) {
    return a.front < b.front || (a.front == b.front && a.depth > b.depth);
  }
  bool keeps_to_rules(MoveId move) const
    requires HasGrammar<T>
  {
    const StackState& s = best_state();
    const Legal legal = task_.legal(s);
    return legal.contains(move) &&
           task_.loss(s, task_.added_by(s, legal.range_of(move).ranges()[0]), move) == 0;
  }

  struct AllLegal {
    const Legal& operator()(int32_t, const StackState&, const Legal& legal) const { return legal; }
  };
  struct Scored {
    uint64_t hash = 0;  // of the state
    MoveScores scores;
    double log_total = 0;  // of the odds of all moves, or the best score
  };

  // The best candidates, best first. Derivations that are done stay as they are, with the score they have,
  // beside those that have moves to come.
  template <class Choose>
  void expand(const Choose& choose) {
    candidates_.clear();
    const double scale = options_.probabilistic ? scoring_.scale() : 1;
    for (int32_t from = 0; from < static_cast<int32_t>(beam_.size()); ++from) {
      check_interrupts();
      const StackState& s = state(beam_[from]);
      const double score = tree_[beam_[from].item].score;
      // No move makes a derivation more probable, and those that come after it are no better.
      if (options_.probabilistic && candidates_.size() == width_ &&
          score + kInexact < candidates_.front().score)
        break;
      if (task_.done(s)) {
        consider({score, from, 0, kStay});
        continue;
      }
      const Legal legal = task_.legal(s);
      const Legal& chosen = choose(beam_[from].item, s, legal);
      if (legal.size() == 1) {
        double loss = 0;
        if constexpr (HasGrammar<T>)
          if (task_.obeys()) loss = task_.loss(s, task_.added_by(s, legal.ranges()[0]), legal.first());
        consider({score - loss, from, 0, legal.first(), loss});
        continue;
      }
      const Scored& own = scored<std::is_same_v<Choose, AllLegal>>(s, chosen);
      if constexpr (HasGrammar<T>)
        if (task_.obeys()) {
          consider_by_rules(s, chosen, own, score - own.log_total, scale, from);
          continue;
        }
      const double before = score - own.log_total;
      own.scores.each_from(least(own.scores, before, scale), chosen, [&](int32_t move_score, MoveId move) {
        consider({before + scale * move_score, from, move_score, move});
      });
    }
    std::sort_heap(candidates_.begin(), candidates_.end());
    if constexpr (HasGrammar<T>)
      if (task_.obeys() && options_.probabilistic)
        while (candidates_.back().score < candidates_.front().score - options_.hope) candidates_.pop_back();
  }
  // What an item's moves are scored. Where all legal ones are considered, that is kept.
  template <bool all>
  const Scored& scored(const StackState& s, const Legal& moves) {
    TreeView view;
    task_.view(s, view);
    if constexpr (all && LooksFirst<S, TreeView>) {
      uint64_t hash = scoring_.look(view);
      for (Range r : moves.ranges())
        hash = (hash ^ (static_cast<uint64_t>(r.begin) << 32 | static_cast<uint32_t>(r.end))) * kMultiplier;
      Scored& kept = kept_[hash >> 32 & (kKeptStates - 1)];
      if (kept.hash != hash) set(kept, moves, scoring_.score(moves));
      kept.hash = hash;
      return kept;
    } else {
      set(scored_, moves, scoring_.score(view));
      return scored_;
    }
  }
  // Under a grammar, what a move breaks counts. Moves that are no likelier than kHopeless are looked at where
  // all others break a rule.
  void consider_by_rules(const StackState& s, const Legal& chosen, const Scored& own, double before,
                         double scale, int32_t from)
    requires HasGrammar<T>
  {
    bool keeps_to_rules = false;
    const auto consider_from = [&](int32_t least, double most_loss) {
      Range of_arc;
      typename T::AddedArc arc;
      own.scores.each_from(least, chosen, [&](int32_t move_score, MoveId move) {
        if (!of_arc.contains(move)) {
          of_arc = chosen.range_of(move).ranges()[0];
          arc = task_.added_by(s, of_arc);
        }
        const double loss = task_.loss(s, arc, move);
        if (loss > most_loss) return;
        keeps_to_rules |= loss < GrammarOfSentence::kBroken / 2;
        consider({before + scale * move_score - loss, from, move_score, move, loss});
      });
    };
    constexpr auto lowest = std::numeric_limits<int32_t>::lowest();
    const int32_t least = candidates_.size() < width_ ? lowest : this->least(own.scores, before, scale);
    const double hope = std::min(options_.hope, kHopeless);
    const double hopeless = options_.probabilistic ? own.scores.most() - hope / scale : lowest;
    consider_from(hopeless > least ? static_cast<int32_t>(hopeless) : least, GrammarOfSentence::kBroken / 2);
    if (!keeps_to_rules) consider_from(least, std::numeric_limits<double>::infinity());
  }
  void set(Scored& own, const Legal& moves, const int32_t* scores) {
    own.scores.set(moves, scores, scoring_.columns());
    if (options_.probabilistic)
      own.log_total = odds_.log_total(own.scores.most(), own.scores.all());
    else
      own.log_total = options_.by_regret ? own.scores.most() : 0;
  }
  // Moves from an item that are scored lower are no candidates.
  int32_t least(const MoveScores& scores, double before, double scale) const {
    if (candidates_.size() < width_) return scores.reached_by(width_);
    const double least = (candidates_.front().score - before) / scale - 1;
    constexpr auto lowest = std::numeric_limits<int32_t>::lowest(),
                   highest = std::numeric_limits<int32_t>::max();
    return !(least > lowest) ? lowest : least < highest ? static_cast<int32_t>(least) : highest;
  }
  void consider(const Candidate& candidate) {
    if (candidates_.size() == width_) {
      if (!(candidate < candidates_.front())) return;
      std::pop_heap(candidates_.begin(), candidates_.end());
      candidates_.back() = candidate;
    } else {
      candidates_.push_back(candidate);
    }
    std::push_heap(candidates_.begin(), candidates_.end());
  }

  // Makes the candidates the beam.
  void advance() {
    next_.clear();
    // The best child of an entry goes on with its parent's cursor, one move away.
    for (const Candidate& c : candidates_) {
      Entry& parent = beam_[c.from];
      const int32_t item = c.move == kStay ? parent.item : tree_.add(parent.item, c.move, c.score, c.loss);
      next_.push_back({item, std::exchange(parent.cursor, kNoCursor)});
    }
    // The others take those of entries without children.
    for (const Entry& e : beam_)
      if (e.cursor != kNoCursor) free_.push_back(e.cursor);
    for (Entry& e : next_) {
      if (e.cursor == kNoCursor) e.cursor = free_.empty() ? new_cursor() : take_nearest(e.item);
      moves_ += cursors_[e.cursor].go_to(e.item, tree_);
    }
    beam_.swap(next_);
  }
  // Keeps the derivations that agree with the best one up to this step.
  void forget_before(int32_t step) {
    const int32_t agreed = tree_.ancestor(beam_[0].item, step);
    std::erase_if(beam_, [&](const Entry& e) {
      const bool parted = tree_.ancestor(e.item, step) != agreed;
      if (parted) free_.push_back(e.cursor);
      return parted;
    });
  }
  int32_t take_nearest(int32_t item) {
    const size_t first = free_.size() - std::min(free_.size(), kLooks);
    size_t nearest = first;
    int32_t least = kFar;
    for (size_t i = first; i < free_.size(); ++i) {
      const int32_t moves = tree_.distance(cursors_[free_[i]].at(), item, least);
      if (moves < least) {
        least = moves;
        nearest = i;
      }
    }
    std::swap(free_[nearest], free_.back());
    const int32_t cursor = free_.back();
    free_.pop_back();
    return cursor;
  }

  const T& task_;
  S& scoring_;
  BeamOptions options_;
  const Softmax odds_;
  size_t width_;
  int32_t words_ = 0;
  PrefixTree tree_;
  std::vector<Cursor<T>> cursors_;
  size_t used_ = 0;  // cursors that this sentence has needed
  std::vector<Entry> beam_, next_;
  std::vector<Candidate> candidates_;  // the best so far, a heap with the worst of them on top
  std::vector<Scored> kept_;
  Scored scored_;              // what is not kept
  std::vector<int32_t> free_;  // cursors at no entry of the beam
  int64_t moves_ = 0;
  int32_t steps_ = 0;
  StackState shown_, others_;
  std::vector<MoveId> moves_to_show_;
};

}  // namespace arcwise
