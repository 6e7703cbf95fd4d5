#include "model/parser.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "model/shares.h"
#include "model/workers.h"
#include "search/beam.h"
#include "search/greedy.h"

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

// A model that scores the moves of a state, whatever the search.
template <class M>
concept ScoresMoves = requires { typename M::Workspace; };

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
  for (const LiftedLabel& l : options_.labels) lowers_ |= l.lifted_from != kNotLifted;
  if (lowers_ && !options_.lift)
    throw std::invalid_argument("The model is damaged: its labels are lifted by no scheme.");
}

template <class F>
void Parser::with_parts(F&& visit) const {
  with_system(options_.system, options_.arcs,
              [&](const auto& task) { std::visit([&](const auto& model) { visit(task, *model); }, model_); });
}

// The tree as treebanks have it, its lifted words lowered where constraints let them be.
void Parser::write(const Tree& tree, std::span<int32_t> heads, std::span<int32_t> labels, Room& room) const {
  std::vector<LiftedLabel>& lifted = room.lifted;
  lifted.resize(heads.size());
  bool any = false;
  for (size_t w = 0; w < heads.size(); ++w) {
    const auto node = static_cast<int32_t>(w) + 1;
    heads[w] = tree.output_head(node);
    lifted[w] = options_.labels[tree[node].label];
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
  size_t trees = 0;
  room.scores.clear();
  // Two derivations may come to the same tree: the better one counts.
  const auto is_new = [&](size_t tree) {
    const auto same = [&](const std::vector<int32_t>& all, size_t other) {
      return std::equal(all.begin() + tree * words, all.begin() + (tree + 1) * words,
                        all.begin() + other * words);
    };
    for (size_t i = 0; i < tree; ++i)
      if (same(room.heads, i) && same(room.labels, i)) return false;
    return true;
  };
  for (size_t i = 0; i < search.size() && trees < k; ++i) {
    room.heads.resize((trees + 1) * words);
    room.labels.resize((trees + 1) * words);
    write(search.tree(i), std::span(room.heads).last(words), std::span(room.labels).last(words), room);
    if (!is_new(trees)) continue;
    room.scores.push_back(search.score(i));
    ++trees;
  }
  room.heads.resize(trees * words);
  room.labels.resize(trees * words);
}

// Parses every sentence with a search that make(task, scoring) gives, one for each thread, and shows it to
// visit(sentence, search, room to work in).
template <class Make, class Visit>
void Parser::each_parse(const Treebank& treebank, const ParseOptions& options, const Make& make,
                        const Visit& visit) const {
  with_parts([&]<class T, class M>(const T& task, const M& model) {
    FirstRefusal refusal;
    // The parts of a worker: its own task, what is told which sentences come, and what parses them.
    const auto work = [&](Shares& shares, auto& own, auto& scoring, auto& search) {
      Room room;
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
    } else if constexpr (!T::kSingleSite && !(ScoresMoves<M> && std::is_same_v<Make, Greedy>)) {
      throw std::invalid_argument("A beam needs a system that goes from left to right, and " +
                                  options_.system.name + " does not: parse greedily.");
    } else if (options.constraints == nullptr) {
      run([&] { return Free<T>{task}; });
    } else {
      if (options.constraints->first.size() != treebank.sentence_count() + 1)
        throw std::invalid_argument("These are the constraints of another treebank.");
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
                   std::span<int32_t> labels) const {
  const auto of = [&](size_t s, std::span<int32_t> all) {
    return all.subspan(treebank.first_word(s), treebank.length(s));
  };
  const auto write_at = [&](size_t s, const Tree& tree, Room& room) {
    write(tree, of(s, heads), of(s, labels), room);
  };
  const auto choose = [&](size_t s, const auto& search, Room& room) {
    if (!options.ranking.ranker) return write_at(s, search.tree(0), room);
    const size_t words = treebank.length(s);
    collect(search, words, search.size(), room);
    size_t best = 0;
    if (room.scores.size() > 1) {
      if (!room.ranking) room.ranking.emplace(*options.ranking.ranker);
      const auto ranked = room.ranking->score(treebank, s, room.heads, room.labels);
      best = best_mixture(room.scores, ranked, options.ranking.alpha);
    }
    std::copy_n(room.heads.begin() + best * words, words, of(s, heads).begin());
    std::copy_n(room.labels.begin() + best * words, words, of(s, labels).begin());
  };
  if (options.beam)
    each_parse(treebank, options, Beam{{*options.beam, options_.probabilistic}}, choose);
  else
    each_parse(treebank, options, Greedy{},
               [&](size_t s, const auto& search, Room& room) { write_at(s, search.state().tree, room); });
}

BestTrees Parser::best(const Treebank& treebank, const ParseOptions& options, size_t k) const {
  struct OfSentence {
    std::vector<double> scores;
    std::vector<int32_t> heads, labels;
  };
  std::vector<OfSentence> sentences(treebank.sentence_count());
  std::atomic<int64_t> moves{0};
  each_parse(treebank, options, Beam{{options.beam.value(), options_.probabilistic}},
             [&](size_t s, const auto& search, Room& room) {
               collect(search, treebank.length(s), k, room);
               sentences[s] = {room.scores, room.heads, room.labels};
               moves += search.moves();
             });
  BestTrees all;
  all.moves = moves;
  for (const OfSentence& best : sentences) {
    all.counts.push_back(static_cast<int32_t>(best.scores.size()));
    all.scores.insert(all.scores.end(), best.scores.begin(), best.scores.end());
    all.heads.insert(all.heads.end(), best.heads.begin(), best.heads.end());
    all.labels.insert(all.labels.end(), best.labels.begin(), best.labels.end());
  }
  return all;
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
        bool legal = false;
        if (!task.done(state)) task.legal(state, m.site).each([&](Class c) { legal |= c == m.move; });
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
