// arcwise, the C++ library: models from files, and from text or CoNLL-U to trees.
//
//   #include <arcwise.h>
//
//   const arcwise::Pipeline nlp = arcwise::Pipeline::load("en.arc");
//   std::string out;
//   nlp.parse("She reads.").write(arcwise::Format::ConllU, out);
#pragma once

#include "parse/parser.h"       // IWYU pragma: export
#include "parse/segmenter.h"    // IWYU pragma: export
#include "parse/tagger.h"       // IWYU pragma: export
#include "pipeline/pipeline.h"  // IWYU pragma: export
#include "text/treebank.h"      // IWYU pragma: export
