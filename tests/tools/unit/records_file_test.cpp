#include "summary/records_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace concilio::tools {
namespace {

TEST(RecordsFiles, LieInAFolderWhereNobodyElseCanWrite) {
  Environment environment;
  environment.set("TMPDIR", testing::TempDir());
  std::filesystem::path folder;
  {
    const auto file = RecordsFile::make(environment);
    ASSERT_TRUE(file);
    EXPECT_FALSE((*file)->made_by_library());
    std::ofstream((*file)->path()) << "record";
    EXPECT_TRUE((*file)->made_by_library());
    folder = std::filesystem::path((*file)->path()).parent_path();
    struct stat status {};
    ASSERT_EQ(stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace concilio::tools
