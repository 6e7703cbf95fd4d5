// How the core lives in a Python process: when its computations end early, and its threads.
#include <nanobind/nanobind.h>

#include <atomic>

#include "base/interrupts.h"
#include "base/machine.h"
#include "base/threads.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Python runs the handlers of signals in its main thread.
std::atomic<unsigned long> main_thread{0};

// A call that keeps Python's lock is not interrupted: a handler might come back to what it is working on.
void ask_python() {
  if (PyThread_get_thread_ident() != main_thread) return;
  struct Lock {
    const PyGILState_STATE before = PyGILState_Ensure();
    ~Lock() { PyGILState_Release(before); }
  } const lock;
  if (lock.before == PyGILState_UNLOCKED && PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void bind_runtime(nb::module_& m) {
  main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  const nb::object os = nb::module_::import_("os");
  if (nb::hasattr(os, "register_at_fork"))  // whichever thread forks is the child's main thread
    os.attr("register_at_fork")("after_in_child"_a =
                                    nb::cpp_function([] { main_thread = PyThread_get_thread_ident(); }));
  arcwise::set_interrupt_handler(ask_python);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const arcwise::Interrupted& interrupted) {
      PyErr_SetString(PyExc_KeyboardInterrupt, interrupted.what());
    }
  });

  m.def(
      "vector_unit", [] { return arcwise::name_of(arcwise::this_machine()); },
      "The widest vectors that the machine has, as ARCWISE_VECTORS calls them.");
  m.def("pooled_threads", &arcwise::pooled_threads, "How many threads help with the work, for tests.");
  m.def("limit_pooled_threads", &arcwise::limit_pooled_threads, "most"_a,
        "Starts no more than so many threads from now on, as if no more could be, for tests.");
}
