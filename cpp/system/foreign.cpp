#include "task/foreign.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(Foreign)
