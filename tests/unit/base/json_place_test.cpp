#include "base/text/json_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace concilio::json_place_test {
namespace {

using nlohmann::json;

// The error when `read` reads `document`.
template <typename Read>
std::string complaint(const json& document, Read&& read) {
  const auto outcome = read_json([&] {
    read(JsonPlace::document(document, "the file"));
    return 0;
  });
  return outcome ? "nothing" : outcome.error().message;
}

TEST(JsonPlace, ReadsWhatIsThere) {
  const json document = {{"on", true},  {"count", 7},  {"seconds", 0.5},
                         {"name", "x"}, {"kind", "b"}, {"list", {1, 2}}};
  const JsonPlace in = JsonPlace::document(document, "the file");
  EXPECT_TRUE(in.at("on").truth());
  EXPECT_EQ(in.at("count").whole_number(7), 7);
  EXPECT_EQ(in.at("seconds").number_from_0(), 0.5);
  EXPECT_EQ(in.at("name").text(), "x");
  EXPECT_EQ(
      in.at("kind").index_among(2, [](int64_t i) { return std::string(1, static_cast<char>('a' + i)); }), 1);
  EXPECT_EQ(in.at("list").list_of(2, "[a, b]")[1].whole_number(), 2);
  EXPECT_EQ(in.members().size(), 6u);
  EXPECT_FALSE(in.find("other"));
}

TEST(JsonPlace, NamesThePlaceOfWhatMakesNoSense) {
  const json document = {{"nodes", {{{"ranks", "two"}}}}};
  EXPECT_EQ(
      complaint(document, [](const JsonPlace& in) { in.at("nodes").list()[0].at("ranks").whole_number(); }),
      "nodes[0].ranks is \"two\", and not a whole number");
  EXPECT_EQ(complaint(document, [](const JsonPlace& in) { in.at("nodes").list()[0].at("bytes"); }),
            "nodes[0] has no \"bytes\"");
}

TEST(JsonPlace, NamesTheDocumentWhereAllOfItIsWrong) {
  EXPECT_EQ(complaint(json::array(), [](const JsonPlace& in) { in.at("nodes"); }), "the file is no object");
  EXPECT_EQ(complaint(json::object(), [](const JsonPlace& in) { in.at("nodes"); }),
            "the file has no \"nodes\"");
}

TEST(JsonPlace, NullIsAsIfMissing) {
  const json document = {{"bytes", nullptr}};
  EXPECT_EQ(complaint(document, [](const JsonPlace& in) { in.at("bytes"); }), "the file has no \"bytes\"");
}

TEST(JsonPlace, RefusesNumbersThatDoNotFit) {
  const json document = {{"large", std::numeric_limits<uint64_t>::max()}, {"below", -1}, {"list", {1, 2, 3}}};
  const auto said = [&](auto&& read) { return complaint(document, read); };
  EXPECT_THAT(said([](const JsonPlace& in) { in.at("large").whole_number(); }),
              testing::HasSubstr("not a whole number"));
  EXPECT_EQ(said([](const JsonPlace& in) { in.at("below").whole_number(); }),
            "below is -1; it is at least 0");
  EXPECT_EQ(said([](const JsonPlace& in) { in.at("below").number_from_0(); }),
            "below is -1; it is at least 0");
  EXPECT_EQ(said([](const JsonPlace& in) { in.at("list").list_of(2, "[x, y]"); }),
            "list is [1,2,3], and not [x, y]");
  EXPECT_EQ(said([](const JsonPlace& in) { in.at("list").text(); }), "list is [1,2,3], and not a text");
}

TEST(JsonPlace, ShowsBytesThatAreNoText) {
  const json document = {{"on", "\xff"}};
  EXPECT_THAT(complaint(document, [](const JsonPlace& in) { in.at("on").truth(); }),
              testing::HasSubstr("and not true or false"));
}

}  // namespace
}  // namespace concilio::json_place_test
