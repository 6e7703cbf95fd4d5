// A JSON text as a whole, for headers of model files: whoever looks into it says of what kind a value must
// be, and whatever is otherwise is damage.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace arcwise {

// A value is missing or of another kind than it should be; a sentence says which.
class BadJson : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonValue {
 public:
  using List = std::vector<JsonValue>;
  using Object = std::map<std::string, JsonValue, std::less<>>;

  // Throws BadJson.
  static JsonValue parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  // All of these throw BadJson if the value is of another kind.
  bool truth() const;
  double number() const;
  const std::string& text() const;
  const List& list() const;
  const Object& object() const;
  template <class Integer>
  Integer integer() const {
    const std::string& digits = this->digits();
    Integer number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw BadJson("the number " + digits + " is no whole number, or out of range");
    return number;
  }
  std::vector<std::string> texts() const;
  template <class Integer>
  std::vector<Integer> integers() const {
    std::vector<Integer> numbers;
    for (const JsonValue& item : list()) numbers.push_back(item.integer<Integer>());
    return numbers;
  }

  // A member of an object, which must be there.
  const JsonValue& operator[](std::string_view name) const;
  // The same, or null if it is not.
  const JsonValue& get(std::string_view name) const;
  // An item of a list, which must be there.
  const JsonValue& operator[](size_t item) const;

 private:
  struct Digits {
    std::string text;
  };
  const std::string& digits() const;
  friend class JsonValueReader;

  std::variant<std::monostate, bool, Digits, std::string, List, Object> value_;
};

}  // namespace arcwise
