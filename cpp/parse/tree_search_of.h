// How the searches of a system are made (tree_search.h). Included where a system is instantiated alone.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/interrupts.h"
#include "constraint/constrained.h"
#include "parse/tree_search.h"
#include "search/beam.h"
#include "search/greedy.h"
#include "search/sampling.h"
#include "task/grammatical.h"

namespace arcwise {

// A model that scores the moves of a state, whatever the search.
template <class M>
concept ScoresMoves = Scoring<typename M::Workspace, TreeView>;

// Which models there are of a system: what learns to search takes one decision at a time.
template <class T, class M>
inline constexpr bool kIsModelOf = OneSite<T> || ScoresMoves<M>;

template <class T>
inline constexpr Visits kGreedyVisits = ManySites<T> ? Visits::Anywhere : Visits::LeftToRight;
template <class T>
inline constexpr Visits kManyVisits = ManySites<T> ? Visits::Anywhere : Visits::SideBySide;

// The task as a worker has it: under constraints, which change from sentence to sentence, if the system knows
// what they leave.
template <Task T>
struct WorkersTask {
  WorkersTask(const T& shared, const DerivationSearchOptions& options) : task(shared) {
    if (options.is_constrained)
      throw std::invalid_argument("There is no parsing under constraints in " + name_of(shared) + ".");
  }
  void set(const ArcRules*, std::span<const int32_t>) {}
  Grammatical<T> task;
};
template <KnowsReachable T>
struct WorkersTask<T> {
  WorkersTask(const T& shared, const DerivationSearchOptions& options) : task(shared, options.plain_labels) {}
  void set(const ArcRules* rules, std::span<const int32_t> labels) { task.set(rules, labels); }
  Grammatical<Constrained<T>> task;
};
template <Task T>
using WorkersTaskType = std::remove_cvref_t<decltype(WorkersTask<T>::task)>;

// What all searches have in common.
template <class Base, Task T, class M>
class ScoringSearch : public Base {
 public:
  ScoringSearch(const T& task, const M& model, Visits visits, const DerivationSearchOptions& options)
      : own_(task, options), scoring_(model, visits) {}

  void begin(const Treebank& treebank, size_t first, size_t last) override {
    treebank_ = &treebank;
    scoring_.begin(treebank, first, last);
  }
  void constrain(const ArcRules* rules, std::span<const int32_t> labels) override { own_.set(rules, labels); }
  NetworkModel::Workspace* network() override {
    if constexpr (std::is_same_v<M, NetworkModel>)
      return &scoring_;
    else
      return nullptr;
  }

 protected:
  // Brings the workspace to a sentence, and gives the number of its words.
  int32_t at(size_t sentence) {
    scoring_.sentence(sentence);
    return static_cast<int32_t>(treebank_->length(sentence));
  }

  // Calls search(), which keeps to the rules.
  template <class F>
  void obeying(const GrammarOfSentence& rules, F&& search) {
    own_.task.obey(&rules);
    search();
    own_.task.obey(nullptr);
  }

  WorkersTask<T> own_;
  typename M::Workspace scoring_;
  const Treebank* treebank_ = nullptr;
};

// Room for a beam search, if there is one of the system with the model.
template <class T, class M>
struct RoomForBeam {};
template <LeftToRight T, ScoresMoves M>
struct RoomForBeam<T, M> : std::optional<BeamSearch<T, typename M::Workspace>> {};

// Greedy search; what breaks rules is searched again with a beam.
template <Task T, class M>
class GreedyTreeSearch final : public ScoringSearch<DerivationSearch, T, M> {
 public:
  GreedyTreeSearch(const T& task, const M& model, const DerivationSearchOptions& options)
      : ScoringSearch<DerivationSearch, T, M>(task, model, kGreedyVisits<T>, options),
        search_(this->own_.task, this->scoring_, watch(options)) {}

  void parse(size_t sentence) override {
    is_mended_ = false;
    words_ = this->at(sentence);
    search_.run(words_);
  }
  // The words have been encoded already: what a beam costs are the moves.
  bool mend(const GrammarOfSentence& rules, const BeamOptions& beam, WordRange words) override {
    this->obeying(rules, [&] {
      if constexpr (kHasBeam) {
        if (!beam_) beam_.emplace(this->own_.task, this->scoring_, beam);
        beam_->set(beam);
        beam_->run(words_, search_.moves(), words);
        is_mended_ = true;
      } else {
        search_.run(words_);
      }
    });
    return kHasBeam;
  }
  size_t size() const override {
    if constexpr (kHasBeam)
      if (is_mended_) return beam_->size();
    return 1;
  }
  const Tree& tree(size_t derivation) const override {
    if constexpr (kHasBeam)
      if (is_mended_) return beam_->tree(derivation);
    return search_.state().tree;
  }
  double score(size_t) const override { return 0; }
  int64_t moves() const override { return 0; }
  void moves_of(size_t derivation, std::vector<SiteMove>& moves) const override {
    moves.clear();
    if constexpr (kHasBeam)
      if (is_mended_) beam_->moves_of(derivation, moves);
  }
  const DerivationEstimates* estimates(size_t derivation) override {
    if (!estimates_) return nullptr;
    if constexpr (kHasBeam)
      if (is_mended_) beam_->show(derivation, *estimates_);
    return &*estimates_;
  }
  CheckedMoves* checks() override { return checks_ ? &*checks_ : nullptr; }

