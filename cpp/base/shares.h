// Sentences shared out to threads, some at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>

#include "base/threads.h"

namespace arcwise {

struct Share {
  size_t begin, end;
};

class Shares {
 public:
  explicit Shares(size_t sentences) : sentences_(sentences) {}

  // Runs work(*this) in so many threads, as far as there are shares for them. What one of them throws ends
  // them all and is thrown here.
  template <class Work>
  void run(int threads, const Work& work) {
    const size_t shares = (sentences_ + kShare - 1) / kShare;
    const size_t workers = std::min(static_cast<size_t>(std::max(threads, 1)), shares);
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

  // The next share, for the thread that asks.
  std::optional<Share> take() {
    const size_t begin = next_.fetch_add(kShare);
    if (begin >= sentences_) return std::nullopt;
    return Share{begin, std::min(begin + kShare, sentences_)};
  }

 private:
  static constexpr size_t kShare = 64;

  size_t sentences_;
  std::atomic<size_t> next_{0};
};

}  // namespace arcwise
