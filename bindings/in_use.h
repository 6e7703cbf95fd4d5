// What changes while Python code that it calls runs, or while Python's lock is released, has one user at a
// time: a callback, another thread or a signal's handler that comes in between is refused. Both are made and
// destroyed with the lock held.
#pragma once

#include <stdexcept>
#include <unordered_set>

template <class Error = std::runtime_error>
class OneAtATime {
 public:
  OneAtATime(bool& taken, const char* refusal) : taken_(taken) {
    if (taken) throw Error(refusal);
    taken = true;
  }
  ~OneAtATime() { taken_ = false; }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  bool& taken_;
};

// The same for an object of the core, and calls that take long.
class InUse {
 public:
  explicit InUse(const void* object, const char* refusal =
                                         "This training run is at work already: wait for "
                                         "it, or start another.")
      : object_(object) {
    if (!all().insert(object).second) throw std::runtime_error(refusal);
  }
  ~InUse() { all().erase(object_); }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  static std::unordered_set<const void*>& all() {
    static std::unordered_set<const void*> objects;
    return objects;
  }

  const void* object_;
};
