#include "parse/parser.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "base/interrupts.h"
#include "base/shares.h"
#include "parse/arc_shares.h"
#include "parse/workers.h"
#include "search/arc_estimates.h"
#include "search/beam.h"
#include "search/greedy.h"
#include "search/move_checks.h"

namespace arcwise {
namespace {

// Makers of searches.
struct Greedy {
  template <Task T>
  static constexpr Visits kVisits = T::kSingleSite ? Visits::LeftToRight : Visits::Anywhere;
  auto operator()(const auto& task, auto& scoring) const { return GreedySearch(task, scoring); }
};
struct Beam {
  BeamOptions options;
  template <LeftToRight T>
  static constexpr Visits kVisits = Visits::SideBySide;
  template <LeftToRight T>
  auto operator()(const T& task, auto& scoring) const {
    return BeamSearch(task, scoring, options);
  }
};

// The same, with what their moves say of the arcs.
struct WatchedGreedy : Greedy {
  const Odds& odds;
  std::span<const LiftedLabel> labels;
  auto operator()(const auto& task, auto& scoring) const {
    return GreedySearch(task, scoring, ArcEstimates(task, odds, labels));
  }
};
template <class Beam, class Watch>
struct WatchedBeamSearch : Beam {
  Watch seen;
  void show(size_t derivation) { Beam::show(derivation, seen); }
  const Watch& watch() const { return seen; }
};
template <class Beam, class Watch>
WatchedBeamSearch(Beam, Watch) -> WatchedBeamSearch<Beam, Watch>;
struct WatchedBeam : Beam {
  const Odds& odds;
  std::span<const LiftedLabel> labels;
  template <LeftToRight T>
  auto operator()(const T& task, auto& scoring) const {
    return WatchedBeamSearch{BeamSearch(task, scoring, options), ArcEstimates(task, odds, labels)};
  }
};
struct Sampling {
  const Odds& odds;
  const Treebank& treebank;
  SamplingOptions options;
  template <Task T>
  static constexpr Visits kVisits = T::kSingleSite ? Visits::SideBySide : Visits::Anywhere;
  auto operator()(const auto& task, auto& scoring) const {
    return SamplingSearch(task, scoring, odds, treebank, options);
  }
};

// Greedy search whose moves are held against gold trees.
template <class Search>
struct CheckedGreedySearch {
  Search search;
  const Treebank& treebank;
  std::span<const int32_t> heads, labels;
  void parse(size_t sentence) {
    const size_t first = treebank.first_word(sentence), words = treebank.length(sentence);
    search.watch().set_gold(heads.subspan(first, words), labels.subspan(first, words));
    search.parse(sentence);
  }
};
struct CheckedGreedy : Greedy {
  std::span<const Odds> odds;
  const Treebank& treebank;
  std::span<const int32_t> heads, labels;
  auto operator()(const auto& task, auto& scoring) const {
    return CheckedGreedySearch{GreedySearch(task, scoring, MoveChecks(task, odds)), treebank, heads, labels};
  }
};

// A model that scores the moves of a state, whatever the search.
template <class M>
concept ScoresMoves = requires { typename M::Workspace; };

// Whether there is a search of this kind for a task and a model.
template <class Make, class T, class M>
constexpr bool makes_search() {
  if constexpr (ScoresMoves<M>)
    return requires(const Make& make, const T& task, typename M::Workspace& scoring) { make(task, scoring); };
  else
    return T::kSingleSite;
}

void append(auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); }

// Beams and samples beyond these are mistakes.
constexpr int32_t kWidestBeam = 1 << 20, kMostSamples = 1 << 24;

void check_options(const ParseOptions& options, const Treebank& treebank) {
  if (options.beam && (*options.beam < 1 || *options.beam > kWidestBeam))
    throw std::invalid_argument("A beam is from 1 to " + std::to_string(kWidestBeam) + " wide.");
  if (!std::isfinite(options.ranking.alpha))
    throw std::invalid_argument("What the beam's own scores count (alpha) must be a number.");
  if (options.constraints == nullptr) return;
  bool fit = options.constraints->first.size() == treebank.sentence_count() + 1;
  for (size_t s = 0; fit && s < treebank.sentence_count(); ++s)
    for (const auto& [kind, word, value] : options.constraints->of_sentence(s)) {
      const auto words = static_cast<int32_t>(treebank.length(s));
      fit &= word <= words && (kind == Constraint::Kind::Label || value <= words);
    }
  if (!fit) throw std::invalid_argument("These are the constraints of another treebank.");
}
void check_samples(const SamplingOptions& sampling) {
  if (sampling.samples < 1 || sampling.samples > kMostSamples)
    throw std::invalid_argument("From 1 to " + std::to_string(kMostSamples) + " trees are drawn (samples).");
}
void check_count(size_t k) {
  if (k < 1) throw std::invalid_argument("At least one tree of a sentence must be asked for (k).");
}

template <Task T, class M>
void check_fit(const T& task, const M& model, int32_t labels) {
  bool fits = true;
  if constexpr (ScoresMoves<M>)
    fits = task.moves().size() == model.classes();
  else if constexpr (T::kSingleSite)
    fits = TaskDecoder<T>::actions(task, model.decoder) == model.learner.options().actions &&
           kTaskPolicies == model.learner.options().policies;
  if constexpr (requires { model.labels(); }) fits &= model.labels() == labels;
  if (!fits) throw std::invalid_argument("The model is damaged: its weights do not fit its labels.");
  for (Slot slot : model.slots())
    if (is_on_stack_or_buffer(slot) != T::kSingleSite)
      throw std::invalid_argument("The model is damaged: it looks at what its transition system lacks.");
}

}  // namespace

