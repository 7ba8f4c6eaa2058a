// A JSON document that needs no memory to be destroyed. nlohmann::json's destructor asks for memory where
// values hold values, and ends the process if there is none.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace concilio {

class JsonDocument {
 public:
  // A document with more levels of lists and objects is refused, since each takes some of the stack.
  static constexpr size_t most_levels = 100;

  // The error has the kind `argument` and says why the text cannot be used. Throws std::bad_alloc.
  static Result<JsonDocument> parse(std::string_view text);

  JsonDocument(JsonDocument&&) noexcept = default;
  JsonDocument& operator=(JsonDocument&&) = delete;
  ~JsonDocument();

  const nlohmann::json& value() const { return value_; }

 private:
  JsonDocument() = default;

  nlohmann::json value_;
};

}  // namespace concilio
