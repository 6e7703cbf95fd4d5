#include "network/embedding_rows.h"

#include <algorithm>

#include "network/dispatch.h"

namespace arcwise {
namespace {

constexpr size_t kLanes = 16;

}  // namespace

void sum_embeddings(std::span<const EmbeddingRow<int8_t>> bytes,
                    std::span<const EmbeddingRow<HalfBytes>> halves, size_t width, float scale, float* out) {
  bytes = bytes.first(std::min(bytes.size(), kMostRows));
  halves = halves.first(std::min(halves.size(), kMostRows - bytes.size()));
  run<AnyKinds>([=](auto) __attribute__((always_inline)) {
    for (size_t first = 0; first < width; first += kLanes) {
      int32_t sum[kLanes] = {};
      for (const auto& row : bytes)
        for (size_t i = 0; i < kLanes; ++i)
          sum[i] += static_cast<int16_t>(row.numbers[first + i] * row.factor);
      for (const auto& row : halves) {
        const HalfBytes* const pairs = row.numbers + first / 2;
        int16_t numbers[kLanes];
        for (size_t i = 0; i < kLanes / 2; ++i) {
          numbers[i] = static_cast<int16_t>(of_half(pairs[i] & 15));
          numbers[kLanes / 2 + i] = static_cast<int16_t>(of_half(pairs[i] >> 4));
        }
        for (size_t i = 0; i < kLanes; ++i) sum[i] += static_cast<int16_t>(numbers[i] * row.factor);
      }
      for (size_t i = 0; i < kLanes; ++i) out[first + i] = static_cast<float>(sum[i]) * scale;
    }
  });
}

}  // namespace arcwise
