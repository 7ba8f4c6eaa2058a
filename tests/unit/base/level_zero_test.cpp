// Buffers in the memory of Intel's GPUs. What is the same for all drivers is tested in
// device_memory_test.cpp.
#include <gmock/gmock.h>

#include <future>
#include <vector>

#include "base/gpu/device_stream.h"
#include "base/gpu/pinned.h"
#include "gpu/memory.h"

namespace concilio::level_zero_test {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

using Bytes = std::vector<int8_t>;

std::byte* bytes(void* address) {
  return static_cast<std::byte*>(address);
}
std::byte* bytes(Bytes& host) {
  return reinterpret_cast<std::byte*>(host.data());
}
void* allocate(size_t size, const char* how = "zeMemAllocDevice") {
  return reinterpret_cast<void*>(level_zero().allocate(size, how));
}

Status copy(Towards towards, void* device, Bytes& host, const Shape& shape) {
  auto stream = DeviceStream::begin(DeviceMemory::at(device));
  if (!stream) return stream.error();
  auto status = stream->copy(towards, bytes(device), bytes(host), shape);
  auto done = stream->wait_for_all();
  return status ? done : status;
}

// The loader is there before the program makes it look for drivers. The first that it finds has no GPU.
TEST(LevelZero, IsUsedOnceTheProgramHasInitialisedIt) {
  const GpuLibrary loader(LEVEL_ZERO_STAND_IN);
  const Bytes mapped(64 << 20);
  EXPECT_FALSE(DeviceMemory::at(mapped.data()));
  void* const address = allocate(4096);
  EXPECT_TRUE(DeviceMemory::at(address));
  EXPECT_TRUE(DeviceMemory::at(bytes(address) + 4095));
  EXPECT_FALSE(DeviceMemory::at(mapped.data()));
}

TEST(LevelZero, WhatTheCpuMayTouchIsTheHosts) {
  EXPECT_FALSE(DeviceMemory::at(allocate(4096, "zeMemAllocShared")));
  EXPECT_FALSE(DeviceMemory::at(allocate(4096, "zeMemAllocHost")));
}

TEST(LevelZero, CopiesBoxesBothWaysOnAnyThread) {
  void* const address = allocate(4096);
  Bytes sent{1, 2, 3, 4, 5, 6, 7, 8}, back(8), all(24);
  // Two planes of two rows of two bytes, three bytes and twelve bytes apart.
  const Shape box{2, 2, 3, 2, 2, 12, 4};
  const int copies = level_zero().library().call("gpu_copies");
  ASSERT_TRUE(copy(Towards::device, address, sent, box));
  auto other = std::async(std::launch::async, [&] { return copy(Towards::host, address, back, box); });
  ASSERT_TRUE(other.get());
  EXPECT_THAT(back, ElementsAreArray(sent));
  EXPECT_EQ(level_zero().library().call("gpu_copies"), copies + 2) << "a box is one copy";
  ASSERT_TRUE(copy(Towards::host, address, all, {24}));
  EXPECT_THAT(all, ElementsAre(1, 2, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 7, 8, 0, 0, 0, 0, 0, 0, 0));
  const Shape rectangle{2, 2, 3, 2};
  ASSERT_TRUE(copy(Towards::host, address, back, rectangle));
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

// The driver's distances have 32 bits.
TEST(LevelZero, CopiesPlanesThatAreFarApart) {
  constexpr int64_t far = int64_t{5} << 30;
  auto* const address = bytes(allocate(far + 4096));
  Bytes sent{1, 2, 3, 4, 5, 6, 7, 8}, back(8), second(6);
  const Shape planes{2, 2, 4, 2, 2, far, 4};
  ASSERT_TRUE(copy(Towards::device, address, sent, planes));
  ASSERT_TRUE(copy(Towards::host, address, back, planes));
  EXPECT_THAT(back, ElementsAreArray(sent));
  ASSERT_TRUE(copy(Towards::host, address + far, second, {6}));
  EXPECT_THAT(second, ElementsAre(5, 6, 0, 0, 7, 8));
  level_zero().release(reinterpret_cast<uintptr_t>(address));
}

TEST(LevelZero, MarksAreWaitedForWhereTheyWereSetLast) {
  void* const address = allocate(64);
  Bytes sent{1, 2, 3, 4}, back(4);
  ASSERT_TRUE(copy(Towards::device, address, sent, {4}));
  auto stream = DeviceStream::begin(DeviceMemory::at(address));
  ASSERT_TRUE(stream);
  EXPECT_TRUE(stream->wait(0)) << "nothing was marked";
  for (const size_t which : {0, 1, 0}) {
    std::fill(back.begin(), back.end(), 0);
    ASSERT_TRUE(stream->copy(Towards::host, bytes(address), bytes(back), {2}));
    ASSERT_TRUE(stream->mark(which));
    ASSERT_TRUE(stream->copy(Towards::host, bytes(address) + 2, bytes(back) + 2, {2}));
    EXPECT_THAT(back, ElementsAre(0, 0, 0, 0));
    ASSERT_TRUE(stream->wait(which));
    EXPECT_THAT(back, ElementsAre(1, 2, 0, 0));
    ASSERT_TRUE(stream->wait_for_all());
    EXPECT_THAT(back, ElementsAre(1, 2, 3, 4));
  }
}

// The stand-in says that an event is not ready which nothing will set. The driver would wait for ever.
TEST(LevelZero, AMarkThatFailsIsNotWaitedFor) {
  void* const address = allocate(64);
  auto stream = DeviceStream::begin(DeviceMemory::at(address));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->mark(0));
  level_zero().library().call("gpu_fail_barrier", 1);
  EXPECT_FALSE(stream->mark(0));
  EXPECT_TRUE(stream->wait(0));
  EXPECT_TRUE(stream->mark(0));
}

TEST(LevelZero, AnErrorHasWordsForTheDriversCode) {
  void* const address = allocate(64);
  Bytes host(8);
  for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
    level_zero().library().call(when, 1);
    const auto status = copy(Towards::host, address, host, {8});
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("Level Zero cannot "));
    EXPECT_THAT(status.error().message, HasSubstr("the device was lost (ZE_RESULT_ERROR_DEVICE_LOST)"));
  }
  const auto beyond = copy(Towards::host, address, host, {65});
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message, HasSubstr("an argument is invalid (ZE_RESULT_ERROR_INVALID_ARGUMENT)"));
}

TEST(LevelZero, PagesArePinnedForAsLongAsTheyShould) {
  const DeviceMemory memory = DeviceMemory::at(allocate(64));
  ASSERT_TRUE(memory);
  Budget budget(1 << 20);
  alignas(4096) static std::byte pages[8192];
  const GpuLibrary& library = level_zero().library();
  const int before = library.call("gpu_pinned_bytes");
  {
    const Pinned pinned(memory, budget, pages, 8192);
    EXPECT_TRUE(pinned);
    EXPECT_EQ(library.call("gpu_pinned_bytes"), before + 8192);
    EXPECT_FALSE(Pinned(memory, budget, pages, 4096)) << "the driver refuses to pin them twice";
    EXPECT_FALSE(DeviceMemory::at(pages));
  }
  EXPECT_EQ(library.call("gpu_pinned_bytes"), before);
}

}  // namespace

}  // namespace concilio::level_zero_test
