// The hash of features. It is part of the model format: a change here makes every model file unreadable,
// and tests/test_features.py holds test vectors for it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace arcwise {

// A bijection of 64-bit words whose every output bit depends on every input bit (Stafford's variant 13 of
// the MurmurHash3 finaliser).
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline uint64_t little_endian(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) word |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return word;
}

inline uint64_t eight_bytes(const char* bytes) {
  if constexpr (std::endian::native != std::endian::little) return little_endian(bytes, 8);
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// One to seven bytes, read by two or three that may overlap: a copy of no fixed length is a call.
inline uint64_t few_bytes(const char* bytes, size_t count) {
  if constexpr (std::endian::native != std::endian::little) return little_endian(bytes, count);
  if (count >= 4) {
    uint32_t first, last;
    std::memcpy(&first, bytes, sizeof first);
    std::memcpy(&last, bytes + count - 4, sizeof last);
    return first | uint64_t{last} << (8 * (count - 4));
  }
  const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i); };
  return byte(0) | byte(count / 2) | byte(count - 1);
}

// Eight bytes at a time; the length is part of the hash, so that a tail of zeros counts.
inline uint64_t hash_bytes(std::string_view bytes, uint64_t seed) {
  uint64_t h = seed ^ (0x9e3779b97f4a7c15ULL * (bytes.size() + 1));
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) h = mix(h ^ eight_bytes(p)) + 0x2545f4914f6cdd1dULL;
  if (left > 0) h ^= few_bytes(p, left);
  return mix(h);
}

}  // namespace arcwise