Parser::Parser(ParserOptions options, Model model) : options_(std::move(options)), model_(std::move(model)) {
  const auto count = static_cast<int32_t>(options_.labels.size());
  for (const auto* labels : {&options_.arcs.left, &options_.arcs.right, &options_.arcs.root}) {
    if (labels->empty()) throw std::invalid_argument("The model is damaged: a direction has no label.");
    for (int32_t l : *labels)
      if (l < 0 || l >= count) throw std::invalid_argument("The model is damaged: there is no such label.");
  }
  if (options_.arcs.completion < 0 || options_.arcs.completion >= count)
    throw std::invalid_argument("The model is damaged: there is no such label.");
  with_parts([&](const auto& task, const auto& model) { check_fit(task, model, count); });
  for (const LiftedLabel& l : options_.labels) {
    if (l.base < 0) throw std::invalid_argument("The model is damaged: a label has no name.");
    lowers_ |= l.lifted_from != kNotLifted;
  }
  if (lowers_ && !options_.lift)
    throw std::invalid_argument("The model is damaged: its labels are lifted by no scheme.");
}

template <class F>
void Parser::with_parts(F&& visit) const {
  with_system(options_.system, options_.arcs,
              [&](const auto& task) { std::visit([&](const auto& model) { visit(task, *model); }, model_); });
}

// The tree as treebanks have it, its lifted words lowered where constraints let them be.
void Parser::write(const auto& tree, std::span<int32_t> heads, std::span<int32_t> labels, Room& room) const {
  std::vector<LiftedLabel>& lifted = room.lifted;
  lifted.resize(heads.size());
  bool any = false;
  check_interrupts(10);
  for (size_t w = 0; w < heads.size(); ++w) {
    const auto node = static_cast<int32_t>(w) + 1;
    heads[w] = tree.output_head(node);
    lifted[w] = options_.labels[tree.label(node)];
    labels[w] = lifted[w].base;
    if (room.plan != nullptr && room.plan->has_given_head(node)) lifted[w].lifted_from = kNotLifted;
    any |= lifted[w].lifted_from != kNotLifted;
  }
  if (room.plan == nullptr) {
    if (any) deprojectivize(heads, lifted, *options_.lift, heads, labels);
    return;
  }
  if (any)
    deprojectivize(heads, lifted, *options_.lift, heads, labels,
                   [&](int32_t head, int32_t word) { return room.plan->may(head, word); });
  room.plan->finish(heads, labels);
}

