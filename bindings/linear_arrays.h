// The arrays of linear models, to and from numpy.
#pragma once

#include <cstring>

#include "arrays.h"
#include "model/linear.h"

inline Fields linear_fields(arcwise::LinearArrays arrays) {
  Fields d;
  std::vector<uint32_t> lines(arrays.lines.size() * arcwise::kWordsInLine);
  if (!lines.empty()) std::memcpy(lines.data(), arrays.lines.data(), lines.size() * sizeof(uint32_t));
  d["lines"] = to_numpy(std::move(lines));
  d["lists"] = to_numpy(std::move(arrays.lists));
  d["dense"] = to_numpy(std::move(arrays.dense));
  d["wide"] = to_numpy(std::move(arrays.wide));
  d["columns"] = to_numpy(std::move(arrays.columns));
  d["scale"] = arrays.scale;
  d["features"] = arrays.features;
  d["weights"] = arrays.weights;
  return d;
}

inline arcwise::LinearScorer linear_scorer(const Vector<uint32_t>& lines, const Vector<uint32_t>& lists,
                                           const Vector<int8_t>& dense, const Vector<int8_t>& wide,
                                           const Vector<uint16_t>& columns, double scale) {
  if (lines.size() % arcwise::kWordsInLine != 0)
    throw nanobind::value_error("The weights are damaged: a line is cut short.");
  const std::span index(reinterpret_cast<const arcwise::LinearLine*>(lines.data()),
                        lines.size() / arcwise::kWordsInLine);
  return {{index, to_span(lists), to_span(dense), to_span(wide), to_span(columns)}, scale};
}
