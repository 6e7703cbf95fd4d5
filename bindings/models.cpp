#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include "arrays.h"
#include "base/checksum.h"
#include "bindings.h"
#include "checks.h"
#include "linear_arrays.h"
#include "model/byte_weights.h"
#include "model/compact.h"
#include "model/known_words.h"
#include "model/linear_model.h"
#include "model/network_workspace.h"
#include "model_parts.h"
#include "network/input_names.h"
#include "parse/cost_sensitive_model.h"
#include "sequences.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

void make_linear(LinearModel* self, const std::vector<std::string>& templates, Vector<uint32_t> lines,
                 Vector<uint32_t> lists, Vector<int8_t> dense, Vector<int8_t> wide, Vector<uint16_t> columns,
                 double scale, const std::optional<Vector<uint32_t>>& table,
                 const std::optional<Vector<uint16_t>>& begins) {
  LinearScorer scorer = linear_scorer(lines, lists, dense, wide, columns, scale);
  if (table && begins)
    new (self) LinearModel(Templates(templates),
                           CompactScorer(to_span(*begins), to_span(*table), std::move(scorer)));
  else
    new (self) LinearModel(Templates(templates), std::move(scorer));
}

using Weights = std::variant<Vector<int8_t>, Vector<int16_t>>;
WeightsOf<ConstSpan> to_spans(const Weights& weights) {
  return std::visit([](const auto& array) -> WeightsOf<ConstSpan> { return to_span(array); }, weights);
}

using Keys = std::variant<Vector<uint64_t>, Vector<uint8_t>>;
KeysOf<ConstSpan> to_spans(const Keys& keys) {
  return std::visit([](const auto& array) -> KeysOf<ConstSpan> { return to_span(array); }, keys);
}

void make_encoder(NetworkEncoder* self, const std::string& encoder, int32_t layers, int32_t window,
                  int32_t width, const Keys& keys, Vector<int8_t> tokens, Vector<uint8_t> rare_tokens,
                  Vector<uint16_t> token_factors, Weights encoder_weights, Vector<float> encoder_scales,
                  Vector<float> encoder_bias, float token_scale) {
  new (self) NetworkEncoder({encoder_from_name(encoder), layers, window, width},
                            {to_spans(keys),
                             {to_span(tokens), to_span(rare_tokens), to_span(token_factors)},
                             to_spans(encoder_weights),
                             to_span(encoder_scales),
                             to_span(encoder_bias)},
                            token_scale);
}

void make_network(NetworkModel* self, std::shared_ptr<NetworkEncoder> encoder, int32_t hidden,
                  const std::vector<std::string>& token_inputs, int longest_affix,
                  const std::vector<std::string>& state_inputs, int32_t labels, Weights positions,
                  Vector<float> position_scales, Vector<int16_t> absent, Vector<int16_t> extras,
                  Vector<int16_t> hidden_bias, Vector<int16_t> moves, Vector<int32_t> move_bias,
                  float score_scale) {
  new (self) NetworkModel(std::move(encoder), hidden,
                          {token_inputs_from_names(token_inputs, longest_affix), state_inputs, labels},
                          {to_spans(positions), to_span(position_scales), to_span(absent), to_span(extras),
                           to_span(hidden_bias), to_span(moves), to_span(move_bias)},
                          score_scale);
}

void make_search(CostSensitiveModel* self, const std::vector<std::string>& templates, int32_t actions,
                 bool label_apart, int bits, const std::string& reduction, const std::string& update,
                 int hidden, bool direct, uint64_t seed, Vector<uint32_t> slots, Vector<float> weights,
                 Vector<double> counts, int32_t policies) {
  CostSensitiveOptions options;
  options.actions = actions;
  options.policies = policies;
  options.bits = bits;
  options.reduction = reduction;
  options.update = update;
  options.hidden = hidden;
  options.direct = direct;
  options.seed = seed;  // what hidden units begin as follows from it
  CostSensitiveLearner learner(options, {to_vector(slots), to_vector(weights), {}, {}, to_vector(counts)});
  new (self) CostSensitiveModel{Templates(templates), label_apart, std::move(learner)};
}

