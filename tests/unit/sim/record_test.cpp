// Records of calls: what is read from them, what is refused, and where they are cut.
#include "sim/record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pattern/encoding.h"

namespace concilio::sim::record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using What = RecordedCall::What;

using Lines = std::vector<std::string>;

std::string text_of(const std::vector<Lines>& ranks) {
  std::string text = fmt::format("{{\"concilio_record\":1,\"ranks\":{},\"nodes\":1}}\n", ranks.size());
  int64_t lines = 1;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    text += fmt::format("{{\"rank\":{},\"node\":0}}\n", rank);
    ++lines;
    for (const std::string& line : ranks[rank]) {
      text += line + "\n";
      ++lines;
    }
  }
  return text + fmt::format("{{\"lines\":{}}}\n", lines);
}

Result<Record> read(const std::vector<Lines>& ranks) {
  return parse_record(text_of(ranks), "calls");
}
std::string refusal(const std::string& text) {
  const auto record = parse_record(text, "calls");
  return record ? "it was read" : record.error().message;
}
std::string refusal(const Lines& of_rank_0) {
  return refusal(text_of({of_rank_0}));
}

const std::string open =
    R"({"call":"open","file":1,"idle_ns":5,"path":"/a","mode":["create","rdwr"],"size":0})";
const std::string close_line = R"({"call":"close","file":1,"idle_ns":0})";
std::string transfer(const char* call, const char* more, int64_t position, int64_t bytes) {
  return fmt::format(
      R"({{"call":"{}","file":1,"idle_ns":7,"kind":"blocking","pointer":"explicit",{}"position":{},"bytes":{}}})",
      call, more, position, bytes);
}
const char* together = R"("collective":true,)";
const char* alone = R"("collective":false,)";

std::string type_line(int number, const pattern::Nest& nest, int64_t extent) {
  std::vector<std::byte> bytes;
  pattern::encode(nest, bytes, INT64_MAX);
  pattern::encode(extent, bytes);
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return fmt::format(R"({{"type":{},"nest":"{}"}})", number, text);
}

TEST(ARecord, HasTheCallsOfEachRankAndTheExtentOfItsFiles) {
  const Lines of_rank = {open, transfer("write", together, 0, 100), transfer("read", alone, 50, 20),
                         close_line};
  const auto record = read({of_rank, of_rank});
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_EQ(record->ranks(), 2);
  ASSERT_EQ(record->calls[1].size(), 4u);
  ASSERT_EQ(record->opens.size(), 1u) << "what ranks have opened together is one";
  EXPECT_THAT(record->opens[0].ranks, ElementsAre(0, 1));
  EXPECT_THAT(record->opens[0].modes, ElementsAre("create", "rdwr"));
  EXPECT_EQ(record->paths[0].extent, 100);
  EXPECT_TRUE(record->paths[0].of_all_ranks);
  const RecordedCall& written = record->calls[1][1];
  EXPECT_EQ(written.operation, Operation::write);
  EXPECT_TRUE(written.is_together());
  EXPECT_EQ(written.bytes, 100);
  EXPECT_EQ(written.idle_ns, 7);
  EXPECT_FALSE(record->calls[1][2].is_together());
  EXPECT_EQ(record->left_out, 0);
}

TEST(ARecord, ShowsTheFileThroughItsViews) {
  const auto piece = pattern::Nest::bytes(4);
  const auto record = read({{open, type_line(1, *piece, 16),
                             R"({"call":"view","file":1,"idle_ns":0,"displacement":8,"etype":4,"type":1})",
                             transfer("write", alone, 4, 8), close_line}});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->paths[0].extent, 8 + 2 * 16 + 4);
  std::vector<int64_t> places;
  for_each_transfer(*record, 0, [&](const RecordedCall& call, const pattern::Access& file) {
    for (int64_t i = 0; i < call.bytes; i += 4) places.push_back(file.offset_of(call.position + i));
  });
  EXPECT_THAT(places, ElementsAre(24, 40));
}

TEST(ARecord, HasFilesOfSomeRanksAlone) {
  const std::string own =
      R"({{"call":"open","file":1,"idle_ns":0,"path":"/own.{}","mode":["rdonly"],"size":30,"ranks":[{}]}})";
  const auto record = read({{fmt::format(fmt::runtime(own), 0, 0)}, {fmt::format(fmt::runtime(own), 1, 1)}});
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_EQ(record->opens.size(), 2u);
  EXPECT_FALSE(record->paths[0].of_all_ranks);
  EXPECT_EQ(record->paths[1].extent, 30) << "that is how long it was";
}

