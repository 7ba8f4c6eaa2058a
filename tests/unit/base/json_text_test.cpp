#include "base/json_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace concilio::json_text_test {
namespace {

nlohmann::json read_back(const JsonText& json) {
  return nlohmann::json::parse(json.text());
}

TEST(JsonText, NestsObjectsAndArrays) {
  JsonText json;
  json.object([&] {
    json.member("name", "a");
    json.member("yes", true);
    json.name("empty");
    json.array([] {});
    json.name("list");
    json.array([&] {
      json.value(1);
      json.null();
      json.object([&] { json.member("deep", -2); });
      json.value(2.5);
    });
    json.member("last", std::string("z"));
  });
  EXPECT_EQ(read_back(json), nlohmann::json::parse(R"({"name": "a", "yes": true, "empty": [],
                                                       "list": [1, null, {"deep": -2}, 2.5], "last": "z"})"));
}

TEST(JsonText, NumbersComeBackAsTheyWere) {
  JsonText json;
  const double third = 1.0 / 3, tiny = 5e-324, huge = 1.7976931348623157e308;
  json.array([&] {
    for (const double number : {third, tiny, huge, 0.0}) json.value(number);
    json.value(std::numeric_limits<int64_t>::min());
    json.value(std::numeric_limits<uint64_t>::max());
    json.value(std::numeric_limits<double>::infinity());
  });
  const nlohmann::json back = read_back(json);
  EXPECT_EQ(back[0].get<double>(), third);
  EXPECT_EQ(back[1].get<double>(), tiny);
  EXPECT_EQ(back[2].get<double>(), huge);
  EXPECT_EQ(back[3].get<double>(), 0.0);
  EXPECT_EQ(back[4].get<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(back[5].get<uint64_t>(), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(back[6].is_null());
}

// Another writer of JSON replaces what is not UTF-8. It could also throw, but that takes long with
// sanitizers.
bool is_utf8(const std::string& text) {
  using nlohmann::json;
  const std::string written = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(written).get<std::string>() == text;
}

TEST(JsonText, WritesAnyBytesAsText) {
  const auto check = [](const std::string& text) {
    JsonText json;
    json.value(text);
    const auto back = read_back(json).get<std::string>();
    if (is_utf8(text)) {
      ASSERT_EQ(back, text);
    } else {
      ASSERT_NE(back.find("\xef\xbf\xbd"), std::string::npos);
    }
  };
  for (const char* text :
       {"", "plain", "a \"quoted\" \\ path\n\t\r\b\x01\x1f\x7f", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"})
    check(text);
  // Where ranges of second bytes begin and end that UTF-8 or JSON treats differently behind some first byte.
  static constexpr int seconds[] = {0x00, 0x1f, 0x20, '"',  '\\', 0x7f, 0x80, 0x8f, 0x90,
                                    0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xf4, 0xff};
  for (int first = 0; first < 256; ++first) {
    for (const int second : seconds) {
      for (const char* rest : {"", "\x80", "\xbf\x80", "a"})
        check(std::string{static_cast<char>(first), static_cast<char>(second)} + rest);
    }
  }
}

}  // namespace
}  // namespace concilio::json_text_test
