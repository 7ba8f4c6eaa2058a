// Buffers in the memory of a GPU. The stand-ins for drivers have memory that ends the program if the CPU
// touches it. The oracle uses such buffers at random (--device), and these situations are those that it does
// not reach.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "gpu/memory.h"
#include "methods.h"
#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int size = 300000;

// Used as a factor of offsets.
int64_t rank() {
  return context.rank;
}

// A counter from Concilio's own interface; -1 without it.
int64_t most_memory(MPI_File file) {
  using Function = int (*)(MPI_File, int64_t*, int64_t*, int64_t*);
  const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "concilio_file_memory"));
  int64_t limit = 0, current = 0, most = -1;
  if (function) function(file, &limit, &current, &most);
  return most;
}

// The buffer of a rank, in the memory of the host or of a device.
class Either {
 public:
  Either(const std::vector<uint8_t>& contents, bool device) : host_(contents) {
    if (device) device_ = std::make_unique<GpuMemory>(contents);
  }
  uint8_t* data() { return device_ ? device_->data() : host_.data(); }
  std::vector<uint8_t> get() const { return device_ ? device_->get() : host_; }

 private:
  std::vector<uint8_t> host_;
  std::unique_ptr<GpuMemory> device_;
};

// Every rank's blocks of 1000 bytes, between those of the others.
void interleave(MPI_File file) {
  const Type tile = resized_of(contiguous_of(1000, MPI_BYTE), 0, int64_t{1000} * context.ranks);
  OK(MPI_File_set_view(file, 1000 * rank(), MPI_BYTE, tile, "native", MPI_INFO_NULL));
}

// All ranks write in this way. `on_device` says which ranks have their buffer on a device.
template <typename OnDevice>
void write_and_read_all(MPI_Info info, OnDevice on_device, int64_t limit_bytes = 0) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  interleave(file);
  for (int64_t call = 0; call < 3; ++call) {
    Either out(mine, on_device(call)), in(std::vector<uint8_t>(size, 0), on_device(call + 1));
    MPI_Status status;
    OK(MPI_File_write_at_all(file, call * size, out.data(), size, MPI_BYTE, &status));
    EXPECT_EQUAL(size, bytes_in(status));
    OK(MPI_File_read_at_all(file, call * size, in.data(), size, MPI_BYTE, &status));
    EXPECT_EQUAL(size, bytes_in(status));
    EXPECT_BYTES(mine, in.get());
  }
  // A read after the end of the file gets no data, and the buffer does not change.
  const std::vector<uint8_t> before = values(9, size);
  Either in(before, on_device(0));
  MPI_Status status;
  OK(MPI_File_read_at_all(file, int64_t{3} * size - 5, in.data(), size, MPI_BYTE, &status));
  EXPECT_EQUAL(5, bytes_in(status));
  std::vector<uint8_t> expected = before;
  std::copy(mine.end() - 5, mine.end(), expected.begin());
  EXPECT_BYTES(expected, in.get());
  if (limit_bytes > 0) EXPECT(most_memory(file) <= limit_bytes);
}

}  // namespace

SITUATION(Device, AllRanks, not_own) {
  write_and_read_all(MPI_INFO_NULL, [](int64_t) { return true; });
}

SITUATION(Device, SomeRanks, not_own) {
  write_and_read_all(MPI_INFO_NULL, [](int64_t call) { return (call + context.rank) % 2 == 0; });
}

// Rounds of 32 KiB. A rank with a buffer on a device makes ten, and the others take part in them.
SITUATION(Device, SomeRanksWithLittleMemory, not_own) {
  for (const char* method : all_methods) {
    const Info info{{"concilio_memory_limit", "64K"}, {"concilio_method", method}};
    write_and_read_all(info, [](int64_t call) { return (call + context.rank) % 2 == 0; });
    write_and_read_all(info, [](int64_t) { return context.rank == context.ranks - 1; });
  }
}

