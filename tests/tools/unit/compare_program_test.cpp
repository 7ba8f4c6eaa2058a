#include "benchmark/compare_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace concilio::tools {
namespace {

using testing::HasSubstr, testing::Not;

ProgramComparison of_times(std::vector<double> own, std::vector<double> concilio) {
  ProgramComparison comparison;
  comparison.concilio_io_seconds = std::vector<double>(own.size(), 0.25);
  comparison.own_seconds = std::move(own);
  comparison.concilio_seconds = std::move(concilio);
  return comparison;
}

TEST(CompareProgram, TableHasMediansAndSpreads) {
  EXPECT_EQ(render(of_times({4, 3, 3.5}, {1, 2, 1.75})),
            "concilio: 3 starts without and with Concilio by turns, after one of each to warm up\n"
            "  median (spread)  without Concilio                 with Concilio\n"
            "  program          3.5 s (3 s to 4 s)               1.75 s (1 s to 2 s)\n"
            "  of it in MPI-IO  not known                        250 ms (250 ms to 250 ms)\n"
            "  the program is 2.00 times as fast with Concilio\n"
            "  files written by MPI-IO: none was seen\n");
}

TEST(CompareProgram, TimesThatOverlapShowNoDifference) {
  EXPECT_THAT(render(of_times({2, 4}, {1, 2})), HasSubstr("  the difference is within the spread\n"));
  EXPECT_THAT(render(of_times({1, 2}, {2, 4})), HasSubstr("  the difference is within the spread\n"));
  EXPECT_THAT(render(of_times({1, 1.5}, {2, 3})), HasSubstr("is 0.50 times as fast with Concilio\n"));
  EXPECT_THAT(render(of_times({2}, {1})), HasSubstr("2.00 times as fast with Concilio; one turn of each"));
}

TEST(CompareProgram, FilesDifferIfTheyAreAlwaysTheSameWithoutConcilio) {
  const FileDigest one{8, 1}, other{8, 2};
  ProgramComparison comparison = of_times({1}, {1});
  comparison.files = {{"/d/equal", {{one}, {one}}},
                      {"/d/vary", {{one, other}, {one}}},
                      {"/d/new", {{}, {one}}},
                      {"/d/gone", {{one}, {}}}};
  EXPECT_FALSE(comparison.files_differ());
  std::string text = render(comparison);
  EXPECT_THAT(text, HasSubstr("  1 file: equal, byte for byte, without and with Concilio\n    /d/equal\n"));
  EXPECT_THAT(text, HasSubstr("also without Concilio\n    /d/vary\n"));
  EXPECT_THAT(text, HasSubstr("did not write\n    /d/new\n"));
  EXPECT_THAT(text, HasSubstr("had ended\n    /d/gone\n"));
  EXPECT_THAT(text, Not(HasSubstr("DIFFERENT")));
  comparison.files["/d/once"] = {{one}, {one, other}};
  EXPECT_TRUE(comparison.files_differ());
  EXPECT_THAT(render(comparison), HasSubstr("  1 file: DIFFERENT with Concilio\n    /d/once\n"));
}

TEST(CompareProgram, OfManyFilesNamesFive) {
  ProgramComparison comparison = of_times({1}, {1});
  for (const char* name : {"/1", "/2", "/3", "/4", "/5", "/6", "/7"}) comparison.files[name] = {{{}}, {{}}};
  EXPECT_THAT(render(comparison), HasSubstr("    /5\n    and 2 more\n"));
}

TEST(FileDigest, TellsEveryByteAndTheLength) {
  const std::string folder = testing::TempDir() + "file_digest_test";
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/file";
  const auto digest_with = [&](size_t size, size_t place, char byte) {
    std::string bytes(size, 'a');
    if (place < size) bytes[place] = byte;
    std::ofstream(path, std::ios::binary) << bytes;
    return digest_of(path).value();
  };
  const size_t size = (2 << 20) + 5;
  const FileDigest all = digest_with(size, size, 'a');
  EXPECT_EQ(all.size, static_cast<int64_t>(size));
  EXPECT_EQ(digest_with(size, 0, 'a'), all);
  for (const size_t place : {size_t{0}, size_t{7}, size_t{1} << 20, size - 1})
    EXPECT_NE(digest_with(size, place, 'b'), all) << place;
  EXPECT_NE(digest_with(size, size - 1, '\0'), digest_with(size - 1, size, 'a'));
  std::filesystem::remove(path);
  EXPECT_FALSE(digest_of(path));
  EXPECT_FALSE(digest_of(folder));
  std::filesystem::remove(folder);
}

}  // namespace
}  // namespace concilio::tools
