// A trained tagger: a tagset and a network that scores its moves. Immutable and shared; each worker has a
// workspace of its own.
#pragma once

#include <memory>

#include "model/network_workspace.h"
#include "task/tagset.h"
#include "text/treebank.h"

namespace arcwise {

class Tagger {
 public:
  // Throws std::invalid_argument if the parts do not fit together, or the dictionary does not fit them.
  Tagger(const TagsetParts& parts, const TagDictionary& dictionary,
         std::shared_ptr<const NetworkModel> model);

  // The same treebank with the columns that the tagset has, and lemmas if it has any. It does not depend on
  // the number of threads.
  Treebank tag(const Treebank& treebank, int threads) const;

 private:
  std::shared_ptr<const Tagset> tagset_;
  std::shared_ptr<const NetworkModel> model_;
};

}  // namespace arcwise
