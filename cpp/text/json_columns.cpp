// Columns of names and values, which are objects in JSON.
#include <algorithm>

#include "text/json.h"
#include "text/rows.h"

namespace arcwise {
namespace {

constexpr std::string_view kLow = "LowConfidence=Yes";

std::string_view name_of(std::string_view item) { return item.substr(0, item.find('=')); }
bool has_value(std::string_view item) { return item.find('=') != std::string_view::npos; }

std::vector<std::string_view> items_of(std::string_view column) {
  std::vector<std::string_view> items;
  items.reserve(8);
  each_item(column, [&](std::string_view item) { items.push_back(item); });
  return items;
}

std::string joined(const std::vector<std::string_view>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += '|';
    out += items[i];
  }
  return out;
}

// Puts items of the same name where the first of them is; whether that changed anything.
bool group(std::vector<std::string_view>& items) {
  bool changed = false;
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    const std::string_view name = name_of(items[i]);
    const auto is_same = [&](std::string_view item) { return name_of(item) == name; };
    const auto rest = items.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::none_of(rest, items.end(), is_same)) continue;
    std::stable_partition(rest, items.end(), is_same);
    changed = true;
  }
  return changed;
}

bool take_ranges(std::vector<std::string_view>& items) {
  return std::erase_if(items, [](std::string_view item) { return token_range(item).has_value(); }) > 0;
}

// The value of an item that comes once and is a probability; it is taken away.
std::string_view take_probability(std::vector<std::string_view>& items, std::string_view name) {
  const auto is = [&](std::string_view item) { return has_value(item) && name_of(item) == name; };
  const auto found = std::find_if(items.begin(), items.end(), is);
  if (found == items.end() || std::find_if(found + 1, items.end(), is) != items.end()) return {};
  const std::string_view value = found->substr(name.size() + 1);
  if (!is_plain_probability(value)) return {};
  items.erase(found);
  return value;
}

}  // namespace

bool is_plain_probability(std::string_view number) {
  if (number == "0" || number == "1") return true;
  if (number.size() < 3 || (!number.starts_with("0.") && !number.starts_with("1."))) return false;
  const char most = number[0] == '1' ? '0' : '9';
  return std::all_of(number.begin() + 2, number.end(), [&](char c) { return c >= '0' && c <= most; });
}

JsonColumn json_feats(std::string_view feats) {
  JsonColumn parts;
  if (feats == kNoValue) return parts;
  parts.all = feats;
  if (feats.find('|') == std::string_view::npos) return parts;
  auto items = items_of(feats);
  if (group(items)) parts.some = joined(items);
  return parts;
}

JsonColumn json_misc(std::string_view misc, bool has_place) {
  JsonColumn parts;
  if (misc == kNoValue) return parts;
  parts.all = misc;
  const bool has_probabilities = misc.find("Prob=") != std::string_view::npos;
  if (!has_probabilities && misc.find('|') == std::string_view::npos) {
    parts.has_range = has_place && token_range(misc);
    if (parts.has_range) parts.all = {};
    return parts;
  }
  auto items = items_of(misc);
  const size_t count = items.size();
  parts.has_range = has_place && take_ranges(items);
  if (has_probabilities) {
    parts.head_prob = take_probability(items, "HeadProb");
    parts.deprel_prob = take_probability(items, "DeprelProb");
  }
  const bool changed = group(items);
  if (changed || items.size() < count) parts.some = joined(items);
  return parts;
}

void append_misc(const JsonColumn& parts, const std::optional<TextSpan>& range, std::string& out) {
  const size_t begin = out.size();
  const auto start = [&]() -> std::string& { return out.size() == begin ? out : out += '|'; };
  std::string_view items = parts.items();
  const bool low = items == kLow || items.ends_with("|LowConfidence=Yes");
  if (low) items.remove_suffix(std::min(items.size(), kLow.size() + 1));
  if (!parts.items().empty() && parts.items() != kLow) {
    out += items;
    // Nothing may be a name, and stands before what follows all the same.
    if (items.empty()) out += '|';
  }
  if (range)
    ((start() += "TokenRange=") += std::to_string(range->first)).append(":") += std::to_string(range->second);
  if (!parts.head_prob.empty()) (start() += "HeadProb=") += parts.head_prob;
  if (!parts.deprel_prob.empty()) (start() += "DeprelProb=") += parts.deprel_prob;
  if (low) start() += kLow;
  if (out.size() == begin) out += kNoValue;
}

}  // namespace arcwise
