#include "text/arrow_column.h"

#include <cerrno>
#include <limits>
#include <new>
#include <stdexcept>

namespace arcwise {
namespace {

constexpr int64_t kNullable = 2;  // of the C data interface

// What stands behind a struct that was handed on. A receiver may take children out, and releases them then.
template <class Struct>
struct Exported {
  std::vector<std::unique_ptr<Struct>> owned;
  std::vector<Struct*> children;
  std::unique_ptr<Struct> dictionary;

  Struct* add_child() {
    owned.push_back(std::make_unique<Struct>());
    children.push_back(owned.back().get());
    return children.back();
  }
  void release() {
    for (const auto& child : owned)
      if (child->release != nullptr) child->release(child.get());
    if (dictionary && dictionary->release != nullptr) dictionary->release(dictionary.get());
  }
};

struct ExportedSchema : Exported<ArrowSchema> {
  std::string format, name;
};

struct ExportedArray : Exported<ArrowArray> {
  std::vector<ArrowBuffer> held;
  std::vector<const void*> buffers;
};

template <class Kind, class Struct>
void release_exported(Struct* given) {
  auto* exported = static_cast<Kind*>(given->private_data);
  exported->release();
  delete exported;
  given->release = nullptr;
}

// Fills in what both kinds of struct have, and hands over what stands behind.
template <class Kind, class Struct>
void hand_over(std::unique_ptr<Kind> exported, Struct* out) {
  out->n_children = static_cast<int64_t>(exported->children.size());
  out->children = exported->children.data();
  out->dictionary = exported->dictionary.get();
  out->release = &release_exported<Kind, Struct>;
  out->private_data = exported.release();
}

// Exports the children and the dictionary of a column; if one cannot be, those before it are released.
template <class Kind, class Struct>
void export_parts(const ArrowColumn& column, Kind& exported, void (*one)(const ArrowColumn&, Struct*)) {
  try {
    for (const ArrowColumn& child : column.children) one(child, exported.add_child());
    if (!column.dictionary) return;
    exported.dictionary = std::make_unique<Struct>();
    one(*column.dictionary, exported.dictionary.get());
  } catch (...) {
    exported.release();
    throw;
  }
}

struct ExportedStream {
  std::shared_ptr<const ArrowChunks> chunks;
  size_t next = 0;
};

// The interface is one of C: no exception leaves it.
template <class F>
int without_exception(F&& work) {
  try {
    work();
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    return EINVAL;
  }
}

}  // namespace

void export_schema(const ArrowColumn& column, ArrowSchema* out) {
  auto exported = std::make_unique<ExportedSchema>();
  exported->format = column.format;
  exported->name = column.name;
  export_parts(column, *exported, &export_schema);
  *out = {};
  out->format = exported->format.c_str();
  out->name = exported->name.c_str();
  out->flags = column.nullable ? kNullable : 0;
  hand_over(std::move(exported), out);
}

void export_array(const ArrowColumn& column, ArrowArray* out) {
  auto exported = std::make_unique<ExportedArray>();
  exported->held = column.buffers;
  for (const ArrowBuffer& buffer : column.buffers) exported->buffers.push_back(buffer.get());
  export_parts(column, *exported, &export_array);
  *out = {};
  out->length = column.length;
  out->null_count = column.nulls;
  out->n_buffers = static_cast<int64_t>(exported->buffers.size());
  out->buffers = exported->buffers.data();
  hand_over(std::move(exported), out);
}

void export_stream(std::shared_ptr<const ArrowChunks> chunks, ArrowArrayStream* out) {
  *out = {};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    return without_exception(
        [&] { export_schema(static_cast<ExportedStream*>(stream->private_data)->chunks->front(), schema); });
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    return without_exception([&] {
      auto* exported = static_cast<ExportedStream*>(stream->private_data);
      *array = {};  // which is no longer anyone's: the end
      if (exported->next == exported->chunks->size()) return;
      export_array((*exported->chunks)[exported->next], array);
      ++exported->next;
    });
  };
  out->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowArrayStream* stream) {
    delete static_cast<ExportedStream*>(stream->private_data);
    stream->release = nullptr;
  };
  out->private_data = new ExportedStream{std::move(chunks)};
}

ArrowColumn arrow_struct(std::string name, std::vector<ArrowColumn> fields, int64_t length) {
  return {std::move(name), "+s", false, length, 0, {nullptr}, std::move(fields), {}};
}

ArrowColumn arrow_list(std::string name, ArrowColumn values, std::vector<int32_t> starts) {
  ArrowColumn list{std::move(name), "+l", false, static_cast<int64_t>(starts.size()) - 1, 0, {}, {}, {}};
  values.name = "item";
  list.buffers = {nullptr, arrow_buffer(std::move(starts))};
  list.children.push_back(std::move(values));
  return list;
}

void TextColumn::add(std::optional<std::string_view> value) {
  if (value) text_.insert(text_.end(), value->begin(), value->end());
  if (text_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    throw std::length_error("A row has more than 2 GiB of text, which is more than a table holds.");
  ends_.push_back(static_cast<int32_t>(text_.size()));
  validity_.add(value.has_value());
}

ArrowColumn TextColumn::finish(std::string name) {
  ArrowColumn column{std::move(name), "u", true, validity_.length(), validity_.nulls(), {}, {}, {}};
  column.buffers = {validity_.take(), arrow_buffer(std::move(ends_)), arrow_buffer(std::move(text_))};
  return column;
}

void CategoryColumn::add(std::optional<std::string_view> value) {
  validity_.add(value.has_value());
  int32_t code = 0;
  if (value) {
    const auto [at, is_new] = known_.try_emplace(*value, static_cast<int32_t>(values_.size()));
    if (is_new) values_.push_back(*value);
    code = at->second;
  }
  codes_.push_back(code);
}

ArrowColumn CategoryColumn::finish(std::string name) {
  TextColumn values(values_.size());
  for (std::string_view value : values_) values.add(value);
  ArrowColumn column{std::move(name), "i", true, validity_.length(), validity_.nulls(), {}, {}, {}};
  column.buffers = {validity_.take(), arrow_buffer(std::move(codes_))};
  column.dictionary = std::make_shared<const ArrowColumn>(values.finish(""));
  return column;
}

}  // namespace arcwise
