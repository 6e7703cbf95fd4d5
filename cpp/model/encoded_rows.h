// Rows of words as integers, to be multiplied with weights, with rows of 0 before, between and after
// sentences where a window reaches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "network/int16_kernels.h"
#include "network/int8_kernels.h"

namespace arcwise {

template <class Matrix>
class EncodedRows {
 public:
  using Factor = typename Matrix::Factor;

  // first_row: of each sentence, and where the last one ends.
  void lay_out(std::span<const size_t> first_row, size_t window, size_t width) {
    const size_t rows = first_row.back(), sentences = first_row.size() - 1;
    width_ = width;
    scales_.resize(rows);
    windows_.resize(rows);
    vectors_.resize(rows);
    integers_.assign((rows + (sentences + 1) * window) * width, Matrix::kZero);
    Factor* at = integers_.data();
    for (size_t s = 0; s < sentences; ++s, at += window * width)
      for (size_t row = first_row[s]; row < first_row[s + 1]; ++row, at += width) {
        windows_[row] = at;
        vectors_[row] = at + window * width;
      }
  }

  // Rows that are to be seen in one window have one scale.
  void set_together(size_t first, size_t count, const float* x) {
    std::fill_n(scales_.begin() + static_cast<ptrdiff_t>(first), count,
                quantise(x, count * width_, vectors_[first]));
  }
  void set(size_t row, const float* x) { scales_[row] = quantise(x, width_, vectors_[row]); }

  FactorRows<Factor> rows() const { return {vectors_.data(), scales_.data(), vectors_.size()}; }
  FactorRows<Factor> windows(size_t first, size_t count) const {
    return {windows_.data() + first, scales_.data() + first, count};
  }
  size_t size() const { return vectors_.size(); }

 private:
  size_t width_ = 0;
  AlignedVector<Factor> integers_;
  std::vector<float> scales_;
  std::vector<Factor*> windows_;  // where each row's window begins
  std::vector<Factor*> vectors_;  // where it begins itself
};

}  // namespace arcwise
