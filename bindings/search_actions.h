// The actions of a Python task: any hashable values there, numbers in the core.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "in_use.h"
#include "search/decoder_run.h"

using ActionTuple = nanobind::typed<nanobind::tuple, nanobind::any, nanobind::ellipsis>;

// What a message says of a value, whatever its __repr__ returns.
inline std::string text_of(nanobind::handle value) {
  const nanobind::object repr = nanobind::repr(value);
  const nanobind::object bytes =
      nanobind::steal(PyUnicode_AsEncodedString(repr.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nanobind::python_error();
  return PyBytes_AsString(bytes.ptr());
}

class SearchActions {
 public:
  // While a question is read, Python code runs: hashing, comparing, converting. It may do what it likes, but
  // not ask another question: what has been read so far is kept here.
  class Reading : OneAtATime<arcwise::SearchError> {
   public:
    explicit Reading(SearchActions& actions)
        : OneAtATime(
              actions.is_reading_,
              "A prediction was asked for, or a loss stated, while another prediction is being made (by "
              "its features, reference, allowed actions or costs, or in another thread): compute what "
              "it needs before, and give each thread a search of its own.") {}
  };

  explicit SearchActions(ActionTuple actions) : actions_(std::move(actions)) {
    for (nanobind::handle action : actions_) {
      all_.push_back(static_cast<int32_t>(all_.size()));
      numbers_[action] = all_.back();
    }
    seen_.resize(all_.size());
  }

  size_t size() const { return all_.size(); }
  const ActionTuple& values() const { return actions_; }
  nanobind::object value(int32_t number) const { return actions_[static_cast<size_t>(number)]; }
  std::string text(int32_t number) const { return text_of(value(number)); }
  std::span<const int32_t> all() const { return all_; }

  int32_t number(nanobind::handle action) const {
    PyObject* found = PyDict_GetItemWithError(numbers_.ptr(), action.ptr());
    if (found == nullptr) {
      if (PyErr_Occurred()) throw nanobind::python_error();
      throw arcwise::SearchError(text_of(action) + " is not one of the task's actions: add it to them.");
    }
    return static_cast<int32_t>(PyLong_AsLong(found));
  }

  // None: all of them. Tuples are remembered: a task that has its sets of actions at hand saves time.
  std::span<const int32_t> allowed(nanobind::handle actions) {
    if (actions.is_none()) return all_;
    if (!PyTuple_CheckExact(actions.ptr())) {
      read_allowed(actions, allowed_);
      return allowed_;
    }
    const auto known = tuples_.find(actions.ptr());
    if (known != tuples_.end()) return known->second.numbers;
    read_allowed(actions, allowed_);
    if (tuples_.size() == kMostTuples) tuples_.clear();
    Known& kept = tuples_[actions.ptr()];
    kept = {nanobind::borrow(actions), allowed_};
    return kept.numbers;
  }

  // None, one action, or several in a list or a set.
  std::span<const int32_t> reference(nanobind::handle actions) {
    reference_.clear();
    if (actions.is_none()) return reference_;
    const bool is_set = PySet_Check(actions.ptr());
    if (!is_set && !PyList_Check(actions.ptr())) {
      reference_.push_back(number(actions));
      return reference_;
    }
    for (nanobind::handle action : actions) reference_.push_back(number(action));
    // The order of a set may be another the next time that Python runs.
    if (is_set) std::sort(reference_.begin(), reference_.end());
    return reference_;
  }

  // None, a number for each of the allowed actions, or a dict that has one for each.
  std::span<const float> costs(nanobind::handle costs, std::span<const int32_t> allowed) {
    costs_.clear();
    if (costs.is_none()) return costs_;
    if (PyDict_Check(costs.ptr())) {
      for (int32_t action : allowed) {
        const nanobind::object cost = nanobind::borrow(
            PyDict_GetItemWithError(costs.ptr(), actions_[static_cast<size_t>(action)].ptr()));
        if (!cost.is_valid()) {
          if (PyErr_Occurred()) throw nanobind::python_error();
          throw arcwise::SearchError("There is no cost for " + text(action) +
                                     ": give one for each allowed action.");
        }
        costs_.push_back(number_of(cost, "A cost"));
      }
      return costs_;
    }
    const bool has_end = PySequence_Check(costs.ptr()) || PyAnySet_Check(costs.ptr());
    for (nanobind::handle cost : costs) {
      if (!has_end && costs_.size() == allowed.size())
        throw arcwise::SearchError("There are more costs than the " + std::to_string(allowed.size()) +
                                   " allowed actions: give one for each.");
      costs_.push_back(number_of(cost, "A cost"));
    }
    if (costs_.empty()) throw arcwise::SearchError("There are no costs: give one for each allowed action.");
    return costs_;
  }

  static float number_of(nanobind::handle value, const char* what) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred()) {
      // An error of the value's own comes through.
      if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
        throw nanobind::python_error();
      PyErr_Clear();
      throw arcwise::SearchError(std::string(what) + " is " + text_of(value) + ", which is not a number.");
    }
    return static_cast<float>(number);
  }

 private:
  static constexpr size_t kMostTuples = 1024;
  struct Known {
    nanobind::object tuple;  // kept, so that no other gets its address
    std::vector<int32_t> numbers;
  };

  void read_allowed(nanobind::handle actions, std::vector<int32_t>& numbers) {
    numbers.clear();
    ++now_;
    for (nanobind::handle action : actions) {
      const int32_t n = number(action);
      if (seen_[n] == now_) throw arcwise::SearchError(text(n) + " is allowed twice: name it once.");
      seen_[n] = now_;
      numbers.push_back(n);
    }
  }

  ActionTuple actions_;
  nanobind::dict numbers_;
  std::vector<int32_t> all_, allowed_, reference_;
  std::vector<float> costs_;
  std::vector<uint64_t> seen_;  // when an action was last named
  uint64_t now_ = 0;
  bool is_reading_ = false;
  std::unordered_map<PyObject*, Known> tuples_;
};
