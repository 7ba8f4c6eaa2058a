#include "launch/installation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace concilio::tools {
namespace {

// Two libraries of Concilio, as far as their files tell what they were built for.
class LibrariesOfOpenMpi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    std::ofstream(folder + "/libconcilio-openmpi.so") << "concilio-built-for: openmpi 4.1.4";
    std::ofstream(folder + "/libconcilio-openmpi5.so") << "concilio-built-for: openmpi 5.0.11";
    environment.set("CONCILIO_LIBDIR", folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder = testing::TempDir() + "/libraries-XXXXXX";
  Environment environment;
  MpiLibrary mpi{"libmpi.so.40", "", Interface::openmpi, std::nullopt};
};

TEST_F(LibrariesOfOpenMpi, AreChosenByTheVersion) {
  mpi.version = MpiVersion{Family::openmpi, 5, "5.0.11"};
  const auto newer = library_for(mpi, environment);
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->flavour, Flavour::openmpi5);
  mpi.version = MpiVersion{Family::openmpi, 4, "4.1.4"};
  const auto older = library_for(mpi, environment);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->flavour, Flavour::openmpi);
}

TEST_F(LibrariesOfOpenMpi, AreNotGuessedForAnUnknownVersion) {
  const auto unknown = library_for(mpi, environment);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("--mpi openmpi or --mpi openmpi5"), std::string::npos)
      << unknown.error().message;
}

}  // namespace
}  // namespace concilio::tools
