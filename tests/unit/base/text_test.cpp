#include "base/text/text.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/median.h"
#include "base/text/whole_number.h"

namespace concilio::text_test {
namespace {

TEST(Text, IsTrimmedOnBothSides) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \r\n\t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, IsTakenPieceByPiece) {
  std::string_view rest = "a;;b;";
  std::vector<std::string_view> pieces;
  while (!rest.empty()) pieces.push_back(take_until(rest, ';'));
  EXPECT_EQ(pieces, (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(take_until(rest, ';'), "");
}

TEST(WholeNumber, IsWhatTheTextBeginsWith) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("  12 kB\n"), 12);
  EXPECT_EQ(whole_number("-3"), -3);
  EXPECT_EQ(whole_number("9223372036854775807"), INT64_MAX);
  for (const char* none : {"", "  ", "max", "kB 12", "9223372036854775808"})
    EXPECT_EQ(whole_number(none), std::nullopt) << none;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_DOUBLE_EQ(median({}), 0);
}

}  // namespace
}  // namespace concilio::text_test
