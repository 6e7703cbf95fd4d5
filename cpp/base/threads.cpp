#include "base/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include "base/interrupts.h"

namespace arcwise {
namespace {

// More threads than this are of no use to anybody.
constexpr size_t kMostThreads = 256;
std::atomic<size_t> most_threads{kMostThreads};

class Job {
 public:
  Job(size_t parts, const std::function<void(size_t)>& work, bool is_whole)
      : is_whole(is_whole), parts_(parts), work_(work) {}

  const bool is_whole;  // not to be interrupted
  bool has_parts() const { return next_ < parts_; }
  // Works on parts until none is left.
  void work(bool leads) {
    const interrupts::Shared shared(stop_, leads);
    for (size_t part; (part = next_.fetch_add(1)) < parts_;) {
      try {
        work_(part);
      } catch (...) {
        note(part, leads);
      }
    }
  }
  // Asks for interrupts while others work.
  void look() {
    const interrupts::Shared shared(stop_, true);
    try {
      interrupts::look();
    } catch (...) {
      note(0, true);
    }
  }
  // When nobody works any more.
  void raise() const {
    if (failure_) std::rethrow_exception(failure_);
    if (stop_) throw Interrupted();
  }

  size_t helpers_wanted = 0, helpers = 0;  // guarded by the pool's mutex

 private:
  // Parts begin in order: those before one that failed have begun, and it is known which failed first. The
  // one that leads is the one that is interrupted, and what the others throw then says no more.
  void note(size_t part, bool leads) {
    const std::lock_guard lock(mutex_);
    next_ = parts_;
    if (stop_ ? !leads || was_stopped_ : part > first_failed_) return;
    was_stopped_ = stop_;  // and while it waits for the others it is told so again
    first_failed_ = part;
    failure_ = std::current_exception();
  }

  const size_t parts_;
  const std::function<void(size_t)>& work_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  size_t first_failed_ = std::numeric_limits<size_t>::max();
  bool was_stopped_ = false;
  std::exception_ptr failure_;
};

// It is never destroyed: threads that wait for work do not keep a process from its end.
class Pool {
 public:
  void run(Job& job, size_t helpers) {
    std::unique_lock lock(mutex_);
    job.helpers_wanted = helpers;
    wanted_ += helpers;
    jobs_.push_back(&job);
    grow();
    lock.unlock();
    for (size_t h = 0; h < helpers; ++h) work_came_.notify_one();
    job.work(true);
    lock.lock();
    std::erase(jobs_, &job);
    wanted_ -= helpers;
    while (job.helpers > 0) {
      if (work_done_.wait_for(lock, kBetweenLooks) == std::cv_status::no_timeout || job.is_whole) continue;
      lock.unlock();
      job.look();
      lock.lock();
    }
  }
  size_t size() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

 private:
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

  // As many threads as are wanted at this time, or as there can be.
  void grow() {
    try {
      for (const size_t most = most_threads; threads_ < std::min(wanted_, most); ++threads_)
        std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
    }
  }
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) {
        return job->helpers < job->helpers_wanted && job->has_parts();
      });
      if (found == jobs_.end()) {
        work_came_.wait(lock);
        continue;
      }
      Job& job = **found;
      ++job.helpers;
      lock.unlock();
      job.work(false);
      lock.lock();
      if (--job.helpers == 0) work_done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_, work_done_;
  std::vector<Job*> jobs_;
  size_t threads_ = 0, wanted_ = 0;
};

std::atomic<Pool*> the_pool{nullptr};

// Threads do not come along when a process forks: the child makes a pool of its own if it needs one. What
// the old one's state was then nobody knows, and its memory stays.
#if __has_include(<pthread.h>)
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; });
#endif

Pool& pool() {
  if (Pool* made = the_pool) return *made;
  auto* made = new Pool;
  Pool* other = nullptr;
  if (the_pool.compare_exchange_strong(other, made)) return *made;
  delete made;
  return *other;
}

}  // namespace

namespace {

void share(int threads, size_t parts, const std::function<void(size_t)>& work, bool is_whole) {
  const size_t most = std::min(parts, kMostThreads);
  const size_t helpers = threads > 1 && most > 1 ? std::min(static_cast<size_t>(threads), most) - 1 : 0;
  if (helpers == 0) {
    for (size_t part = 0; part < parts; ++part) work(part);
    return;
  }
  Job job(parts, work, is_whole);
  pool().run(job, helpers);
  job.raise();
}

}  // namespace

void share_work(int threads, size_t parts, const std::function<void(size_t)>& work) {
  share(threads, parts, work, false);
}
void share_whole_work(int threads, size_t parts, const std::function<void(size_t)>& work) {
  share(threads, parts, work, true);
}

size_t pooled_threads() { return pool().size(); }
void limit_pooled_threads(size_t most) { most_threads = most; }

}  // namespace arcwise
