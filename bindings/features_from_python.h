// The features of a decision as Python has them: a dict of namespaces, or what one namespace may hold. That
// is text, an integer, or a list of these and of pairs (text or integer, value); a dict of values; or an
// array of numbers, whose keys are 0, 1, 2 ...
#pragma once

#include <nanobind/nanobind.h>

#include "feature/namespaces.h"

// Fills the features in. Throws nanobind::type_error or nanobind::value_error with a sentence.
void features_from_python(nanobind::handle object, arcwise::Features& features);
