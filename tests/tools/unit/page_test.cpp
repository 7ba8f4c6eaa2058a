#include "summary/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace concilio::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr, testing::Not;

FileRecord file_of(const std::string& name, double seconds) {
  FileRecord file;
  file.file = name;
  file.ranks = 4;
  file.nodes = 1;
  file.slowest[Counter::call_ns] = static_cast<int64_t>(seconds * 1e9);
  file.sum[Counter::collective_writes] = 8;
  file.sum[Counter::method_two_phase] = 8;
  file.reasons.push_back({"write", "two_phase", true, "small pieces", 8, {}});
  file.hints = {{"cb_nodes", "2"}};
  return file;
}

// What page.js reads.
json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t from = page.find(begin) + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Page, HasTheVerdictAndTheFilesThatTookLongestFirst) {
  Report report{"1.2", {"mpirun", "./app"}, 3, {}};
  report.records.files = {file_of("/d/quick", 1), file_of("/d/slow", 2), file_of("/d/quick", 0.5)};
  report.records.files[0].first_error = "MPI_File_open: no such file";
  const std::string page = render_page(report);
  EXPECT_THAT(page, HasSubstr("<title>Concilio: mpirun ./app</title>"));
  EXPECT_THAT(page,
              HasSubstr("<p class=\"verdict\">3.5 s in MPI-IO calls on the slowest rank of each file</p>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"trouble\">The program ended with status 3.</p>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"trouble\">/d/quick: MPI_File_open: no such file</p>"));
  const json data = data_of(page);
  ASSERT_EQ(data["files"].size(), 2u);
  EXPECT_EQ(data["files"][0]["name"], "/d/slow");
  EXPECT_EQ(data["files"][1]["name"], "/d/quick");
  EXPECT_EQ(data["files"][1]["seconds"], 1.5);
  EXPECT_EQ(data["methods"], json::parse(R"(["two_phase"])"));
  EXPECT_EQ(data["files"][1]["methods"], 0);
  EXPECT_EQ(data["files"][1]["why"], json::parse("[[0, 16]]"));
  EXPECT_EQ(data["reasons"].size(), 1u) << "what files have in common is there once";
  EXPECT_EQ(data["hints"], json::parse(R"([{"cb_nodes": "2"}])"));
  EXPECT_EQ(data["defaults"]["cb_nodes"], "0");
  const int index = data["files"][0]["sum"][0];
  EXPECT_EQ(data["counters"][static_cast<size_t>(index)], "collective_writes");
}

TEST(Page, HasTheActivitiesOfTheFilesThatTookLongest) {
  Report report;
  for (int i = 0; i < 9; ++i) {
    FileRecord& file = report.records.files.emplace_back(file_of(fmt::format("/d/{}", i), 10 - i));
    file.activities = {fmt::format(R"({{"rows":1,"filling":"{}"}})", std::string(400'000, 'x'))};
    file.hints_given = R"([{"name":"cb_nodes"}])";
  }
  report.records.files[8].activities = {R"({"rows":8})"};
  const json data = data_of(render_page(report));
  EXPECT_EQ(data["files"][0]["activities"][0]["rows"], 1);
  EXPECT_EQ(data["files"][0]["hints_given"][0]["name"], "cb_nodes");
  EXPECT_TRUE(data["files"][2].contains("activities"));
  EXPECT_FALSE(data["files"][7].contains("activities"));
  EXPECT_TRUE(data["files"][8].contains("activities")) << "what is left out takes no room";
}

TEST(Page, NamesCannotBecomeMarkup) {
  Report report{"1", {"./app", "<!--data--></title><script>"}, std::nullopt, {}};
  report.records.files = {file_of("/d/</script><img src=x onerror=alert(1)><!--script-->", 1)};
  report.records.files[0].first_error = "<b>";
  const std::string page = render_page(report);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;!--data--&gt;"));
  EXPECT_EQ(data_of(page)["files"][0]["name"], report.records.files[0].file);
}

TEST(Page, NeedsNothingElse) {
  std::string page = render_page({});
  // Browsers fetch nothing for a page that says so, whatever its scripts ask for.
  EXPECT_THAT(page, HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                              "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"));
  // D3's text has addresses: where it is from, those of licences, and the names of XML's kinds.
  const size_t library = page.find("<script id=\"library\">");
  const size_t end = page.find("</script>", library);
  ASSERT_NE(end, page.npos);
  EXPECT_THAT(page.substr(library, end - library), HasSubstr("scaleLinear"));
  EXPECT_THAT(page.substr(library, end - library), HasSubstr("Copyright 2010-2023 Mike Bostock"));
  page.erase(library, end - library);
  for (const char* from_elsewhere : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(from_elsewhere)));
}

TEST(Page, OfTenThousandFilesIsBelowFiveMegabytes) {
  Report report;
  for (int i = 0; i < 10'000; ++i) {
    FileRecord& file = report.records.files.emplace_back(
        file_of(fmt::format("/scratch/project/group/user/run-0042/output/step-{:05}/fields.{:05}.h5", i, i),
                1e-3 * i));
    for (int c = 0; c < 24; ++c) {
      file.sum[static_cast<Counter>(c)] = 123456789 + i;
      file.slowest[static_cast<Counter>(c)] = 23456789 + i;
    }
    file.reasons[0].text = fmt::format("pieces of {} bytes", i);
    file.activities = {R"({"rows":1,"time":{"bins":1,"first":0,"bin_ns":1048576}})"};
    for (int c = 0; c < 40; ++c) file.hints[fmt::format("concilio_hint_{}", c)] = "automatic";
  }
  const std::string page = render_page(report);
  EXPECT_LT(page.size(), 5u << 20);
  EXPECT_EQ(data_of(page)["files"].size(), 10'000u);
  EXPECT_EQ(data_of(page)["reasons"].size(), 500u);
}

TEST(Report, ReadsWhatWasWritten) {
  Report report{"1.2", {"mpirun", "./app"}, 3, {}};
  report.records.files = {file_of("/d/a", 1), file_of("/d/b", 2)};
  report.records.files[0].activities = {R"({"rows":1})",
                                        R"({"waited_least":[{"own_seconds":2.0,"rank":5}]})"};
  report.records.files[0].hints_given = "[]";
  const Result<Report> again = parse_report(text_of(report));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(text_of(*again), text_of(report));
  EXPECT_EQ(json::parse(text_of(report))["files"][0]["activities"][0]["rows"], 1);
  EXPECT_EQ(again->records.files[0].late_rank.rank, 5);
  EXPECT_EQ(again->records.files[0].late_rank.own_seconds, 2);
  const Result<Report> lines = parse_report(json::parse(text_of(report.records.files[0])).dump() + "\n");
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(lines->records.files.size(), 1u);
  EXPECT_FALSE(lines->exit_status);
  for (const char* other : {"", "no report", "[1]", "{\"files\": 1}", "{\"files\": [{}]}"})
    EXPECT_FALSE(parse_report(other).ok()) << other;
}

}  // namespace
}  // namespace concilio::tools