TEST(ARecord, WaitsForCallsByTheirNumbers) {
  const std::string start =
      R"({"call":"write","file":1,"idle_ns":0,"kind":"split","pointer":"ordered","collective":true,"number":3,"bytes":8})";
  const auto record = read({{open, start, R"({"call":"place","number":3,"position":40})",
                             R"({"call":"wait","idle_ns":9,"number":3})"}});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->calls[0][1].position, 40);
  EXPECT_EQ(record->calls[0][2].what, What::wait);
  EXPECT_EQ(record->paths[0].extent, 48);
  const auto without_place = read({{open, start}});
  ASSERT_TRUE(without_place);
  EXPECT_EQ(without_place->calls[0][1].bytes, 0) << "nobody knows where it was";
}

// Rank 1 has one collective call less. What rank 0 did by itself before that call stays.
TEST(ARecord, IsCutWhereNotAllRanksHaveComeTo) {
  const std::string write = transfer("write", together, 0, 10), own = transfer("write", alone, 10, 5);
  const auto record = read({{open, write, own, write, own, close_line}, {open, write, R"({"full":true})"}});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->calls[0].size(), 3u);
  EXPECT_EQ(record->calls[1].size(), 2u);
  EXPECT_EQ(record->left_out, 3);
  EXPECT_EQ(record->total_calls, 8);
  EXPECT_TRUE(record->full);
}

// Cutting rank 0 takes its second file from it, which rank 2 then cannot use either.
TEST(ARecord, IsCutOnAllRanksThatACutConcerns) {
  const auto open_of = [](const char* path, const char* ranks, int file) {
    return fmt::format(
        R"({{"call":"open","file":{},"idle_ns":0,"path":"{}","mode":["rdwr"],"size":0,"ranks":{}}})", file,
        path, ranks);
  };
  const std::string first = open_of("/a", "[0,1]", 1), second = open_of("/b", "[0,2]", 2);
  const auto record = read({{first, close_line, second}, {first}, {second}});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->calls[0].size(), 1u);
  EXPECT_EQ(record->calls[2].size(), 0u);
}

TEST(ARecord, IsRefusedByTheLineThatIsWrong) {
  EXPECT_THAT(refusal(Lines{open, "{"}), HasSubstr("calls, line 4: this is no JSON"));
  EXPECT_THAT(refusal(Lines{open, R"({"call":"opne","idle_ns":0})"}),
              HasSubstr("line 4: call is \"opne\", and not one of open"));
  EXPECT_THAT(refusal(Lines{close_line}), HasSubstr("line 3: file is a file that this rank has not open"));
  EXPECT_THAT(refusal(Lines{open, open}),
              HasSubstr("line 4: file is a file that this rank has open already"));
  EXPECT_THAT(refusal(Lines{open, transfer("write", together, -1, 10)}),
              HasSubstr("position is -1; it is at least 0"));
  EXPECT_THAT(refusal(Lines{open, transfer("write", together, INT64_MAX, 10)}),
              HasSubstr("position is not in the file's view"));
  EXPECT_THAT(refusal(Lines{open, R"({"call":"wait","idle_ns":0,"number":3})"}),
              HasSubstr("number is no call of this rank that is under way"));
  EXPECT_THAT(refusal(Lines{R"({"type":1,"nest":"0"})"}), HasSubstr("nest has half a byte"));
  EXPECT_THAT(refusal(Lines{R"({"type":1,"nest":"09"})"}), HasSubstr("nest is no description of a datatype"));
  EXPECT_THAT(refusal(Lines{R"({"type":2,"nest":"00"})"}), HasSubstr("type is not the next number, 1"));
  EXPECT_THAT(refusal(Lines{R"({"full":true})", open}),
              HasSubstr("comes behind the line that ends a rank's record"));
  EXPECT_THAT(refusal(Lines{open, "{"}), HasSubstr("record the program again"));
}

TEST(ARecord, IsRefusedIfItIsNotWhole) {
  const std::string text = text_of({{open, close_line}});
  EXPECT_THAT(refusal(text.substr(0, text.rfind("{\"lines\""))), HasSubstr("line 4: the file ends here"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal("{\"concilio_record\":1,\"ranks\":2,\"nodes\":1}\n{\"rank\":0}\n{\"lines\":2}\n"),
              HasSubstr("comes before the lines of rank 1"));
  EXPECT_THAT(refusal("{\"concilio_record\":1,\"ranks\":1,\"nodes\":1}\n{\"rank\":0}\n{\"lines\":3}\n"),
              HasSubstr("does not count the 2 lines before it"));
  EXPECT_THAT(refusal("{\"concilio_record\":9,\"ranks\":1,\"nodes\":1}\n"),
              HasSubstr("concilio_record is no version that is known here"));
}

}  // namespace
}  // namespace concilio::sim::record_test
