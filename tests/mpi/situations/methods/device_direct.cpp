// Stretches that go between storage and the memory of a GPU without the host's (GPUDirect Storage). The
// stand-in for cuFile counts them. What is not asked of it here takes the way of all other buffers of a GPU.
#include <cerrno>
#include <cstring>

#include "gpu/memory.h"
#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int64_t page = 4096, mib = 1 << 20;

// Between the beginnings of two ranks' bytes, so that what the system reads ahead for one, through its cache,
// is not another's: bytes found there are not moved directly.
constexpr int64_t apart = 16 * mib;

// What the stand-ins have counted since this was made.
class Counts {
 public:
  int64_t moved() const { return cufile().call("cufile_moved_bytes") - moved_; }
  int64_t requests() const { return cufile().call("cufile_requests") - requests_; }
  int64_t registrations() const { return cufile().call("cufile_registrations") - registrations_; }
  int64_t copied() const { return cuda().call("gpu_copied_bytes") - copied_; }

 private:
  int moved_ = cufile().call("cufile_moved_bytes"), requests_ = cufile().call("cufile_requests"),
      registrations_ = cufile().call("cufile_registrations"), copied_ = cuda().call("gpu_copied_bytes");
};

// A buffer whose first byte lies `shift` bytes behind the beginning of a page.
class Shifted {
 public:
  Shifted(const std::vector<uint8_t>& contents, int64_t shift) : shift_(shift), memory_(padded(contents)) {}
  uint8_t* data() const { return memory_.data() + shift_; }
  std::vector<uint8_t> get() const {
    const std::vector<uint8_t> all = memory_.get();
    return {all.begin() + shift_, all.end()};
  }

 private:
  std::vector<uint8_t> padded(const std::vector<uint8_t>& contents) const {
    std::vector<uint8_t> all(static_cast<size_t>(shift_), 0);
    all.insert(all.end(), contents.begin(), contents.end());
    return all;
  }
  int64_t shift_;
  GpuMemory memory_;
};

// How many bytes of a stretch are in whole blocks.
int64_t whole_blocks(int64_t offset, int64_t length) {
  const int64_t begin = (offset + page - 1) / page * page, end = (offset + length) / page * page;
  return end - begin;
}

