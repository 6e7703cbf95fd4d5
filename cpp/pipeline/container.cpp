#include "pipeline/container.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/checksum.h"

namespace arcwise {
namespace {

static_assert(std::endian::native == std::endian::little, "Arrays are used as they lie in the file.");

constexpr std::string_view kMagic = "arcwise\n";
constexpr size_t kStart = 16;  // of the header: after the magic number and the header's length
constexpr size_t kChecksum = 4;
constexpr size_t kAlignment = 64;
constexpr size_t kMostHeader = size_t{64} << 20;

size_t aligned(size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

uint64_t number_at(const uint8_t* bytes, size_t size) {
  uint64_t number = 0;
  std::memcpy(&number, bytes, size);
  return number;
}

size_t size_of(std::string_view dtype) {
  const std::pair<std::string_view, size_t> kSizes[] = {
      {"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},  {"int8", 1},
      {"int16", 2}, {"int32", 4},  {"int64", 8},  {"float32", 4}, {"float64", 8}};
  for (const auto& [name, size] : kSizes)
    if (name == dtype) return size;
  throw BadJson("an array is of an unknown kind");
}

// The product, unless it is beyond all bounds.
size_t product(size_t a, size_t b) {
  if (b != 0 && a > SIZE_MAX / b) throw BadJson("an array is larger than the file");
  return a * b;
}

}  // namespace

Container Container::read(const std::filesystem::path& path) {
  const auto refuse = [&](const char* why) {
    throw ModelFileError(path.string() + " cannot be read: " + why);
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) refuse("there is no such file.");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) refuse("it may not be opened.");
  const std::streamoff size = file.tellg();
  AlignedVector<uint8_t> content(static_cast<size_t>(std::max<std::streamoff>(size, 0)));
  file.seekg(0);
  if (!content.empty()) file.read(reinterpret_cast<char*>(content.data()), size);
  if (!file) refuse("it ended too soon.");
  return from_bytes(content, path.string());
}

Container Container::from_bytes(std::span<const uint8_t> bytes, const std::string& name) {
  Container container;
  container.content_.assign(bytes.begin(), bytes.end());
  if (bytes.size() < kMagic.size() || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    throw ModelFileError(name + " is not an arcwise model: train one with 'arcwise train'.");
  try {
    container.check();
  } catch (const BadJson& bad) {
    throw ModelFileError(name + " is damaged or cut short: " + bad.what() +
                         ". Get the file again, or train the model again.");
  } catch (const ModelFileError& error) {
    throw ModelFileError(name + " " + error.what());
  }
  return container;
}

void Container::check() {
  if (content_.size() < kStart) throw BadJson("its header is not whole");
  const uint64_t length = number_at(content_.data() + kMagic.size(), 8);
  if (length > std::min(content_.size() - kStart, kMostHeader)) throw BadJson("its header is not whole");
  const size_t end = kStart + static_cast<size_t>(length);
  header_ = JsonValue::parse({reinterpret_cast<const char*>(content_.data()) + kStart, end - kStart});
  const int format = header_["format"].integer<int>();
  if (format < kModelFormat)
    throw ModelFileError("has format " + std::to_string(format) + ", and this library reads " +
                         std::to_string(kModelFormat) +
                         ": bring it to that with 'arcwise strip', which reads all formats.");
  if (format > kModelFormat)
    throw ModelFileError("has format " + std::to_string(format) + ", and this library reads " +
                         std::to_string(kModelFormat) + ": use a newer version.");
  if (content_.size() - end < kChecksum ||
      number_at(content_.data() + end, kChecksum) != crc32c(std::span(content_).first(end)))
    throw BadJson("its header has another checksum");
  find_arrays(end + kChecksum);
}

void Container::find_arrays(size_t end) {
  struct Entry {
    std::string name;
    Array array;
    size_t bytes;
    uint32_t checksum;
  };
  std::vector<Entry> entries;
  for (const auto& [name, entry] : header_["arrays"].object()) {
    const std::string& dtype = entry["dtype"].text();
    size_t size = 1;
    for (const JsonValue& length : entry["shape"].list()) size = product(size, length.integer<size_t>());
    if (entry.object().size() != 4) throw BadJson("an array is described otherwise than it should be");
    entries.push_back({name,
                       {dtype, entry["offset"].integer<size_t>(), size},
                       product(size, size_of(dtype)),
                       entry["crc32c"].integer<uint32_t>()});
  }
  // In the order in which they lie; empty ones begin where the next does.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.array.offset, a.bytes) < std::pair(b.array.offset, b.bytes);
  });
  for (const Entry& e : entries) {
    const size_t offset = e.array.offset;
    if (offset != aligned(end) || offset > content_.size() || e.bytes > content_.size() - offset)
      throw BadJson("an array lies where there is none");
    const auto between = std::span(content_).subspan(end, offset - end);
    if (std::any_of(between.begin(), between.end(), [](uint8_t byte) { return byte != 0; }))
      throw BadJson("there is something between its arrays");
    if (crc32c(std::span(content_).subspan(offset, e.bytes)) != e.checksum)
      throw BadJson("'" + e.name + "' has another checksum");
    end = offset + e.bytes;
    arrays_.emplace(e.name, e.array);
  }
  if (end != content_.size()) throw BadJson("something comes after its last array");
}

const Container::Array& Container::find(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) throw BadJson("it has no array '" + std::string(name) + "'");
  return found->second;
}

}  // namespace arcwise
