// Sentences shared out to threads, some at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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
    const auto guarded = [&] {
      try {
        work(*this);
      } catch (...) {
        const std::lock_guard lock(failing_);
        failure_ = std::current_exception();
        next_ = sentences_;
      }
    };
    const auto shares = static_cast<int>((sentences_ + kShare - 1) / kShare);
    std::vector<std::thread> others;
    for (int t = 1; t < std::min(threads, shares); ++t) others.emplace_back(guarded);
    guarded();
    for (std::thread& t : others) t.join();
    if (failure_) std::rethrow_exception(failure_);
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
  std::exception_ptr failure_;
  std::mutex failing_;
};

}  // namespace arcwise