// Writes and reads one stretch of the file by the methods that take it as a whole. `direct`: how many of its
// bytes go directly.
void one_stretch(int64_t offset, int64_t length, int64_t shift, int64_t direct, const char* hint = nullptr) {
  const std::vector<uint8_t> mine = values(context.rank, length);
  const int64_t begin = offset + context.rank * 8 * mib;
  for (const char* method : {"auto", "independent", "list"}) {
    Info info{{"concilio_method", method}};
    if (hint) MPI_Info_set(info, "concilio_direct_bytes", hint);
    File file(context.fresh_file("direct"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const Shifted out(mine, shift), in(std::vector<uint8_t>(mine.size(), 0), shift);
    const Counts counts;
    MPI_Status status;
    OK(MPI_File_write_at(file, begin, out.data(), static_cast<int>(length), MPI_BYTE, &status));
    EXPECT_EQUAL(length, bytes_in(status));
    EXPECT_EQUAL(direct, counts.moved());
    EXPECT_EQUAL(length - direct, counts.copied());
    OK(MPI_File_read_at(file, begin, in.data(), static_cast<int>(length), MPI_BYTE, &status));
    EXPECT_EQUAL(length, bytes_in(status));
    EXPECT_EQUAL(2 * direct, counts.moved());
    EXPECT_EQUAL(2 * (length - direct), counts.copied());
    EXPECT_EQUAL(2 * direct, counter(file, "device_direct_bytes"));
    EXPECT_BYTES(mine, in.get());
  }
  EXPECT_EQUAL(0, cufile().call("cufile_files"));
}

void expect_error(int error_class, const char* words, int code) {
  int found = MPI_SUCCESS, length = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_class(code, &found);
  EXPECT_EQUAL(error_class, found);
  MPI_Error_string(code, text, &length);
  if (!std::strstr(text, words)) note_failure(__FILE__, __LINE__, std::string("error text: ") + text);
}

}  // namespace

SITUATION(DeviceDirect, WholeBlocksOfAStretch, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  one_stretch(0, 3 * mib, 0, 3 * mib);
  one_stretch(100, 3 * mib, 100, whole_blocks(100, 3 * mib));
  one_stretch(page - 1, 2 * mib + 2, page - 1, 2 * mib);
}

SITUATION(DeviceDirect, OtherStretchesGoThroughTheHost, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  one_stretch(0, 3 * mib, 1, 0);       // another place in the block in memory than in the file
  one_stretch(0, mib - 1, 0, 0);       // too short
  one_stretch(1, mib + page, 1, mib);  // just long enough
  one_stretch(1, mib + page - 2, 1, 0);
  one_stretch(0, 3 * mib, 0, 0, "0");  // not wanted
  one_stretch(5, 3 * page, 5, 2 * page, "1");
}

// Blocks of two lengths in the file, with gaps, in memory one behind the other: the long ones are whole
// blocks.
SITUATION(DeviceDirect, StretchesOfAList, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const auto length = static_cast<int>(2 * mib);
  const Type tile = resized_of(blocks_at({length, 100}, {0, length + 50}, MPI_BYTE), 0, 4 * mib);
  const Type memory = resized_of(blocks_at({length, 100}, {0, length + 8}, MPI_BYTE), 0, 3 * mib);
  const std::vector<uint8_t> mine = values(context.rank, 9 * mib), before = values(9, 9 * mib);
  (void)cufile();
  for (const bool collective : {false, true}) {
    const Info info{{"concilio_method", "list"}};
    File file(context.fresh_file("direct"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    OK(MPI_File_set_view(file, context.rank * 12 * mib, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const GpuMemory out(mine), in(before);
    const Counts counts;
    const auto write = collective ? MPI_File_write_at_all : MPI_File_write_at;
    const auto read = collective ? MPI_File_read_at_all : MPI_File_read_at;
    OK(write(file, 0, out.data(), 3, memory, MPI_STATUS_IGNORE));
    EXPECT_EQUAL(6 * mib, counts.moved());
    EXPECT_EQUAL(300, counts.copied());
    OK(read(file, 0, in.data(), 3, memory, MPI_STATUS_IGNORE));
    EXPECT_EQUAL(12 * mib, counts.moved());
    std::vector<uint8_t> expected = before;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t at = 0; at < length + 108; ++at) {
        const auto place = static_cast<size_t>(i * 3 * mib + at);
        if (at < length || at >= length + 8) expected[place] = mine[place];
      }
    }
    EXPECT_BYTES(expected, in.get());
  }
}

// The file ends within a block. The memory behind its last byte stays as it was.
SITUATION(DeviceDirect, ReadAcrossTheEnd, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  (void)cufile();
  for (const int64_t size : {2 * mib + 10, 2 * mib, mib / 2, int64_t{0}}) {
    const std::string path = context.fresh_file("direct");
    const std::vector<uint8_t> written = values(1, size), before = values(9, 3 * mib);
    make_file(path, written);
    File file(path);
    const GpuMemory in(before);
    MPI_Status status;
    OK(MPI_File_read_at(file, 0, in.data(), static_cast<int>(3 * mib), MPI_BYTE, &status));
    EXPECT_EQUAL(size, bytes_in(status));
    std::vector<uint8_t> expected = before;
    std::copy(written.begin(), written.end(), expected.begin());
    EXPECT_BYTES(expected, in.get());
    EXPECT_EQUAL(size >= mib ? 2 * mib : mib / 2 * (size > 0), counter(file, "device_direct_bytes"));
    barrier();
  }
}

// What is written directly and what other ranks write and read by the page cache are the same bytes.
SITUATION(DeviceDirect, BesideThePageCache, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const Counts counts;
  File file(context.fresh_file("direct"));
  const auto length = static_cast<int>(2 * mib);
  const MPI_Offset begin = context.rank * 2 * mib;
  const std::vector<uint8_t> first = values(context.rank, length), second = values(context.rank + 50, length);
  OK(MPI_File_write_at(file, begin, first.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  const GpuMemory in(length);
  OK(MPI_File_read_at(file, begin, in.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(first, in.get());
  std::vector<uint8_t> back(first.size());
  OK(MPI_File_read_at(file, begin, back.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  const GpuMemory out(second);
  OK(MPI_File_write_at(file, begin, out.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(file, begin, back.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(second, back);
  EXPECT_EQUAL(4 * mib, counts.moved());
}

// The kernel's cache has kept old pages of what was written, since others wrote beside it.
SITUATION(DeviceDirect, OldPagesInTheCache, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const std::string path = context.fresh_file("direct");
  make_file(path, values(9, 2 * mib * context.ranks));
  const std::vector<uint8_t> mine = values(context.rank, 2 * mib);
  const GpuMemory out(mine);
  cufile().call("cufile_lose", 1);
  {
    File file(path);
    OK(MPI_File_write_at(file, context.rank * 2 * mib, out.data(), static_cast<int>(2 * mib), MPI_BYTE,
                         MPI_STATUS_IGNORE));
    EXPECT_EQUAL(0, counter(file, "device_direct_bytes"));
  }
  cufile().call("cufile_lose", 0);
  const std::vector<uint8_t> all = contents(path);
  EXPECT_BYTES(mine, std::vector<uint8_t>(all.begin() + context.rank * 2 * mib,
                                          all.begin() + (context.rank + 1) * 2 * mib));
}

SITUATION(DeviceDirect, OfAFileThatCuFileRefuses, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  cufile().call("cufile_refuse", 1);
  const std::vector<uint8_t> mine = values(context.rank, 3 * mib);
  {
    File file(context.fresh_file("direct"));
    const GpuMemory out(mine), in(mine.size());
    const Counts counts;
    for (int call = 0; call < 3; ++call) {
      const MPI_Offset begin = context.rank * 3 * mib;
      OK(MPI_File_write_at(file, begin, out.data(), static_cast<int>(3 * mib), MPI_BYTE, MPI_STATUS_IGNORE));
      OK(MPI_File_read_at(file, begin, in.data(), static_cast<int>(3 * mib), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    EXPECT_BYTES(mine, in.get());
    EXPECT_EQUAL(1, counts.registrations());
    EXPECT_EQUAL(0, counts.requests());
  }
  cufile().call("cufile_refuse", 0);
}

SITUATION(DeviceDirect, ShortTransfersGoOn, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  for (const int most : {1, 4095, 4097, 100000, 1 << 20}) {
    cufile().call("cufile_shorten", most);
    const std::vector<uint8_t> mine = values(context.rank, 2 * mib);
    File file(context.fresh_file("direct"));
    const GpuMemory out(mine), in(mine.size());
    const MPI_Offset begin = context.rank * 2 * mib;
    OK(MPI_File_write_at(file, begin, out.data(), static_cast<int>(2 * mib), MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, begin, in.data(), static_cast<int>(2 * mib), MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, in.get());
    // Less than a block at a time is left to other ways.
    EXPECT_EQUAL(most < page ? 0 : 4 * mib, counter(file, "device_direct_bytes"));
  }
  cufile().call("cufile_shorten", 0);
}

// In the first request, and in a later one. The errno of a system call has its own class.
SITUATION(DeviceDirect, Failures, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const std::vector<uint8_t> mine = values(context.rank, 3 * mib);
  const auto length = static_cast<int>(3 * mib);
  const MPI_Offset begin = context.rank * apart;
  cufile().call("cufile_shorten", 1 << 20);
  File file(context.fresh_file("direct"));
  const GpuMemory out(mine), in(mine.size());
  for (const int which : {1, 3}) {
    cufile().call("cufile_fail", which, ENOSPC);
    expect_error(MPI_ERR_NO_SPACE, "cannot write",
                 MPI_File_write_at(file, begin, out.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(file, begin, out.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
    cufile().call("cufile_fail", which, EIO);
    expect_error(MPI_ERR_IO, "cannot read",
                 MPI_File_read_at(file, begin, in.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
    // What storage does not do in this way is done in the other.
    cufile().call("cufile_fail", which, EINVAL);
    OK(MPI_File_read_at(file, begin, in.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, in.get());
  }
  cufile().call("cufile_shorten", 0);
}

// What cuFile itself cannot do goes through the host, and so does all that follows.
SITUATION(DeviceDirect, WhatCuFileCannotDoGoesThroughTheHost, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const std::vector<uint8_t> mine = values(context.rank, 3 * mib);
  const auto length = static_cast<int>(3 * mib);
  const MPI_Offset begin = context.rank * apart;
  cufile().call("cufile_shorten", 1 << 20);
  for (const int which : {1, 3}) {
    for (const int code : {-5010, -5099}) {
      File file(context.fresh_file("direct"));
      const GpuMemory out(mine), in(mine.size());
      cufile().call("cufile_fail", which, code);
      OK(MPI_File_write_at(file, begin, out.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
      const int64_t by_cufile = counter(file, "device_direct_bytes");
      OK(MPI_File_read_at(file, begin, in.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(mine, in.get());
      EXPECT_EQUAL(by_cufile, counter(file, "device_direct_bytes"));
    }
  }
  cufile().call("cufile_shorten", 0);
}

// cuFile waits for no stream, so the call does, on threads of the library too. The context stays.
SITUATION(DeviceDirect, WorkOfTheDefaultStreamComesFirst, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  constexpr size_t size = 2 * mib;
  File file(context.fresh_file("direct"));
  const GpuMemory out(std::vector<uint8_t>(size, 1)), in(size);
  const auto fill = [](const GpuMemory& memory, int value) {
    cuda().call("gpu_fill", reinterpret_cast<uintptr_t>(memory.data()), size, value);
  };
  const Counts counts;
  const MPI_Offset begin = context.rank * 2 * mib;
  fill(out, 7);
  OK(MPI_File_write_at(file, begin, out.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  fill(in, 3);
  OK(MPI_File_read_at(file, begin, in.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(std::vector<uint8_t>(size, 7), in.get());
  fill(out, 9);
  MPI_Request request;
  OK(MPI_File_iwrite_at(file, begin, out.data(), size, MPI_BYTE, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_File_iread_at(file, begin, in.data(), size, MPI_BYTE, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_BYTES(std::vector<uint8_t>(size, 9), in.get());
  EXPECT_EQUAL(8 * mib, counts.moved());
  void* current = &file;
  cuda().call("cuCtxGetCurrent", &current);
  EXPECT(current == nullptr);
}

// All ranks write the same bytes, and those of one of them must remain.
SITUATION(DeviceDirect, AtomicMode, not_own) {
  if (is_level_zero() || !has_direct_files(context.folder)) return;
  const auto length = static_cast<int>(2 * mib + 10);
  const std::vector<uint8_t> mine = values(context.rank, length);
  const Counts counts;
  File file(context.fresh_file("direct"));
  OK(MPI_File_set_atomicity(file, 1));
  const GpuMemory out(mine), in(mine.size());
  OK(MPI_File_write_at(file, 0, out.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  barrier();
  OK(MPI_File_read_at(file, 0, in.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
  int winners = 0;
  for (int rank = 0; rank < context.ranks; ++rank) winners += in.get() == values(rank, length);
  EXPECT_EQUAL(1, winners);
  EXPECT_EQUAL(4 * mib, counts.moved());
}
