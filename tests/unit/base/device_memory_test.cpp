#include "base/gpu/device_stream.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <numeric>
#include <vector>

#include "base/gpu/pinned.h"
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

// Carries out one copy.
Status copy(const DeviceMemory& memory, Towards towards, void* device, Bytes& host, const Shape& shape) {
  auto stream = DeviceStream::begin(memory);
  if (!stream) return stream.error();
  auto status = stream->copy(towards, bytes(device), bytes(host), shape);
  auto done = stream->wait_for_all();
  return status ? done : status;
}

// Copies every second column of a matrix of two-byte cells in both directions, on any thread.
void copies_rows_both_ways(void* address, const GpuLibrary& library) {
  const DeviceMemory memory = DeviceMemory::at(address);
  ASSERT_TRUE(memory);
  Bytes sent{1, 2, 3, 4, 5, 6}, back(6);
  const Shape columns{2, 3, 4, 2};
  const int copies = library.call("gpu_copies");
  ASSERT_TRUE(copy(memory, Towards::device, address, sent, columns));
  auto other =
      std::async(std::launch::async, [&] { return copy(memory, Towards::host, address, back, columns); });
  ASSERT_TRUE(other.get());
  EXPECT_THAT(back, ElementsAreArray(sent));
  EXPECT_EQ(library.call("gpu_copies"), copies + 2) << "rows are one copy";
  Bytes all(12);
  ASSERT_TRUE(copy(memory, Towards::host, address, all, {12, 1, 0, 0}));
  EXPECT_THAT(all, ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0));
}

// Rows that do not make a rectangle: in descending order, and on top of each other.
void copies_odd_rows(void* address) {
  const DeviceMemory memory = DeviceMemory::at(address);
  Bytes sent{1, 2, 3, 4}, all(6);
  ASSERT_TRUE(copy(memory, Towards::device, bytes(address) + 4, sent, {2, 2, -4, 2}));
  ASSERT_TRUE(copy(memory, Towards::host, address, all, {6, 1, 0, 0}));
  EXPECT_THAT(all, ElementsAre(3, 4, 0, 0, 1, 2));
  Bytes twice(6);
  ASSERT_TRUE(copy(memory, Towards::host, address, twice, {3, 2, 1, 3}));
  EXPECT_THAT(twice, ElementsAre(3, 4, 0, 4, 0, 0));
}

// Two planes of three rows of two bytes. The host has them `host_plane` bytes apart.
void copies_planes(void* address, int64_t host_plane, const GpuLibrary& library, int copies_expected) {
  const DeviceMemory memory = DeviceMemory::at(address);
  Bytes sent(20), back(20), all(24);
  std::iota(sent.begin(), sent.end(), 1);
  const Shape planes{2, 3, 4, 3, 2, 12, host_plane};
  const int copies = library.call("gpu_copies");
  ASSERT_TRUE(copy(memory, Towards::device, address, sent, planes));
  ASSERT_TRUE(copy(memory, Towards::host, address, back, planes));
  EXPECT_EQ(library.call("gpu_copies"), copies + 2 * copies_expected);
  ASSERT_TRUE(copy(memory, Towards::host, address, all, {24, 1, 0, 0}));
  for (int64_t plane = 0; plane < 2; ++plane) {
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t i = 0; i < 2; ++i) {
        const auto there = static_cast<size_t>(plane * 12 + row * 4 + i);
        const auto here = static_cast<size_t>(plane * host_plane + row * 3 + i);
        EXPECT_EQ(all[there], sent[here]);
        EXPECT_EQ(back[here], sent[here]);
      }
    }
  }
  EXPECT_EQ(back[2], 0) << "what lies between rows stays";
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

// Rows of planes that are no whole number of rows apart go by a copy a plane.
TEST(DeviceMemory, CopiesPlanes) {
  void* of_hip = nullptr;
  hip().call("hipMalloc", &of_hip, size_t{4096});
  copies_planes(of_hip, 9, hip(), 1);
  copies_planes(of_hip, 10, hip(), 2);
  copies_planes(of_cuda("cuMemAlloc_v2", 4096), 9, cuda(), 1);
  copies_planes(of_cuda("cuMemAlloc_v2", 4096), 10, cuda(), 2);
}

TEST(DeviceMemory, AnErrorHasTheDriversWords) {
  Bytes host(8);
  void* of_hip = nullptr;
  hip().call("hipMalloc", &of_hip, size_t{4096});
  const std::pair<void*, const GpuLibrary*> memories[] = {{of_cuda("cuMemAlloc_v2", 4096), &cuda()},
                                                          {of_hip, &hip()}};
  for (const auto& [address, library] : memories) {
    for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
      library->call(when, 1);
      auto status = copy(DeviceMemory::at(address), Towards::host, address, host, {8, 1, 0, 0});
      ASSERT_FALSE(status);
      EXPECT_THAT(status.error().message, testing::HasSubstr("an illegal memory access was encountered ("));
      EXPECT_THAT(status.error().message, testing::HasSubstr(library == &cuda() ? "CUDA" : "HIP"));
    }
  }
}

