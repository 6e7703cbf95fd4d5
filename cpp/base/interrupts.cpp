#include "base/interrupts.h"

#include <chrono>

namespace arcwise {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetween = std::chrono::milliseconds(50);
constexpr int32_t kCredit = 1000;

std::atomic<InterruptHandler> ask{nullptr};

struct Thread {
  Clock::time_point asked{};
  std::atomic<bool>* stop = nullptr;  // of all that share its work
  bool leads = true;
};
constinit thread_local Thread thread;

}  // namespace

void set_interrupt_handler(InterruptHandler handler) { ask = handler; }

namespace interrupts {

constinit thread_local int32_t credit = kCredit;

void look() {
  credit = kCredit;
  if (thread.stop != nullptr && thread.stop->load(std::memory_order_relaxed)) throw Interrupted();
  if (!thread.leads) return;
  const auto now = Clock::now();
  if (now - thread.asked < kBetween) return;
  thread.asked = now;
  const InterruptHandler handler = ask.load(std::memory_order_relaxed);
  if (handler == nullptr) return;
  try {
    handler();
  } catch (...) {
    if (thread.stop != nullptr) thread.stop->store(true, std::memory_order_relaxed);
    throw;
  }
}

Shared::Shared(std::atomic<bool>& stop, bool leads) : before_(thread.stop), led_(thread.leads) {
  thread.stop = &stop;
  thread.leads = leads;
}
Shared::~Shared() {
  thread.stop = before_;
  thread.leads = led_;
}

}  // namespace interrupts
}  // namespace arcwise
