// A worker's search for the trees of sentences, whatever the system, the model and the kind of search: what a
// parser sees of them, once a sentence. How it is made of a system is in tree_search_of.h, compiled for each
// system in a file of its own (system/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "constraint/arc_rules.h"
#include "model/linear_model.h"
#include "model/network_workspace.h"
#include "parse/cost_sensitive_model.h"
#include "search/arc_estimates.h"
#include "search/beam_options.h"
#include "search/move_checks.h"
#include "search/sampling_options.h"
#include "task/grammar.h"
#include "task/systems.h"
#include "text/treebank.h"

namespace arcwise {

// The kinds of models. Those that score moves have classes(), slots() and a Workspace, made of the model and
// how states are visited, that a search can score with (model/scoring.h). That of learning to search is asked
// by the decoder it was trained with.
using Model = std::variant<std::shared_ptr<const LinearModel>, std::shared_ptr<const NetworkModel>,
                           std::shared_ptr<const CostSensitiveModel>>;

class TreeSearch {
 public:
  virtual ~TreeSearch() = default;
  // Sentences that are to come, from the first up to the last.
  virtual void begin(const Treebank& treebank, size_t first, size_t last) = 0;
  // What the tree of the sentence to come must be like (constraint/constrained.h); null: anything goes.
  virtual void constrain(const ArcRules* rules, std::span<const int32_t> labels) = 0;
  virtual void parse(size_t sentence) = 0;
  // The workspace of a network, which a tagger may look at too; null if the model is none.
  virtual NetworkModel::Workspace* network() = 0;
};

// What is found are derivations: greedily one, with a beam many.
class DerivationSearch : public TreeSearch {
 public:
  // Best first. Two derivations may have built the same tree.
  virtual size_t size() const = 0;
  virtual const Tree& tree(size_t derivation) const = 0;
  virtual double score(size_t derivation) const = 0;
  virtual int64_t moves() const = 0;  // made and taken back
  // Searches the sentence that was parsed last once more, for trees that keep to rules (task/grammatical.h).
  // Greedy search does so with such a beam, where the system and the model have one, and takes the moves that
  // it has taken before these words and, if it can, after them; it may find nothing. Returns whether another
  // beam might find others.
  virtual bool mend(const GrammarOfSentence& rules, const BeamOptions& beam, WordRange words) = 0;
  // The moves of a derivation that such a search has found; none if it was greedy.
  virtual void moves_of(size_t derivation, std::vector<SiteMove>& moves) const = 0;
  // What the moves of a derivation say of its arcs, if that was asked for.
  virtual const DerivationEstimates* estimates(size_t /*derivation*/) { return nullptr; }
  // Whether its moves were right, if that was asked for; gold trees are given before each sentence.
  virtual CheckedMoves* checks() { return nullptr; }
};

struct DerivationSearchOptions {
  std::optional<BeamOptions> beam{};                 // none: greedily
  const Softmax* estimates = nullptr;                // estimates are made with these
  std::span<const LiftedLabel> labels{};             // what those of moves mean, for estimates
  std::optional<std::span<const Softmax>> checks{};  // moves are checked with these
  bool is_constrained = false;
  std::span<const int32_t> plain_labels{};  // see constraint/constrained.h
};

// Derivations are drawn.
class DrawnTreeSearch : public TreeSearch {
 public:
  virtual void each_tree(const std::function<void(const DrawnTree&)>& visit) const = 0;
  virtual double entropy() const = 0;
};

// A state that a walk has come to, with the scores of its moves.
struct ScoredState {
  std::vector<SiteMove> legal;
  std::vector<int32_t> scores;          // of these
  size_t best = 0;                      // the one of these that greedy search takes
  std::vector<int32_t> sites;           // that were scored
  std::vector<int32_t> scores_at_site;  // of all moves, legal or not, at each of them
};

// The searches that there are of a system with a model. Where there is none of some kind, these functions
// throw std::invalid_argument with the reason.
class TreeSearches {
 public:
  virtual ~TreeSearches() = default;
  virtual std::unique_ptr<DerivationSearch> derivations(const DerivationSearchOptions& options) const = 0;
  virtual std::unique_ptr<DrawnTreeSearch> drawn(const Softmax& odds, const SamplingOptions& sampling,
                                                 const DerivationSearchOptions& options) const = 0;
  // Walks through a sentence as next(state) says, to the end or until it says nothing. By these rules, the
  // best of a state is what greedy search takes under them.
  virtual void walk(const Treebank& treebank, size_t sentence, const GrammarOfSentence* rules,
                    const std::function<std::optional<SiteMove>(const ScoredState&)>& next) const = 0;
};

// Throws std::invalid_argument if the model does not fit the system, whose arcs have so many labels.
template <BuildsTrees T>
std::unique_ptr<TreeSearches> make_tree_searches(const T& task, const Model& model, int32_t labels);

}  // namespace arcwise
