#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "bindings.h"
#include "text/arrow_table.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

struct ArrowTable {
  std::shared_ptr<const ArrowChunks> chunks;
};

// What capsules of a struct are called.
template <class Struct>
constexpr const char* kCapsule = nullptr;
template <>
constexpr const char* kCapsule<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* kCapsule<ArrowArrayStream> = "arrow_array_stream";

// Releases what nobody has taken out of a capsule.
template <class Struct>
void destroy_capsule(PyObject* capsule) {
  auto* held = static_cast<Struct*>(PyCapsule_GetPointer(capsule, kCapsule<Struct>));
  if (held == nullptr) return PyErr_Clear();
  if (held->release != nullptr) held->release(held);
  delete held;
}

template <class Struct>
nb::object to_capsule(const std::function<void(Struct*)>& fill) {
  auto held = std::make_unique<Struct>();
  fill(held.get());
  PyObject* capsule = PyCapsule_New(held.get(), kCapsule<Struct>, &destroy_capsule<Struct>);
  if (capsule == nullptr) {
    held->release(held.get());
    throw nb::python_error();
  }
  held.release();  // the capsule has it
  return nb::steal(capsule);
}

nb::object schema_capsule(const ArrowTable& table) {
  return to_capsule<ArrowSchema>([&](auto* out) { export_schema(table.chunks->front(), out); });
}

nb::object stream_capsule(const ArrowTable& table) {
  return to_capsule<ArrowArrayStream>([&](auto* out) { export_stream(table.chunks, out); });
}

}  // namespace

void bind_arrow(nb::module_& m) {
  nb::enum_<ArrowRows>(m, "ArrowRows", "What the rows of a table are.")
      .value("WORD", ArrowRows::Word)
      .value("SENTENCE", ArrowRows::Sentence)
      .value("DOCUMENT", ArrowRows::Document);

  m.def(
      "arrow_names",
      [] {
        const ArrowNames& names = arrow_names();
        return std::make_tuple(names.words, names.sentences, names.whole);
      },
      "What a table may have of words, of sentences, and of rows that are sentences or documents.");

  nb::class_<ArrowTable>(m, "ArrowTable", "Columns as Arrow lays them out, to be handed on without a copy.")
      .def_prop_ro("row_count",
                   [](const ArrowTable& table) {
                     int64_t rows = 0;
                     for (const ArrowColumn& chunk : *table.chunks) rows += chunk.length;
                     return rows;
                   })
      .def_prop_ro("column_names",
                   [](const ArrowTable& table) {
                     std::vector<std::string> names;
                     for (const ArrowColumn& column : table.chunks->front().children)
                       names.push_back(column.name);
                     return names;
                   })
      .def("schema", &schema_capsule, "A capsule of Arrow's C data interface.")
      .def("stream", &stream_capsule, "A capsule of Arrow's C stream interface.");

  m.def(
      "arrow_table",
      [](const Treebank& treebank, const std::vector<size_t>& document_ends, ArrowRows rows,
         std::vector<std::string> columns, bool dictionaries) {
        return ArrowTable{arrow_table(treebank, document_ends, {rows, std::move(columns), dictionaries})};
      },
      "treebank"_a, "document_ends"_a, nb::kw_only(), "rows"_a, "columns"_a, "dictionaries"_a,
      nb::call_guard<nb::gil_scoped_release>(), "A treebank as a table.");
}
