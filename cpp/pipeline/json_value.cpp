#include "pipeline/json_value.h"

#include <locale>
#include <sstream>

#include "text/json_parser.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

constexpr int kMostNested = 64;

template <class Kind, class Value>
const Kind& demanded(const Value& value, const char* what) {
  const Kind* found = std::get_if<Kind>(&value);
  if (found == nullptr) throw BadJson(std::string("there is no ") + what + " where one should be");
  return *found;
}

}  // namespace

class JsonValueReader {
 public:
  explicit JsonValueReader(std::string_view text) : parser_(text) {}

  JsonValue whole() {
    JsonValue value = read(0);
    if (parser_.peek() != '\0') throw BadJson("something comes after its end");
    return value;
  }

 private:
  JsonValue read(int depth) {
    if (depth > kMostNested) throw BadJson("objects and lists are nested too deeply");
    JsonValue value;
    std::string decoded;
    switch (parser_.peek()) {
      case '{': {
        JsonValue::Object object;
        parser_.object([&](std::string_view key) {
          std::string name(key);
          object.insert_or_assign(std::move(name), read(depth + 1));
        });
        value.value_ = std::move(object);
        break;
      }
      case '[': {
        JsonValue::List list;
        parser_.array([&] { list.push_back(read(depth + 1)); });
        value.value_ = std::move(list);
        break;
      }
      case '"':
        value.value_ = std::string(parser_.string(decoded));
        break;
      default:
        if (parser_.takes_null()) break;
        if (const std::optional<bool> truth = parser_.boolean())
          value.value_ = *truth;
        else
          value.value_ = JsonValue::Digits{std::string(parser_.number())};
    }
    return value;
  }

  JsonParser parser_;
};

JsonValue JsonValue::parse(std::string_view text) {
  if (utf8::first_invalid(text) != utf8::kAllValid) throw BadJson("it is not UTF-8");
  try {
    return JsonValueReader(text).whole();
  } catch (const JsonSyntaxError& error) {
    throw BadJson(error.reason);
  }
}

bool JsonValue::truth() const { return demanded<bool>(value_, "true or false"); }
const std::string& JsonValue::text() const { return demanded<std::string>(value_, "text"); }
const JsonValue::List& JsonValue::list() const { return demanded<List>(value_, "list"); }
const JsonValue::Object& JsonValue::object() const { return demanded<Object>(value_, "object"); }
const std::string& JsonValue::digits() const { return demanded<Digits>(value_, "number").text; }

double JsonValue::number() const {
  // Not every library has from_chars for these yet.
  std::istringstream in(digits());
  in.imbue(std::locale::classic());
  double number = 0;
  if (!(in >> number)) throw BadJson("the number " + digits() + " is out of range");
  return number;
}

std::vector<std::string> JsonValue::texts() const {
  std::vector<std::string> texts;
  for (const JsonValue& item : list()) texts.push_back(item.text());
  return texts;
}

const JsonValue& JsonValue::get(std::string_view name) const {
  static const JsonValue kNull;
  const Object& members = object();
  const auto found = members.find(name);
  return found == members.end() ? kNull : found->second;
}

const JsonValue& JsonValue::operator[](std::string_view name) const {
  const Object& members = object();
  const auto found = members.find(name);
  if (found == members.end()) throw BadJson("it has no '" + std::string(name) + "'");
  return found->second;
}

const JsonValue& JsonValue::operator[](size_t item) const {
  const List& items = list();
  if (item >= items.size()) throw BadJson("a list is too short");
  return items[item];
}

}  // namespace arcwise
