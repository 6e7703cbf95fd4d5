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

// How a tree that breaks rules is mended. A narrow beam looks for a way around what breaks them, from a word
// before it on. If there is none, a wider one goes on to the end of the sentence. They are chosen on the dev
// set of UD English-EWT: wider ones take longer and give no better trees.
constexpr int32_t kQuickBeam = 2, kWideBeam = 4;
// By how much derivations that stay in these beams may be less probable than the best, in nats.
constexpr double kQuickHope = 2, kWideHope = 6;
constexpr int32_t kQuickBefore = 1, kWideBefore = 2;
// Where other tags alone would do, and lose less than this, there is no search. Those that lose more than the
// other are not thought of.
constexpr double kLikelyTags = 1, kUnlikelyTag = 7;

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
    if (room.is_mended && label == options_.arcs.completion) return room.rules->completion(tree, word, label);
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

void Parser::collect(const DerivationSearch& search, size_t words, size_t k, Room& room, size_t first) const {
  room.trees.clear();
  room.derivations.clear();
  room.heads.resize(words);
  room.labels.resize(words);
  for (size_t n = 0; n < search.size() && room.trees.size() < k; ++n) {
    const size_t i = n == 0 ? first : n <= first ? n - 1 : n;
    write(search.tree(i), room.heads, room.labels, room);
    const size_t known = room.trees.size(), place = room.trees.place(room.heads, room.labels);
    if (place < known) continue;  // two derivations may come to the same tree: the better one counts
    room.trees.score(place) = search.score(i);
    room.derivations.push_back(i);
  }
}

size_t Parser::choose(const DerivationSearch& search, const Treebank& treebank, const ParseOptions& options,
                      size_t sentence, std::span<int32_t> heads, std::span<int32_t> labels,
                      Room& room) const {
  size_t derivation = 0;
  if (options.ranking.ranker) {
    collect(search, heads.size(), search.size(), room);
    if (room.trees.size() > 1) {
      if (!room.ranking) room.ranking.emplace(*options.ranking.ranker);
      const auto ranked = room.ranking->score(treebank, sentence, room.trees.heads(), room.trees.labels());
      derivation = room.derivations[best_mixture(room.trees.scores(), ranked, options.ranking.beam_weight)];
    }
  }
  write(search.tree(derivation), heads, labels, room);
  return derivation;
}

std::optional<size_t> Parser::best_mended(const DerivationSearch& search, int32_t limit,
                                          std::span<int32_t> heads, std::span<int32_t> labels,
                                          Room& room) const {
  std::optional<size_t> best;
  room.is_mended = true;
  room.heads.resize(heads.size());
  room.labels.resize(labels.size());
  for (size_t i = 0; i < search.size() && limit > 0; ++i) {
    write(search.tree(i), room.heads, room.labels, room);
    const int32_t broken = room.rules->broken(room.heads, room.labels);
    if (broken >= limit) continue;
    best = i;
    limit = broken;
    std::copy(room.heads.begin(), room.heads.end(), heads.begin());
    std::copy(room.labels.begin(), room.labels.end(), labels.begin());
  }
  room.is_mended = false;
  return best;
}

