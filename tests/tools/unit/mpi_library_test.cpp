#include "launch/mpi_library.h"

#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

TEST(MpiLibrary, OpenMpiAmongOthers) {
  const auto found = mpi_library_of_listing(
      "\tlinux-vdso.so.1 (0x1)\n\tlibhdf5_openmpi.so.103 => /lib/libhdf5_openmpi.so.103 (0x2)\n"
      "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x3)\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "libmpi.so.40");
  EXPECT_EQ(found->path, "/lib/libmpi.so.40");
  EXPECT_EQ(found->interface, Interface::openmpi);
}

TEST(MpiLibrary, MpichUnderEitherName) {
  for (const char* line : {"\tlibmpich.so.12 => /lib/libmpich.so.12 (0x1)\n",
                           "\tlibmpi.so.12 => /opt/lib/libmpi.so.12 (0x1)\n"}) {
    const auto found = mpi_library_of_listing(line);
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(found->interface, Interface::mpich) << line;
  }
}

TEST(MpiLibrary, OneThatTheLoaderDoesNotFind) {
  const auto found = mpi_library_of_listing("\tlibmpi.so.12 => not found\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "libmpi.so.12");
  EXPECT_EQ(found->path, "");
}

TEST(MpiLibrary, TheStandardsAbiAndOnesThatAreNotServed) {
  const auto abi = mpi_library_of_listing("\tlibmpi_abi.so.1 => /lib/libmpi_abi.so.1 (0x1)\n");
  ASSERT_TRUE(abi);
  EXPECT_EQ(abi->interface, Interface::abi);
  const auto old = mpi_library_of_listing("\tlibmpi.so.1 => /lib/libmpi.so.1 (0x1)\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->interface, Interface::other);
  const auto both = mpi_library_of_listing(
      "\tlibmpi.so.1 => /lib/libmpi.so.1 (0x1)\n\tlibmpi.so.40 => /lib/libmpi.so.40 (0x1)\n");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->interface, Interface::openmpi);
}

TEST(MpiLibrary, NoneAmongLookalikes) {
  EXPECT_FALSE(
      mpi_library_of_listing("\tlibmpifr.so.1 => /lib/x (0x1)\n\tlibc.so.6 => /libmpi.so.40/libc.so.6\n"));
  EXPECT_FALSE(mpi_library_of_listing(""));
}

TEST(MpiLibrary, InAFolderWhoseNameHasASpace) {
  const auto found = mpi_library_of_listing("\tlibmpi.so.40 => /opt/my (old) mpi/libmpi.so.40 (0x3)\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/opt/my (old) mpi/libmpi.so.40");
}

TEST(Listing, HasGccsAddressSanitizer) {
  EXPECT_EQ(address_sanitizer_of_listing("\tlibasan.so.8 => /lib/libasan.so.8 (0x1)\n"
                                         "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x3)\n"),
            "/lib/libasan.so.8");
  EXPECT_EQ(address_sanitizer_of_listing("\tlibmpi.so.40 => /lib/libmpi.so.40 (0x3)\n"), "");
}

TEST(MpiLibrary, FoundAlreadyLoadedIsKnownByTheNameProgramsAskFor) {
  const auto found = mpi_library_at("/usr/lib/libmpi.so.40.30.4");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "libmpi.so.40");
  EXPECT_EQ(found->path, "/usr/lib/libmpi.so.40.30.4");
  EXPECT_FALSE(mpi_library_at("/usr/lib/libmpifort.so.12"));
}

TEST(MpiLibrary, OneThatCannotBeAskedHasNoVersion) {
  EXPECT_FALSE(version_of_library("/no/such/libmpi.so.40"));
  EXPECT_FALSE(version_of_library("/proc/self/exe"));
}

TEST(MpiLibrary, IsDescribedByItsVersionAndPlace) {
  MpiLibrary library{"libmpi.so.40", "/opt/lib/libmpi.so.40", Interface::openmpi, std::nullopt};
  EXPECT_EQ(library.described(), "libmpi.so.40 (/opt/lib/libmpi.so.40)");
  library.version = MpiVersion{Family::openmpi, 5, "5.0.11"};
  EXPECT_EQ(library.described(), "Open MPI 5.0.11 (/opt/lib/libmpi.so.40)");
}

TEST(Elf, InterpreterOfAProgramAndOfOtherFiles) {
  const auto own = interpreter_of("/proc/self/exe");
  ASSERT_TRUE(own);
  EXPECT_NE(own->find("ld"), std::string::npos);
  EXPECT_FALSE(interpreter_of("/etc/passwd"));
  EXPECT_FALSE(interpreter_of("/no/such/file"));
}

}  // namespace
}  // namespace concilio::tools