 private:
  using Own = WorkersTaskType<T>;
  static constexpr bool kHasBeam = LeftToRight<Own> && ScoresMoves<M>;

  Watch<typename T::State>* watch(const DerivationSearchOptions& options) {
    if (options.estimates) return &estimates_.emplace(this->own_.task, *options.estimates, options.labels);
    if (options.checks) return &checks_.emplace(this->own_.task, *options.checks);
    return nullptr;
  }
  std::optional<ArcEstimates<Own>> estimates_;
  std::optional<MoveChecks<Own>> checks_;
  GreedySearch<Own, typename M::Workspace> search_;
  RoomForBeam<Own, M> beam_;
  int32_t words_ = 0;
  bool is_mended_ = false;
};

template <LeftToRight T, ScoresMoves M>
class BeamTreeSearch final : public ScoringSearch<DerivationSearch, T, M> {
 public:
  BeamTreeSearch(const T& task, const M& model, const DerivationSearchOptions& options)
      : ScoringSearch<DerivationSearch, T, M>(task, model, Visits::SideBySide, options),
        search_(this->own_.task, this->scoring_, *options.beam) {
    if (options.estimates) estimates_.emplace(this->own_.task, *options.estimates, options.labels);
  }

  void parse(size_t sentence) override {
    words_ = this->at(sentence);
    search_.run(words_);
  }
  bool mend(const GrammarOfSentence& rules, const BeamOptions&, WordRange) override {
    this->obeying(rules, [&] { search_.run(words_); });
    return false;
  }
  void moves_of(size_t derivation, std::vector<SiteMove>& moves) const override {
    search_.moves_of(derivation, moves);
  }
  size_t size() const override { return search_.size(); }
  const Tree& tree(size_t derivation) const override { return search_.tree(derivation); }
  double score(size_t derivation) const override { return search_.score(derivation); }
  int64_t moves() const override { return search_.moves(); }
  const DerivationEstimates* estimates(size_t derivation) override {
    if (!estimates_) return nullptr;
    search_.show(derivation, *estimates_);
    return &*estimates_;
  }

 private:
  using Own = WorkersTaskType<T>;

  BeamSearch<Own, typename M::Workspace> search_;
  std::optional<ArcEstimates<Own>> estimates_;
  int32_t words_ = 0;
};

template <Task T, ScoresMoves M>
class SampledTreeSearch final : public ScoringSearch<DrawnTreeSearch, T, M> {
 public:
  SampledTreeSearch(const T& task, const M& model, const Softmax& odds, const SamplingOptions& sampling,
                    const DerivationSearchOptions& options)
      : ScoringSearch<DrawnTreeSearch, T, M>(task, model, kManyVisits<T>, options),
        search_(this->own_.task, this->scoring_, odds, sampling) {}

  void parse(size_t sentence) override {
    search_.seed(*this->treebank_, sentence);
    search_.run(this->at(sentence));
  }
  void each_tree(const std::function<void(const DrawnTree&)>& visit) const override {
    search_.each_tree(visit);
  }
  double entropy() const override { return search_.entropy(); }

 private:
  SamplingSearch<WorkersTaskType<T>, typename M::Workspace> search_;
};

template <BuildsTrees T>
class TreeSearchesOf final : public TreeSearches {
 public:
  TreeSearchesOf(const T& task, const Model& model, int32_t labels) : task_(task), model_(model) {
    std::visit(
        [&]<class M>(const std::shared_ptr<const M>& model) {
          bool fits = true;
          if constexpr (ScoresMoves<M>)
            fits = task_.moves().size() == model->classes();
          else
            fits = actions_of(task_.moves(), model->label_apart) == model->learner.options().actions &&
                   policies_of(task_.moves()) == model->learner.options().policies;
          if constexpr (requires { model->labels(); }) fits &= model->labels() == labels;
          if (!fits) throw std::invalid_argument("The model is damaged: its weights do not fit its labels.");
          bool lacks = !kIsModelOf<T, M>;
          for (Slot slot : model->slots()) lacks |= is_on_stack_or_buffer(slot) == ManySites<T>;
          if (lacks)
            throw std::invalid_argument(
                "The model is damaged: it looks at what its transition system lacks.");
        },
        model_);
  }

