#include "base/machine.h"

#include <cstdlib>
#include <string_view>

namespace arcwise {

Machine this_machine() {
  const char* named = std::getenv("ARCWISE_VECTORS");
  const std::string_view widest = named ? named : "";
  if (widest == "portable") return Machine::Portable;
#if defined(ARCWISE_X86)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Machine::Portable;
  if (widest != "avx2" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni"))
    return Machine::Avx512;
  return Machine::Avx2;
#elif defined(ARCWISE_NEON)
  return Machine::Neon;
#else
  return Machine::Portable;
#endif
}

std::string_view name_of(Machine machine) {
  switch (machine) {
    case Machine::Neon:
      return "neon";
    case Machine::Avx2:
      return "avx2";
    case Machine::Avx512:
      return "avx512";
    case Machine::Portable:
      break;
  }
  return "portable";
}

}  // namespace arcwise
