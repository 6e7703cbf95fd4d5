#include "task/easy_first.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(EasyFirst)