KnownLabels Parser::known_labels(const Constraints& constraints) const {
  const size_t count = constraints.label_names.size();
  for (const LiftedLabel& label : options_.labels)
    if (label.base >= static_cast<int32_t>(count))
      throw std::invalid_argument("The labels of constraints begin with those of the parser: give them all.");
  std::vector<bool> under_root(count), under_words(count);
  KnownLabels known{std::vector<LabelUse>(count), std::vector<int32_t>(count, -1)};
  for (int32_t l : options_.arcs.root) under_root[options_.labels[l].base] = true;
  for (const auto* labels : {&options_.arcs.left, &options_.arcs.right})
    for (int32_t l : *labels) under_words[options_.labels[l].base] = true;
  for (size_t l = 0; l < count; ++l)
    if (under_root[l] != under_words[l])
      known.uses[l] = under_root[l] ? LabelUse::UnderRoot : LabelUse::UnderWords;
  for (size_t l = 0; l < options_.labels.size(); ++l)
    if (options_.labels[l] == LiftedLabel{.base = options_.labels[l].base})
      known.plain[options_.labels[l].base] = static_cast<int32_t>(l);
  known.root = options_.labels[options_.arcs.root.front()].base;
  known.words = options_.labels[options_.arcs.completion].base;
  return known;
}

template <class Search>
void Parser::collect(const Search& search, size_t words, size_t k, Room& room) const {
  room.trees.clear();
  room.derivations.clear();
  room.heads.resize(words);
  room.labels.resize(words);
  for (size_t i = 0; i < search.size() && room.trees.size() < k; ++i) {
    write(search.tree(i), room.heads, room.labels, room);
    const size_t known = room.trees.size(), place = room.trees.place(room.heads, room.labels);
    if (place < known) continue;  // two derivations may come to the same tree: the better one counts
    room.trees.score(place) = search.score(i);
    room.derivations.push_back(i);
  }
}

// Parses every sentence with a search that make(task, scoring) gives, one for each thread, and shows it to
// visit(sentence, search, room to work in).
template <class Make, class Visit>
void Parser::each_parse(const Treebank& treebank, const ParseOptions& options, const Make& make,
                        const Visit& visit) const {
  check_options(options, treebank);
  with_parts([&]<class T, class M>(const T& task, const M& model) {
    FirstRefusal refusal;
    // The parts of a worker: its own task, what is told which sentences come, and what parses them.
    const auto work = [&](Shares& shares, auto& own, auto& scoring, auto& search) {
      Room room;
      std::optional<Tagger::Worker> tags;
      if constexpr (std::is_same_v<M, NetworkModel>)
        if (options.tagger) tags.emplace(*options.tagger, scoring);
      while (const auto share = shares.take()) {
        scoring.begin(treebank, share->begin, share->end);
        for (size_t s = share->begin; s < share->end; ++s) {
          try {
            room.plan = own.sentence(s, static_cast<int32_t>(treebank.length(s)));
          } catch (const ConstraintError& error) {
            refusal.note(s, error);
            continue;
          }
          search.parse(s);
          visit(s, search, room);
          if (tags) tags->tag(s, options.choices);
        }
      }
    };
    const auto run = [&](const auto& own_task) {
      Shares(treebank.sentence_count()).run(options.threads, [&](Shares& shares) {
        auto own = own_task();
        using Own = std::decay_t<decltype(own.task)>;
        if constexpr (ScoresMoves<M>) {
          typename M::Workspace scoring(model, Make::template kVisits<Own>);
          auto search = make(own.task, scoring);
          work(shares, own, scoring, search);
        } else {
          Decoding<Own> decoding(own.task, model);
          work(shares, own, decoding, decoding);
        }
      });
    };
    if constexpr (!ScoresMoves<M> && !std::is_same_v<Make, Greedy>) {
      throw std::invalid_argument("What was learnt by learning to search (l2s) has no beam: parse greedily.");
    } else if constexpr (!makes_search<Make, T, M>()) {
      throw std::invalid_argument("A beam needs a system that goes from left to right, and " +
                                  options_.system.name + " does not: parse greedily.");
    } else if (options.constraints == nullptr) {
      run([&] { return Free<T>{task}; });
    } else if constexpr (!T::kSingleSite && !std::is_same_v<Make, Greedy>) {
      throw std::invalid_argument("The moves of " + options_.system.name +
                                  " have no probabilities under constraints: parse without the ones or the "
                                  "others.");
    } else {
      const KnownLabels known = known_labels(*options.constraints);
      run([&] {
        return UnderConstraints<T>{Constrained<T>(task, known.plain),
                                   ConstraintPlan(*options.constraints, known, options_.system.single_root)};
      });
      refusal.raise(treebank, options.constraints);
    }
  });
}

