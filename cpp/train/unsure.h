// Trees without what a parser was not sure of, so that nothing is learnt from it.
#pragma once

#include "text/treebank.h"

namespace arcwise {

// The same without what is less probable than this: heads with their labels, labels of heads that are sure
// enough, and, by TagProb in MISC, the lemma and the tags of a word. What no probability is known of stays.
Treebank without_unsure(const Treebank& treebank, float least);

}  // namespace arcwise
