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

Environment environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  Environment environment;
  for (const auto& [name, value] : variables) environment.set(name, value);
  return environment;
}

TEST(RunningLauncher, OfOneMpiIsKnownByWhatItAloneSets) {
  const auto openmpi =
      running_launcher(environment_with({{"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"}}));
  ASSERT_TRUE(openmpi);
  EXPECT_EQ(openmpi->rank, 2);
  EXPECT_EQ(openmpi->family, Family::openmpi);
  const auto hydra = running_launcher(environment_with({{"PMI_RANK", "3"}, {"MPI_LOCALNRANKS", "4"}}));
  ASSERT_TRUE(hydra);
  EXPECT_EQ(hydra->rank, 3);
  EXPECT_EQ(hydra->family, Family::mpich);
}

TEST(RunningLauncher, OfAnyMpiTellsTheRankAlone) {
  for (const auto& variables : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"PMI_RANK", "3"}, {"FLUX_JOB_ID", "f1"}},
           {{"PMI_RANK", "3"}, {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}},
           {{"PMIX_RANK", "3"}, {"SLURM_PROCID", "3"}},
           {{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}}) {
    const auto launcher = running_launcher(environment_with(variables));
    ASSERT_TRUE(launcher) << variables[0].first;
    EXPECT_EQ(launcher->rank, 3) << variables[0].first;
    EXPECT_FALSE(launcher->family) << variables[0].first;
  }
}

TEST(RunningLauncher, IsNoneInAJobScriptOrWithSettingsForLaunchers) {
  EXPECT_FALSE(running_launcher(Environment()));
  EXPECT_FALSE(running_launcher(environment_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})));
  EXPECT_FALSE(running_launcher(environment_with({{"HYDRA_LAUNCHER", "ssh"}, {"HYDRA_HOST_FILE", "hosts"}})));
}

}  // namespace
}  // namespace concilio::tools
