// One pool of threads for all of the core.
#pragma once

#include <cstddef>
#include <functional>

namespace arcwise {

// Calls work(i) once for each i below `parts`, in the order of i, on this thread and on as many others of the
// pool as make `threads` in all. The pool is made when it is first asked for and grows with what is asked;
// where a thread cannot be started, the work goes on with those that there are, be it this one alone.
//
// After a part has thrown, no further one begins; when all that had begun are done, what the first of them
// threw is thrown here. An interrupt (base/interrupts.h) ends them all.
void share_work(int threads, size_t parts, const std::function<void(size_t)>& work);
// The same for what must not be left half done: interrupts have to wait. Work throws nothing.
void share_whole_work(int threads, size_t parts, const std::function<void(size_t)>& work);

// How many threads the pool has, and how many it may have at most from now on (more than that cannot be
// started, as far as it knows), for tests.
size_t pooled_threads();
void limit_pooled_threads(size_t most);

}  // namespace arcwise
