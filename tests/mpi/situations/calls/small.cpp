// Small independent calls: each makes one request to storage and no other system call.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <thread>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int calls = 400, bytes = 8;

// The number of the first system call that this thread made and should not have made, or -1.
std::atomic<int> unwanted = -1;

void note_call(int, siginfo_t* info, void*) {
  int none = -1;
  unwanted.compare_exchange_strong(none, info->si_syscall);
}

// From now on this thread may make no system calls but those that move data, and the one that ends this.
// Returns false if the system does not let a program forbid calls, and with sanitizers, which make system
// calls themselves.
bool allow_transfers_alone() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#endif
  struct sigaction action {};
  action.sa_sigaction = note_call;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  // clock_gettime is a system call only on machines whose clock cannot be read in another way. The heap may
  // have to grow now and then, as MPI's functions take memory from it.
  constexpr unsigned allowed[] = {__NR_pwrite64,     __NR_pread64, __NR_clock_gettime,
                                  __NR_rt_sigreturn, __NR_brk,     __NR_exit};
  constexpr size_t count = std::size(allowed);
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (size_t i = 0; i < count; ++i)
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], static_cast<uint8_t>(count - i), 0));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Each call moves one element of the type.
enum class Way { write_at, read_at, write, read };
void call(MPI_File file, Way way, int i, uint8_t* data, int count, MPI_Datatype type) {
  const MPI_Offset offset = MPI_Offset{i} * bytes;
  MPI_Status status;
  switch (way) {
    case Way::write_at:
      OK(MPI_File_write_at(file, offset, data, count, type, &status));
      break;
    case Way::read_at:
      OK(MPI_File_read_at(file, offset, data, count, type, &status));
      break;
    case Way::write:
      OK(MPI_File_write(file, data, count, type, &status));
      break;
    case Way::read:
      OK(MPI_File_read(file, data, count, type, &status));
      break;
  }
  EXPECT_EQUAL(bytes, bytes_in(status));
}

