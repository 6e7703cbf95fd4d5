// From a model file to what it holds. The file is checked already (pipeline/container.h): here it is seen
// whether the parts fit together, which those who made the file need not have meant well.
#include <algorithm>
#include <iterator>
#include <sstream>
#include <tuple>

#include "learn/linear_learners.h"
#include "model/compact.h"
#include "model/linear.h"
#include "model/linear_model.h"
#include "network/input_names.h"
#include "parse/cost_sensitive_model.h"
#include "pipeline/pipeline.h"
#include "task/system_facts.h"
#include "text/splits.h"

namespace arcwise {
namespace {

// Whether a treebank can be written with this in one of its columns.
const std::string& value_of_column(const std::string& text) {
  if (text.empty() || text.find_first_of(std::string_view("\t\n\0", 3)) != std::string::npos)
    throw BadJson("a value cannot be written in its column");
  return text;
}

std::vector<std::string> values_of_column(const JsonValue& list) {
  std::vector<std::string> texts = list.texts();
  for (const std::string& text : texts) value_of_column(text);
  return texts;
}

float real(const JsonValue& value) { return static_cast<float>(value.number()); }

// Inputs of words that need a column; all others can be read off their forms.
bool is_of_a_column(const std::string& input) {
  return input == "lemma" || input == "upos" || input == "xpos" || input == "feature";
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

// One component of a file: its part of the header, and how the names of its arrays begin.
struct StoredComponent {
  const Container& file;
  const JsonValue& header;
  std::string prefix;

  template <class T>
  std::span<const T> array(std::string_view name) const {
    return file.array<T>(prefix + std::string(name));
  }
  bool has(std::string_view name) const { return file.has(prefix + std::string(name)); }
  const std::string& kind(std::string_view name) const { return file.kind(prefix + std::string(name)); }
  WeightsOf<ConstSpan> weights(std::string_view name) const {
    if (kind(name) == "int16") return array<int16_t>(name);
    return array<int8_t>(name);
  }
  template <class T>
  std::vector<T> vector(std::string_view name) const {
    const auto values = array<T>(name);
    return {values.begin(), values.end()};
  }
};

class PipelineReader {
 public:
  // Whatever goes wrong is said of the file.
  static Pipeline read(const Container& file, const std::string& name) {
    const auto damaged = [&](const std::exception& why) {
      return ModelFileError(name + " is damaged: " + why.what() +
                            ". Get the file again, or train the model again.");
    };
    try {
      return PipelineReader(file).read();
    } catch (const ModelFileError& error) {
      throw ModelFileError(name + " " + error.what());
    } catch (const BadJson& error) {
      throw damaged(error);
    } catch (const std::logic_error& error) {  // std::invalid_argument of the parts themselves
      throw damaged(error);
    } catch (const std::bad_alloc& error) {
      throw damaged(error);
    }
  }

 private:
  explicit PipelineReader(const Container& file) : file_(file) {}

  Pipeline read() {
    const JsonValue& header = file_.header();
    const std::string& kind = header["kind"].text();
    if (kind != "pipeline") {
      read_component(kind, {file_, header, ""});
    } else {
      const auto& parts = header["components"].object();
      for (const auto& [name, part] : parts)
        if (part["kind"].text() == "encoder") encoders_.emplace(name, encoder({file_, part, name + "."}));
      for (const auto& [name, part] : parts)
        if (part["kind"].text() != "encoder") {
          if (part["kind"].text() != name) throw BadJson("a component has another name than its kind");
          read_component(name, {file_, part, name + "."});
        }
    }
    if (!pipeline_.segmenter_ && !pipeline_.tagger_ && !pipeline_.parser_)
      throw BadJson("it holds neither a segmenter nor a tagger nor a parser");
    return std::move(pipeline_);
  }

  void read_component(const std::string& kind, const StoredComponent& part) {
    if (kind == "segmenter")
      read_segmenter(part);
    else if (kind == "tagger")
      read_tagger(part);
    else if (kind == "parser")
      read_parser(part);
    else
      throw ModelFileError("is a " + kind + ", and a pipeline, a segmenter, a tagger or a parser is needed.");
  }

  static LinearScorer linear(const StoredComponent& part, double scale) {
    const auto lines = part.array<uint32_t>("lines");
    if (lines.size() % kWordsInLine != 0) throw BadJson("a line of its weights is cut short");
    const std::span index(reinterpret_cast<const LinearLine*>(lines.data()), lines.size() / kWordsInLine);
    return {{index, part.array<uint32_t>("lists"), part.array<int8_t>("dense"), part.array<int8_t>("wide"),
             part.array<uint16_t>("columns")},
            scale};
  }

  void read_segmenter(const StoredComponent& part) {
    const JsonValue& multiwords = part.header["multiwords"];
    std::vector<Splits::Known> known;
    for (const JsonValue& token : multiwords["known"].list())
      known.push_back({token[size_t{0}].text(), token[1].texts(), token[2].truth()});
    std::vector<Splits::Rule> rules;
    for (const JsonValue& rule : multiwords["rules"].list())
      rules.push_back({rule[size_t{0}].text(), rule[1].text(), rule[2].texts()});
    // Older segmenters say nothing of some of this.
    const auto is = [](const JsonValue& of, const char* what) {
      return !of.get(what).is_null() && of[what].truth();
    };
    std::span<const uint64_t> seen;
    if (part.has("seen_words")) seen = part.array<uint64_t>("seen_words");
    pipeline_.segmenter_ = std::make_shared<Segmenter>(
        BoundaryRules(part.array<uint8_t>("pairs"), part.array<uint64_t>("cut_runs")), SeenWords(seen),
        Splits(known, rules, is(multiwords, "apart")), linear(part, part.header["scale"].number()),
        SentenceBias{part.header["bias"].number(), is(part.header, "bias_among_ends")});
  }

  static NetworkShape shape_of(const JsonValue& described) {
    NetworkShape shape;
    shape.encoder = encoder_from_name(described["encoder"].text());
    shape.layers = described["layers"].integer<int32_t>();
    shape.window = described["window"].integer<int32_t>();
    shape.width = described["width"].integer<int32_t>();
    return shape;
  }

  static std::shared_ptr<const NetworkEncoder> encoder(const StoredComponent& part, const NetworkShape& shape,
                                                       float token_scale) {
    KeysOf<ConstSpan> keys;
    if (part.kind("keys") == "uint64")
      keys = part.array<uint64_t>("keys");
    else
      keys = part.array<uint8_t>("keys");
    const EncoderParts<ConstSpan> parts{keys,
                                        {part.array<int8_t>("tokens"), part.array<uint8_t>("rare_tokens"),
                                         part.array<uint16_t>("token_factors")},
                                        part.weights("encoder_weights"),
                                        part.array<float>("encoder_scales"),
                                        part.array<float>("encoder_bias")};
    return std::make_shared<NetworkEncoder>(
        NetworkShape{shape.encoder, shape.layers, shape.window, shape.width}, parts, token_scale);
  }
  static std::shared_ptr<const NetworkEncoder> encoder(const StoredComponent& part) {
    return encoder(part, shape_of(part.header), real(part.header["token_scale"]));
  }

  // What a component looks at words with: an encoder that others have, too, or its own.
  std::shared_ptr<const NetworkEncoder> encoder_of(const StoredComponent& part, const JsonValue& described) {
    const NetworkShape shape = shape_of(described);
    const JsonValue& named = part.header.get("encoder");
    if (named.is_null()) {
      const auto scales = part.array<float>("scales");
      if (scales.size() != 2) throw BadJson("the scales have an impossible size");
      return encoder(part, shape, scales[0]);
    }
    const auto found = encoders_.find(named.text());
    if (found == encoders_.end()) throw BadJson("the encoder of a component is missing");
    const NetworkShape& own = found->second->shape();
    if (std::tuple(own.encoder, own.layers, own.window, own.width) !=
        std::tuple(shape.encoder, shape.layers, shape.window, shape.width))
      throw BadJson("a network has another shape than its encoder");
    return found->second;
  }

  // What a network has besides its encoder.
  struct NetworkFields {
    int32_t hidden;
    std::vector<std::string> tokens;
    int longest_affix;
    std::vector<std::string> states;
    size_t labels;
  };
  static std::shared_ptr<const NetworkModel> network(const StoredComponent& part,
                                                     std::shared_ptr<const NetworkEncoder> encoder,
                                                     const NetworkFields& fields) {
    const auto scales = part.array<float>("scales");
    if (scales.size() != 2) throw BadJson("the scales have an impossible size");
    const HeadParts<ConstSpan> parts{part.weights("positions"),          part.array<float>("position_scales"),
                                     part.array<int16_t>("absent"),      part.array<int16_t>("extras"),
                                     part.array<int16_t>("hidden_bias"), part.array<int16_t>("moves"),
                                     part.array<int32_t>("move_bias")};
    const NetworkInputs inputs{token_inputs_from_names(fields.tokens, fields.longest_affix), fields.states,
                               static_cast<int32_t>(fields.labels)};
    return std::make_shared<NetworkModel>(std::move(encoder), fields.hidden, inputs, parts, scales[1]);
  }

  void read_tagger(const StoredComponent& part) {
    const JsonValue& header = part.header;
    TagsetParts parts;
    for (const std::string& name : header["columns"].texts()) parts.columns.push_back(tag_column(name));
    for (const JsonValue& analysis : header["analyses"].list())
      parts.analyses.push_back(values_of_column(analysis));
    for (const JsonValue& rule : header["rules"].list()) parts.rules.push_back(lemma_rule(rule));
    for (const JsonValue& choice : header["choices"].list())
      parts.choices.emplace_back(choice[size_t{0}].integer<int32_t>(), choice[1].integer<int32_t>());
    parts.lexicon_keys = part.vector<uint32_t>("lexicon_keys");
    parts.lexicon_rules = rules_of_lexicon(part);
    parts.lemma_keys = part.vector<uint32_t>("lemma_keys");
    if (!header.get("signs").is_null())
      for (const JsonValue& sign : header["signs"].list()) parts.signs.push_back(sign.texts());
    if (const JsonValue& reach = header.get("reach"); !reach.is_null()) parts.reach = lemma_reach(reach);
    TagDictionary dictionary{{}, header["restricts"].truth()};
    for (const JsonValue& line : header["dictionary"].list()) {
      const std::vector<std::string> texts = values_of_column(line);
      if (texts.size() != 5) throw BadJson("a line of the dictionary has another number of columns");
      dictionary.lines.push_back({texts[0], {texts[1], texts[2], texts[3]}, texts[4]});
    }
    const MoveId tags = Tagset(parts, dictionary).tags();
    const JsonValue& options = header["options"];
    const NetworkFields fields{options["hidden"].integer<int32_t>(), words_of(options["tokens"].text()),
                               options["affixes"].integer<int>(), words_of(options["states"].text()),
                               static_cast<size_t>(tags)};
    pipeline_.tagged_ = parts.columns;
    pipeline_.tagger_ =
        std::make_shared<Tagger>(parts, dictionary, network(part, encoder_of(part, options), fields));
  }

  static LemmaReachParts lemma_reach(const JsonValue& reach) {
    LemmaReachParts parts;
    for (const JsonValue& value : reach[size_t{0}].list()) parts.once.push_back(value.integer<int32_t>());
    for (const JsonValue& value : reach[1].list()) parts.twice.push_back(value.integer<int32_t>());
    for (const JsonValue& astray : reach[2].list())
      parts.astray.emplace_back(astray[size_t{0}].integer<int32_t>(), astray[1].integer<int32_t>());
    return parts;
  }

  static Column tag_column(const std::string& name) {
    if (name == "upos") return Column::Upos;
    if (name == "xpos") return Column::Xpos;
    if (name == "feats") return Column::Feats;
    throw BadJson("the tagger has a column that is none");
  }

  static LemmaRule lemma_rule(const JsonValue& given) {
    const std::vector<std::string> texts = given.texts();
    if (texts.size() != 5) throw BadJson("a rule of lemmas has another number of parts");
    for (size_t i = 1; i < texts.size(); ++i)
      if (!texts[i].empty()) value_of_column(texts[i]);
    const auto letters = std::ranges::find(kLetterCaseNames, texts[0]);
    if (letters == kLetterCaseNames.end()) throw BadJson("a rule of lemmas has letters in no known case");
    return {static_cast<LetterCase>(letters - kLetterCaseNames.begin()), texts[1], texts[2], texts[3],
            texts[4]};
  }

  // Which are written in as few bytes as they take.
  static std::vector<int32_t> rules_of_lexicon(const StoredComponent& part) {
    constexpr std::string_view kName = "lexicon_rules";
    const auto widened = [](const auto values) { return std::vector<int32_t>(values.begin(), values.end()); };
    const std::string& kind = part.kind(kName);
    if (kind == "uint8") return widened(part.array<uint8_t>(kName));
    if (kind == "uint16") return widened(part.array<uint16_t>(kName));
    return widened(part.array<int32_t>(kName));
  }

  void read_parser(const StoredComponent& part) {
    const JsonValue& header = part.header;
    const JsonValue& options = header["options"];
    if (!header.get("ranking").is_null())
      throw ModelFileError("has a ranker (HC-search), which this library does not run: use it from Python.");
    ParserOptions own;
    own.system = system(options["system"], header["single_root"].truth());
    own.arcs = {header["left"].integers<int32_t>(), header["right"].integers<int32_t>(),
                header["root"].integers<int32_t>(), header["completion"].integer<int32_t>()};
    pipeline_.label_names_ = values_of_column(header["label_names"]);
    own.labels = lifted_labels(header["labels"], pipeline_.label_names_.size());
    own.lift = scheme(options["system"]);
    if (!header.get("grammar").is_null()) own.grammar.emplace(grammar(header["grammar"], own.labels));

    const JsonValue& learner = options["learner"];
    const std::string& name = learner["name"].text();
    if (name == "network") return read_network_parser(part, std::move(own));
    if (name == "l2s") {
      pipeline_.parser_ = std::make_shared<Parser>(std::move(own), learning_to_search(part));
    } else {
      const bool is_known =
          LinearLearners::with(name, [&]<class L>() { own.probabilistic = L::kProbabilistic; });
      if (!is_known) throw BadJson("there is no learner called '" + name + "'");
      if (const JsonValue& beam = learner.get("beam"); !beam.is_null())
        pipeline_.beam_ = beam["width"].integer<int32_t>();
      pipeline_.parser_ =
          std::make_shared<Parser>(std::move(own), linear_model(part, !learner.get("compact").is_null()));
    }
    pipeline_.of_forms_ = pipeline_.parser_;
  }

  void read_network_parser(const StoredComponent& part, ParserOptions own) {
    own.probabilistic = true;
    const JsonValue& described = part.header["network"];
    const NetworkFields fields{described["hidden"].integer<int32_t>(), described["token_inputs"].texts(),
                               described["longest_affix"].integer<int>(), described["state_inputs"].texts(),
                               own.labels.size()};
    const auto encoder = encoder_of(part, described);
    pipeline_.parser_ = std::make_shared<Parser>(own, network(part, encoder, fields));
    pipeline_.of_forms_ = pipeline_.parser_;
    pipeline_.needs_tags_ = part.header["options"]["learner"]["shown_tags"].number() == 1;
    if (pipeline_.needs_tags_) return;
    NetworkFields of_forms = fields;
    std::erase_if(of_forms.tokens, is_of_a_column);
    pipeline_.of_forms_ = std::make_shared<Parser>(std::move(own), network(part, encoder, of_forms));
  }

  static SystemOptions system(const JsonValue& options, bool single_root) {
    if (options["name"].is_object())
      throw ModelFileError(
          "has a transition system in Python, which this library does not run: use it from "
          "Python.");
    return {options["name"].text(), options["root"].text() == "first", single_root};
  }

  static std::optional<Scheme> scheme(const JsonValue& system) {
    if (system["nonprojective"].text() != "lift") return std::nullopt;
    for (const SystemFacts& facts : system_facts())
      if (facts.name == system["name"].text() && !facts.projective) return std::nullopt;
    return scheme_from_name(system["encoding"].text());
  }

  static std::vector<LiftedLabel> lifted_labels(const JsonValue& given, size_t names) {
    std::vector<LiftedLabel> labels;
    const auto count = static_cast<int32_t>(names);
    for (const JsonValue& label : given.list()) {
      const LiftedLabel own{label[size_t{0}].integer<int32_t>(), label[1].integer<int32_t>(),
                            label[2].truth()};
      if (own.base < 0 || own.base >= count || own.lifted_from >= count) throw BadJson("a label has no name");
      labels.push_back(own);
    }
    return labels;
  }

  // Rules of labels that the parser does not use are left out.
  Grammar grammar(const JsonValue& header, std::span<const LiftedLabel> labels) const {
    const std::vector<std::string> tags = values_of_column(header["tags"]);
    std::vector<int32_t> number_of;  // of the grammar's labels among the parser's
    for (const std::string& name : values_of_column(header["labels"])) {
      const auto found = std::ranges::find(pipeline_.label_names_, name);
      const bool is_used = found != pipeline_.label_names_.end();
      number_of.push_back(is_used ? static_cast<int32_t>(found - pipeline_.label_names_.begin()) : kNone);
    }
    const auto known_label = [&](const JsonValue& label) {
      const auto place = label.integer<size_t>();
      if (place >= number_of.size()) throw BadJson("its grammar has a label without a name");
      return number_of[place];
    };
    std::vector<GrammarRule> rules;
    for (const JsonValue& rule : header["rules"].list()) {
      const int kind = rule[size_t{0}].integer<int>();
      if (kind < 0 || kind > static_cast<int>(RuleKind::Sibling))
        throw BadJson("its grammar has an unknown rule");
      GrammarRule own{static_cast<RuleKind>(kind), known_label(rule[1]), 0};
      const bool of_two_labels = own.kind == RuleKind::Parent || own.kind == RuleKind::Sibling;
      own.other = of_two_labels ? known_label(rule[2]) : rule[2].integer<int32_t>();
      if (own.label != kNone && !(of_two_labels && own.other == kNone)) rules.push_back(own);
    }
    std::vector<std::vector<int32_t>> completions;
    for (const JsonValue& of_tag : header["completions"].list()) {
      auto& known = completions.emplace_back();
      for (const JsonValue& label : of_tag.list())
        if (const int32_t number = known_label(label); number != kNone) known.push_back(number);
    }
    return {tags, rules, labels, completions};
  }

  static std::shared_ptr<const LinearModel> linear_model(const StoredComponent& part, bool is_compact) {
    Templates templates(part.header["templates"].texts());
    LinearScorer scorer = linear(part, part.header["scale"].number());
    if (!is_compact) return std::make_shared<LinearModel>(std::move(templates), std::move(scorer));
    return std::make_shared<LinearModel>(
        std::move(templates),
        CompactScorer(part.array<uint16_t>("begins"), part.array<uint32_t>("table"), std::move(scorer)));
  }

  static std::shared_ptr<const CostSensitiveModel> learning_to_search(const StoredComponent& part) {
    const JsonValue& asked = part.header["search"];
    CostSensitiveOptions options;
    options.actions = asked["actions"].integer<int32_t>();
    const JsonValue& policies = asked.get("policies");
    options.policies = policies.is_null() ? kLeftRightPolicies : policies.integer<int32_t>();
    options.bits = asked["bits"].integer<int>();
    options.reduction = asked["reduction"].text();
    options.update = asked["update"].text();
    options.hidden = asked["hidden"].integer<int>();
    options.direct = asked["direct"].truth();
    options.seed = part.header["options"]["seed"].integer<uint64_t>();  // of what hidden units begin as
    CostSensitiveLearner learner(options, {part.vector<uint32_t>("slots"),
                                           part.vector<float>("weights"),
                                           {},
                                           {},
                                           part.vector<double>("counts")});
    return std::make_shared<CostSensitiveModel>(CostSensitiveModel{
        Templates(part.header["templates"].texts()), asked["label_apart"].truth(), std::move(learner)});
  }

  const Container& file_;
  Pipeline pipeline_;
  std::map<std::string, std::shared_ptr<const NetworkEncoder>, std::less<>> encoders_;
};

Pipeline Pipeline::load(const std::filesystem::path& path) {
  return PipelineReader::read(Container::read(path), path.string());
}

Pipeline Pipeline::from_bytes(std::span<const uint8_t> bytes, const std::string& name) {
  return PipelineReader::read(Container::from_bytes(bytes, name), name);
}

}  // namespace arcwise
