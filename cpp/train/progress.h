#pragma once

#include <cstdint>

namespace arcwise {

struct TrainingProgress {
  int64_t sentences = 0, words = 0, decisions = 0, wrong = 0;
  double loss = 0;

  TrainingProgress& operator+=(const TrainingProgress& o) {
    sentences += o.sentences;
    words += o.words;
    decisions += o.decisions;
    wrong += o.wrong;
    loss += o.loss;
    return *this;
  }
};

}  // namespace arcwise
