#include "features_from_python.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace nb = nanobind;
using arcwise::Features;

namespace {

[[noreturn]] void refuse(nb::handle object, const char* expected) {
  const std::string type = nb::cast<std::string>(object.type().attr("__name__"));
  throw nb::type_error(("A " + type + " " + expected).c_str());
}

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<size_t>(size)};
}

uint64_t integer_key(PyObject* number) {
  int overflow = 0;
  const long long key = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) throw nb::value_error("A feature that is an integer must fit into 64 bits.");
  if (key == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<uint64_t>(key);
}

uint64_t key_of(PyObject* object) {
  if (PyUnicode_Check(object)) return arcwise::feature_key(text_of(object));
  if (PyLong_Check(object)) return integer_key(object);
  if (PyIndex_Check(object)) {  // numpy's integers
    const nb::object number = nb::steal(PyNumber_Index(object));
    if (!number.is_valid()) throw nb::python_error();
    return integer_key(number.ptr());
  }
  refuse(object, "cannot be a feature: give text, an integer, or a pair of one of them and a value.");
}

float value_of(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    // An error of the value's own comes through.
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
      throw nb::python_error();
    PyErr_Clear();
    refuse(object, "cannot be the value of a feature: give a number.");
  }
  return static_cast<float>(value);
}

void add_feature(PyObject* object, Features& features) {
  if (!PyTuple_Check(object)) return features.add(key_of(object));
  if (PyTuple_Size(object) != 2)
    throw nb::value_error("A tuple that is a feature must be a pair: text or an integer, and a value.");
  features.add(key_of(PyTuple_GetItem(object, 0)), value_of(PyTuple_GetItem(object, 1)));
}

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

template <class T>
void add_numbers(const Array& array, Features& features) {
  const T* data = static_cast<const T*>(array.data());
  for (size_t i = 0; i < array.shape(0); ++i, data += array.stride(0))
    if (*data != 0) features.add(i, static_cast<float>(*data));
}

bool add_array(nb::handle object, Features& features) {
  Array array;
  if (!nb::try_cast(object, array)) return false;
  if (array.ndim() != 1)
    throw nb::value_error("An array of features must have one dimension: give its ravel().");
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<float>()) return add_numbers<float>(array, features), true;
  if (type == nb::dtype<double>()) return add_numbers<double>(array, features), true;
  if (type == nb::dtype<int64_t>()) return add_numbers<int64_t>(array, features), true;
  if (type == nb::dtype<int32_t>()) return add_numbers<int32_t>(array, features), true;
  if (type == nb::dtype<uint8_t>()) return add_numbers<uint8_t>(array, features), true;
  if (type == nb::dtype<bool>()) return add_numbers<bool>(array, features), true;
  throw nb::type_error("An array of features must hold float32, float64, int32, int64, uint8 or bool.");
}

// What a number's __index__ or __float__ does to the list or dict that it is in, nobody knows: whatever is
// being read is held, and it is looked each time whether there are still as many.
void demand_same_size(Py_ssize_t before, Py_ssize_t now) {
  if (before != now)
    throw nb::value_error("The features changed while they were read: let no number's conversion do that.");
}

// A list or tuple. In modules for several versions of Python, nobody knows where their items lie.
#if defined(Py_LIMITED_API)
Py_ssize_t size_of(PyObject* sequence) { return PySequence_Size(sequence); }
PyObject* item_of(PyObject* sequence, Py_ssize_t i) {
  return PyList_Check(sequence) ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i);
}
#else
Py_ssize_t size_of(PyObject* sequence) { return PySequence_Fast_GET_SIZE(sequence); }
PyObject* item_of(PyObject* sequence, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(sequence, i); }
#endif

void add_sequence(PyObject* sequence, Features& features) {
  const Py_ssize_t size = size_of(sequence);
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = item_of(sequence, i);
    if (PyUnicode_CheckExact(item)) {  // reading it runs no code
      features.add(arcwise::feature_key(text_of(item)));
      continue;
    }
    add_feature(nb::borrow(item).ptr(), features);
    demand_same_size(size, size_of(sequence));
  }
}

// visit(key, value)
template <class Visit>
void each_in_dict(PyObject* dict, const Visit& visit) {
  const Py_ssize_t size = PyDict_Size(dict);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    visit(nb::borrow(key).ptr(), nb::borrow(value).ptr());
    demand_same_size(size, PyDict_Size(dict));
  }
}

void add_dict(PyObject* dict, Features& features) {
  each_in_dict(dict, [&](PyObject* key, PyObject* value) { features.add(key_of(key), value_of(value)); });
}

void add_group(PyObject* object, Features& features) {
  if (PyList_Check(object) || PyTuple_Check(object)) return add_sequence(object, features);
  if (PyUnicode_Check(object) || PyLong_Check(object)) return add_feature(object, features);
  if (PyDict_Check(object)) return add_dict(object, features);
  if (add_array(object, features)) return;
  refuse(object, "cannot be the features of a namespace: give a list, a dict of values, or an array.");
}

}  // namespace

void features_from_python(nb::handle object, Features& features) {
  features.clear();
  PyObject* p = object.ptr();
  if (!PyDict_Check(p)) {
    features.group(arcwise::namespace_key(""));
    return add_group(p, features);
  }
  each_in_dict(p, [&](PyObject* name, PyObject* group) {
    if (!PyUnicode_Check(name)) refuse(name, "cannot be the name of a namespace: give text.");
    features.group(arcwise::namespace_key(text_of(name)));
    add_group(group, features);
  });
}
