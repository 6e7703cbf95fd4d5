#include "model/embeddings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/interrupts.h"
#include "model/network_checks.h"

namespace arcwise {
namespace {

// From 8 bits to 16.
constexpr int kMostDownShift = 8;

// With as many of its 16 bits as 8 have room for: those of its largest number.
void append_bytes(std::span<const float> row, double scale, EmbeddingArrays& arrays) {
  const double most = largest(row) / scale;
  int shift = 0;
  while (shift < kMostDownShift && most > INT8_MAX * std::ldexp(1, shift)) ++shift;
  arrays.factors.push_back(static_cast<uint16_t>(1 << shift));
  for (float v : row)
    arrays.bytes.push_back(static_cast<int8_t>(std::lround(std::ldexp(double{v} / scale, -shift))));
}

int half_of(float value, float factor) {
  return static_cast<int>(std::clamp(value / (2 * factor) + 8, 0.0f, 15.0f));
}
// How far a row, in 4 bits with this factor, is from what it was.
float error(std::span<const float> row, float factor) {
  float sum = 0;
  for (float v : row) {
    const float off = v - factor * static_cast<float>(of_half(half_of(v, factor)));
    sum += off * off;
  }
  return sum;
}

void append_halves(std::span<const float> row, double scale, EmbeddingArrays& arrays) {
  constexpr size_t kPairs = 8;
  constexpr float kFewest = 0.55f, kSteps = 12;  // how much of the row's range the numbers span
  const double most = largest(row) / scale;
  std::vector<float> integers(row.size());
  std::transform(row.begin(), row.end(), integers.begin(),
                 [&](float v) { return static_cast<float>(double{v} / scale); });
  float factor = 0, least = INFINITY;
  for (float step = 0; most > 0 && step <= kSteps; ++step) {
    const double share = (1 - (1 - kFewest) * step / kSteps) / kMostHalf;
    const auto tried =
        static_cast<float>(std::clamp<double>(std::round(most * share), 1, kMostFactorOfHalves));
    const float off = error(integers, tried);
    if (off < least) factor = tried, least = off;
  }
  arrays.factors.push_back(static_cast<uint16_t>(factor));
  for (size_t first = 0; first < row.size(); first += 2 * kPairs)
    for (size_t i = first; i < first + kPairs; ++i) {
      const auto half = [&](size_t at) { return factor > 0 ? half_of(integers[at], factor) : 0; };
      arrays.halves.push_back(static_cast<HalfBytes>(half(i) | half(i + kPairs) << 4));
    }
}

}  // namespace

EmbeddingArrays pack_embeddings(std::span<const float> values, size_t width, int bits) {
  if (bits != 4 && bits != 8) throw std::invalid_argument("Embeddings are stored in 8 bits or in 4.");
  if (bits == 4 && width % 16 != 0) throw std::invalid_argument("In 4 bits a width is a multiple of 16.");
  EmbeddingArrays arrays;
  const double most = largest(values) / (INT8_MAX << kMostDownShift), scale = most > 0 ? most : 1;
  const size_t in_bytes = bits == 8 ? values.size() : std::min(values.size(), kFrequentRows * width);
  for (size_t at = 0; at < values.size(); at += width) {
    check_interrupts();
    const auto row = values.subspan(at, width);
    if (at < in_bytes)
      append_bytes(row, scale, arrays);
    else
      append_halves(row, scale, arrays);
  }
  arrays.scale = static_cast<float>(scale);
  return arrays;
}

Embeddings::Embeddings(const EmbeddingParts<ConstSpan>& parts, float scale, size_t rows, size_t width)
    : width_(width),
      in_bytes_(parts.bytes.size() / width),
      bytes_(parts.bytes.begin(), parts.bytes.end()),
      halves_(parts.halves.begin(), parts.halves.end()),
      factors_(parts.factors.begin(), parts.factors.end()),
      scale_(scale) {
  if (parts.bytes.size() % width != 0 || in_bytes_ > rows)
    damaged("the embeddings of words have an impossible size");
  check_size(parts.halves, (rows - in_bytes_) * width / 2, "embeddings of rare words");
  check_size(parts.factors, rows, "factors of embeddings");
  check_scales({&scale, 1});
  for (size_t r = 0; r < rows; ++r)
    if (factors_[r] > (r < in_bytes_ ? kMostFactorOfBytes : kMostFactorOfHalves))
      damaged("an embedding is too large");
}

}  // namespace arcwise