void Parser::parse(const Treebank& treebank, const ParseOptions& options, std::span<int32_t> heads,
                   std::span<int32_t> labels, Estimates* estimates) const {
  const auto of = [&](size_t s, std::span<int32_t> all) {
    return all.subspan(treebank.first_word(s), treebank.length(s));
  };
  const auto greedy = [&](size_t s, const auto& search, Room& room) {
    write(search.state().tree, of(s, heads), of(s, labels), room);
  };
  const auto choose = [&](size_t s, auto& search, Room& room) {
    size_t derivation = 0;
    if (options.ranking.ranker) {
      collect(search, treebank.length(s), search.size(), room);
      if (room.trees.size() > 1) {
        if (!room.ranking) room.ranking.emplace(*options.ranking.ranker);
        const auto ranked = room.ranking->score(treebank, s, room.trees.heads(), room.trees.labels());
        derivation = room.derivations[best_mixture(room.trees.scores(), ranked, options.ranking.alpha)];
      }
    }
    write(search.tree(derivation), of(s, heads), of(s, labels), room);
    if constexpr (requires { search.show(derivation); }) search.show(derivation);
  };
  const auto each = [&](const auto& make, const auto& visit) { each_parse(treebank, options, make, visit); };
  const BeamOptions beam{options.beam.value_or(1), options_.probabilistic};
  if (!estimates) {
    if (options.beam)
      each(Beam{beam}, choose);
    else
      each(Greedy{}, greedy);
    return;
  }
  const Odds odds = this->odds(options.temperature);
  estimates->heads.resize(treebank.word_count());
  estimates->deprels.resize(treebank.word_count());
  estimates->log_probabilities.resize(treebank.sentence_count());
  estimates->entropies.resize(treebank.sentence_count());
  const auto and_estimate = [&](const auto& visit) {
    return [&](size_t s, auto& search, Room& room) {
      visit(s, search, room);
      const auto& seen = search.watch();
      estimates->log_probabilities[s] = seen.log_probability();
      estimates->entropies[s] = seen.entropy();
      for (size_t w = 0; w < treebank.length(s); ++w) {
        const auto word = static_cast<int32_t>(w) + 1;
        estimates->heads[treebank.first_word(s) + w] = seen.head(word);
        estimates->deprels[treebank.first_word(s) + w] = seen.deprel(word);
      }
    };
  };
  if (options.beam)
    each(WatchedBeam{{beam}, odds, options_.labels}, and_estimate(choose));
  else
    each(WatchedGreedy{{}, odds, options_.labels}, and_estimate(greedy));
}

BestTrees Parser::best(const Treebank& treebank, const ParseOptions& options, size_t k) const {
  check_count(k);
  std::vector<DistinctTrees> sentences(treebank.sentence_count());
  std::atomic<int64_t> moves{0};
  each_parse(treebank, options, Beam{{options.beam.value(), options_.probabilistic}},
             [&](size_t s, const auto& search, Room& room) {
               collect(search, treebank.length(s), k, room);
               sentences[s] = room.trees;
               moves += search.moves();
             });
  BestTrees all;
  all.moves = moves;
  for (const DistinctTrees& trees : sentences) trees.append_to(all, k);
  return all;
}

// Draws trees of every sentence, and shows them to visit(sentence, search, each), where each(f) calls
// f(heads, labels, draws) with every tree as treebanks have it.
template <class Visit>
void Parser::each_sample(const Treebank& treebank, const SamplingOptions& sampling,
                         const ParseOptions& options, const Visit& visit) const {
  check_samples(sampling);
  const Odds odds = this->odds(options.temperature);
  each_parse(treebank, options, Sampling{odds, treebank, sampling},
             [&](size_t s, const auto& search, Room& room) {
               room.heads.resize(treebank.length(s));
               room.labels.resize(treebank.length(s));
               visit(s, search, [&](const auto& add) {
                 search.each_tree([&](const DrawnTree& tree) {
                   write(tree, room.heads, room.labels, room);
                   add(room.heads, room.labels, tree.draws);
                 });
               });
             });
}

