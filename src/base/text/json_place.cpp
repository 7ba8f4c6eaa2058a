#include "base/text/json_place.h"

#include <fmt/format.h>

#include <cmath>

namespace concilio {
namespace {

using nlohmann::json;

// The value as the document has it. Bytes that are not valid text are replaced.
std::string shown(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void JsonPlace::refuse(const std::string& what) const {
  throw JsonRefused{fmt::format("{} {}", name_, what)};
}

std::optional<JsonPlace> JsonPlace::find(const std::string& name) const {
  if (!value_->is_object()) refuse("is no object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonPlace(*found, path_.empty() ? name : fmt::format("{}.{}", path_, name));
}

JsonPlace JsonPlace::at(const std::string& name) const {
  auto found = find(name);
  if (!found) refuse(fmt::format("has no \"{}\"", name));
  return *std::move(found);
}

std::vector<JsonPlace> JsonPlace::list() const {
  if (!value_->is_array()) refuse("is no list");
  std::vector<JsonPlace> out;
  out.reserve(value_->size());
  for (const json& one : *value_) out.emplace_back(one, fmt::format("{}[{}]", path_, out.size()));
  return out;
}

std::vector<JsonPlace> JsonPlace::list_of(size_t count, const char* form) const {
  if (!value_->is_array() || value_->size() != count)
    refuse(fmt::format("is {}, and not {}", shown(*value_), form));
  return list();
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  if (!value_->is_object()) refuse("is no object");
  std::vector<std::pair<std::string, JsonPlace>> out;
  for (const auto& [name, value] : value_->items()) out.emplace_back(name, at(name));
  return out;
}

bool JsonPlace::truth() const {
  if (!value_->is_boolean()) refuse(fmt::format("is {}, and not true or false", shown(*value_)));
  return value_->get<bool>();
}

int64_t JsonPlace::whole_number(int64_t least) const {
  if (!value_->is_number_integer() || (value_->is_number_unsigned() && value_->get<uint64_t>() > INT64_MAX))
    refuse(fmt::format("is {}, and not a whole number", shown(*value_)));
  const auto number = value_->get<int64_t>();
  if (number < least) refuse(fmt::format("is {}; it is at least {}", number, least));
  return number;
}

double JsonPlace::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>()))
    refuse(fmt::format("is {}, and not a number", shown(*value_)));
  return value_->get<double>();
}

double JsonPlace::number_from_0() const {
  const double found = number();
  if (found < 0) refuse(fmt::format("is {}; it is at least 0", shown(*value_)));
  return found;
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse(fmt::format("is {}, and not a text", shown(*value_)));
  return value_->get<std::string>();
}

int64_t JsonPlace::index_among(int64_t count, FunctionRef<std::string(int64_t)> name_of) const {
  std::string known;
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = name_of(i);
    if (*value_ == name) return i;
    known += fmt::format("{}{}", i == 0 ? "" : ", ", name);
  }
  refuse(fmt::format("is {}, and not one of {}", shown(*value_), known));
}

}  // namespace concilio
