// Trees of files in which the kernel shows control groups.
#include "mpi/nodes/control_group.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace concilio::mpi::control_group_test {
namespace {

class ControlGroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "control-groups-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ + "/" + path).substr(0, (root_ + "/" + path).rfind('/')));
    std::ofstream(root_ + "/" + path) << text << "\n";
  }
  int64_t left() const { return left_in_control_groups(root_ + "/own", root_); }

 private:
  std::string root_;
};

TEST_F(ControlGroups, NoneAndNoLimit) {
  EXPECT_EQ(left(), INT64_MAX);
  write("own", "0::/user");
  EXPECT_EQ(left(), INT64_MAX);
  write("user/memory.max", "max");
  write("user/memory.current", "5000");
  EXPECT_EQ(left(), INT64_MAX);
}

TEST_F(ControlGroups, OfVersion2) {
  write("own", "0::/job/step");
  write("job/step/memory.max", "1000");
  write("job/step/memory.current", "600");
  EXPECT_EQ(left(), 400);
  write("job/step/memory.current", "2000");
  EXPECT_EQ(left(), 0);
}

TEST_F(ControlGroups, OfVersion1) {
  write("own", "3:cpu:/else\n4:memory:/job\n0::/");
  write("memory/job/memory.limit_in_bytes", "1000");
  write("memory/job/memory.usage_in_bytes", "300");
  write("cpu/else/memory.limit_in_bytes", "1");
  EXPECT_EQ(left(), 700);
  // No limit, on a machine with pages of 4 KiB and of 64 KiB.
  for (const char* none : {"9223372036854771712", "9223372036854710272"}) {
    write("memory/job/memory.limit_in_bytes", none);
    EXPECT_EQ(left(), INT64_MAX);
  }
}

TEST_F(ControlGroups, PagesThatCacheFilesAreLeft) {
  write("own", "0::/job");
  write("job/memory.max", "1000");
  write("job/memory.current", "990");
  write("job/memory.stat", "anon 200\nfile 790\nactive_file 90\ninactive_file 600\nslab 10");
  EXPECT_EQ(left(), 700);
  write("own", "4:memory:/job");
  write("memory/job/memory.limit_in_bytes", "1000");
  write("memory/job/memory.usage_in_bytes", "990");
  write("memory/job/memory.stat",
        "active_file 1\ninactive_file 2\ntotal_inactive_file 300\ntotal_active_file 50");
  EXPECT_EQ(left(), 360);
}

TEST_F(ControlGroups, TheNarrowestOfThoseAroundDecides) {
  write("own", "0::/system/job/step/task");
  write("memory.max", "100000");
  write("memory.current", "0");
  write("system/memory.max", "max");
  write("system/job/memory.max", "5000");
  write("system/job/memory.current", "1000");
  write("system/job/step/task/memory.max", "8000");
  write("system/job/step/task/memory.current", "10");
  EXPECT_EQ(left(), 4000);
  // A container's own group is mounted as the root, whatever its name outside the container.
  write("own", "0::/docker/0123");
  EXPECT_EQ(left(), 100000);
}

}  // namespace
}  // namespace concilio::mpi::control_group_test
