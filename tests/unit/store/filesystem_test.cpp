#include "store/place/filesystem.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "store/place/block_device.h"
#include "store/place/lustre_layout.h"
#include "store/place/mount.h"

namespace concilio::store::filesystem_test {
namespace {

using Medium = StorageLayout::Medium;
using Bytes = std::vector<std::byte>;

// As the kernel does it: /dev/block/N:M links to the device's folder, and the folder of a partition is in
// that of its device.
class Devices : public testing::Test {
 protected:
  void SetUp() override {
    sys_ = std::filesystem::temp_directory_path() / ("concilio_sys_" + std::to_string(getpid()));
    std::filesystem::create_directories(sys_ / "dev/block");
  }
  void TearDown() override { std::filesystem::remove_all(sys_); }
  void add(const std::string& numbers, const std::string& folder, const char* rotational) {
    const auto device = sys_ / "devices" / folder;
    std::filesystem::create_directories(device);
    if (rotational) {
      std::filesystem::create_directories(device / "queue");
      std::ofstream(device / "queue/rotational") << rotational << "\n";
    }
    std::filesystem::create_directory_symlink(device, sys_ / "dev/block" / numbers);
  }
  std::filesystem::path sys_;
};

TEST_F(Devices, DiskAndItsPartition) {
  add("8:0", "sda", "1");
  add("8:1", "sda/sda1", nullptr);
  EXPECT_EQ(medium_of_device(8, 0, sys_), Medium::rotational);
  EXPECT_EQ(medium_of_device(8, 1, sys_), Medium::rotational);
}

TEST_F(Devices, SolidOneAndItsPartition) {
  add("259:0", "nvme0n1", "0");
  add("259:3", "nvme0n1/nvme0n1p3", nullptr);
  EXPECT_EQ(medium_of_device(259, 0, sys_), Medium::solid);
  EXPECT_EQ(medium_of_device(259, 3, sys_), Medium::solid);
}

TEST_F(Devices, NumbersThatAreNoDevices) {
  add("7:0", "loop0", "nonsense");
  EXPECT_EQ(medium_of_device(0, 42, sys_), Medium::unknown);
  EXPECT_EQ(medium_of_device(7, 0, sys_), Medium::unknown);
}

void put(Bytes& bytes, size_t at, uint64_t number, int count) {
  bytes.resize(std::max(bytes.size(), at + static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i)
    bytes[at + static_cast<size_t>(i)] = static_cast<std::byte>(number >> (8 * i));
}

Bytes plain(uint32_t magic, uint32_t pattern, uint32_t stripe_bytes, uint16_t targets) {
  Bytes bytes(32 + 24, std::byte{0xEE});  // the entry of one target after the header
  put(bytes, 0, magic, 4);
  put(bytes, 4, pattern, 4);
  put(bytes, 24, stripe_bytes, 4);
  put(bytes, 28, targets, 2);
  return bytes;
}

Bytes composite(const std::vector<Bytes>& components) {
  Bytes bytes(32 + 48 * components.size());
  put(bytes, 0, 0x0BD60BD0, 4);
  put(bytes, 14, components.size(), 2);
  for (size_t i = 0; i < components.size(); ++i) {
    put(bytes, 32 + 48 * i + 24, bytes.size(), 4);
    put(bytes, 32 + 48 * i + 28, components[i].size(), 4);
    bytes.insert(bytes.end(), components[i].begin(), components[i].end());
  }
  return bytes;
}

constexpr uint32_t v1 = 0x0BD10BD0, v3 = 0x0BD30BD0;

TEST(LustreLayout, PlainOnes) {
  EXPECT_EQ(decode_lustre_stripes(plain(v1, 1, 1 << 20, 4)), (LustreStripes{1 << 20, 4}));
  EXPECT_EQ(decode_lustre_stripes(plain(v3, 1, 0x80000000, 300)), (LustreStripes{0x80000000, 300}));
  EXPECT_EQ(decode_lustre_stripes(plain(v1, 0x201, 1 << 16, 2)), (LustreStripes{1 << 16, 2}));
}

TEST(LustreLayout, AllTargets) {
  EXPECT_EQ(decode_lustre_stripes(plain(v1, 1, 1 << 20, 0xFFFF)), (LustreStripes{1 << 20, 0}));
}

TEST(LustreLayout, WhatIsAskedForIsWhatIsRead) {
  const auto asked = [](Striping striping) {
    auto request = encode_lustre_stripes(striping);
    EXPECT_EQ(request[30], std::byte{0xFF});  // any target may be the first
    EXPECT_EQ(request[31], std::byte{0xFF});
    request[4] = std::byte{1};  // Lustre says that it stripes
    return decode_lustre_stripes(request);
  };
  EXPECT_EQ(asked({1 << 20, 4}), (LustreStripes{1 << 20, 4}));
  EXPECT_EQ(asked({1, -1}), (LustreStripes{64 << 10, 0}));
  EXPECT_EQ(asked({int64_t{1} << 40, 1'000'000'000}), (LustreStripes{0xFFFF0000, 0xFFFE}));
  EXPECT_EQ(asked({INT64_MAX, 1}), (LustreStripes{0xFFFF0000, 1}));
}

TEST(LustreLayout, FirstComponentOfSeveral) {
  EXPECT_EQ(decode_lustre_stripes(composite({plain(v1, 1, 1 << 20, 1), plain(v3, 1, 4 << 20, 8)})),
            (LustreStripes{1 << 20, 1}));
}

TEST(LustreLayout, ComponentOnTheMetadataTargetIsPassedOver) {
  EXPECT_EQ(decode_lustre_stripes(composite({plain(v1, 0x100, 1 << 20, 0), plain(v3, 1, 4 << 20, 8)})),
            (LustreStripes{4 << 20, 8}));
}

TEST(LustreLayout, WhatIsNoneOrCutShort) {
  EXPECT_FALSE(decode_lustre_stripes({}));
  EXPECT_FALSE(decode_lustre_stripes(plain(0x12345678, 1, 1 << 20, 4)));
  EXPECT_FALSE(decode_lustre_stripes(plain(v1, 1, 0, 4)));
  EXPECT_FALSE(decode_lustre_stripes(composite({})));
  const Bytes whole = plain(v1, 1, 1 << 20, 4);
  for (size_t bytes = 0; bytes < 30; ++bytes) {
    EXPECT_FALSE(decode_lustre_stripes(std::span(whole).first(bytes))) << bytes;
  }
  const Bytes several = composite({whole});
  for (size_t bytes = 0; bytes < several.size(); ++bytes) {
    EXPECT_FALSE(decode_lustre_stripes(std::span(several).first(bytes))) << bytes;
  }
  Bytes astray = several;
  put(astray, 32 + 24, 0xFFFFFFFF, 4);
  EXPECT_FALSE(decode_lustre_stripes(astray));
}

// The constants are those of statfs(2).
TEST(LayoutOfMagic, OpensOfOneServerForAllClientsTakeItsTime) {
  constexpr uint32_t ext4 = 0xEF53, tmpfs = 0x01021994, nfs = 0x6969, lustre = 0x0BD00BD0, nobody_knows = 1;
  for (const uint32_t magic : {ext4, tmpfs, nobody_knows}) EXPECT_EQ(layout_of_magic(magic, 4096).open_ns, 0);
  for (const uint32_t magic : {nfs, lustre}) EXPECT_GT(layout_of_magic(magic, 4096).open_ns, 0);
}

constexpr const char* mountinfo =
    "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
    "23 22 0:5 / /dev rw,nosuid shared:2 master:1 - devtmpfs udev rw\n"
    "24 22 8:3 / /data rw - xfs /dev/sda3 rw\n"
    "25 24 0:40 / /data/shared\\040files rw - nfs4 server:/export\\134x rw\n"
    "26 22 8:3 /sub /data/deep/er rw - xfs /dev/sda3 rw\n"
    "27 22 0:50 / /twice rw - tmpfs below rw\n"
    "28 22 0:50 / /twice rw - tmpfs above rw\n"
    "broken line\n";

std::string point_of(const char* path, unsigned device_major, unsigned device_minor) {
  const auto mount = mount_in(mountinfo, path, device_major, device_minor);
  return mount ? mount->point : "none";
}

TEST(MountIn, LongestOfTheDevice) {
  EXPECT_EQ(point_of("/home/a", 8, 2), "/");
  EXPECT_EQ(point_of("/data/file", 8, 3), "/data");
  EXPECT_EQ(point_of("/data", 8, 3), "/data");
  EXPECT_EQ(point_of("/data/deep/er/file", 8, 3), "/data/deep/er");
  EXPECT_EQ(point_of("/data/deep/erase", 8, 3), "/data");
  EXPECT_EQ(point_of("/database", 8, 2), "/");
}

TEST(MountIn, TypeAndDeviceWithBlanks) {
  const auto mount = mount_in(mountinfo, "/data/shared files/x", 0, 40);
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->point, "/data/shared files");
  EXPECT_EQ(mount->type, "nfs4");
  EXPECT_EQ(mount->device, "server:/export\\x");
}

TEST(MountIn, DeviceInNoLineGoesByThePath) {
  EXPECT_EQ(point_of("/data/file", 0, 99), "/data");
}

TEST(MountIn, LaterOneHidesTheEarlier) {
  const auto mount = mount_in(mountinfo, "/twice/file", 0, 50);
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->device, "above");
}

TEST(MountIn, NothingMounted) {
  EXPECT_FALSE(mount_in("", "/data", 8, 3));
}

TEST(MountOf, FolderThatIsThere) {
  const auto mount = mount_of("/proc/self");
  ASSERT_TRUE(mount) << mount.error().message;
  EXPECT_EQ(mount->type, "proc");
  EXPECT_EQ(mount->point, "/proc");
}

TEST(MountOf, FileThatIsNot) {
  const auto mount = mount_of("/no/such/file");
  ASSERT_FALSE(mount);
  EXPECT_EQ(mount.error().kind, ErrorKind::no_such_file);
  EXPECT_NE(mount.error().message.find("/no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace concilio::store::filesystem_test
