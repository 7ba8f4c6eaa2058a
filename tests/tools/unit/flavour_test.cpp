#include "launch/flavour.h"

#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

TEST(Flavours, WordsGoBothWays) {
  for (const Flavour flavour : all_flavours) EXPECT_EQ(flavour_of_word(flavour_word(flavour)), flavour);
  EXPECT_FALSE(flavour_of_word("lam"));
  EXPECT_EQ(flavour_words(), "openmpi, mpich, openmpi5, mpich5 or mpiabi");
}

TEST(MpiVersion, IsReadFromWhatLaunchersAndLibrariesSay) {
  struct Case {
    const char* text;
    Family family;
    int major;
    const char* number;
  };
  for (const Case& expected : {
           Case{"mpirun (Open MPI) 5.0.11\n\nReport bugs to ...", Family::openmpi, 5, "5.0.11"},
           Case{"mpirun.openmpi (OpenRTE) 4.1.4\n", Family::openmpi, 4, "4.1.4"},
           Case{"prterun (PRRTE) 3.0.7\n", Family::openmpi, 0, ""},
           Case{"HYDRA build details:\n    Version:                                 5.0.2\n", Family::mpich,
                5, "5.0.2"},
           Case{"MPICH Version:      4.0.2\nMPICH Release date: ...", Family::mpich, 4, "4.0.2"},
           Case{"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", Family::openmpi, 4, "4.1.4"},
           Case{"Intel(R) MPI Library 2021.10 for Linux* OS", Family::mpich, 0, ""},
       }) {
    const auto found = version_of_text(expected.text);
    ASSERT_TRUE(found) << expected.text;
    EXPECT_EQ(found->family, expected.family) << expected.text;
    EXPECT_EQ(found->major, expected.major) << expected.text;
    EXPECT_EQ(found->number, expected.number) << expected.text;
  }
  EXPECT_FALSE(version_of_text("slurm 22.05"));
  EXPECT_FALSE(version_of_text(""));
}

TEST(RunningLauncher, IsKnownByTheVariablesItSets) {
  Environment environment;
  EXPECT_FALSE(family_of_running_launcher(environment));
  EXPECT_FALSE(rank_of_running_launcher(environment));
  environment.set("PMI_RANK", "3");
  EXPECT_EQ(family_of_running_launcher(environment), Family::mpich);
  EXPECT_EQ(rank_of_running_launcher(environment), 3);
  environment.set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(family_of_running_launcher(environment), Family::openmpi);
}

}  // namespace
}  // namespace concilio::tools
