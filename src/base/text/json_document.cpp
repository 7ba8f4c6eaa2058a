#include "base/text/json_document.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace concilio {
namespace {

using nlohmann::json;

// Destroys the values that a value holds, the innermost first: without values in it, none needs memory.
void empty(json& value) {
  if (!value.is_structured()) return;
  for (json& inner : value) empty(inner);
  value.clear();
}

// Makes the values that the parser tells of. All that it destroys itself is empty.
class Builder {
 public:
  explicit Builder(json& document) : document_(document) {}

  bool has_too_many_levels() const { return too_many_levels_; }

  // What the parser calls. The parser stops where the answer is no.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) { return add(value); }
  bool number_float(json::number_float_t value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t& /*value*/) { return false; }  // no JSON has any
  bool start_object(size_t /*count*/) { return open(json::value_t::object); }
  bool key(std::string& name) {
    member_ = &(*open_.back())[name];
    empty(*member_);  // of a name that is there twice, the last value counts
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(size_t /*count*/) { return open(json::value_t::array); }
  bool end_array() { return close(); }
  bool parse_error(size_t /*position*/, const std::string& /*token*/, const json::exception& /*error*/) {
    return false;
  }

 private:
  json& placed(json value) {
    if (open_.empty()) return document_ = std::move(value);
    if (open_.back()->is_array()) return open_.back()->emplace_back(std::move(value));
    return *member_ = std::move(value);
  }
  template <typename Value>
  bool add(Value&& value) {
    placed(json(std::forward<Value>(value)));
    return true;
  }
  bool open(json::value_t kind) {
    too_many_levels_ = open_.size() == JsonDocument::most_levels;
    if (too_many_levels_) return false;
    // It stays where it is: no list around it grows while it is open.
    open_.push_back(&placed(json(kind)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json& document_;
  std::vector<json*> open_;  // the lists and objects around what comes next
  json* member_ = nullptr;   // of the innermost object
  bool too_many_levels_ = false;
};

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  Builder builder(document.value_);
  if (json::sax_parse(text, &builder)) return document;
  return Error{ErrorKind::argument, 0,
               builder.has_too_many_levels() ? fmt::format("it has more than {} levels", most_levels)
                                             : "it is no JSON"};
}

JsonDocument::~JsonDocument() {
  empty(value_);
}

}  // namespace concilio
