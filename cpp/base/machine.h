// Which vectors the machine at hand has.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ARCWISE_X86
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define ARCWISE_NEON
#endif

namespace arcwise {

// Those of a kind of processor, from the narrowest to the widest.
enum class Machine {
  Portable,
  Neon,
  NeonDot,   // with sums of products of bytes
  Avx2,      // with fused multiply-add
  AvxVnni,   // with sums of products of bytes, in 256 bits
  Avx512Bw,  // F, BW, DQ and VL
  Avx512,    // and VNNI
};

// ARCWISE_VECTORS=portable, neon, avx2, avx-vnni or avx512bw in the environment takes it for one that has no
// wider ones, for tests.
Machine this_machine();
const char* name_of(Machine machine);

}  // namespace arcwise
