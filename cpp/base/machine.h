// Which vectors the machine at hand has.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ARCWISE_X86
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define ARCWISE_NEON
#endif

namespace arcwise {

// Those of a kind of processor in order: each has what the ones before it have.
enum class Machine {
  Portable,
  Neon,
  NeonDot,  // with sums of products of bytes
  Avx2,     // with fused multiply-add
  AvxVnni,  // with sums of products of bytes, in 256 bits
  Avx512,   // F, BW, DQ, VL and VNNI
};

// ARCWISE_VECTORS=portable, neon, avx2 or avx-vnni in the environment takes it for one that has no wider
// ones, for tests.
Machine this_machine();
const char* name_of(Machine machine);

}  // namespace arcwise
