// Sentences dealt out to threads, a range at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>

#include "base/threads.h"

namespace arcwise {

struct SentenceRange {
  size_t begin, end;
};

class WorkQueue {
 public:
  explicit WorkQueue(size_t sentences) : sentences_(sentences) {}

  // Runs work(*this) in so many threads, as far as there is work for them. What one of them throws ends
  // them all and is thrown here.
  template <class Work>
  void run(int threads, const Work& work) {
    const size_t ranges = (sentences_ + kSentences - 1) / kSentences;
    const size_t workers = std::min(static_cast<size_t>(std::max(threads, 1)), ranges);
    share_work(threads, workers, [&](size_t) {
      if (next_ >= sentences_) return;  // the others were quicker than this one's thread
      try {
        work(*this);
      } catch (...) {
        next_ = sentences_;
        throw;
      }
    });
  }

  // The next range, for the thread that asks.
  std::optional<SentenceRange> take() {
    const size_t begin = next_.fetch_add(kSentences);
    if (begin >= sentences_) return std::nullopt;
    return SentenceRange{begin, std::min(begin + kSentences, sentences_)};
  }

 private:
  static constexpr size_t kSentences = 64;

  size_t sentences_;
  std::atomic<size_t> next_{0};
};

}  // namespace arcwise
