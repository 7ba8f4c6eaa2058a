#include "base/text/json_document.h"

#include <gtest/gtest.h>

namespace concilio::json_document_test {
namespace {

using nlohmann::json;

std::string complaint(const std::string& text) {
  const auto read = JsonDocument::parse(text);
  return read ? "nothing" : read.error().message;
}

std::string nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonDocument, HasEveryKindOfValue) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "2.5e-3", R"("a\u00e9\n")", "[]", "{}",
        "[[], {}, [1, [2]], 3]",
        R"({"a": {"b": [1, {"c": null}], "d": "e"}, "f": [[0, 1.5], [2, 3]], "g": false})"}) {
    const auto read = JsonDocument::parse(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ((*read).value(), json::parse(text)) << text;
  }
}

TEST(JsonDocument, TheLastValueOfANameCounts) {
  const auto read = JsonDocument::parse(R"({"a": [[1], {"b": 2}], "a": {"c": [3]}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read).value(), json::parse(R"({"a": {"c": [3]}})"));
}

TEST(JsonDocument, IsThereAfterAMove) {
  auto read = JsonDocument::parse(R"({"a": [1, [2]]})");
  ASSERT_TRUE(read) << read.error().message;
  const JsonDocument moved = std::move(*read);
  EXPECT_EQ(moved.value(), json::parse(R"({"a": [1, [2]]})"));
}

TEST(JsonDocument, TextThatIsNone) {
  for (const char* text : {"", " ", "[1, [2, {\"a\": [", "[1] 2", "{\"a\" 1}", "\"\xff\"", "1e999", "nul"})
    EXPECT_EQ(complaint(text), "it is no JSON") << text;
}

TEST(JsonDocument, TooManyLevels) {
  EXPECT_EQ(complaint(nested(JsonDocument::most_levels)), "nothing");
  EXPECT_EQ(complaint(nested(JsonDocument::most_levels + 1)), "it has more than 100 levels");
  EXPECT_EQ(complaint(std::string(1 << 20, '[')), "it has more than 100 levels");
}

}  // namespace
}  // namespace concilio::json_document_test
