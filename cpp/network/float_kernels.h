// The innermost loops of training a network, in the widest vectors the machine has. A machine gives the same
// numbers every time; machines with and without fused multiply-add differ in the last bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace arcwise {

// A matrix as it lies in memory; a transposed one has its strides exchanged.
struct MatrixView {
  const float* data;
  size_t row_stride;
  size_t column_stride = 1;

  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

// Memory that begins with a line of the cache.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* at, size_t) { ::operator delete(at, kLine); }
  bool operator==(const LineAllocator&) const = default;
};

// The right one of two matrices to be multiplied, laid out for that.
class PackedMatrix {
 public:
  void pack(size_t rows, size_t columns, MatrixView matrix);
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  const float* data() const { return data_.data(); }

 private:
  size_t rows_ = 0, columns_ = 0;
  std::vector<float, LineAllocator<float>> data_;
};

// c = a b, or c += a b, where a and c have m rows; those of c are c_stride apart.
void multiply(size_t m, MatrixView a, const PackedMatrix& b, bool add, float* c, size_t c_stride);

// to += from
void add(const float* from, size_t n, float* to);
// to += factor * from
void add_scaled(const float* from, float factor, size_t n, float* to);
// The same with each of these, and the factor 1.
void add_to_rows(const float* from, size_t n, float* const* rows, size_t count);
// out_i += x . row i, where rows of n numbers follow each other
void add_products(const float* x, size_t n, const float* rows, size_t count, float* out);
// to, which has `rows` rows, = from with rows and columns exchanged
void transpose(MatrixView from, size_t rows, size_t columns, float* to, size_t to_stride);

// What becomes 0 in training, by a seed and the number of a unit, and by what the rest is multiplied.
struct Dropout {
  explicit Dropout(double share);
  int32_t bound;  // of 31 random bits
  float scale;
};
// to = 0 or the scale
void draw(const Dropout& dropout, uint32_t seed, size_t n, float* to);
// to = the sum of rows where that is above 0 and not dropped. Returns how far from 0 the sums get.
float hidden_units(const float* const* rows, size_t count, const Dropout& dropout, uint32_t seed, size_t n,
                   float* to);
// Of their gradient d: it is 0 where they are, or scaled.
void hidden_gradient(const float* hidden, float scale, size_t n, float* d);

// The gates of a layer of kind rnn, in place: a row has tanh, sigmoid and sigmoid parts of `half` numbers,
// for each of two directions.
void activate_gates(float* a, size_t rows, size_t half);

// How the recurrence of a layer of kind rnn goes through `rows` rows in one direction: so far apart are the
// gates of rows that follow each other, and their cells and what goes in and out; below 0 from the right.
struct Recurrence {
  size_t rows, half;
  ptrdiff_t gate_step, step;
};
// All pointers are to the first row. to += what comes out.
void recur(const Recurrence& how, const float* gates, float* cells, float* to);
// The gradient of gates by that of what came out; the carry is 0 at first.
void recur_back(const Recurrence& how, const float* gates, const float* cells, const float* d, float* carry,
                float* d_gates);

// x_i becomes exp(x_i - most); returns the sum.
float exponentials(const float* x, float most, size_t n, float* out);

// A step of Adam (Kingma & Ba 2015). The gradient is left at 0.
struct AdamStep {
  float rate;  // with the correction for the first moment's bias
  float beta1, beta2;
  float correction2;  // 1 / (1 - beta2^t)
  float decay;        // of weights
  float average;      // how much of the running average stays
  float scale;        // of the gradient, from clipping
  float kept = 1;     // how much of the running average stayed in steps that were missed
};
void adam(const AdamStep& step, size_t n, float* weights, float* gradient, float* first, float* second,
          float* average);

// The sum of squares.
double squares(const float* x, size_t n);
// to += from, which becomes 0.
void move_gradient(float* from, size_t n, float* to);

}  // namespace arcwise
