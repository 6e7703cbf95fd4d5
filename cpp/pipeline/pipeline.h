// A model file as it is used: a segmenter, a tagger and a parser, any of which may be missing. From text or
// CoNLL-U to trees, as `arcwise parse` does it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "parse/parser.h"
#include "parse/segmenter.h"
#include "parse/tagger.h"
#include "pipeline/container.h"
#include "text/treebank.h"

namespace arcwise {

// Of the library: what `arcwise --version` says.
const char* version();

// A model has no component for what it is asked.
class MissingComponent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whose tags a parser goes by (docs/pipelines.md).
enum class Tags {
  Auto,   // those that stand in a sentence stay; the parser goes by them if one is not the tagger's own
  Given,  // those that stand there, in any case; a sentence without any gets the tagger's
  New,    // the tagger's take the place of all
};

struct AnnotateOptions {
  Tags tags = Tags::Auto;
  int threads = 1;
  std::optional<int32_t> beam{};  // 1: greedily; nothing: as the parser was trained
  bool grammar = false;           // trees are kept to the parser's grammar, if it has one
};

class Pipeline {
 public:
  // Reads a model file of the newest format (src/arcwise/model_file.py reads older ones). All of it is
  // checked. Throws ModelFileError if it is damaged, or is a model that only Python can use: with a
  // transition system in Python, or a ranker.
  static Pipeline load(const std::filesystem::path& path);
  // The same of a file's bytes; messages call them by this name.
  static Pipeline from_bytes(std::span<const uint8_t> bytes, const std::string& name = "The model");

  bool has_segmenter() const { return segmenter_ != nullptr; }
  bool has_tagger() const { return tagger_ != nullptr; }
  bool has_parser() const { return parser_ != nullptr; }

  // The sentences and words of a text, which must be UTF-8 without NULs. Throws MissingComponent if there is
  // no segmenter, std::invalid_argument if it is no text.
  Treebank segment(std::string_view text) const;
  // The same words with tags and lemmas, heads and labels. The treebank may be of any origin; `sentences` of
  // CoNLL-U are read by Treebank::read. Does not depend on the number of threads. Throws
  // std::invalid_argument if there is no such search for the model.
  Treebank annotate(const Treebank& treebank, const AnnotateOptions& options = {}) const;
  // Both.
  Treebank parse(std::string_view text, const AnnotateOptions& options = {}) const;

  const Segmenter* segmenter() const { return segmenter_.get(); }
  const Tagger* tagger() const { return tagger_.get(); }
  const Parser* parser() const { return parser_.get(); }

 private:
  friend class PipelineReader;

  Treebank tree(const Treebank& treebank, const Parser& parser, const ParseOptions& how) const;

  std::shared_ptr<const Segmenter> segmenter_;
  std::shared_ptr<const Tagger> tagger_;
  std::vector<Column> tagged_;              // the columns that the tagger gives
  std::shared_ptr<const Parser> parser_;    // as it was trained
  std::shared_ptr<const Parser> of_forms_;  // the same, which takes no notice of tags, if it can do without
  bool needs_tags_ = true;
  std::vector<std::string> label_names_;
  std::optional<int32_t> beam_;  // that the parser was trained with
};

}  // namespace arcwise
