// Columns as Arrow lays them out in memory, and Arrow's C data interface, by which they are handed on.
//
// What is handed on shares the column's buffers: it is the receiver's, who releases it, and the buffers go
// with the last who holds them, in whatever thread that is. Nothing here knows of Python and its lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arcwise {

// The structs of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html: their
// members, in this order, are what all who use the interface agree on.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// Memory that several may hold; a column without nulls has none for which values are.
using ArrowBuffer = std::shared_ptr<const void>;

template <class T>
ArrowBuffer arrow_buffer(std::vector<T> values) {
  values.reserve(1);  // a buffer of nothing has an address, too
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {kept, kept->data()};
}

struct ArrowColumn {
  std::string name;
  std::string format;  // of the C data interface: "u" for text, "i" for 32 bits, "+s" for a struct, …
  bool nullable = true;
  int64_t length = 0;
  int64_t nulls = 0;
  std::vector<ArrowBuffer> buffers;
  std::vector<ArrowColumn> children;
  std::shared_ptr<const ArrowColumn> dictionary;
};

// Several columns of the same rows, as one of structs.
ArrowColumn arrow_struct(std::string name, std::vector<ArrowColumn> fields, int64_t length);
// Lists of a column's values: where each begins, and where the last one ends.
ArrowColumn arrow_list(std::string name, ArrowColumn values, std::vector<int32_t> starts);

void export_schema(const ArrowColumn& column, ArrowSchema* out);
void export_array(const ArrowColumn& column, ArrowArray* out);
// Columns of structs, one chunk after the other; there is at least one, which has the schema.
using ArrowChunks = std::vector<ArrowColumn>;
void export_stream(std::shared_ptr<const ArrowChunks> chunks, ArrowArrayStream* out);

// Which values are there.
class ArrowValidity {
 public:
  void add(bool valid) {
    if (length_ % 8 == 0) bits_.push_back(0);
    bits_.back() |= static_cast<uint8_t>(valid) << (length_ % 8);
    nulls_ += !valid;
    ++length_;
  }
  int64_t length() const { return length_; }
  int64_t nulls() const { return nulls_; }
  // Nothing, if all are there.
  ArrowBuffer take() { return nulls_ == 0 ? nullptr : arrow_buffer(std::move(bits_)); }

 private:
  std::vector<uint8_t> bits_;
  int64_t length_ = 0, nulls_ = 0;
};

template <class T>
constexpr const char* arrow_format() {
  if constexpr (std::is_same_v<T, int32_t>) return "i";
  if constexpr (std::is_same_v<T, int64_t>) return "l";
  if constexpr (std::is_same_v<T, float>) return "f";
}

template <class T>
class NumberColumn {
 public:
  explicit NumberColumn(size_t rows) { values_.reserve(rows); }
  void add(std::optional<T> value) {
    values_.push_back(value.value_or(T()));
    validity_.add(value.has_value());
  }
  ArrowColumn finish(std::string name) {
    ArrowColumn column{
        std::move(name), arrow_format<T>(), true, validity_.length(), validity_.nulls(), {}, {}, {}};
    column.buffers = {validity_.take(), arrow_buffer(std::move(values_))};
    return column;
  }

 private:
  std::vector<T> values_;
  ArrowValidity validity_;
};

class TextColumn {
 public:
  explicit TextColumn(size_t rows) { ends_.reserve(rows + 1), ends_.push_back(0); }
  // Throws std::length_error if there is more text than one chunk holds.
  void add(std::optional<std::string_view> value);
  ArrowColumn finish(std::string name);

 private:
  std::vector<char> text_;
  std::vector<int32_t> ends_;
  ArrowValidity validity_;
};

// Text that comes again and again, as numbers and what they stand for. The text must stay where it is.
class CategoryColumn {
 public:
  explicit CategoryColumn(size_t rows) { codes_.reserve(rows); }
  void add(std::optional<std::string_view> value);
  ArrowColumn finish(std::string name);

 private:
  std::unordered_map<std::string_view, int32_t> known_;
  std::vector<std::string_view> values_;
  std::vector<int32_t> codes_;
  ArrowValidity validity_;
};

}  // namespace arcwise
