// The C++ library without Python: `arcwise_tests TEST FOLDER`, with the golden models of the newest format.
// What its trees are is compared with Python's in tests/test_cpp_library.py.
#include <arcwise.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/checksum.h"

namespace {

using arcwise::ModelFileError;
using arcwise::Pipeline;
using arcwise::Treebank;
using Bytes = std::vector<uint8_t>;

int failures = 0;
std::filesystem::path models;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::cerr << "failed: " << what << '\n';
}

template <class Error>
void expect_refused(const std::function<void()>& what, const std::string& reason) {
  try {
    what();
    expect(false, "nothing was refused, but it should say: " + reason);
  } catch (const Error& error) {
    expect(std::string(error.what()).find(reason) != std::string::npos,
           std::string(error.what()) + " should say: " + reason);
  }
}

Bytes bytes_of(const std::string& model) {
  std::ifstream file(models / (model + ".model"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// With a right checksum of the header, so that what the header says is looked at.
Bytes with_header(Bytes bytes, const std::function<void(std::string&)>& change) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data() + 8, 8);
  std::string header(bytes.begin() + 16, bytes.begin() + 16 + static_cast<ptrdiff_t>(length));
  change(header);
  header.resize(length, ' ');
  std::copy(header.begin(), header.end(), bytes.begin() + 16);
  const size_t end = 16 + length;
  const uint32_t checksum = arcwise::crc32c(std::span(bytes).first(end));
  std::memcpy(bytes.data() + end, &checksum, 4);
  return bytes;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("There is no " + from + " in the header.");
  text.replace(at, from.size(), to);
}

std::string written(const Treebank& treebank) {
  std::string text;
  treebank.write(arcwise::Format::ConllU, text);
  return text;
}

Treebank words() {
  std::string text;
  for (int n = 0; n < 50; ++n)
    text +=
        "1\tAnna\t_\t_\t_\t_\t_\t_\t_\t_\n2\twaters\t_\t_\t_\t_\t_\t_\t_\t_\n3\tbeans\t_\t_\t_\t_\t_\t_\t_\t_"
        "\n\n";
  return Treebank::read(text, {});
}

void test_containers() {
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".model") continue;
    const auto file = arcwise::Container::read(entry.path());
    expect(!file.header()["kind"].text().empty(), entry.path().string() + " has a kind");
  }
}

void test_damaged_containers() {
  const Bytes whole = bytes_of("pipeline-shared");
  expect_refused<ModelFileError>([] { Pipeline::load("no such file"); }, "no such file cannot be read");
  expect_refused<ModelFileError>([] { Pipeline::from_bytes(Bytes{1, 2, 3}); }, "is not an arcwise model");
  for (size_t size = 8; size < whole.size(); size += 1 + whole.size() / 200)
    expect_refused<ModelFileError>([&] { Pipeline::from_bytes(std::span(whole).first(size)); }, "damaged");
  for (size_t at = 8; at < whole.size(); at += 1 + whole.size() / 200) {
    Bytes changed = whole;
    changed[at] ^= 4;
    expect_refused<ModelFileError>([&] { Pipeline::from_bytes(changed); }, "damaged");
  }
  Bytes longer = whole;
  longer.push_back(0);
  expect_refused<ModelFileError>([&] { Pipeline::from_bytes(longer); }, "damaged");
  const auto refuse = [&](const std::string& from, const std::string& to, const std::string& reason) {
    const Bytes changed = with_header(whole, [&](std::string& header) { replace(header, from, to); });
    expect_refused<ModelFileError>([&] { Pipeline::from_bytes(changed, "mine.arc"); }, reason);
  };
  refuse("\"format\": 7", "\"format\": 6",
         "mine.arc has format 6, and this library reads 7: bring it to that");
  refuse("\"format\": 7", "\"format\": 8", "use a newer version");
  refuse("\"uint16\"", "\"uint32\"", "damaged");
  refuse("\"upos\"", "\"uops\"", "damaged");
  refuse("\"arc-", "\"ark-", "There is no transition system");
  refuse("\"width\": ", "\"width\": -", "damaged");
  refuse("\"left\": [", "\"left\": [70000, ", "damaged");
}

