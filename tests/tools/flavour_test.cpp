#include "flavour.h"

#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

TEST(MpiLibrary, OpenMpiAmongOthers) {
  const auto found = mpi_library_of_listing(
      "\tlinux-vdso.so.1 (0x1)\n\tlibhdf5_openmpi.so.103 => /lib/libhdf5_openmpi.so.103 (0x2)\n"
      "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x3)\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "libmpi.so.40");
  EXPECT_EQ(found->flavour, Flavour::openmpi);
}

TEST(MpiLibrary, MpichUnderEitherName) {
  for (const char* line :
       {"\tlibmpich.so.12 => /lib/libmpich.so.12 (0x1)\n", "\tlibmpi.so.12 => not found\n"}) {
    const auto found = mpi_library_of_listing(line);
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(found->flavour, Flavour::mpich) << line;
  }
}

TEST(MpiLibrary, AnAbiThatIsNotServed) {
  const auto found = mpi_library_of_listing("\tlibmpi_abi.so.0 => /lib/libmpi_abi.so.0 (0x1)\n");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->flavour);
}

TEST(MpiLibrary, NoneAmongLookalikes) {
  EXPECT_FALSE(
      mpi_library_of_listing("\tlibmpifr.so.1 => /lib/x (0x1)\n\tlibc.so.6 => /libmpi.so.40/libc.so.6\n"));
  EXPECT_FALSE(mpi_library_of_listing(""));
}

TEST(RunningLauncher, IsKnownByTheVariablesItSets) {
  Environment environment;
  EXPECT_FALSE(flavour_of_running_launcher(environment));
  EXPECT_FALSE(rank_of_running_launcher(environment));
  environment.set("PMI_RANK", "3");
  EXPECT_EQ(flavour_of_running_launcher(environment), Flavour::mpich);
  EXPECT_EQ(rank_of_running_launcher(environment), 3);
  environment.set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(flavour_of_running_launcher(environment), Flavour::openmpi);
}

}  // namespace
}  // namespace concilio::tools
