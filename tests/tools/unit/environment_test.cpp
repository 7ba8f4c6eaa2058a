#include "system/environment.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace concilio::tools {
namespace {

TEST(TemporaryFolderOfTheEnvironment, IsAnAbsolutePath) {
  Environment environment;
  EXPECT_EQ(environment.temporary_folder(), "/tmp");
  environment.set("TMPDIR", "/scratch");
  EXPECT_EQ(environment.temporary_folder(), "/scratch");
  environment.set("TMPDIR", "scratch");
  EXPECT_EQ(environment.temporary_folder(), (std::filesystem::current_path() / "scratch").string());
}

}  // namespace
}  // namespace concilio::tools
