#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "in_use.h"
#include "network/fasttext.h"
#include "network/vectors.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Found = std::tuple<Numbers<uint64_t>, Numbers<uint64_t>, Numbers<float>>;

Found found(WordVectors vectors) {
  return {to_numpy(std::move(vectors.keys)), to_numpy(std::move(vectors.lowered)),
          to_numpy(std::move(vectors.values))};
}

// Vectors that are added to the embeddings of words, or are an input of their own.
TokenInput input_of(bool are_added) { return are_added ? TokenInput::Word : TokenInput::Vector; }

constexpr const char* kReading = "This file of vectors is being read already: wait for it.";

void make_reader(VectorReader* self, const std::string& name, size_t limit, bool are_added) {
  demand(limit > 0, "At least one word is read.");
  new (self) VectorReader(name, limit, input_of(are_added));
}

bool take(VectorReader& self, const nb::bytes& bytes) {
  const InUse one(&self, kReading);
  const std::string_view view(bytes.c_str(), bytes.size());
  nb::gil_scoped_release release;
  return self.take(view);
}

Found finish(VectorReader& self) {
  const InUse one(&self, kReading);
  return found(self.finish());
}

Found fasttext(const Vector<uint8_t>& file, const std::string& name, size_t limit,
               const std::vector<std::string>& words, bool are_added) {
  demand(limit > 0, "At least one word is read.");
  WordVectors vectors;
  {
    nb::gil_scoped_release release;
    vectors = read_fasttext(to_span(file), name, limit, words, input_of(are_added));
  }
  return found(std::move(vectors));
}

}  // namespace

void bind_vectors(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const VectorsError& error) {
      nb::object type = nb::module_::import_("arcwise.errors").attr("VectorsError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });
  nb::class_<VectorReader>(
      m, "VectorReader",
      "Reads the vectors of a file's first words, in the text format of word2vec and "
      "fastText. They are added to the embeddings of words, or are an input of their own.")
      .def("__init__", &make_reader, "name"_a, "limit"_a, "are_added"_a = true)
      .def("take", &take, "bytes"_a, "Takes the next bytes of the file; whether more are wanted.")
      .def("finish", &finish,
           "The keys of the words, those of the words in lower case and, one after the other, the vectors.");
  m.def(
      "read_fasttext", &fasttext, "file"_a, "name"_a, "limit"_a, "words"_a, "are_added"_a = true,
      "The same from a binary file of fastText, in memory: of its first words, and of others, each from what "
      "the file knows of it and its stretches of characters.");
}
