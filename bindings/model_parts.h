// Models as the core has learnt them, as dicts of numbers and arrays.
#pragma once

#include <type_traits>

#include "arrays.h"
#include "model/model_parts.h"

inline Fields to_fields(arcwise::ModelParts parts) {
  Fields fields;
  for (auto& named : parts) {
    const char* name = named.first.c_str();
    std::visit(
        [&](auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
            fields[name] = value;
          else
            fields[name] = to_numpy(std::move(value));
        },
        named.second);
  }
  return fields;
}

using FieldsOfModels = nanobind::typed<nanobind::dict, nanobind::str, Fields>;

inline FieldsOfModels to_fields(arcwise::LearntModels models) {
  FieldsOfModels fields;
  for (auto& [name, parts] : models) fields[name.c_str()] = to_fields(std::move(parts));
  return fields;
}
