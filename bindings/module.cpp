#include "bindings.h"

NB_MODULE(_core, m) {
  // What a program still holds when the interpreter ends is no leak, and its user should not read of one.
  nanobind::set_leak_warnings(false);
  m.doc() = "The engine room of arcwise.";
  bind_runtime(m);
  bind_names(m);
  bind_text(m);
  bind_json(m);
  bind_arrow(m);
  bind_pseudo_projective(m);
  bind_constraints(m);
  bind_state(m);
  bind_python_system(m);
  bind_walk(m);
  bind_features(m);
  bind_models(m);
  bind_parser(m);
  bind_tagger(m);
  bind_vectors(m);
  bind_training(m);
  bind_cost_sensitive(m);
  bind_search(m);
  bind_rank(m);
  bind_segmentation(m);
}