  std::unique_ptr<DerivationSearch> derivations(const DerivationSearchOptions& options) const override {
    const bool is_plain = !options.beam && !options.estimates && !options.checks;
    return with_model([&]<class M>(const M& model) -> std::unique_ptr<DerivationSearch> {
      if constexpr (!ScoresMoves<M>) {
        if (!is_plain)
          throw std::invalid_argument(
              "What was learnt by learning to search (l2s) has no beam: parse greedily.");
        return std::make_unique<GreedyTreeSearch<T, M>>(task_, model, options);
      } else if (options.beam) {
        if constexpr (LeftToRight<T>)
          return std::make_unique<BeamTreeSearch<T, M>>(task_, model, options);
        else
          throw std::invalid_argument("A beam needs a system that goes from left to right, and " + name() +
                                      " does not: parse greedily.");
      } else {
        if (!is_plain) refuse_probabilities_under_constraints(options);
        return std::make_unique<GreedyTreeSearch<T, M>>(task_, model, options);
      }
    });
  }

  std::unique_ptr<DrawnTreeSearch> drawn(const Softmax& odds, const SamplingOptions& sampling,
                                         const DerivationSearchOptions& options) const override {
    return with_model([&]<class M>(const M& model) -> std::unique_ptr<DrawnTreeSearch> {
      if constexpr (ScoresMoves<M>) {
        refuse_probabilities_under_constraints(options);
        return std::make_unique<SampledTreeSearch<T, M>>(task_, model, odds, sampling, options);
      } else {
        throw std::invalid_argument(kNoScores);
      }
    });
  }

  void walk(const Treebank& treebank, size_t sentence, const GrammarOfSentence* rules,
            const std::function<std::optional<SiteMove>(const ScoredState&)>& next) const override {
    with_model([&]<class M>(const M& model) {
      if constexpr (ScoresMoves<M>) {
        typename M::Workspace scoring(model, kGreedyVisits<T>);
        scoring.begin(treebank, sentence, sentence + 1);
        scoring.sentence(sentence);
        Grammatical<T> grammatical(task_);
        grammatical.obey(rules);
        typename T::State state;
        task_.start(state, static_cast<int32_t>(treebank.length(sentence)));
        while (!task_.done(state)) {
          check_interrupts();
          ScoredState seen;
          Best best;
          Sites<T>::each(task_, state,
                         [&](int32_t site) { look(grammatical, state, site, scoring, seen, best); });
          const std::optional<SiteMove> move = next(seen);
          if (!move) return;
          Sites<T>::apply(task_, state, *move);
        }
      } else {
        throw std::invalid_argument(kNoScores);
      }
    });
  }

 private:
  static constexpr const char* kNoScores = "What was learnt by learning to search has no scores of moves.";
  std::string name() const { return name_of(task_); }

  // visit(model), as what it is.
  template <class F>
  auto with_model(F&& visit) const {
    using Result = decltype(visit(std::declval<const LinearModel&>()));
    return std::visit(
        [&]<class M>(const std::shared_ptr<const M>& model) -> Result {
          if constexpr (kIsModelOf<T, M>)
            return visit(*model);
          else
            throw std::invalid_argument("This system has no models of this kind.");
        },
        model_);
  }
  // The moves of easy-first are refused one by one under constraints, and the others have no sum.
  void refuse_probabilities_under_constraints(const DerivationSearchOptions& options) const {
    if (ManySites<T> && options.is_constrained)
      throw std::invalid_argument("The moves of " + name() +
                                  " have no probabilities under constraints: parse without the ones or the "
                                  "others.");
  }
  // Of the sites of a state: as greedy search has it (search/frontier.h).
  struct Best : ScoredMove {
    bool allowed = false;
  };
  void look(const Grammatical<T>& grammatical, const typename T::State& state, int32_t site, auto& scoring,
            ScoredState& seen, Best& best) const {
    const Legal legal = Sites<T>::legal(task_, state, site);
    if (legal.size() == 0) return;
    TreeView view;
    Sites<T>::view(task_, state, site, view);
    const int32_t* scores = scoring.score(view);
    const uint16_t* columns = scoring.columns();
    seen.sites.push_back(site);
    for (MoveId m = 0; m < task_.moves().size(); ++m) seen.scores_at_site.push_back(scores[columns[m]]);
    ScoredMove own = best_legal(legal, scores, columns);
    bool allowed = grammatical.allows(state, {site, own.move});
    if (!allowed) {
      own = best_allowed(grammatical, state, legal, site, scores, columns, own);
      allowed = grammatical.allows(state, {site, own.move});
    }
    const bool better = best.move < 0 || (allowed != best.allowed ? allowed : own.score > best.score);
    if (better) best = {own, allowed};
    legal.each([&](MoveId m) {
      if (better && m == own.move) seen.best = seen.legal.size();
      seen.legal.push_back({site, m});
      seen.scores.push_back(scores[columns[m]]);
    });
  }

  const T task_;
  const Model model_;
};

template <BuildsTrees T>
std::unique_ptr<TreeSearches> make_tree_searches(const T& task, const Model& model, int32_t labels) {
  return std::make_unique<TreeSearchesOf<T>>(task, model, labels);
}

}  // namespace arcwise
