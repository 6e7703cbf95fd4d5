#include "base/checksum.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define ARCWISE_CRC32C __attribute__((target("sse4.2,crc32")))
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined(__ARM_FEATURE_CRC32)
#define ARCWISE_CRC32C
#elif defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define ARCWISE_CRC32C
#endif
#endif

namespace arcwise {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, the last bit first
constexpr size_t kWord = sizeof(uint64_t);

// The n-th table has what becomes of a byte that n zeros come after.
using Tables = std::array<std::array<uint32_t, 256>, kWord>;
constexpr Tables kTables = [] {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t n = 1; n < kWord; ++n)
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[n - 1][byte];
      tables[n][byte] = crc >> 8 ^ tables[0][crc & 0xFF];
    }
  return tables;
}();

// The first byte is the lowest, whatever the machine has for an order.
uint64_t word_at(const uint8_t* bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < kWord; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

#if defined(ARCWISE_CRC32C)

#if defined(__x86_64__)
ARCWISE_CRC32C uint32_t add(uint32_t crc, uint64_t word) {
  return static_cast<uint32_t>(_mm_crc32_u64(crc, word));
}
ARCWISE_CRC32C uint32_t add(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }

bool has_instruction() { return __builtin_cpu_supports("sse4.2"); }
#else
// Compilers do not agree on what makes their intrinsics known.
uint32_t add(uint32_t crc, uint64_t word) {
  asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
  return crc;
}
uint32_t add(uint32_t crc, uint8_t byte) {
  asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
  return crc;
}

bool has_instruction() {
#if defined(__ARM_FEATURE_CRC32)
  return true;
#else
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
}
#endif

ARCWISE_CRC32C uint32_t crc32c_by_instruction(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  size_t i = 0;
  for (; i + kWord <= bytes.size(); i += kWord) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, kWord);
    crc = add(crc, word);
  }
  for (; i < bytes.size(); ++i) crc = add(crc, bytes[i]);
  return ~crc;
}

#endif

}  // namespace

uint32_t crc32c_portable(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  size_t i = 0;
  for (; i + kWord <= bytes.size(); i += kWord) {
    const uint64_t word = word_at(bytes.data() + i) ^ crc;
    crc = 0;
    for (size_t b = 0; b < kWord; ++b) crc ^= kTables[kWord - 1 - b][word >> (8 * b) & 0xFF];
  }
  for (; i < bytes.size(); ++i) crc = crc >> 8 ^ kTables[0][(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before) {
#if defined(ARCWISE_CRC32C)
  static const bool can = has_instruction();
  if (can) return crc32c_by_instruction(bytes, before);
#endif
  return crc32c_portable(bytes, before);
}

}  // namespace arcwise