TEST(DeviceMemory, WhatTheProgramGaveItsDefaultStreamIsSeen) {
  void* address = of_cuda("cuMemAlloc_v2", 4096);
  Bytes host(4);
  cuda().call("gpu_fill", reinterpret_cast<uintptr_t>(address), size_t{4096}, 7);
  auto stream = DeviceStream::begin(DeviceMemory::at(address));
  ASSERT_TRUE(stream);
  cuda().call("gpu_fill", reinterpret_cast<uintptr_t>(address), size_t{4096}, 9);
  ASSERT_TRUE(stream->copy(Towards::host, bytes(address), bytes(host), {4, 1, 0, 0}));
  ASSERT_TRUE(stream->wait_for_all());
  EXPECT_THAT(host, ElementsAre(7, 7, 7, 7)) << "and what it gave it later is not waited for";
}

TEST(DeviceMemory, CopiesGoOnUntilTheyAreWaitedFor) {
  void* address = of_cuda("cuMemAlloc_v2", 4096);
  Bytes sent{1, 2, 3, 4}, back(4);
  ASSERT_TRUE(copy(DeviceMemory::at(address), Towards::device, address, sent, {4, 1, 0, 0}));
  auto stream = DeviceStream::begin(DeviceMemory::at(address));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->copy(Towards::host, bytes(address), bytes(back), {2, 1, 0, 0}));
  ASSERT_TRUE(stream->mark(0));
  ASSERT_TRUE(stream->copy(Towards::host, bytes(address) + 2, bytes(back) + 2, {2, 1, 0, 0}));
  EXPECT_THAT(back, ElementsAre(0, 0, 0, 0));
  ASSERT_TRUE(stream->wait(0));
  EXPECT_THAT(back, ElementsAre(1, 2, 0, 0));
  stream = DeviceStream();
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 4)) << "nothing is under way when the stream is gone";
}

TEST(DeviceMemory, ContextAndDeviceStayAsTheProgramHasThem) {
  Bytes host(8);
  void* context = nullptr;
  ASSERT_TRUE(copy(DeviceMemory::at(of_cuda("cuMemAlloc_v2", 64)), Towards::host,
                   of_cuda("cuMemAlloc_v2", 64), host, {8, 1, 0, 0}));
  cuda().call("cuCtxGetCurrent", &context);
  EXPECT_EQ(context, nullptr);
  void* address = nullptr;
  int device = -1;
  hip().call("hipMalloc", &address, size_t{64});
  hip().call("hipSetDevice", 0);
  ASSERT_TRUE(copy(DeviceMemory::at(address), Towards::host, address, host, {8, 1, 0, 0}));
  hip().call("hipGetDevice", &device);
  EXPECT_EQ(device, 0);
}

TEST(DeviceMemory, PagesArePinnedForAsLongAsTheyShould) {
  const DeviceMemory memory = DeviceMemory::at(of_cuda("cuMemAlloc_v2", 64));
  Budget budget(12 << 10);
  alignas(4096) static std::byte pages[16384];
  const int before = cuda().call("gpu_pinned_bytes");
  {
    const Pinned pinned(memory, budget, pages, 8192);
    EXPECT_TRUE(pinned);
    EXPECT_EQ(cuda().call("gpu_pinned_bytes"), before + 8192);
    EXPECT_EQ(budget.pinned_bytes(), 8192);
    EXPECT_FALSE(Pinned(memory, budget, pages, 4096)) << "the driver refuses to pin them twice";
    EXPECT_FALSE(Pinned(memory, budget, pages + 8192, 8192)) << "the budget has no more";
    EXPECT_TRUE(Pinned(memory, budget, pages + 8192, 4096));
    EXPECT_FALSE(DeviceMemory::at(pages));
  }
  EXPECT_EQ(budget.pinned_bytes(), 0);
  EXPECT_EQ(cuda().call("gpu_pinned_bytes"), before);
}

TEST(DeviceMemory, SlicesArePinnedWhenTheyAreUsed) {
  constexpr int64_t slice = 64 << 10;
  const DeviceMemory memory = DeviceMemory::at(of_cuda("cuMemAlloc_v2", 64));
  Budget budget(5 * slice);
  const auto room = Buffer::allocate(budget, 6 * slice);
  ASSERT_TRUE(room);
  std::byte* const begin = room->data();
  const int before = cuda().call("gpu_pinned_bytes");
  {
    PinnedSlices slices(begin, room->size() - 100);
    EXPECT_FALSE(slices.holds(begin + 6 * slice - 100));
    const auto use = [&](int64_t i, int64_t bytes, int64_t spare) {
      return slices.use(begin + i * slice, bytes, {memory, budget, spare});
    };
    EXPECT_FALSE(use(0, 100, slice).pinned) << "so little does not pay";
    const PinnedSlices::Slice first = use(0, slice, slice);
    EXPECT_TRUE(first.pinned);
    EXPECT_EQ(first.end, begin + slice);
    EXPECT_TRUE(use(5, slice, slice).pinned);
    EXPECT_EQ(use(5, 1, slice).end, begin + room->size() - 100);
    EXPECT_TRUE(use(2, slice, slice).pinned);
    EXPECT_TRUE(use(3, slice, slice).pinned);
    EXPECT_FALSE(use(1, slice, slice).pinned) << "a slice is left to others";
    EXPECT_TRUE(use(1, slice, 0).pinned);
    EXPECT_FALSE(use(4, slice, 0).pinned) << "the budget has no more";
    EXPECT_EQ(budget.pinned_bytes(), 5 * slice - 100);
  }
  EXPECT_EQ(cuda().call("gpu_pinned_bytes"), before);
}

