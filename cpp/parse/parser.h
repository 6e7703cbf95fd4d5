// A trained parser: a task, a model that scores its moves, and what its labels mean. Immutable and shared;
// each worker has a workspace of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "constraint/constraint.h"
#include "parse/best_trees.h"
#include "parse/tagger.h"
#include "parse/tree_search.h"
#include "rank/ranker.h"
#include "text/treebank.h"
#include "tree/pseudo_projective.h"

namespace arcwise {

struct ParserOptions {
  SystemOptions system;
  ArcLabels arcs;
  std::vector<LiftedLabel> labels;
  std::optional<Scheme> lift;
  bool probabilistic = false;  // the model's scores are log-odds
  std::optional<Grammar> grammar{};
};

// The C-step of HC-search: a ranker chooses among the trees of a beam, and the beam's own scores count as
// much as beam_weight.
struct Ranking {
  const Ranker* ranker = nullptr;  // none: the beam's best tree is taken
  double beam_weight = 0;          // alpha in the paper
};

// How trees are searched for.
struct ParseOptions {
  std::optional<int32_t> beam{};  // its width; none: greedily
  int threads = 1;                // the result does not depend on their number
  Ranking ranking{};              // needs a beam
  double temperature = 1;         // of estimates; the trees do not depend on it
  // What the trees must be like. Their labels are the parser's, and others that only they know.
  const Constraints* constraints = nullptr;
  // Tags words along the way: of all sentences or of those that have a 1 here, and what all words of these
  // are given.
  const Tagger* tagger = nullptr;
  std::span<const uint8_t> to_tag{};
  std::span<Tagger::Analysis> analyses{};
  // Whether trees are kept to the parser's grammar, if it has one, and where the tags stand that it goes by,
  // if not in the treebank. Those of the tagger may give way to others that go with the tree; which words
  // have such is noted, if there is a place for it.
  bool grammar = false;
  const Treebank* tags = nullptr;
  std::span<uint8_t> retagged{};
};

// What the moves that built the trees say of them (search/arc_estimates.h).
struct Estimates {
  std::vector<float> heads, deprels;  // the probability of each word's head, and with its label
  std::vector<double> log_probabilities, entropies;  // of each sentence's derivation
};

// What trees drawn from the model's distribution say of others (search/sampling.h).
struct Marginals {
  std::vector<float> heads, deprels;  // the share of the draws that have each word's head, and with its label
  std::vector<double> entropies;      // of each sentence's distribution over derivations
  // All arcs that were drawn: how many to each word, and these one after the other, those of most draws
  // first.
  std::vector<int32_t> counts, arc_heads, arc_labels;
  std::vector<float> shares;
};

// The choices of greedy search, sentence after sentence (search/move_checks.h).
struct MoveStatistics {
  std::vector<float> probabilities;  // of each choice as many as there are temperatures
  std::vector<uint8_t> right;        // whether no other move loses less against the gold tree
  int64_t forced = 0;                // moves that were no choice
};

// A state that a search has come to.
struct TracedState {
  std::vector<SiteMove> legal;
  std::vector<int32_t> scores;
  std::vector<double> probabilities;  // if the model has any
  size_t best = 0;                    // the one of them that is taken
};

class ConstraintPlan;
struct KnownLabels;

class Parser {
 public:
  // Throws std::invalid_argument if the parts do not fit together.
  Parser(ParserOptions options, Model model);

  // Heads and base labels of all words, and estimates if there is a place for them. Throws
  // std::invalid_argument if the task does not go from left to right and a beam is asked for, and if the
  // model has no probabilities and estimates are; ConstraintError if no tree satisfies the constraints of a
  // sentence.
  void parse(const Treebank& treebank, const ParseOptions& search, std::span<int32_t> heads,
             std::span<int32_t> labels, Estimates* estimates = nullptr) const;
  // Up to k trees of each sentence, no two of them the same, with the scores of their best derivations.
  // Needs a beam.
  BestTrees best(const Treebank& treebank, const ParseOptions& search, size_t k) const;
  // What draws say of these trees; of all others too, if asked. Throws std::invalid_argument if the model has
  // no probabilities.
  Marginals marginals(const Treebank& treebank, std::span<const int32_t> heads,
                      std::span<const int32_t> labels, const SamplingOptions& sampling,
                      const ParseOptions& options, bool all_arcs) const;
  // Of the trees drawn for each sentence the k that were drawn most often, scored with the logarithms of
  // their shares. Throws as marginals().
  BestTrees drawn(const Treebank& treebank, const SamplingOptions& sampling, const ParseOptions& options,
                  size_t k) const;

