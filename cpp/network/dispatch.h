// Runs a loop, written once, as compiled for the machine at hand.
#pragma once

#include "base/machine.h"

namespace arcwise {

#define ARCWISE_AVX2_TARGET "avx2"
#define ARCWISE_AVX_VNNI_TARGET "avx2,avxvnni"
#define ARCWISE_AVX512BW_TARGET "avx2,avx512f,avx512bw,avx512dq,avx512vl"
#define ARCWISE_AVX512_TARGET ARCWISE_AVX512BW_TARGET ",avx512vnni"
#define ARCWISE_NEON_DOT_TARGET "arch=armv8.2-a+dotprod"

inline const Machine kMachine = this_machine();

#if defined(ARCWISE_X86)
template <class Vectors, class Loop>
__attribute__((target(ARCWISE_AVX2_TARGET), flatten)) void run_avx2(const Loop& loop) {
  loop(Vectors{});
}
template <class Vectors, class Loop>
__attribute__((target(ARCWISE_AVX_VNNI_TARGET), flatten)) void run_avx_vnni(const Loop& loop) {
  loop(Vectors{});
}
template <class Vectors, class Loop>
__attribute__((target(ARCWISE_AVX512BW_TARGET), flatten)) void run_avx512bw(const Loop& loop) {
  loop(Vectors{});
}
template <class Vectors, class Loop>
__attribute__((target(ARCWISE_AVX512_TARGET), flatten)) void run_avx512(const Loop& loop) {
  loop(Vectors{});
}
#elif defined(ARCWISE_NEON)
template <class Vectors, class Loop>
__attribute__((target(ARCWISE_NEON_DOT_TARGET), flatten)) void run_neon_dot(const Loop& loop) {
  loop(Vectors{});
}
#endif

// loop(vectors) with the steps that `Kinds` has for the machine.
template <class Kinds, class Loop>
void run(const Loop& loop) {
  switch (kMachine) {
#if defined(ARCWISE_X86)
    case Machine::Avx512:
      return run_avx512<typename Kinds::Avx512>(loop);
    case Machine::Avx512Bw:
      return run_avx512bw<typename Kinds::Avx512Bw>(loop);
    case Machine::AvxVnni:
      return run_avx_vnni<typename Kinds::AvxVnni>(loop);
    case Machine::Avx2:
      return run_avx2<typename Kinds::Avx2>(loop);
#elif defined(ARCWISE_NEON)
    case Machine::NeonDot:
      return run_neon_dot<typename Kinds::NeonDot>(loop);
    case Machine::Neon:
      return loop(typename Kinds::Neon{});
#endif
    default:
      return loop(typename Kinds::Portable{});
  }
}

// Of loops that gain nothing by vectors that are wider than those of AVX2, or by those of NEON.
template <class OfAny, class OfAvx2 = OfAny>
struct KindsUpToAvx2 {
  using Portable = OfAny;
#if defined(ARCWISE_X86)
  using Avx2 = OfAvx2;
  using AvxVnni = OfAvx2;
  using Avx512Bw = OfAvx2;
  using Avx512 = OfAvx2;
#elif defined(ARCWISE_NEON)
  using Neon = OfAny;
  using NeonDot = OfAny;
#endif
};

// For loops that compilers find the vectors of by themselves.
struct AnyVectors {};
using AnyKinds = KindsUpToAvx2<AnyVectors>;

}  // namespace arcwise