// The calls of every rank access its own part of the file, through a view of these pieces.
void expect_requests_alone(int64_t piece_bytes, int64_t spacing) {
  const std::vector<uint8_t> mine = values(context.rank, calls * bytes);
  std::vector<uint8_t> back(mine.size());
  File file(context.fresh_file("small"));
  const int64_t part = calls * bytes / piece_bytes * spacing;
  const Type piece = contiguous_of(static_cast<int>(piece_bytes), MPI_BYTE);
  const Type tile = resized_of(piece, 0, spacing), element = contiguous_of(bytes, MPI_BYTE);
  OK(MPI_File_set_view(file, context.rank * part, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  // The first calls with a datatype decode it. They also open the file on ranks that have not needed it
  // before.
  for (int i = 0; i < 3; ++i) {
    std::vector<uint8_t> spare(bytes);
    call(file, Way::write_at, 0, spare.data(), bytes, MPI_BYTE);
    call(file, Way::write_at, 0, spare.data(), 1, element);
    call(file, Way::read_at, 0, spare.data(), bytes, MPI_BYTE);
  }
  const std::vector<const char*> names = {
      "independent_writes", "independent_reads",  "bytes_written",      "bytes_read",
      "storage_writes",     "storage_reads",      "storage_bytes_read", "storage_bytes_written",
      "locks_taken",        "method_independent", "plans_made"};
  std::map<std::string, int64_t> before, made;
  for (const char* name : names) before[name] = counter(file, name);
  for (const Way way : {Way::write_at, Way::read_at, Way::write, Way::read}) {
    for (const bool derived : {false, true}) {
      const bool writes = way == Way::write_at || way == Way::write;
      OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
      std::vector<uint8_t> data = writes ? mine : std::vector<uint8_t>(mine.size());
      std::thread([&] {
        const bool filtered = allow_transfers_alone();
        for (int i = 0; i < calls; ++i)
          call(file, way, i, data.data() + i * bytes, derived ? 1 : bytes, derived ? element : MPI_BYTE);
        // When a thread ends, the C library makes system calls, and it blocks the signal that would report a
        // forbidden call.
        if (filtered) syscall(SYS_exit, 0);
      }).join();
      EXPECT_BYTES(mine, data);
    }
  }
  EXPECT_EQUAL(-1, unwanted.exchange(-1));
  for (const char* name : names) made[name] = counter(file, name) - before[name];
  for (const char* name : {"independent_writes", "independent_reads", "storage_writes", "storage_reads"})
    EXPECT_EQUAL(4 * calls, made[name]);
  for (const char* name : {"bytes_written", "bytes_read", "storage_bytes_read", "storage_bytes_written"})
    EXPECT_EQUAL(4 * calls * bytes, made[name]);
  EXPECT_EQUAL(8 * calls, made["method_independent"]);
  EXPECT_EQUAL(0, made["locks_taken"]);
  EXPECT_EQUAL(0, made["plans_made"]);
}

}  // namespace

SITUATION(Small, NothingButTheRequest, not_own) {
  expect_requests_alone(bytes, bytes);
}

SITUATION(Small, NothingButTheRequestInAViewOfPieces, not_own) {
  expect_requests_alone(bytes, 3 * bytes);
  expect_requests_alone(4 * bytes, 5 * bytes);
}

// MPI gives the handle of a freed datatype to a new one.
SITUATION(Small, DatatypesWithTheHandlesOfOthers, everywhere) {
  const int64_t place = int64_t{1000} * context.rank;
  File file(context.fresh_file("handles"));
  const std::vector<uint8_t> data = values(context.rank, 64);
  for (int round = 0; round < 20; ++round) {
    const Type made =
        round % 3 == 2 ? vector_of(2, round, 2 * round, MPI_BYTE) : contiguous_of(3 + round, MPI_BYTE);
    MPI_Datatype twin;
    MPI_Type_dup(made, &twin);
    int size = 0;
    MPI_Type_size(made, &size);
    for (int i = 0; i < 4; ++i) {
      MPI_Status status;
      OK(MPI_File_write_at(file, place, data.data(), 1, i % 2 ? twin : made, &status));
      EXPECT_EQUAL(size, bytes_in(status));
    }
    std::vector<uint8_t> packed(data.begin(), data.begin() + size), back(static_cast<size_t>(size));
    if (round % 3 == 2)
      std::memcpy(packed.data() + round, data.data() + 2 * round, static_cast<size_t>(round));
    OK(MPI_File_read_at(file, place, back.data(), size, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(packed, back);
    MPI_Type_free(&twin);
  }
}

// The view, the mode and the hints may change between calls that are otherwise the same.
SITUATION(Small, WhatChangesBetweenCalls, everywhere) {
  const int64_t part = int64_t{800} * context.rank;
  const std::vector<uint8_t> data = values(context.rank, 800);
  File file(context.fresh_file("changes"));
  const auto write = [&](MPI_File to, int64_t offset, int64_t from) {
    for (int i = 0; i < 3; ++i) {
      MPI_Status status;
      OK(MPI_File_write_at(to, offset, data.data() + from, 8, MPI_BYTE, &status));
      EXPECT_EQUAL(8, bytes_in(status));
    }
  };
  write(file, part, 0);
  OK(MPI_File_set_view(file, part + 8, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
  write(file, 0, 8);
  write(file, 2, 24);
  OK(MPI_File_set_atomicity(file, 1));
  write(file, 1, 16);
  OK(MPI_File_set_atomicity(file, 0));
  OK(MPI_File_set_view(file, part, MPI_BYTE, vector_of(2, 8, 12, MPI_BYTE), "native", MPI_INFO_NULL));
  write(file, 0, 0);
  OK(MPI_File_set_view(file, part, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  write(file, 32, 32);
  // At the end of the file a read is short, and a call without data moves nothing.
  OK(MPI_File_sync(file));
  barrier();
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  std::vector<uint8_t> back(800), expected(data.begin(), data.begin() + 40);
  const int64_t last = int64_t{800} * (context.ranks - 1);
  for (int i = 0; i < 3; ++i) {
    MPI_Status status;
    OK(MPI_File_read_at(file, last + 32, back.data(), 16, MPI_BYTE, &status));
    EXPECT_EQUAL(8, bytes_in(status));
    OK(MPI_File_read_at(file, last + 1000, back.data(), 16, MPI_BYTE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_write_at(file, part, back.data(), 0, MPI_BYTE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
  }
  back.resize(40);
  OK(MPI_File_read_at(file, part, back.data(), 40, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(expected, back);
}

// They move nothing, whatever their buffer is, and wrong ones are refused all the same.
SITUATION(Small, CallsWithoutData, not_own) {
  File file(context.fresh_file("without-data"));
  OK(MPI_File_set_view(file, 8, MPI_DOUBLE, resized_of(contiguous_of(2, MPI_DOUBLE), 0, 64), "native",
                       MPI_INFO_NULL));
  OK(MPI_File_seek(file, 3, MPI_SEEK_SET));
  for (int i = 0; i < 20; ++i) {
    MPI_Status status;
    OK(MPI_File_write_at(file, 5 * i, nullptr, 0, MPI_DOUBLE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_read_at(file, 5 * i, nullptr, 0, MPI_DOUBLE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_write(file, nullptr, 0, MPI_DOUBLE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_write_shared(file, nullptr, 0, MPI_DOUBLE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_write_at_all(file, 5 * i, nullptr, 0, MPI_DOUBLE, &status));
    EXPECT_EQUAL(0, bytes_in(status));
  }
  MPI_Offset place = -1, size = -1;
  OK(MPI_File_get_position(file, &place));
  EXPECT_EQUAL(3, place);
  OK(MPI_File_get_position_shared(file, &place));
  EXPECT_EQUAL(0, place);
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(0, size);
  FAILS(MPI_ERR_ARG, MPI_File_write_at(file, -1, nullptr, 0, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(60, counter(file, "independent_writes"));
  EXPECT_EQUAL(20, counter(file, "independent_reads"));
  EXPECT_EQUAL(20, counter(file, "collective_writes"));
  EXPECT_EQUAL(0, counter(file, "storage_writes"));
  EXPECT_EQUAL(0, counter(file, "storage_reads"));
}

// Threads that write through the individual pointer never get the same position.
SITUATION(Small, ThreadsWithOnePointer, not_own) {
  if (!context.threads) return;
  constexpr int threads = 4;
  const std::string path = context.fresh_file("pointer") + std::to_string(context.rank);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF);
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      for (int i = 0; i < calls; ++i) {
        const int64_t number = thread * calls + i;
        OK(MPI_File_write(file, &number, 1, MPI_INT64_T, MPI_STATUS_IGNORE));
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  std::vector<int64_t> found(threads * calls);
  OK(MPI_File_read_at(file, 0, found.data(), threads * calls, MPI_INT64_T, MPI_STATUS_IGNORE));
  std::vector<int> next(threads);
  for (const int64_t number : found) {
    const auto thread = static_cast<size_t>(number / calls);
    EXPECT(number >= 0 && thread < threads && next[thread]++ == number % calls);
  }
}
