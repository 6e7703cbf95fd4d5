// What is compiled for a transition system, in a file of its own: its searches and its training.
#pragma once

#include "parse/tree_search_of.h"
#include "train/system_training_of.h"

#define ARCWISE_INSTANTIATE(System)                                                                \
  namespace arcwise {                                                                              \
  template std::unique_ptr<TreeSearches> make_tree_searches(const System&, const Model&, int32_t); \
  template std::unique_ptr<SystemTraining> make_system_training(const System&);                    \
  }
