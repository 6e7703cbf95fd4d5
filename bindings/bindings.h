// Each part of the core has one file here that shows it to Python: conversions and docstrings, no logic.
#pragma once

#include <nanobind/nanobind.h>

void bind_runtime(nanobind::module_& m);
void bind_names(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_json(nanobind::module_& m);
void bind_arrow(nanobind::module_& m);
void bind_pseudo_projective(nanobind::module_& m);
void bind_constraints(nanobind::module_& m);
void bind_state(nanobind::module_& m);
void bind_python_system(nanobind::module_& m);
void bind_walk(nanobind::module_& m);
void bind_features(nanobind::module_& m);
void bind_models(nanobind::module_& m);
void bind_parser(nanobind::module_& m);
void bind_vectors(nanobind::module_& m);
void bind_training(nanobind::module_& m);
void bind_cost_sensitive(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_tagger(nanobind::module_& m);
void bind_rank(nanobind::module_& m);
void bind_segmentation(nanobind::module_& m);