  // How probable the moves of greedy search are at these temperatures, and whether they are right; labels are
  // those of moves, and unknown heads and labels -1. Throws as marginals().
  MoveStatistics check_moves(const Treebank& treebank, std::span<const int32_t> heads,
                             std::span<const int32_t> labels, std::span<const double> temperatures,
                             int threads) const;
  // The moves that build the tree of the one sentence of a treebank, as parse() does without a beam, each
  // with all that were legal and their scores, for looking at from outside. `choose` is shown each state in
  // turn and may take another of its legal moves; then greedy search goes on from there. Throws
  // std::invalid_argument if the model scores no moves.
  std::vector<TracedState> trace(const Treebank& treebank, const ParseOptions& options,
                                 const std::function<size_t(const TracedState&)>& choose = {}) const;
  // The scores of all classes before each move of a walk through a sentence, for looking at from outside.
  // Throws std::invalid_argument if a move is not legal.
  std::vector<int32_t> scores(const Treebank& treebank, size_t sentence,
                              std::span<const SiteMove> moves) const;
  double scale() const;  // a score times this is the learner's own
  // Whether a tagger can tag words along the way.
  bool shares_encoder_with(const Tagger& tagger) const;

 private:
  // What a worker needs besides a search.
  struct Room {
    std::vector<LiftedLabel> lifted;
    const ConstraintPlan* plan = nullptr;  // of the sentence at hand, if it has constraints
    std::optional<GrammarOfSentence> rules;
    bool is_mended = false;              // the tree at hand keeps to the rules as far as it can
    Tagger::Worker* tags = nullptr;      // that has tagged the sentence at hand
    std::vector<int32_t> heads, labels;  // of one tree
    DistinctTrees trees;                 // of one sentence, best first
    std::vector<size_t> derivations;     // of a search, that they come from
    std::optional<Ranker::Workspace> ranking;
  };

  // Parses every sentence with a search that make(options) gives, one for each thread, and shows it to
  // visit(sentence, search, room to work in).
  template <class Search>
  using Visit = std::function<void(size_t sentence, Search& search, Room& room)>;
  template <class Search>
  void each_parse(const Treebank& treebank, const ParseOptions& options, DerivationSearchOptions of_search,
                  const std::function<std::unique_ptr<Search>(const DerivationSearchOptions&)>& make,
                  const Visit<Search>& visit) const;
  void each_derivation(const Treebank& treebank, const ParseOptions& options,
                       const DerivationSearchOptions& of_search, const Visit<DerivationSearch>& visit) const;
  template <class F>
  void each_sample(const Treebank& treebank, const SamplingOptions& sampling, const ParseOptions& options,
                   const F& visit) const;
  KnownLabels known_labels(const Constraints& constraints) const;
  int32_t completed(const auto& tree, int32_t word, const Room& room) const;
  void write(const auto& tree, std::span<int32_t> heads, std::span<int32_t> labels, Room& room) const;
  // Leaves up to k trees of a search in the room, that of a derivation first.
  void collect(const DerivationSearch& search, size_t words, size_t k, Room& room, size_t first = 0) const;
  // The derivation of a search that the tree is taken from, which is written.
  size_t choose(const DerivationSearch& search, const Treebank& treebank, const ParseOptions& options,
                size_t sentence, std::span<int32_t> heads, std::span<int32_t> labels, Room& room) const;
  // The first of the trees of a search in which the fewest arcs break rules, fewer than the limit, is
  // written.
  std::optional<size_t> best_mended(const DerivationSearch& search, int32_t limit, std::span<int32_t> heads,
                                    std::span<int32_t> labels, Room& room) const;
  // If the tree breaks rules, the sentence is searched again for one that breaks fewer, or none; some tags
  // may be others then. Returns whether there is one: the search has it and others like it then, and
  // otherwise what it had before.
  bool mend(DerivationSearch& search, const Treebank& treebank, const ParseOptions& options, size_t sentence,
            std::span<int32_t> heads, std::span<int32_t> labels, size_t& derivation, Room& room) const;
  std::vector<SiteMove> mended_moves(const Treebank& treebank, const ParseOptions& options,
                                     std::optional<GrammarOfSentence>& rules) const;
  // From scores to probabilities of moves, for every search that knows any. Beams do not use it: the trees
  // that they find would depend on the temperature.
  Softmax odds(double temperature) const;

  ParserOptions options_;
  Model model_;
  std::unique_ptr<const TreeSearches> searches_;
  bool lowers_ = false;  // some label says that a word was lifted
};

}  // namespace arcwise