FieldsOfModels freeze_network(const std::string& encoder, int32_t layers, int32_t window, int32_t width,
                              int32_t hidden, Vector<uint64_t> keys, Vector<float> tokens,
                              const std::vector<Vector<float>>& encoder_weights,
                              const std::vector<Vector<float>>& encoder_bias, Vector<float> positions,
                              Vector<float> absent, Vector<float> extras, Vector<float> hidden_bias,
                              Vector<float> moves, Vector<float> move_bias, float most_hidden,
                              int embedding_bits, int bits) {
  NetworkShape shape{encoder_from_name(encoder), layers, window, width, hidden};
  demand(width >= 1 && width <= 1024 && hidden >= 1 && hidden <= 1024,
         "A network has from 1 to 1024 numbers for a word, and hidden units.");
  demand(layers >= 0 && layers <= 16 && window >= 0 && window <= 8,
         "An encoder has up to 16 layers, and a window up to 8 words on either side.");
  shape.tokens = static_cast<int32_t>(tokens.size()) / width;
  shape.positions = static_cast<int32_t>(absent.size()) / hidden;
  shape.extras = static_cast<int32_t>(extras.size()) / hidden;
  shape.classes = static_cast<int32_t>(move_bias.size());
  NetworkWeights weights{to_vector(tokens),    {},
                         to_vector(positions), to_vector(absent),
                         to_vector(extras),    to_vector(hidden_bias),
                         to_vector(moves),     to_vector(move_bias)};
  demand(encoder_weights.size() == encoder_bias.size(), "Every layer has weights and biases.");
  for (size_t l = 0; l < encoder_weights.size(); ++l)
    weights.encoder.push_back({to_vector(encoder_weights.at(l)), to_vector(encoder_bias.at(l))});
  const auto is = [](const auto& array, int64_t rows, int64_t columns) {
    return array.size() == static_cast<size_t>(rows * columns);
  };
  const int32_t inputs = shape.encoder_inputs(), outputs = shape.encoder_outputs();
  bool fit = is(tokens, shape.tokens, width) && is(absent, shape.positions, hidden) &&
             is(positions, width, shape.hidden_inputs()) && is(extras, shape.extras, hidden) &&
             is(hidden_bias, 1, hidden) && is(moves, hidden, shape.classes) && shape.classes > 0 &&
             weights.encoder.size() == static_cast<size_t>(shape.encoder_layers());
  for (const auto& layer : weights.encoder)
    fit = fit && is(layer.weights, inputs, outputs) && is(layer.bias, 1, outputs);
  demand(fit, "The sizes of the network's weights do not fit its shape.");
  LearntModels models = one_model(to_parts(freeze_head(shape, weights, most_hidden, bits)));
  models.emplace_back(kEncoderModel,
                      to_parts(freeze_encoder(shape, weights, to_span(keys), embedding_bits, bits)));
  return to_fields(std::move(models));
}

auto embeddings_in(const Vector<float>& values, size_t width, int bits) {
  demand(width > 0 && width % 16 == 0 && values.size() % width == 0,
         "Embeddings have whole rows, and a multiple of 16 numbers.");
  EmbeddingArrays arrays = pack_embeddings(to_span(values), width, bits);
  return std::tuple(to_numpy(std::move(arrays.bytes)), to_numpy(std::move(arrays.halves)),
                    to_numpy(std::move(arrays.factors)), arrays.scale);
}

