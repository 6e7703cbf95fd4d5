#include "pipeline/pipeline.h"

#include <algorithm>

#include "task/tagset.h"
#include "text/tag_columns.h"
#include "text/treebank_builder.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Treebank without(const Treebank& treebank, std::span<const Column> columns) {
  return treebank.with_columns([&](size_t, Treebank::Values& values) {
    for (Column column : columns) values[static_cast<size_t>(column)] = kNoValue;
  });
}

bool any(std::span<const uint8_t> marks) {
  return std::any_of(marks.begin(), marks.end(), [](uint8_t mark) { return mark != 0; });
}
bool all(std::span<const uint8_t> marks) {
  return std::all_of(marks.begin(), marks.end(), [](uint8_t mark) { return mark != 0; });
}
std::vector<uint8_t> opposite(std::vector<uint8_t> marks) {
  for (uint8_t& mark : marks) mark = mark == 0;
  return marks;
}

}  // namespace

Treebank Pipeline::segment(std::string_view text) const {
  if (!segmenter_)
    throw MissingComponent(
        "This model has no segmenter: it cannot find the words of raw text. Give it words, as CoNLL-U.");
  if (utf8::first_invalid(text) != utf8::kAllValid || text.find('\0') != std::string_view::npos)
    throw std::invalid_argument("The text is not valid UTF-8, or has NULs in it: convert it first.");
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TreebankBuilder sentences;
  TextPosition position;
  std::vector<CutSentence> cut;
  segmenter_->segment(text, {}, position, sentences, cut);
  return std::move(sentences).build();
}

Treebank Pipeline::parse(std::string_view text, const AnnotateOptions& options) const {
  AnnotateOptions own = options;
  own.tags = Tags::New;
  return annotate(segment(text), own);
}

Treebank Pipeline::tree(const Treebank& treebank, const Parser& parser, const ParseOptions& how) const {
  std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
  parser.parse(treebank, how, heads, labels);
  return treebank.with_trees(std::move(heads), std::move(labels), label_names_);
}

// As Pipeline.parse in src/arcwise/pipeline.py and `tagged` in src/arcwise/given_tags.py.
Treebank Pipeline::annotate(const Treebank& treebank, const AnnotateOptions& options) const {
  if (options.threads < 1) throw std::invalid_argument("Parsing takes at least one thread.");
  if (options.beam && *options.beam < 1) throw std::invalid_argument("A beam has at least one derivation.");
  ParseOptions how;
  how.beam = options.beam ? options.beam : beam_;
  if (how.beam == 1) how.beam.reset();
  how.threads = options.threads;
  how.grammar = options.grammar;

  const size_t sentences = treebank.sentence_count();
  std::vector<uint8_t> has(sentences, 1);  // tags that stand there already
  if (tagger_) has = sentences_with(treebank, tagged_);
  if (options.tags == Tags::New) has.assign(sentences, tagger_ == nullptr);

  if (parser_ && tagger_ && !any(has) && of_forms_->shares_encoder_with(*tagger_)) {  // both at once
    std::vector<int32_t> heads(treebank.word_count()), labels(treebank.word_count());
    std::vector<Tagger::Analysis> analyses(treebank.word_count());
    how.tagger = tagger_.get();
    how.analyses = analyses;
    of_forms_->parse(treebank, how, heads, labels);
    return treebank.with_trees(std::move(heads), std::move(labels), label_names_,
                               tagger_->values(treebank, analyses));
  }

  Treebank tagged = treebank;
  std::vector<uint8_t> shown = has;  // of which sentences someone else has given the tags
  const bool goes_by_all = !parser_ || needs_tags_;
  const Tags tags = goes_by_all && options.tags == Tags::Auto ? Tags::Given : options.tags;
  if (tagger_ && !(tags == Tags::Given && all(has))) {
    const Treebank own = tagger_->write(treebank, tagger_->choose(treebank, options.threads));
    if (tags == Tags::Auto && any(has)) shown = opposite(sentences_alike(treebank, own, tagged_));
    const Column kGiven[] = {Column::Lemma, Column::Upos, Column::Xpos, Column::Feats};
    tagged = any(has) ? with_columns_of(treebank, own, kGiven, opposite(has)) : own;
  }
  if (!parser_) return tagged;
  if (goes_by_all) shown.assign(sentences, 1);
  if (!any(shown)) {
    // Which are not to be seen, but that the grammar goes by.
    how.tags = &tagged;
    return tree(tagged, *of_forms_, how);
  }
  if (all(shown)) return tree(tagged, *parser_, how);
  const Treebank seen = with_columns_of(without(tagged, kTagColumns), tagged, kTagColumns, shown);
  how.tags = &tagged;
  return with_columns_of(tree(seen, *parser_, how), tagged, kTagColumns, opposite(shown));
}

}  // namespace arcwise
