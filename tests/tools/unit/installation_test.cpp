#include "launch/installation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace concilio::tools {
namespace {

// Libraries of Concilio, as far as their files tell what they were built for.
class Libraries : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    environment.set("CONCILIO_LIBDIR", folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void install(const std::string& flavour, const std::string& built_for) {
    std::ofstream(folder + "/libconcilio-" + flavour + ".so") << "concilio-built-for: " << built_for;
  }
  std::string folder = testing::TempDir() + "/libraries-XXXXXX";
  Environment environment;
};

class LibrariesOfOpenMpi : public Libraries {
 protected:
  void SetUp() override {
    Libraries::SetUp();
    install("openmpi", "openmpi 4.1.4");
    install("openmpi5", "openmpi 5.0.11");
  }
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

class LibrariesOfMpich : public Libraries {
 protected:
  MpiLibrary mpi{"libmpi.so.12", "", Interface::mpich, MpiVersion{Family::mpich, 4, "4.3.2"}};
};

TEST_F(LibrariesOfMpich, ServeAllVersionsFromFourOn) {
  install("mpich5", "mpich 5.0.2");
  for (const MpiVersion& version :
       {MpiVersion{Family::mpich, 4, "4.3.2"}, MpiVersion{Family::mpich, 5, "5.0.2"}}) {
    mpi.version = version;
    const auto by_library = library_for(mpi, environment);
    ASSERT_TRUE(by_library) << by_library.error().message;
    EXPECT_EQ(by_library->flavour, Flavour::mpich5);
    EXPECT_TRUE(library_for(version, environment));
  }
  mpi.version = MpiVersion{Family::mpich, 3, "3.4.3"};
  EXPECT_FALSE(library_for(mpi, environment));
  EXPECT_FALSE(library_for(*mpi.version, environment));
}

TEST_F(LibrariesOfMpich, OfTheVeryVersionAreTaken) {
  install("mpich", "mpich 4.0.2");
  install("mpich5", "mpich 5.0.2");
  const auto older = library_for(mpi, environment);
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(older->flavour, Flavour::mpich);
  mpi.version = MpiVersion{Family::mpich, 5, "5.0.2"};
  const auto newer = library_for(mpi, environment);
  ASSERT_TRUE(newer) << newer.error().message;
  EXPECT_EQ(newer->flavour, Flavour::mpich5);
}

// Where the name of MPICH's library has none of Concilio's, the one to build is named after it.
TEST_F(LibrariesOfMpich, MissingAreToldByTheNameOfMpichsLibrary) {
  install("openmpi", "openmpi 4.1.4");
  const auto missing = library_for(mpi, environment);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("\"auto;mpich5:"), std::string::npos) << missing.error().message;
  mpi.name = "libmpich.so.12";
  mpi.version->major = 5;
  const auto as_debian = library_for(mpi, environment);
  ASSERT_FALSE(as_debian);
  EXPECT_NE(as_debian.error().message.find("\"auto;mpich:"), std::string::npos) << as_debian.error().message;
}

}  // namespace
}  // namespace concilio::tools
