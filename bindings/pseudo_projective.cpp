#include "tree/pseudo_projective.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const Given<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
struct Result {
  explicit Result(size_t size) : values(new T[size]()), size(size) {}
  Array<T> array() {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array<T>(values.release(), {size}, owner);
  }
  std::span<T> span() { return {values.get(), size}; }
  std::unique_ptr<T[]> values;
  size_t size;
};

template <class T>
std::vector<T> copy(const Given<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// Other threads may change what is given while the lock is released.
bool is_projective_array(const Given<int32_t>& heads) {
  const std::vector<int32_t> own = copy(heads);
  nb::gil_scoped_release release;
  return is_projective(own);
}

std::tuple<Array<int32_t>, Array<int32_t>, Array<int32_t>, Array<bool>> projectivize_arrays(
    const Given<int32_t>& heads, const Given<int32_t>& labels, std::string_view scheme) {
  const size_t size = heads.size();
  Result<int32_t> lifted_heads(size), base(size), lifted_from(size);
  Result<bool> path(size);
  std::vector<LiftedLabel> lifted_labels(size);
  {
    const std::vector<int32_t> own_heads = copy(heads), own_labels = copy(labels);
    nb::gil_scoped_release release;
    projectivize(own_heads, own_labels, scheme_from_name(scheme), lifted_heads.span(), lifted_labels);
  }
  for (size_t i = 0; i < size; ++i) {
    base.values[i] = lifted_labels[i].base;
    lifted_from.values[i] = lifted_labels[i].lifted_from;
    path.values[i] = lifted_labels[i].path;
  }
  return {lifted_heads.array(), base.array(), lifted_from.array(), path.array()};
}

std::tuple<Array<int32_t>, Array<int32_t>> deprojectivize_arrays(const Given<int32_t>& heads,
                                                                 const Given<int32_t>& base,
                                                                 const Given<int32_t>& lifted_from,
                                                                 const Given<bool>& path,
                                                                 std::string_view scheme) {
  if (base.size() != lifted_from.size() || base.size() != path.size()) {
    throw std::invalid_argument(
        "base, lifted_from and path differ in length: give one of each for each word.");
  }
  std::vector<LiftedLabel> lifted_labels(base.size());
  for (size_t i = 0; i < lifted_labels.size(); ++i) {
    lifted_labels[i] = {view(base)[i], view(lifted_from)[i], view(path)[i]};
  }
  Result<int32_t> lowered_heads(heads.size()), labels(heads.size());
  {
    const std::vector<int32_t> own_heads = copy(heads);
    nb::gil_scoped_release release;
    deprojectivize(own_heads, lifted_labels, scheme_from_name(scheme), lowered_heads.span(), labels.span());
  }
  return {lowered_heads.array(), labels.array()};
}

}  // namespace

void bind_pseudo_projective(nb::module_& m) {
  m.attr("NOT_LIFTED") = kNotLifted;
  m.attr("LIFTED") = kLifted;
  m.def("is_projective", &is_projective_array, "heads"_a,
        "Whether the tree is projective, or, with unknown heads (-1), can be made so by choosing them.\n\n"
        "heads[0] is the head of word 1; 0 is ROOT, which stands before the first word.");
  m.def(
      "projectivize", &projectivize_arrays, "heads"_a, "labels"_a, "scheme"_a,
      "Lift words until the tree is projective (Nivre & Nilsson 2005).\n\n"
      "The scheme, one of head, path and head+path, says what the encoded labels tell of the lifts. Returns\n"
      "(heads, base, lifted_from, path). An encoded label is its base label, where the word was lifted\n"
      "from (NOT_LIFTED; LIFTED, where the scheme is path; otherwise its syntactic head's label), and\n"
      "whether some word was lifted past it.");
  m.def("deprojectivize", &deprojectivize_arrays, "heads"_a, "base"_a, "lifted_from"_a, "path"_a, "scheme"_a,
        "Lower the words that the encoded labels call lifted, and return (heads, labels).\n\n"
        "Any tree and any labels will do. The result is a tree with the same words under ROOT.");
}
