// Vectors of the core as arrays of numpy, and back, without copying where it can be helped.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <vector>

// Several of them, by name.
using Fields = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

template <class T>
std::span<const T> to_span(const Vector<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::vector<T> to_vector(const Vector<T>& array) {
  return {array.data(), array.data() + array.size()};
}
