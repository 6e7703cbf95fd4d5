// What the threads of a parser work with, besides a search.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "constraint/constrained.h"
#include "constraint/plan.h"
#include "parse/search_model.h"
#include "text/treebank.h"

namespace arcwise {

// The task as a worker sees it, as it is or under constraints; sentence() is told of each sentence before it
// is parsed and gives the plan for its constraints, if it has any.
template <Task T>
struct Free {
  const T& task;
  const ConstraintPlan* sentence(size_t, int32_t) { return nullptr; }
};
template <Task T>
struct UnderConstraints {
  Constrained<T> task;
  ConstraintPlan plan;

  const ConstraintPlan* sentence(size_t s, int32_t words) {
    plan.sentence(s, words);
    const bool any = plan.has_constraints();
    task.set(any ? &plan.for_search() : nullptr, plan.labels());
    return any ? &plan : nullptr;
  }
};

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

// A model of learning to search is asked by a decoder, which stands for scoring and search at once.
template <Task T>
class Decoding {
 public:
  Decoding(const T& task, const SearchModel& model)
      : model_(model), decoder_(task, model.templates, model.decoder), run_(model.learner) {}
  void begin(const Treebank& treebank, size_t, size_t) { treebank_ = &treebank; }
  void parse(size_t s) {
    tokens_.fill(*treebank_, s, model_.templates.token_attributes());
    decoder_.sentence(tokens_, static_cast<int32_t>(treebank_->length(s)));
    run_.decode(decoder_, s);
  }
  const auto& state() const { return decoder_.state(); }

 private:
  const SearchModel& model_;
  const Treebank* treebank_ = nullptr;
  TaskDecoder<T> decoder_;
  SearchRun run_;
  TokenTable tokens_;
};

}  // namespace arcwise
