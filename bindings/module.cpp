#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The engine room of arcwise.";
  bind_text(m);
  bind_pseudo_projective(m);
  bind_walk(m);
  bind_features(m);
  bind_parser(m);
  bind_training(m);
}
