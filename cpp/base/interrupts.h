// How long computations learn that they should end. The core does not know why: whoever embeds it sets a
// handler that asks, and throws what is to end the call.
//
// The handler is called in the thread that the call came in by, about twenty times a second. Threads that
// help it (base/threads.h) see that it was told to end, and end too.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace arcwise {

// Throws if the call of this thread is to end; called from any thread that computes.
using InterruptHandler = void (*)();
void set_interrupt_handler(InterruptHandler handler);

// Ends the work of a thread that helps another which was interrupted.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "The computation was interrupted."; }
};

namespace interrupts {

// Where the C library allows it, a library that is loaded later reads it without a call.
#if defined(__GLIBC__)
#define ARCWISE_NEAR_THREAD_LOCAL [[gnu::tls_model("initial-exec")]]
#else
#define ARCWISE_NEAR_THREAD_LOCAL
#endif
// How much work may be done before the next look.
ARCWISE_NEAR_THREAD_LOCAL extern constinit thread_local int32_t credit;
#undef ARCWISE_NEAR_THREAD_LOCAL

void look();

// While it lives, this thread shares the fate of others: `stop` ends them all. One of them leads and asks the
// handler.
class Shared {
 public:
  Shared(std::atomic<bool>& stop, bool leads);
  ~Shared();
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

 private:
  std::atomic<bool>* before_;
  bool led_;
};

}  // namespace interrupts

// Called wherever work of about so many microseconds has been done; it costs a subtraction. What it throws
// may come at any such place: what is to stay whole must not be changed step by step across one.
inline void check_interrupts(int32_t microseconds = 1) {
  if ((interrupts::credit -= microseconds) < 0) [[unlikely]]
    interrupts::look();
}

}  // namespace arcwise
