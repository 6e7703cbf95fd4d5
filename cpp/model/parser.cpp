#include "model/parser.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "search/greedy.h"

namespace arcwise {
namespace {

// Sentences that a worker takes at a time.
constexpr size_t kShare = 64;

template <Task T, class M>
void check_fit(const T& task, const M& model, int32_t labels) {
  bool fits = task.moves().size() == model.classes();
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
  with_system(options_.system, options_.arcs, [&](const auto& task) {
    std::visit([&](const auto& model) { check_fit(task, *model, count); }, model_);
  });
  for (const LiftedLabel& l : options_.labels) lowers_ |= l.lifted_from != kNotLifted;
  if (lowers_ && !options_.lift)
    throw std::invalid_argument("The model is damaged: its labels are lifted by no scheme.");
}

void Parser::parse(const Treebank& treebank, int threads, std::span<int32_t> heads,
                   std::span<int32_t> labels) const {
  with_system(options_.system, options_.arcs, [&](const auto& task) {
    std::visit([&](const auto& model) { parse_all(task, *model, treebank, threads, heads, labels); }, model_);
  });
}

std::vector<int32_t> Parser::scores(const Treebank& treebank, size_t sentence,
                                    std::span<const SiteMove> moves) const {
  std::vector<int32_t> all;
  const auto walk = [&]<Task T, class M>(const T& task, const M& model) {
    typename M::Workspace scoring(model, T::kSingleSite);
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
  };
  with_system(options_.system, options_.arcs,
              [&](const auto& task) { std::visit([&](const auto& model) { walk(task, *model); }, model_); });
  return all;
}

double Parser::scale() const {
  return std::visit([](const auto& model) { return model->scale(); }, model_);
}

template <Task T, class M>
void Parser::parse_all(const T& task, const M& model, const Treebank& treebank, int threads,
                       std::span<int32_t> heads, std::span<int32_t> labels) const {
  const size_t sentences = treebank.sentence_count();
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      typename M::Workspace scoring(model, T::kSingleSite);
      GreedySearch search(task, scoring);
      std::vector<LiftedLabel> predicted;
      for (size_t begin; (begin = next.fetch_add(kShare)) < sentences;) {
        const size_t end = std::min(begin + kShare, sentences);
        scoring.begin(treebank, begin, end);
        for (size_t s = begin; s < end; ++s) {
          const size_t first = treebank.first_word(s), words = treebank.length(s);
          search.parse(s);
          const Tree& tree = search.state().tree;
          predicted.resize(words);
          bool lifted = false;
          for (size_t w = 0; w < words; ++w) {
            const auto node = static_cast<int32_t>(w) + 1;
            heads[first + w] = tree.output_head(node);
            predicted[w] = options_.labels[tree[node].label];
            labels[first + w] = predicted[w].base;
            lifted |= predicted[w].lifted_from != kNotLifted;
          }
          if (lifted)
            deprojectivize(heads.subspan(first, words), predicted, *options_.lift,
                           heads.subspan(first, words), labels.subspan(first, words));
        }
      }
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
      next = sentences;
    }
  };
  const auto shares = static_cast<int>((sentences + kShare - 1) / kShare);
  std::vector<std::thread> others;
  for (int t = 1; t < std::min(threads, shares); ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace arcwise