SITUATION(Device, SomeRanksOfSeveralNodes, not_own) {
  for (const char* alltoallw : {"enable", "disable"}) {
    const Info info{{"concilio_memory_limit", "1M"},
                    {"concilio_ranks_per_node", "1"},
                    {"concilio_method", "two_phase"},
                    {"romio_cb_alltoall", alltoallw}};
    write_and_read_all(
        info, [](int64_t call) { return (call + context.rank) % 2 == 0; }, 1 << 20);
  }
}

SITUATION(Device, WritesHeldBack, not_own) {
  const Info info{{"concilio_realms", "persistent"},
                  {"concilio_write_behind", "1M"},
                  {"concilio_memory_limit", "2M"},
                  {"concilio_method", "two_phase"}};
  write_and_read_all(info, [](int64_t call) { return (call + context.rank) % 2 == 0; });
}

// The pieces' offsets decrease now and then, so pieces behind the end of the file lie between others.
SITUATION(Device, ReadAcrossTheEndOfInterlacedPieces, not_own) {
  constexpr int piece = 10000, tiles = 30, bytes = 2 * piece * tiles;
  const Type tile = resized_of(blocks_at({piece, piece}, {0, 5 * piece}, MPI_BYTE), 0, 2 * piece);
  for (const char* method : all_methods) {
    const Info info{{"concilio_memory_limit", "64K"}, {"concilio_method", method}};
    File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    if (context.rank == 0) {
      const std::vector<uint8_t> contents = values(1, 21 * piece);
      OK(MPI_File_write_at(file, 0, contents.data(), 21 * piece, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    Either host(values(9, bytes), false);
    MPI_Status of_host, of_device;
    OK(MPI_File_read_at(file, 0, host.data(), bytes, MPI_BYTE, &of_host));
    // In external32 bytes are the same, but go another way.
    for (const char* datarep : {"native", "external32"}) {
      OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, datarep, MPI_INFO_NULL));
      Either device(values(9, bytes), true);
      OK(MPI_File_read_at(file, 0, device.data(), bytes, MPI_BYTE, &of_device));
      EXPECT_EQUAL(bytes_in(of_host), bytes_in(of_device));
      EXPECT_BYTES(host.get(), device.get());
    }
  }
}

SITUATION(Device, OneCallOnOneRank, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  const Info info{{"concilio_memory_limit", "64K"}};
  File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_set_view(file, size * rank(), MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  const GpuMemory out(mine), in(mine.size());
  OK(MPI_File_write(file, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  OK(MPI_File_read(file, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, in.get());
  EXPECT_EQUAL(2, counter(file, "device_calls"));
  EXPECT_EQUAL(2 * size, counter(file, "device_bytes"));
  EXPECT(most_memory(file) <= 64 << 10);
  // If there are no data, the address does not matter.
  OK(MPI_File_write(file, nullptr, 0, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_write(file, out.data(), 0, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at(file, 0, mine.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(2, counter(file, "device_calls"));
}

// The columns of a matrix: the driver makes one copy for each round, not one for each element.
SITUATION(Device, RegularMemoryInFewCopies, not_own) {
  constexpr int64_t rows = 10000;
  const Type column = vector_of(rows, 4, 12, MPI_BYTE);
  File file(context.fresh_file("device"));
  const std::vector<uint8_t> mine = values(context.rank, rows * 12), before = values(9, rows * 12);
  const GpuMemory out(mine), in(before);
  const int copies = gpu().call("gpu_copies");
  OK(MPI_File_write_at_all(file, rank() * rows * 4, out.data(), 1, column, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, rank() * rows * 4, in.data(), 1, column, MPI_STATUS_IGNORE));
  EXPECT(gpu().call("gpu_copies") <= copies + 6);
  std::vector<uint8_t> expected = before;
  for (size_t i = 0; i < expected.size(); ++i)
    if (i % 12 < 4) expected[i] = mine[i];
  EXPECT_BYTES(expected, in.get());
}

// On threads of the library, and with more than one call in progress.
SITUATION(Device, NonblockingAndSplit, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  const Info info{{"concilio_memory_limit", "256K"}};
  File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  interleave(file);
  Either out(mine, context.rank % 2 == 0), second(mine, context.rank % 2 == 1);
  MPI_Request requests[3];
  OK(MPI_File_iwrite_at_all(file, 0, out.data(), size, MPI_BYTE, &requests[0]));
  OK(MPI_File_iwrite_at_all(file, size, second.data(), size, MPI_BYTE, &requests[1]));
  OK(MPI_File_iwrite_at(file, int64_t{2} * size, out.data(), size, MPI_BYTE, &requests[2]));
  OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  barrier();
  for (int64_t call = 0; call < 3; ++call) {
    Either in(std::vector<uint8_t>(size, 0), (context.rank + call) % 2 == 0);
    OK(MPI_File_read_at_all_begin(file, call * size, in.data(), size, MPI_BYTE));
    OK(MPI_File_read_at_all_end(file, in.data(), MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, in.get());
    OK(MPI_File_iread_at(file, call * size, in.data(), size, MPI_BYTE, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, in.get());
  }
}

// Without threads, a call is tried again until all ranks have come. Ranks that wait copy the data that they
// write only once.
SITUATION(Device, ALateRank, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  File file(context.fresh_file("device"));
  const GpuMemory out(mine);
  const int copies = gpu().call("gpu_copies");
  if (context.rank == context.ranks - 1) usleep(50000);
  MPI_Request request;
  OK(MPI_File_iwrite_at_all(file, size * rank(), out.data(), size, MPI_BYTE, &request));
  for (int done = 0; !done;) OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(copies + 1, gpu().call("gpu_copies"));
}

SITUATION(Device, SharedAndOrderedPointers, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  const Info info{{"concilio_memory_limit", "64K"}};
  File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  Either out(mine, context.rank % 2 == 0), in(std::vector<uint8_t>(size, 0), context.rank % 2 == 0);
  OK(MPI_File_write_ordered(file, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  OK(MPI_File_read_ordered(file, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, in.get());
  OK(MPI_File_write_shared(file, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
}

// Staging for conversion and for a device in the same call, in rounds of one item and of many.
SITUATION(Device, External32, not_own) {
  const int cells = 20000;
  std::vector<int32_t> numbers(size_t{cells} * 2);
  for (int i = 0; i < cells * 2; ++i) numbers[static_cast<size_t>(i)] = context.rank * 1000000 + i;
  std::vector<uint8_t> mine(numbers.size() * 4);
  std::memcpy(mine.data(), numbers.data(), mine.size());
  const Type spread = vector_of(cells, 1, 2, MPI_INT32_T);
  for (const char* limit : {"4K", "64K", "8M"}) {
    const std::string path = context.fresh_file("device");
    {
      const Info info{{"concilio_memory_limit", limit}};
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
      OK(MPI_File_set_view(file, rank() * cells * 4, MPI_INT32_T, MPI_INT32_T, "external32", MPI_INFO_NULL));
      const std::vector<uint8_t> before = values(9, std::ssize(mine));
      Either out(mine, context.rank % 2 == 0), in(before, true);
      MPI_Status status;
      OK(MPI_File_write_at_all(file, 0, out.data(), 1, spread, &status));
      EXPECT_EQUAL(cells * 4, bytes_in(status));
      OK(MPI_File_read_at(file, 0, in.data(), 1, spread, &status));
      EXPECT_EQUAL(cells * 4, bytes_in(status));
      std::vector<uint8_t> expected = before;
      for (size_t i = 0; i < expected.size(); ++i)
        if (i % 8 < 4) expected[i] = mine[i];
      EXPECT_BYTES(expected, in.get());
    }
    barrier();
    const std::vector<uint8_t> found = contents(path);
    for (size_t i = 0; i < cells; i += 999) {
      const size_t at = (static_cast<size_t>(context.rank * cells) + i) * 4;
      const auto number = static_cast<uint32_t>(numbers[2 * i]);
      EXPECT_EQUAL(number, uint32_t{found[at]} << 24 | uint32_t{found[at + 1]} << 16 |
                               uint32_t{found[at + 2]} << 8 | found[at + 3]);
    }
  }
}

SITUATION(Device, AtomicModeIsOneRequest, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  const Info info{{"concilio_memory_limit", "64K"}};
  File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_set_atomicity(file, 1));
  // All ranks write the same bytes, and the bytes of one of them must remain.
  Either out(mine, context.rank % 2 == 0), in(std::vector<uint8_t>(size, 0), context.rank % 2 == 0);
  OK(MPI_File_write_at(file, 0, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  barrier();
  OK(MPI_File_read_at_all(file, 0, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  int winners = 0;
  for (int rank = 0; rank < context.ranks; ++rank) winners += in.get() == values(rank, size);
  EXPECT_EQUAL(1, winners);
}

// If a copy fails on one rank, all ranks get the error: in the first round, in the last, and between them;
// when it is asked for, and when it is waited for. Nothing stays pinned.
SITUATION(Device, ACopyFails, not_own) {
  const std::vector<uint8_t> mine = values(context.rank, size);
  const int pinned = gpu().call("gpu_pinned_bytes");
  for (const char* memory_limit : {"128K", "2M"}) {
    const Info info{{"concilio_memory_limit", memory_limit}, {"concilio_method", "two_phase"}};
    File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    interleave(file);
    const bool device = context.rank == 0;
    Either out(mine, device), in(std::vector<uint8_t>(size, 0), device);
    const auto copies_of = [&](auto call) {
      const int before = gpu().call("gpu_copies");
      call();
      return gpu().call("gpu_copies") - before;
    };
    const auto write = [&] {
      return MPI_File_write_at_all(file, 0, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE);
    };
    const auto read = [&] {
      return MPI_File_read_at_all(file, 0, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE);
    };
    const int writes = copies_of([&] { OK(write()); }), reads = copies_of([&] { OK(read()); });
    for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
      for (const int part : {0, 1, 2}) {
        if (device) gpu().call(when, 1 + part * (writes - 1) / 2);
        FAILS(MPI_ERR_OTHER, write());
        OK(write());
        if (device) gpu().call(when, 1 + part * (reads - 1) / 2);
        FAILS(MPI_ERR_OTHER, read());
      }
    }
    OK(read());
    EXPECT_BYTES(mine, in.get());
  }
  EXPECT_EQUAL(pinned, gpu().call("gpu_pinned_bytes"));
}

// Copies between the device and the windows that ranks share need no other memory of the host, once the
// windows are pinned; they stay so until the file is closed. If the driver refuses that, data go another way.
SITUATION(Device, StraightToTheWindows, not_own) {
  constexpr int bytes = 6 << 20;
  const std::vector<uint8_t> mine = values(context.rank, bytes);
  const int pinned_before = gpu().call("gpu_pinned_bytes");
  for (const bool refuses : {false, true}) {
    gpu().call("gpu_refuse_to_pin", refuses ? 1 : 0);
    for (const char* ranks_per_node : {"1", "64"}) {
      const Info info{{"concilio_memory_limit", "32M"},
                      {"cb_buffer_size", "1048576"},
                      {"concilio_method", "two_phase"},
                      {"concilio_ranks_per_node", ranks_per_node}};
      File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
      // Blocks that the CPU need not put together.
      const Type tile = resized_of(contiguous_of(65536, MPI_BYTE), 0, int64_t{65536} * context.ranks);
      OK(MPI_File_set_view(file, 65536 * rank(), MPI_BYTE, tile, "native", MPI_INFO_NULL));
      const GpuMemory out(mine), in(mine.size());
      for (const bool first : {true, false}) {
        const int copied = gpu().call("gpu_copied_bytes"), unpinned = gpu().call("gpu_unpinned_bytes");
        const int pinned = gpu().call("gpu_pinned_bytes"), pins = gpu().call("gpu_pins");
        OK(MPI_File_write_at_all(file, 0, out.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        OK(MPI_File_read_at_all(file, 0, in.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_BYTES(mine, in.get());
        // The test's own copy of what was read counts too.
        EXPECT_EQUAL(copied + 3 * bytes, gpu().call("gpu_copied_bytes"));
        if (refuses) {
          EXPECT_EQUAL(pinned_before, gpu().call("gpu_pinned_bytes"));
        } else if (!first) {
          EXPECT_EQUAL(unpinned + bytes, gpu().call("gpu_unpinned_bytes"));
          EXPECT(pinned > pinned_before);
          EXPECT_EQUAL(pinned, gpu().call("gpu_pinned_bytes"));
          EXPECT_EQUAL(pins, gpu().call("gpu_pins"));
        }
      }
    }
    EXPECT_EQUAL(pinned_before, gpu().call("gpu_pinned_bytes"));
  }
  gpu().call("gpu_refuse_to_pin", 0);
}

// Pieces of an irregular datatype: thousands of them, of lengths that differ, at distances that do.
struct Irregular {
  // What a buffer with `before` holds when these pieces of `read` were read into it.
  std::vector<uint8_t> after(std::vector<uint8_t> before, const std::vector<uint8_t>& read) const {
    for (size_t i = 0; i < before.size(); ++i)
      if (has[i]) before[i] = read[i];
    return before;
  }
  int bytes = 0, extent = 0;
  std::vector<bool> has;
  const Type type = make();

 private:
  Type make() {
    std::vector<int> lengths, displacements;
    for (int i = 0; i < 6000; ++i) {
      lengths.push_back(1 + i * 7 % 31);
      displacements.push_back(extent + 1 + i * i % 13);
      extent = displacements.back() + lengths.back();
      bytes += lengths.back();
      has.resize(static_cast<size_t>(displacements.back()), false);
      has.resize(static_cast<size_t>(extent), true);
    }
    MPI_Datatype made;
    MPI_Type_indexed(6000, lengths.data(), displacements.data(), MPI_BYTE, &made);
    return Type(made);
  }
};

// A kernel moves them in a handful of launches, if there is a compiler, it can compile, and nobody has said
// that it shall not. Otherwise they are copied one by one.
SITUATION(Device, IrregularMemoryByAKernel, not_own) {
  if (is_level_zero()) return;  // which has no kernel
  const GpuLibrary compiler(NVRTC_STAND_IN);
  const bool fails = std::getenv("GPU_COMPILER_FAILS") != nullptr;
  const Irregular pieces;
  const std::vector<uint8_t> mine = values(context.rank, pieces.extent);
  const std::vector<uint8_t> before = values(9, pieces.extent);
  for (const char* kernel : {"auto", "never"}) {
    for (const char* method : all_methods) {
      const Info info{{"concilio_gpu_kernel", kernel}, {"concilio_method", method}};
      File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
      OK(MPI_File_set_view(file, pieces.bytes * rank(), MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
      const GpuMemory out(mine), in(before);
      const int copies = gpu().call("gpu_copies"), copied = gpu().call("gpu_copied_bytes");
      OK(MPI_File_write_at_all(file, 0, out.data(), 1, pieces.type, MPI_STATUS_IGNORE));
      OK(MPI_File_read_at_all(file, 0, in.data(), 1, pieces.type, MPI_STATUS_IGNORE));
      EXPECT_EQUAL(copied + 2 * pieces.bytes, gpu().call("gpu_copied_bytes"));
      const int made = gpu().call("gpu_copies") - copies;
      if (fails || std::strcmp(kernel, "never") == 0) {
        EXPECT(made > 5000);
      } else {
        EXPECT(made <= 30);
      }
      EXPECT_BYTES(pieces.after(before, mine), in.get());
    }
  }
  EXPECT_EQUAL(0, gpu().call("gpu_modules"));
}

// A launch that fails is an error of the call on all ranks; nothing stays.
SITUATION(Device, ALaunchFails, not_own) {
  if (is_level_zero()) return;  // which has no kernel
  const GpuLibrary compiler(NVRTC_STAND_IN);
  const Irregular pieces;
  const std::vector<uint8_t> mine = values(context.rank, pieces.extent);
  const int pinned = gpu().call("gpu_pinned_bytes");
  {
    File file(context.fresh_file("device"));
    OK(MPI_File_set_view(file, pieces.bytes * rank(), MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    const GpuMemory out(mine), in(mine.size());
    for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
      if (context.rank == 0) cuda().call(when, 1);
      FAILS(MPI_ERR_OTHER, MPI_File_write_at_all(file, 0, out.data(), 1, pieces.type, MPI_STATUS_IGNORE));
      OK(MPI_File_write_at_all(file, 0, out.data(), 1, pieces.type, MPI_STATUS_IGNORE));
      if (context.rank == 0) cuda().call(when, 1);
      FAILS(MPI_ERR_OTHER, MPI_File_read_at_all(file, 0, in.data(), 1, pieces.type, MPI_STATUS_IGNORE));
    }
    EXPECT_EQUAL(0, gpu().call("gpu_modules"));
  }
  EXPECT_EQUAL(pinned, gpu().call("gpu_pinned_bytes"));
}

// Memory that the CPU may touch is not copied, even if a driver knows it.
SITUATION(Device, ManagedAndPinnedMemory, not_own) {
  File file(context.fresh_file("device"));
  void *managed = nullptr, *pinned = nullptr;
  if (is_level_zero()) {
    managed = reinterpret_cast<void*>(level_zero().allocate(4096, "zeMemAllocShared"));
    pinned = reinterpret_cast<void*>(level_zero().allocate(4096, "zeMemAllocHost"));
  } else {
    cuda().call("cuMemAllocManaged", &managed, size_t{4096}, 1U);
    cuda().call("cuMemHostAlloc", &pinned, size_t{4096}, 0U);
  }
  const int copies = gpu().call("gpu_copies");
  for (void* buffer : {managed, pinned}) {
    std::memset(buffer, 7, 4096);
    OK(MPI_File_write_at_all(file, 4096 * rank(), buffer, 4096, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 4096 * rank(), buffer, 4096, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  EXPECT_EQUAL(copies, gpu().call("gpu_copies"));
  for (void* buffer : {managed, pinned}) {
    if (is_level_zero())
      level_zero().release(reinterpret_cast<uintptr_t>(buffer));
    else
      cuda().call("cuMemFree_v2", buffer);
  }
}

// Each byte crosses to the device or back once, by every method, in memory that the limit counts; and nothing
// stays pinned.
SITUATION(Device, OneCopyAByte, not_own) {
  constexpr int bytes = 2500000;
  const std::vector<uint8_t> mine = values(context.rank, bytes);
  const int pinned = gpu().call("gpu_pinned_bytes");
  for (const char* method : all_methods) {
    for (const char* ranks_per_node : {"1", "64"}) {
      const Info info{{"concilio_memory_limit", "8M"},
                      {"concilio_method", method},
                      {"concilio_ranks_per_node", ranks_per_node}};
      File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
      interleave(file);
      const GpuMemory out(mine), in(mine.size());
      const int copied = gpu().call("gpu_copied_bytes");
      OK(MPI_File_write_at_all(file, 0, out.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_EQUAL(copied + bytes, gpu().call("gpu_copied_bytes"));
      OK(MPI_File_read_at_all(file, 0, in.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_EQUAL(copied + 2 * bytes, gpu().call("gpu_copied_bytes"));
      EXPECT_BYTES(mine, in.get());
      EXPECT(most_memory(file) <= 8 << 20);
      EXPECT(gpu().call("gpu_pinned_bytes") <= pinned + (8 << 20));
    }
  }
  EXPECT_EQUAL(pinned, gpu().call("gpu_pinned_bytes"));
  EXPECT(gpu().call("gpu_most_pinned_bytes") > 0);
  EXPECT(gpu().call("gpu_most_pinned_bytes") <= 8 << 20);
}

// A call sees what the program gave its default stream before, also where it runs later, and on a slow
// device; and it leaves the program's context as it was.
SITUATION(Device, WorkOfTheDefaultStreamComesFirst, not_own) {
  if (is_level_zero()) return;  // which has no default stream
  File file(context.fresh_file("device"));
  const GpuMemory out(std::vector<uint8_t>(size, 1)), in(size);
  const auto fill = [](const GpuMemory& memory, int value) {
    gpu().call("gpu_fill", reinterpret_cast<uintptr_t>(memory.data()), size_t{size}, value);
  };
  gpu().call("gpu_slow_down", 200, 400);
  const MPI_Offset begin = size * rank();
  fill(out, 7);
  OK(MPI_File_write_at_all(file, begin, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  fill(in, 3);
  OK(MPI_File_read_at_all(file, begin, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(std::vector<uint8_t>(size, 7), in.get());
  fill(out, 9);
  MPI_Request request;
  OK(MPI_File_iwrite_at(file, begin, out.data(), size, MPI_BYTE, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(file, begin, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(std::vector<uint8_t>(size, 9), in.get());
  gpu().call("gpu_slow_down", 0, 0);
  void* current = &file;
  cuda().call("cuCtxGetCurrent", &current);
  EXPECT(current == nullptr);
}

// The error has the driver's words, on the rank where it happened, whether the copy is refused or fails
// later.
SITUATION(Device, AnErrorHasTheDriversWords, not_own) {
  const GpuMemory out(values(context.rank, size));
  File file(context.fresh_file("device"));
  for (const char* when : {"gpu_fail_copy", "gpu_fail_later"}) {
    gpu().call(when, 1);
    const int code =
        MPI_File_write_at_all(file, size * rank(), out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE);
    int error_class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_class(code, &error_class);
    EXPECT_EQUAL(MPI_ERR_OTHER, error_class);
    MPI_Error_string(code, text, &length);
    const char* const words = is_level_zero()
                                  ? "the device was lost (ZE_RESULT_ERROR_DEVICE_LOST)"
                                  : "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)";
    EXPECT(std::strstr(text, words) != nullptr);
  }
}

// A block of an array of three dimensions, in a buffer on the device and in the file.
SITUATION(Device, ABlockOfAnArray, not_own) {
  const int cells[] = {40, 50, 60}, block[] = {20, 30, 40}, begin[] = {5, 6, 7};
  MPI_Datatype made;
  MPI_Type_create_subarray(3, cells, block, begin, MPI_ORDER_C, MPI_DOUBLE, &made);
  const Type part(made);
  const std::vector<uint8_t> mine = values(context.rank, 40 * 50 * 60 * 8);
  for (const char* method : all_methods) {
    const Info info{{"concilio_method", method}};
    File file(context.fresh_file("device"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const GpuMemory out(mine), in(std::vector<uint8_t>(mine.size(), 0));
    OK(MPI_File_set_view(file, std::ssize(mine) * rank(), MPI_DOUBLE, part, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 0, out.data(), 1, part, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, in.data(), 1, part, MPI_STATUS_IGNORE));
    // A part of the file that is contiguous takes one copy of the driver, however many planes it has.
    OK(MPI_File_set_view(file, std::ssize(mine) * rank(), MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
    const int copies = gpu().call("gpu_copies");
    OK(MPI_File_write_at(file, 0, out.data(), 1, part, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 0, in.data(), 1, part, MPI_STATUS_IGNORE));
    if (std::strcmp(method, "independent") == 0) EXPECT_EQUAL(copies + 2, gpu().call("gpu_copies"));
    std::vector<uint8_t> expected(mine.size(), 0);
    for (size_t x = 5; x < 25; ++x)
      for (size_t y = 6; y < 36; ++y) {
        const size_t at = ((x * 50 + y) * 60 + 7) * 8;
        std::copy_n(mine.begin() + static_cast<ptrdiff_t>(at), 320,
                    expected.begin() + static_cast<ptrdiff_t>(at));
      }
    EXPECT_BYTES(expected, in.get());
  }
}