auto byte_weights(const Vector<float>& weights, size_t inputs) {
  demand(inputs > 0 && inputs % kByteInputs == 0 && weights.size() % inputs == 0,
         "A matrix has whole rows, and a multiple of 8 inputs.");
  ByteWeights bytes = to_byte_weights(to_span(weights), inputs, weights.size() / inputs);
  return std::pair(to_numpy(std::move(bytes.weights)), to_numpy(std::move(bytes.scales)));
}

uint32_t checksum(const Vector<uint8_t>& bytes, uint32_t before, bool portable) {
  nb::gil_scoped_release release;
  return portable ? crc32c_portable(to_span(bytes), before) : crc32c(to_span(bytes), before);
}

}  // namespace

void bind_models(nb::module_& m) {
  m.attr("LEFT_RIGHT_POLICIES") = kLeftRightPolicies;
  m.def("crc32c", &checksum, "bytes"_a, "before"_a = 0, "portable"_a = false,
        "The checksum of an array of bytes that come after others whose checksum is `before`; if portable, "
        "without the instruction that the machine may have for it.");
  nb::class_<LinearModel>(m, "LinearModel", "Features and their weights.")
      .def("__init__", &make_linear, nb::kw_only(), "templates"_a, "lines"_a, "lists"_a, "dense"_a, "wide"_a,
           "columns"_a, "scale"_a, "table"_a = nb::none(), "begins"_a = nb::none());
  nb::class_<NetworkEncoder>(m, "NetworkEncoder", "What a network makes of words, in 8 or 16 bits.")
      .def("__init__", &make_encoder, nb::kw_only(), "encoder"_a, "layers"_a, "window"_a, "width"_a, "keys"_a,
           "tokens"_a, "rare_tokens"_a, "token_factors"_a, "encoder_weights"_a, "encoder_scales"_a,
           "encoder_bias"_a, "token_scale"_a);
  nb::class_<NetworkModel>(m, "NetworkModel", "A network, its inputs and its weights in 8 and 16 bits.")
      .def("__init__", &make_network, nb::kw_only(), "encoder"_a, "hidden"_a, "token_inputs"_a,
           "longest_affix"_a, "state_inputs"_a, "labels"_a, "positions"_a, "position_scales"_a, "absent"_a,
           "extras"_a, "hidden_bias"_a, "moves"_a, "move_bias"_a, "score_scale"_a)
      .def_prop_ro(
          "known_words",
          [](const NetworkModel& self) {
            const KnownWordStatistics words = self.statistics();
            return std::pair(words.asked, words.known);
          },
          "How many words have been looked for among those that were met before, and how many were found.");
  nb::class_<CostSensitiveModel>(m, "CostSensitiveModel",
                                 "What learning to search has learnt, and the decoder that asks it.")
      .def("__init__", &make_search, nb::kw_only(), "templates"_a, "actions"_a, "label_apart"_a, "bits"_a,
           "reduction"_a, "update"_a, "hidden"_a, "direct"_a, "seed"_a, "slots"_a, "weights"_a, "counts"_a,
           "policies"_a = kLeftRightPolicies);
  m.def("byte_weights", &byte_weights, "weights"_a, "inputs"_a,
        "Weights of [inputs][outputs] in 8 bits, and the scale of each output.");
  m.def(
      "pack_embeddings", &embeddings_in, "values"_a, "width"_a, "bits"_a,
      "Rows of embeddings, rare ones in 4 bits or all in 8: those in 8 bits, those in 4, the factors of all, "
      "and one scale.");
  m.def("freeze_network", &freeze_network, nb::kw_only(), "encoder"_a, "layers"_a, "window"_a, "width"_a,
        "hidden"_a, "keys"_a, "tokens"_a, "encoder_weights"_a, "encoder_bias"_a, "positions"_a, "absent"_a,
        "extras"_a, "hidden_bias"_a, "moves"_a, "move_bias"_a, "most_hidden"_a, "embedding_bits"_a = 8,
        "bits"_a = 8, "The arrays of a NetworkModel and its encoder from weights as a learner leaves them.");
}