Marginals Parser::marginals(const Treebank& treebank, std::span<const int32_t> heads,
                            std::span<const int32_t> labels, const SamplingOptions& sampling,
                            const ParseOptions& options, bool all_arcs) const {
  Marginals all;
  all.heads.resize(treebank.word_count());
  all.deprels.resize(treebank.word_count());
  all.entropies.resize(treebank.sentence_count());
  struct Arcs {
    std::vector<int32_t> counts, heads, labels;
    std::vector<float> shares;
  };
  std::vector<Arcs> arcs(all_arcs ? treebank.sentence_count() : 0);
  each_sample(treebank, sampling, options, [&](size_t s, const auto& search, const auto& each_tree) {
    ArcShares drawn(treebank.length(s));
    each_tree([&](const auto&... tree) { drawn.add(tree...); });
    all.entropies[s] = search.entropy();
    const size_t first = treebank.first_word(s);
    for (size_t w = 0; w < treebank.length(s); ++w) {
      all.heads[first + w] = static_cast<float>(drawn.head(w, heads[first + w]));
      all.deprels[first + w] = static_cast<float>(drawn.deprel(w, heads[first + w], labels[first + w]));
      if (!all_arcs) continue;
      const auto sorted = drawn.sorted(w);
      arcs[s].counts.push_back(static_cast<int32_t>(sorted.size()));
      for (const ArcShares::Arc& arc : sorted) {
        arcs[s].heads.push_back(arc.head);
        arcs[s].labels.push_back(arc.label);
        arcs[s].shares.push_back(static_cast<float>(drawn.share(arc.draws)));
      }
    }
  });
  for (const Arcs& of_sentence : arcs) {
    append(all.counts, of_sentence.counts);
    append(all.arc_heads, of_sentence.heads);
    append(all.arc_labels, of_sentence.labels);
    append(all.shares, of_sentence.shares);
  }
  return all;
}

BestTrees Parser::drawn(const Treebank& treebank, const SamplingOptions& sampling,
                        const ParseOptions& options, size_t k) const {
  check_count(k);
  std::vector<DistinctTrees> sentences(treebank.sentence_count());
  each_sample(treebank, sampling, options, [&](size_t s, const auto&, const auto& each_tree) {
    DistinctTrees& trees = sentences[s];
    each_tree([&](const auto& heads, const auto& labels, int32_t draws) {
      trees.score(trees.place(heads, labels)) += draws;
    });
    for (size_t i = 0; i < trees.size(); ++i) trees.score(i) = std::log(trees.score(i) / sampling.samples);
  });
  BestTrees all;
  for (const DistinctTrees& trees : sentences) trees.append_to(all, k);
  return all;
}

MoveStatistics Parser::check_moves(const Treebank& treebank, std::span<const int32_t> heads,
                                   std::span<const int32_t> labels, std::span<const double> temperatures,
                                   int threads) const {
  for (size_t s = 0; s < treebank.sentence_count(); ++s)
    for (const int32_t head : heads.subspan(treebank.first_word(s), treebank.length(s)))
      if (head < kNone || head > static_cast<int32_t>(treebank.length(s)))
        throw std::invalid_argument("A head is out of range: heads go from -1 (unknown) to the last word.");
  std::vector<Odds> odds;
  for (double temperature : temperatures) odds.push_back(this->odds(temperature));
  std::vector<MoveStatistics> sentences(treebank.sentence_count());
  each_parse(treebank, {.threads = threads}, CheckedGreedy{{}, odds, treebank, heads, labels},
             [&](size_t s, const auto& checked, auto&) {
               const auto& seen = checked.search.watch();
               sentences[s] = {seen.probabilities(), seen.right(), seen.forced()};
             });
  MoveStatistics all;
  for (const MoveStatistics& of_sentence : sentences) {
    append(all.probabilities, of_sentence.probabilities);
    append(all.right, of_sentence.right);
    all.forced += of_sentence.forced;
  }
  return all;
}

