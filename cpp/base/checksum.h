// CRC-32C (Castagnoli): the checksum of model files and checkpoints. Of what is damaged it misses nothing
// that changes one, two or three bits of up to 256 MB, nor what lies within 32 bits of each other, and of the
// rest one in 2^32. The same on every machine; most have an instruction for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

// Of bytes that come after others whose checksum is `before`.
uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before = 0);
// The same without the instruction.
uint32_t crc32c_portable(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace arcwise
