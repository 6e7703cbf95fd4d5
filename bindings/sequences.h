// Vectors from Python's lists, whatever the conversion of their items does to these: nanobind reads lists
// where they lie, and a number's __index__ or __float__ may change them meanwhile.
#pragma once

#include <nanobind/stl/vector.h>

#include <vector>

namespace nanobind::detail {

template <class T>
  requires(!std::is_same_v<T, bool>)
struct type_caster<std::vector<T>> : list_caster<std::vector<T>, T> {
  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    using Base = list_caster<std::vector<T>, T>;
    if (!PyList_CheckExact(source.ptr())) return Base::from_python(source, flags, cleanup);
    const object items = steal(PyList_AsTuple(source.ptr()));
    if (items.is_valid()) return Base::from_python(items, flags, cleanup);
    PyErr_Clear();
    return false;
  }
};

}  // namespace nanobind::detail
