// A value of a JSON document, and its place there. All JSON that a user may have written or edited is read
// through this, so that an error names the place in the document: "nodes[0].ranks is "two", and not a whole
// number".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"

namespace concilio {

class JsonPlace {
 public:
  // A whole document. `name` stands for it in messages, but is not part of the paths of values in it.
  static JsonPlace document(const nlohmann::json& value, std::string name) {
    return {value, "", std::move(name)};
  }
  // A part of a document that is read by itself. `path` is its place there.
  JsonPlace(const nlohmann::json& value, const std::string& path) : JsonPlace(value, path, path) {}

  // The values below this one. All throw JsonRefused, which read_json() catches, if the document does not
  // have them, except that find() returns nothing for a missing member.
  JsonPlace at(const std::string& name) const;
  std::optional<JsonPlace> find(const std::string& name) const;  // nothing if missing or null
  bool is_list() const { return value_->is_array(); }
  std::vector<JsonPlace> list() const;
  std::vector<JsonPlace> list_of(size_t count, const char* form) const;  // exactly `count`; `form`: "[x, y]"
  std::vector<std::pair<std::string, JsonPlace>> members() const;

  // The value itself, as the requested type. All throw JsonRefused if it is of another one.
  bool truth() const;
  int64_t whole_number(int64_t least = 0) const;
  double number() const;  // finite
  double number_from_0() const;
  std::string text() const;
  // The index of the value among `count` names, of which name_of(i) gives each.
  int64_t index_among(int64_t count, FunctionRef<std::string(int64_t)> name_of) const;

  // Throws JsonRefused, which says the place and what is wrong with it ("is empty").
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  JsonPlace(const nlohmann::json& value, std::string path, std::string name)
      : value_(&value), path_(std::move(path)), name_(std::move(name)) {}

  const nlohmann::json* value_;
  std::string path_, name_;
};

struct JsonRefused {
  std::string why;
};
// Returns what `read`() returns, or an error that says why it could not be read.
template <typename Read>
auto read_json(Read&& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const JsonRefused& refused) {
    return Error{ErrorKind::argument, 0, refused.why};
  }
}

}  // namespace concilio