// Pieces at unequal distances, of lengths that are words and others, are moved in one launch.
void moves_pieces(void* address, const GpuLibrary& library) {
  const DeviceMemory memory = DeviceMemory::at(address);
  alignas(4096) static std::byte pages[12288];
  Budget budget(1 << 20);
  const Pinned pinned(memory, budget, pages, sizeof pages);
  ASSERT_TRUE(pinned);
  Bytes all(400);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_TRUE(copy(memory, Towards::device, address, all, {400, 1, 0, 0}));
  const std::vector<std::pair<int64_t, uint32_t>> pieces{{8, 16}, {301, 1}, {40, 8}, {101, 77}, {200, 13}};
  auto* const addresses = reinterpret_cast<uint64_t*>(pages);
  auto* const positions = reinterpret_cast<uint32_t*>(pages + 4096);
  std::byte* const packed = pages + 8192;
  Bytes expected;
  positions[0] = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    addresses[i] = reinterpret_cast<uint64_t>(address) + static_cast<uint64_t>(pieces[i].first);
    positions[i + 1] = positions[i] + pieces[i].second;
    for (uint32_t k = 0; k < pieces[i].second; ++k)
      expected.push_back(all[static_cast<size_t>(pieces[i].first) + k]);
  }
  {
    auto stream = DeviceStream::begin(memory);
    ASSERT_TRUE(stream);
    ASSERT_TRUE(stream->load_kernel());
    EXPECT_EQ(library.call("gpu_modules"), 1);
    const int copies = library.call("gpu_copies"), copied = library.call("gpu_copied_bytes");
    const PieceList list{pages, addresses, positions, std::ssize(pieces), packed};
    ASSERT_TRUE(stream->move_pieces(Towards::host, list));
    ASSERT_TRUE(stream->wait_for_all());
    EXPECT_EQ(std::memcmp(packed, expected.data(), expected.size()), 0);
    std::memset(packed, 99, expected.size());
    ASSERT_TRUE(stream->move_pieces(Towards::device, list));
    ASSERT_TRUE(stream->wait_for_all());
    EXPECT_EQ(library.call("gpu_copies"), copies + 2);
    EXPECT_EQ(library.call("gpu_copied_bytes"), copied + 2 * static_cast<int>(expected.size()));
    for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
      library.call(when, 1);
      auto status = stream->move_pieces(Towards::host, list);
      if (status) status = stream->wait_for_all();
      ASSERT_FALSE(status);
      EXPECT_THAT(status.error().message, testing::HasSubstr("an illegal memory access was encountered ("));
    }
  }
  EXPECT_EQ(library.call("gpu_modules"), 0) << "nothing stays when the stream is gone";
  for (const auto& [offset, length] : pieces) std::fill_n(all.begin() + offset, length, 99);
  Bytes back(400);
  ASSERT_TRUE(copy(memory, Towards::host, address, back, {400, 1, 0, 0}));
  EXPECT_THAT(back, ElementsAreArray(all));
}

TEST(DeviceMemory, AKernelMovesPieces) {
  const GpuLibrary nvrtc(NVRTC_STAND_IN), hiprtc(HIPRTC_STAND_IN);
  void* of_hip = nullptr;
  hip().call("hipMalloc", &of_hip, size_t{4096});
  moves_pieces(of_cuda("cuMemAlloc_v2", 4096), cuda());
  moves_pieces(of_cuda("cuMemAllocAsync", 4096), cuda());
  moves_pieces(of_hip, hip());
}

// The driver is asked only about memory that it can have: large allocations are mapped, small ones are not.
TEST(DeviceMemory, TheDriverIsNotAskedAboutTheHeap) {
  void* const of_heap = sbrk(64);  // as malloc() gets its memory, where no sanitizer has one of its own
  ASSERT_NE(of_heap, reinterpret_cast<void*>(-1));
  const Bytes mapped(64 << 20);
  EXPECT_TRUE(DeviceMemory::at(of_cuda("cuMemAlloc_v2", 64)));
  const int queries = cuda().call("gpu_queries");
  EXPECT_FALSE(DeviceMemory::at(of_heap));
  EXPECT_EQ(cuda().call("gpu_queries"), queries);
  EXPECT_FALSE(DeviceMemory::at(mapped.data()));
  EXPECT_EQ(cuda().call("gpu_queries"), queries + 1);
}

}  // namespace

}  // namespace concilio::device_memory_test