Odds Parser::odds(double temperature) const {
  if (!options_.probabilistic)
    throw std::invalid_argument(
        "This model has no probabilities, only scores: train one with the learner network or adagrad.");
  if (!std::isfinite(temperature) || temperature <= 0)
    throw std::invalid_argument("A temperature must be a positive number.");
  return Odds(scale() / temperature);
}

std::vector<TracedState> Parser::trace(const Treebank& treebank, size_t sentence, double temperature) const {
  std::vector<TracedState> states;
  std::optional<Odds> odds;
  if (options_.probabilistic) odds = this->odds(temperature);
  with_parts([&]<Task T, class M>(const T& task, const M& model) {
    if constexpr (ScoresMoves<M>) {
      typename M::Workspace scoring(model, Greedy::kVisits<T>);
      scoring.begin(treebank, sentence, sentence + 1);
      scoring.sentence(sentence);
      typename T::State state;
      task.start(state, scoring.words());
      while (!task.done(state)) {
        check_interrupts();
        TracedState& seen = states.emplace_back();
        const auto look = [&](int32_t site) {
          const Legal legal = task.legal(state, site);
          if (legal.size() == 0) return;
          SlotNodes nodes;
          task.slots(state, site, nodes);
          const int32_t* scores = scoring.score(state.tree, nodes);
          legal.each([&](Class c) {
            seen.legal.push_back({site, c});
            seen.scores.push_back(scores[scoring.places()[c]]);
            if (seen.scores.back() > seen.scores[seen.best]) seen.best = seen.scores.size() - 1;
          });
        };
        if constexpr (T::kSingleSite)
          look(0);
        else
          task.each_site(state, look);
        if (odds) {
          std::vector<float> shares(seen.scores.size());
          const double total = odds->against(seen.scores[seen.best], seen.scores, shares.data()).total;
          for (float share : shares) seen.probabilities.push_back(share / total);
        }
        task.apply(state, seen.legal[seen.best].site, seen.legal[seen.best].move);
      }
    } else {
      throw std::invalid_argument("What was learnt by learning to search has no scores of moves.");
    }
  });
  return states;
}

std::vector<int32_t> Parser::scores(const Treebank& treebank, size_t sentence,
                                    std::span<const SiteMove> moves) const {
  std::vector<int32_t> all;
  with_parts([&]<Task T, class M>(const T& task, const M& model) {
    if constexpr (ScoresMoves<M>) {
      typename M::Workspace scoring(model, Greedy::kVisits<T>);
      scoring.begin(treebank, sentence, sentence + 1);
      scoring.sentence(sentence);
      typename T::State state;
      task.start(state, scoring.words());
      for (const SiteMove& m : moves) {
        check_interrupts();
        bool legal = false;
        const auto look = [&](int32_t site) {
          if (site == m.site) legal |= task.legal(state, site).contains(m.move);
        };
        if (!task.done(state)) {
          if constexpr (T::kSingleSite)
            look(0);
          else
            task.each_site(state, look);
        }
        if (!legal) throw std::invalid_argument("A move of the walk is not legal.");
        SlotNodes nodes;
        task.slots(state, m.site, nodes);
        const int32_t* scores = scoring.score(state.tree, nodes);
        for (Class c = 0; c < task.moves().size(); ++c) all.push_back(scores[scoring.places()[c]]);
        task.apply(state, m.site, m.move);
      }
    } else {
      throw std::invalid_argument("What was learnt by learning to search has no scores of moves.");
    }
  });
  return all;
}

bool Parser::shares_encoder_with(const Tagger& tagger) const {
  const auto* network = std::get_if<std::shared_ptr<const NetworkModel>>(&model_);
  return network && tagger.shares_encoder_of(**network);
}

double Parser::scale() const {
  return std::visit(
      [](const auto& model) {
        if constexpr (requires { model->scale(); })
          return model->scale();
        else
          return 1.0;
      },
      model_);
}

}  // namespace arcwise
