// A model file: a header in JSON and raw arrays, each with a checksum. The format is told in docs/formats.md,
// and is that of src/arcwise/model_file.py, which reads older formats, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/aligned.h"
#include "pipeline/json_value.h"

namespace arcwise {

// A model file cannot be read: a sentence that names it, says why, and what to do.
class ModelFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kModelFormat = 7;

class Container {
 public:
  // Reads all of a file into memory and checks it: magic number, format, header, where each array lies, every
  // checksum, and that nothing else is there. Throws ModelFileError.
  static Container read(const std::filesystem::path& path);
  // The same of bytes; messages call them by this name.
  static Container from_bytes(std::span<const uint8_t> bytes, const std::string& name);

  const JsonValue& header() const { return header_; }
  bool has(std::string_view array) const { return arrays_.find(array) != arrays_.end(); }

  // An array of one dimension, which lives as long as the container. Throws BadJson if there is none of this
  // name and kind.
  template <class T>
  std::span<const T> array(std::string_view name) const {
    const Array& found = find(name);
    if (found.dtype != dtype<T>())
      throw BadJson("its array '" + std::string(name) + "' is of " + found.dtype);
    return {reinterpret_cast<const T*>(content_.data() + found.offset), found.size};
  }
  // What the numbers of an array are: `int8`, ….
  const std::string& kind(std::string_view name) const { return find(name).dtype; }

 private:
  struct Array {
    std::string dtype;
    size_t offset = 0, size = 0;  // in bytes; in numbers
  };
  template <class T>
  static constexpr std::string_view dtype();
  const Array& find(std::string_view name) const;
  void check();
  void find_arrays(size_t end);

  AlignedVector<uint8_t> content_;
  JsonValue header_;
  std::map<std::string, Array, std::less<>> arrays_;
};

template <class T>
constexpr std::string_view Container::dtype() {
  constexpr bool is_float = std::is_floating_point_v<T>;
  if constexpr (is_float) return sizeof(T) == 4 ? "float32" : "float64";
  constexpr std::string_view kSigned[] = {"int8", "int16", "int32", "int64"};
  constexpr std::string_view kUnsigned[] = {"uint8", "uint16", "uint32", "uint64"};
  constexpr size_t size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? kSigned[size] : kUnsigned[size];
}

}  // namespace arcwise
