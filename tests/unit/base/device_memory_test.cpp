#include "base/gpu/device_memory.h"

#include <gmock/gmock.h>

#include <future>
#include <vector>

#include "gpu/memory.h"

namespace concilio::device_memory_test {

using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

using Bytes = std::vector<int8_t>;

std::byte* bytes(void* address) {
  return static_cast<std::byte*>(address);
}
std::byte* bytes(Bytes& host) {
  return reinterpret_cast<std::byte*>(host.data());
}

const GpuLibrary& hip() {
  static const auto* library = new GpuLibrary(HIP_STAND_IN);
  return *library;
}

void* of_cuda(const char* how, size_t size) {
  uintptr_t address = 0;
  cuda().call(how, &address, size, uintptr_t{0});
  return reinterpret_cast<void*>(address);
}

// Copies every second column of a matrix of two-byte cells in both directions, on any thread.
void copies_rows_both_ways(void* address, const GpuLibrary& library) {
  const DeviceMemory memory = DeviceMemory::at(address);
  ASSERT_TRUE(memory);
  Bytes sent{1, 2, 3, 4, 5, 6}, back(6);
  const Rows columns{2, 3, 4, 2};
  const int copies = library.call("gpu_copies");
  ASSERT_TRUE(memory.copy(Towards::device, bytes(address), bytes(sent), columns));
  auto other = std::async(std::launch::async,
                          [&] { return memory.copy(Towards::host, bytes(address), bytes(back), columns); });
  ASSERT_TRUE(other.get());
  EXPECT_THAT(back, ElementsAreArray(sent));
  EXPECT_EQ(library.call("gpu_copies"), copies + 2) << "rows are one copy";
  Bytes all(12);
  ASSERT_TRUE(memory.copy(Towards::host, bytes(address), bytes(all), {12, 1, 0, 0}));
  EXPECT_THAT(all, ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0));
}

// Rows that do not make a rectangle: in descending order, and on top of each other.
void copies_odd_rows(void* address) {
  const DeviceMemory memory = DeviceMemory::at(address);
  Bytes sent{1, 2, 3, 4}, all(6);
  ASSERT_TRUE(memory.copy(Towards::device, bytes(address) + 4, bytes(sent), {2, 2, -4, 2}));
  ASSERT_TRUE(memory.copy(Towards::host, bytes(address), bytes(all), {6, 1, 0, 0}));
  EXPECT_THAT(all, ElementsAre(3, 4, 0, 0, 1, 2));
  Bytes twice(6);
  ASSERT_TRUE(memory.copy(Towards::host, bytes(address), bytes(twice), {3, 2, 1, 3}));
  EXPECT_THAT(twice, ElementsAre(3, 4, 0, 4, 0, 0));
}

TEST(DeviceMemory, DriverLoadedAfterTheFirstCall) {
  EXPECT_FALSE(DeviceMemory::at(this));
  void* address = of_cuda("cuMemAlloc_v2", 4096);
  EXPECT_TRUE(DeviceMemory::at(address));
  EXPECT_TRUE(DeviceMemory::at(bytes(address) + 4095));
  EXPECT_FALSE(DeviceMemory::at(this));
}

TEST(DeviceMemory, WhatTheCpuMayTouchIsTheHosts) {
  int local = 0;
  EXPECT_FALSE(DeviceMemory::at(of_cuda("cuMemAllocManaged", 4096)));
  EXPECT_FALSE(DeviceMemory::at(of_cuda("cuMemHostAlloc", 4096)));
  EXPECT_FALSE(DeviceMemory::at(&local));
  EXPECT_FALSE(DeviceMemory::at(nullptr));
  void* managed = nullptr;
  hip().call("hipMallocManaged", &managed, size_t{4096}, 1U);
  EXPECT_FALSE(DeviceMemory::at(managed));
}

TEST(DeviceMemory, CopiesRowsByCuda) {
  void* address = of_cuda("cuMemAlloc_v2", 4096);
  copies_rows_both_ways(address, cuda());
  copies_odd_rows(of_cuda("cuMemAlloc_v2", 4096));
}

TEST(DeviceMemory, CopiesMemoryOfAPoolWithoutAContext) {
  copies_rows_both_ways(of_cuda("cuMemAllocAsync", 4096), cuda());
}

TEST(DeviceMemory, CopiesRowsByHip) {
  void *first = nullptr, *second = nullptr;
  hip().call("hipMalloc", &first, size_t{4096});
  hip().call("hipMalloc", &second, size_t{4096});
  copies_rows_both_ways(first, hip());
  copies_odd_rows(second);
}

TEST(DeviceMemory, SaysWhichCopyFailed) {
  void* address = of_cuda("cuMemAlloc_v2", 4096);
  Bytes host(8);
  cuda().call("gpu_fail_copy", 1);
  auto status = DeviceMemory::at(address).copy(Towards::host, bytes(address), bytes(host), {8, 1, 0, 0});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, testing::HasSubstr("cuMemcpyDtoH"));
}

}  // namespace

}  // namespace concilio::device_memory_test
