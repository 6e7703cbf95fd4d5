#include "parse/parser.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/interrupts.h"
#include "base/work_queue.h"
#include "constraint/plan.h"
#include "parse/arc_shares.h"

namespace arcwise {
namespace {

// The first sentence, whichever thread comes to it, whose constraints no tree satisfies.
class FirstRefusal {
 public:
  void note(size_t sentence, const ConstraintError& error) {
    const std::lock_guard lock(mutex_);
    if (sentence < sentence_) reason_ = error.what();
    sentence_ = std::min(sentence, sentence_);
  }
  void raise(const Treebank& treebank, const Constraints* constraints) const {
    if (sentence_ == kNothing) return;
    throw ConstraintError(BadSentence{constraints->source, treebank.line(sentence_),
                                      std::string(treebank.sentence_id(sentence_)), reason_}
                              .message());
  }

 private:
  static constexpr size_t kNothing = std::numeric_limits<size_t>::max();
  std::mutex mutex_;
  size_t sentence_ = kNothing;
  std::string reason_;
};

void append(auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); }

// Beams and samples beyond these are mistakes.
constexpr int32_t kWidestBeam = 1 << 20, kMostSamples = 1 << 24;

void check_tags(const Treebank* tags, const Treebank& treebank) {
  bool fit = tags == nullptr || tags->sentence_count() == treebank.sentence_count();
  for (size_t s = 0; fit && tags && s < treebank.sentence_count(); ++s)
    fit = tags->length(s) == treebank.length(s);
  if (!fit) throw std::invalid_argument("These are the tags of another treebank.");
}

// The rules of a sentence by the tags that stand in a treebank.
void set_tags(GrammarOfSentence& rules, const Treebank& tags, size_t sentence) {
  const size_t first = tags.first_word(sentence);
  rules.set(tags.length(sentence), [&](size_t word) { return tags.text(first + word, Column::Upos); });
}

void check_options(const ParseOptions& options, const Treebank& treebank) {
  check_tags(options.tags, treebank);
  if (options.beam && (*options.beam < 1 || *options.beam > kWidestBeam))
    throw std::invalid_argument("A beam is from 1 to " + std::to_string(kWidestBeam) + " wide.");
  if (!std::isfinite(options.ranking.beam_weight))
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
  searches_ = with_system(options_.system, options_.arcs,
                          [&](const auto& task) { return make_tree_searches(task, model_, count); });
  for (const LiftedLabel& l : options_.labels) {
    if (l.base < 0) throw std::invalid_argument("The model is damaged: a label has no name.");
    lowers_ |= l.lifted_from != kNotLifted;
  }
  if (lowers_ && !options_.lift)
    throw std::invalid_argument("The model is damaged: its labels are lifted by no scheme.");
}

// The label of a word's arc. One that was given the root word as its head, for want of another, has the same
// label whatever it is: where its tag speaks against that, the grammar has a better one.
int32_t Parser::completed(const auto& tree, int32_t word, const Room& room) const {
  const int32_t label = tree.label(word);
  if constexpr (requires { tree.words(); })
    if (room.rules != nullptr && label == options_.arcs.completion)
      return room.rules->completion(tree, word, label);
  return label;
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
    lifted[w] = options_.labels[completed(tree, node, room)];
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

void Parser::collect(const DerivationSearch& search, size_t words, size_t k, Room& room) const {
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

template <class Search>
void Parser::each_parse(const Treebank& treebank, const ParseOptions& options,
                        DerivationSearchOptions of_search,
                        const std::function<std::unique_ptr<Search>(const DerivationSearchOptions&)>& make,
                        const Visit<Search>& visit) const {
  check_options(options, treebank);
  KnownLabels known;
  if (options.constraints) {
    known = known_labels(*options.constraints);
    of_search.is_constrained = true;
    of_search.plain_labels = known.plain;
  }
  if (treebank.sentence_count() == 0) make(of_search);  // refuses what there is not
  FirstRefusal refusal;
  WorkQueue(treebank.sentence_count()).run(options.threads, [&](WorkQueue& queue) {
    const auto search = make(of_search);
    std::optional<ConstraintPlan> plan;
    if (options.constraints) plan.emplace(*options.constraints, known, options_.system.single_root);
    Room room;
    std::optional<GrammarOfSentence> rules;
    if (options_.grammar && options.grammar) {
      search->obey(&rules.emplace(*options_.grammar));
      room.rules = &*rules;
    }
    std::optional<Tagger::Worker> tags;
    if (options.tagger && search->network()) tags.emplace(*options.tagger, *search->network());
    while (const auto range = queue.take()) {
      search->begin(treebank, range->begin, range->end);
      for (size_t s = range->begin; s < range->end; ++s) {
        if (plan) {
          try {
            plan->sentence(s, static_cast<int32_t>(treebank.length(s)));
          } catch (const ConstraintError& error) {
            refusal.note(s, error);
            continue;
          }
          room.plan = plan->has_constraints() ? &*plan : nullptr;
          search->constrain(room.plan ? &plan->for_search() : nullptr, plan->labels());
        }
        if (tags) tags->tag(s, options.analyses);
        if (rules) {
          const size_t first = treebank.first_word(s);
          if (tags)
            rules->set(treebank.length(s), [&](size_t word) {
              return options.tagger->text(options.analyses[first + word], Column::Upos);
            });
          else
            set_tags(*rules, options.tags ? *options.tags : treebank, s);
        }
        search->parse(s);
        visit(s, *search, room);
      }
    }
  });
  refusal.raise(treebank, options.constraints);
}

void Parser::each_derivation(const Treebank& treebank, const ParseOptions& options,
                             const DerivationSearchOptions& of_search,
                             const Visit<DerivationSearch>& visit) const {
  each_parse<DerivationSearch>(
      treebank, options, of_search, [&](const auto& with) { return searches_->derivations(with); }, visit);
}

void Parser::parse(const Treebank& treebank, const ParseOptions& options, std::span<int32_t> heads,
                   std::span<int32_t> labels, Estimates* estimates) const {
  DerivationSearchOptions search{.labels = options_.labels};
  if (options.beam) search.beam = {*options.beam, options_.probabilistic};
  std::optional<Softmax> odds;
  if (estimates) {
    search.estimates = &odds.emplace(this->odds(options.temperature));
    estimates->heads.resize(treebank.word_count());
    estimates->deprels.resize(treebank.word_count());
    estimates->log_probabilities.resize(treebank.sentence_count());
    estimates->entropies.resize(treebank.sentence_count());
  }
  each_derivation(treebank, options, search, [&](size_t s, DerivationSearch& found, Room& room) {
    const size_t first = treebank.first_word(s), words = treebank.length(s);
    size_t derivation = 0;
    if (options.ranking.ranker) {
      collect(found, words, found.size(), room);
      if (room.trees.size() > 1) {
        if (!room.ranking) room.ranking.emplace(*options.ranking.ranker);
        const auto ranked = room.ranking->score(treebank, s, room.trees.heads(), room.trees.labels());
        derivation = room.derivations[best_mixture(room.trees.scores(), ranked, options.ranking.beam_weight)];
      }
    }
    write(found.tree(derivation), heads.subspan(first, words), labels.subspan(first, words), room);
    if (!estimates) return;
    const DerivationEstimates& seen = *found.estimates(derivation);
    estimates->log_probabilities[s] = seen.log_probability();
    estimates->entropies[s] = seen.entropy();
    for (size_t w = 0; w < words; ++w) {
      const auto word = static_cast<int32_t>(w) + 1;
      estimates->heads[first + w] = seen.head(word);
      estimates->deprels[first + w] = seen.deprel(word);
    }
  });
}

BestTrees Parser::best(const Treebank& treebank, const ParseOptions& options, size_t k) const {
  check_count(k);
  std::vector<DistinctTrees> sentences(treebank.sentence_count());
  std::atomic<int64_t> moves{0};
  const DerivationSearchOptions search{.beam = BeamOptions{options.beam.value(), options_.probabilistic}};
  each_derivation(treebank, options, search, [&](size_t s, const DerivationSearch& found, Room& room) {
    collect(found, treebank.length(s), k, room);
    sentences[s] = room.trees;
    moves += found.moves();
  });
  BestTrees all;
  all.moves = moves;
  for (const DistinctTrees& trees : sentences) trees.append_to(all, k);
  return all;
}

// Draws trees of every sentence, and shows them to visit(sentence, search, each), where each(f) calls
// f(heads, labels, draws) with every tree as treebanks have it.
template <class F>
void Parser::each_sample(const Treebank& treebank, const SamplingOptions& sampling,
                         const ParseOptions& options, const F& visit) const {
  check_samples(sampling);
  const Softmax odds = this->odds(options.temperature);
  each_parse<DrawnTreeSearch>(
      treebank, options, {},
      [&](const auto& of_search) { return searches_->drawn(odds, sampling, of_search); },
      [&](size_t s, const DrawnTreeSearch& search, Room& room) {
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
  std::vector<Softmax> odds;
  for (double temperature : temperatures) odds.push_back(this->odds(temperature));
  std::vector<MoveStatistics> sentences(treebank.sentence_count());
  const auto gold_of = [&](size_t s, std::span<const int32_t> all) {
    return all.subspan(treebank.first_word(s), treebank.length(s));
  };
  const DerivationSearchOptions search{.checks = std::span<const Softmax>(odds)};
  WorkQueue(treebank.sentence_count()).run(threads, [&](WorkQueue& queue) {
    const auto checked = searches_->derivations(search);
    CheckedMoves& seen = *checked->checks();
    while (const auto range = queue.take()) {
      checked->begin(treebank, range->begin, range->end);
      for (size_t s = range->begin; s < range->end; ++s) {
        seen.set_gold(gold_of(s, heads), gold_of(s, labels));
        checked->parse(s);
        sentences[s] = {seen.probabilities(), seen.right(), seen.forced()};
      }
    }
  });
  MoveStatistics all;
  for (const MoveStatistics& of_sentence : sentences) {
    append(all.probabilities, of_sentence.probabilities);
    append(all.right, of_sentence.right);
    all.forced += of_sentence.forced;
  }
  return all;
}

Softmax Parser::odds(double temperature) const {
  if (!options_.probabilistic)
    throw std::invalid_argument(
        "This model has no probabilities, only scores: train one with the learner network or adagrad.");
  if (!std::isfinite(temperature) || temperature <= 0)
    throw std::invalid_argument("A temperature must be a positive number.");
  return Softmax(scale() / temperature);
}

std::vector<TracedState> Parser::trace(const Treebank& treebank, size_t sentence, double temperature,
                                       const Treebank* tags,
                                       const std::function<size_t(const TracedState&)>& choose) const {
  std::vector<TracedState> states;
  std::optional<Softmax> odds;
  if (options_.probabilistic) odds = this->odds(temperature);
  check_tags(tags, treebank);
  std::optional<GrammarOfSentence> rules;
  if (options_.grammar && tags) set_tags(rules.emplace(*options_.grammar), *tags, sentence);
  searches_->walk(treebank, sentence, rules ? &*rules : nullptr,
                  [&](const ScoredState& state) -> std::optional<SiteMove> {
                    TracedState& seen = states.emplace_back();
                    seen.legal = state.legal;
                    seen.scores = state.scores;
                    seen.best = state.best;
                    if (odds) {
                      std::vector<float> shares(seen.scores.size());
                      const double total =
                          odds->against(*std::max_element(seen.scores.begin(), seen.scores.end()),
                                        seen.scores, shares.data())
                              .total;
                      for (float share : shares) seen.probabilities.push_back(share / total);
                    }
                    if (choose) seen.best = choose(seen);
                    if (seen.best >= seen.legal.size())
                      throw std::invalid_argument("There are fewer legal moves than that.");
                    return seen.legal[seen.best];
                  });
  return states;
}

std::vector<int32_t> Parser::scores(const Treebank& treebank, size_t sentence,
                                    std::span<const SiteMove> moves) const {
  std::vector<int32_t> all;
  size_t next = 0;
  searches_->walk(treebank, sentence, nullptr, [&](const ScoredState& state) -> std::optional<SiteMove> {
    if (next == moves.size()) return std::nullopt;
    const SiteMove move = moves[next];
    if (std::find(state.legal.begin(), state.legal.end(), move) == state.legal.end()) return std::nullopt;
    const auto site = std::find(state.sites.begin(), state.sites.end(), move.site) - state.sites.begin();
    const auto classes = static_cast<std::ptrdiff_t>(state.scores_at_site.size() / state.sites.size());
    const auto first = state.scores_at_site.begin() + site * classes;
    all.insert(all.end(), first, first + classes);
    ++next;
    return move;
  });
  if (next < moves.size()) throw std::invalid_argument("A move of the walk is not legal.");
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