bool Parser::mend(DerivationSearch& search, const Treebank& treebank, const ParseOptions& options,
                  size_t sentence, std::span<int32_t> heads, std::span<int32_t> labels, size_t& derivation,
                  Room& room) const {
  if (!room.rules) return false;
  GrammarOfSentence& rules = *room.rules;
  const int32_t broken = rules.broken(heads, labels);
  if (broken == 0) return false;
  const int32_t first = rules.first_broken(), last = rules.last_broken();
  const auto words = static_cast<int32_t>(heads.size());
  if (room.tags && options_.probabilistic)
    for (int32_t word : rules.suspects(heads, labels)) {
      std::vector<GrammarOfSentence::OtherTag> others;
      for (const auto& [upos, text, loss] : room.tags->others(word))
        if (loss < kUnlikelyTag) others.push_back({upos, rules.set_of_tag(text), loss});
      rules.doubt(word, std::move(others));
    }
  double loss_of_tags = 0;
  rules.each_other_tag(heads, labels, [&](int32_t, const auto& tag) { loss_of_tags += tag.loss; });
  const bool tags_do = loss_of_tags < kLikelyTags && rules.broken(heads, labels) == 0;
  std::optional<size_t> found;
  if (!tags_do) {
    const auto beam = [&](int32_t width, double hope) {
      return BeamOptions{width, options_.probabilistic, !options_.probabilistic, hope};
    };
    if (search.mend(rules, beam(kQuickBeam, kQuickHope), {first - kQuickBefore, last})) {
      found = best_mended(search, 1, heads, labels, room);
      if (!found) search.mend(rules, beam(kWideBeam, kWideHope), {first - kWideBefore, words + 1});
    }
    if (!found) found = best_mended(search, broken, heads, labels, room);
    if (!found) {
      search.parse(sentence);
      return false;
    }
    derivation = *found;
  }
  rules.each_other_tag(heads, labels, [&](int32_t word, const GrammarOfSentence::OtherTag& tag) {
    const size_t w = treebank.first_word(sentence) + static_cast<size_t>(word) - 1;
    options.analyses[w] = room.tags->with(word, tag.number);
    if (!options.retagged.empty()) options.retagged[w] = 1;
  });
  return !tags_do;
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
    if (options_.grammar && options.grammar) room.rules.emplace(*options_.grammar);
    std::optional<Tagger::Worker> tags;
    const bool shares_words = options.tagger && shares_encoder_with(*options.tagger);
    if (shares_words)
      tags.emplace(*options.tagger, *search->network());
    else if (options.tagger)
      tags.emplace(*options.tagger);
    while (const auto range = queue.take()) {
      search->begin(treebank, range->begin, range->end);
      if (tags && !shares_words) tags->begin(treebank, range->begin, range->end);
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
        room.tags = tags && (options.to_tag.empty() || options.to_tag[s]) ? &*tags : nullptr;
        if (room.tags) room.tags->tag(s, options.analyses);
        if (room.rules) {
          const size_t first = treebank.first_word(s);
          if (room.tags)
            room.rules->set(treebank.length(s), [&](size_t word) {
              // The treebank does not say what goes with the tags of signs that it lacks.
              if (options.tagger->is_new_sign(treebank.text(first + word, Column::Form)))
                return std::string_view();
              return options.tagger->text(options.analyses[first + word], Column::Upos);
            });
          else
            set_tags(*room.rules, options.tags ? *options.tags : treebank, s);
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
    const auto heads_of = heads.subspan(first, words), labels_of = labels.subspan(first, words);
    size_t derivation = choose(found, treebank, options, s, heads_of, labels_of, room);
    mend(found, treebank, options, s, heads_of, labels_of, derivation, room);
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
  each_derivation(treebank, options, search, [&](size_t s, DerivationSearch& found, Room& room) {
    const size_t words = treebank.length(s);
    std::vector<int32_t> heads(words), labels(words);
    size_t derivation = choose(found, treebank, options, s, heads, labels, room);
    room.is_mended = mend(found, treebank, options, s, heads, labels, derivation, room);
    collect(found, words, k, room, derivation);
    room.is_mended = false;
    sentences[s] = room.trees;
    moves += found.moves();
  });
  BestTrees all;
  all.moves = moves;
  for (const DistinctTrees& trees : sentences) trees.append_to(all);
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
  for (const DistinctTrees& trees : sentences) trees.append_best_to(all, k);
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

// Those of a beam that has mended the tree. Where there are none, greedy search takes the way that it takes
// in parsing, by the rules if the tree was mended by them.
std::vector<SiteMove> Parser::mended_moves(const Treebank& treebank, const ParseOptions& options,
                                           std::optional<GrammarOfSentence>& rules) const {
  std::vector<SiteMove> moves;
  std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
  each_derivation(treebank, options, {.labels = options_.labels},
                  [&](size_t s, DerivationSearch& found, Room& room) {
                    size_t derivation = choose(found, treebank, options, s, heads, labels, room);
                    if (!mend(found, treebank, options, s, heads, labels, derivation, room)) return;
                    found.moves_of(derivation, moves);
                    rules.emplace(*room.rules);
                  });
  return moves;
}

std::vector<TracedState> Parser::trace(const Treebank& treebank, const ParseOptions& options,
                                       const std::function<size_t(const TracedState&)>& choose) const {
  std::vector<TracedState> states;
  std::optional<Softmax> odds;
  if (options_.probabilistic) odds = this->odds(options.temperature);
  check_tags(options.tags, treebank);
  std::optional<GrammarOfSentence> rules;
  std::vector<SiteMove> moves = mended_moves(treebank, options, rules);
  searches_->walk(
      treebank, 0, rules ? &*rules : nullptr, [&](const ScoredState& state) -> std::optional<SiteMove> {
        TracedState& seen = states.emplace_back();
        seen.legal = state.legal;
        seen.scores = state.scores;
        seen.best = state.best;
        if (const size_t step = states.size() - 1; step < moves.size())
          seen.best = static_cast<size_t>(std::find(seen.legal.begin(), seen.legal.end(), moves[step]) -
                                          seen.legal.begin());
        if (odds) {
          std::vector<float> shares(seen.scores.size());
          const double total = odds->against(*std::max_element(seen.scores.begin(), seen.scores.end()),
                                             seen.scores, shares.data())
                                   .total;
          for (float share : shares) seen.probabilities.push_back(share / total);
        }
        if (choose) {
          const size_t chosen = choose(seen);
          if (chosen >= seen.legal.size())
            throw std::invalid_argument("There are fewer legal moves than that.");
          if (chosen != seen.best) moves.clear();  // they lead on from another state
          seen.best = chosen;
        }
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