void test_json() {
  using arcwise::BadJson;
  using arcwise::JsonValue;
  const JsonValue value =
      JsonValue::parse(R"({"a": [1, -2.5, true, null, "x\u00e9"], "b": {"a": 18446744073709551615}})");
  expect(value["a"][0].integer<int>() == 1, "an integer");
  expect(value["a"][1].number() == -2.5, "a number");
  expect(value["a"][2].truth(), "true");
  expect(value["a"][3].is_null() && value.get("c").is_null(), "null");
  expect(value["a"][4].text() == "x\xC3\xA9", "text");
  expect(value["b"]["a"].integer<uint64_t>() == UINT64_MAX, "a large integer");
  expect_refused<BadJson>([&] { value["b"]["a"].integer<int64_t>(); }, "out of range");
  expect_refused<BadJson>([&] { value["a"][1].integer<int>(); }, "whole number");
  expect_refused<BadJson>([&] { value["a"].object(); }, "object");
  expect_refused<BadJson>([&] { value["c"]; }, "'c'");
  expect_refused<BadJson>([&] { value["a"][9]; }, "too short");
  for (const std::string& bad : {"", "{", "[1,]", "{} {}", "\xFF", "[1e99999]"})
    expect_refused<BadJson>([&] { JsonValue::parse(bad)[0].number(); }, "");
  expect_refused<BadJson>([] { JsonValue::parse(std::string(100'000, '[')); }, "nested");
}

void test_pipelines() {
  for (const std::string name : {"pipeline", "pipeline-shared"}) {
    const Pipeline nlp = Pipeline::load(models / (name + ".model"));
    expect(nlp.has_segmenter() && nlp.has_tagger() && nlp.has_parser(), name + " has all components");
    const Treebank trees = nlp.parse(
        "\xEF\xBB\xBF"
        "Anna waters the beans. The gardener planted roses.");
    expect(trees.sentence_count() == 2 && trees.word_count() == 10, name + " finds words");
    for (size_t w = 0; w < trees.word_count(); ++w)
      expect(trees.heads()[w] >= 0 && trees.labels()[w] >= 0 && trees.text(w, arcwise::Column::Upos) != "_",
             name + " gives every word a tag, a head and a label");
    // Whose tags they are makes no difference if they are the tagger's own.
    expect(written(nlp.annotate(trees)) == written(trees), name + " gives its own output the same trees");
    expect_refused<std::invalid_argument>([&] { nlp.parse("\xFF"); }, "not valid UTF-8");
  }
}

void test_threads() {
  const Pipeline nlp = Pipeline::load(models / "pipeline-shared.model");
  arcwise::AnnotateOptions options;
  const std::string alone = written(nlp.annotate(words(), options));
  options.threads = 4;
  expect(written(nlp.annotate(words(), options)) == alone, "threads make no difference");
}

void test_missing_components() {
  const Pipeline parser = Pipeline::load(models / "perceptron.model");
  expect(parser.has_parser() && !parser.has_tagger() && !parser.has_segmenter(), "a parser alone");
  expect_refused<arcwise::MissingComponent>([&] { parser.parse("Text."); }, "no segmenter");
  const Pipeline segmenter = Pipeline::load(models / "segmenter.model");
  expect(written(segmenter.annotate(words())) == written(words()), "without components nothing changes");
  expect_refused<ModelFileError>([] { Pipeline::load(models / "hc.model"); }, "use it from Python");
  expect_refused<ModelFileError>([] { Pipeline::load(models / "checkpoint-linear.model"); }, "is needed");
}

void test_versions() { expect(std::string(arcwise::version()).find('.') != std::string::npos, "a version"); }

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, void (*)()> tests = {{"containers", test_containers},
                                                   {"damaged_containers", test_damaged_containers},
                                                   {"json", test_json},
                                                   {"pipelines", test_pipelines},
                                                   {"threads", test_threads},
                                                   {"missing_components", test_missing_components},
                                                   {"versions", test_versions}};
  if (count != 3 || tests.find(arguments[1]) == tests.end()) {
    std::cerr << "Usage: arcwise_tests TEST FOLDER\n";
    return 2;
  }
  models = arguments[2];
  try {
    tests.at(arguments[1])();
  } catch (const std::exception& error) {
    std::cerr << "failed: " << error.what() << '\n';
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
