#include "harness.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agree.h"
#include "computing.h"
#include "content.h"
#include "memory.h"

namespace concilio::bench {

namespace {

std::string message_of(int code, const char* call) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fmt::format("{} failed: {}", call, text);
}

// The whole file, mapped for reading.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
      size_ = status.st_size;
      void* mapped = size_ > 0
                         ? mmap(nullptr, static_cast<size_t>(size_), PROT_READ, MAP_SHARED, descriptor, 0)
                         : MAP_FAILED;
      if (mapped != MAP_FAILED) bytes_ = static_cast<const unsigned char*>(mapped);
    }
    errno_ = errno;
    if (descriptor >= 0) close(descriptor);
  }
  ~MappedFile() {
    if (bytes_) munmap(const_cast<unsigned char*>(bytes_), static_cast<size_t>(size_));
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const unsigned char* bytes() const { return bytes_; }
  int64_t size() const { return size_; }
  std::string failure() const { return std::strerror(errno_); }

 private:
  const unsigned char* bytes_ = nullptr;
  int64_t size_ = 0;
  int errno_ = 0;
};

std::string difference(const char* where, int64_t offset, int expected, int found) {
  return fmt::format("{} at file offset {}: expected 0x{:02x}, found 0x{:02x}", where, offset, expected,
                     found);
}

class Harness {
 public:
  Harness(const Pattern& pattern, const RunOptions& options) : pattern_(pattern), options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    for (int call = 0; call < pattern.calls(); ++call) accesses_.push_back(pattern.make_access(rank_, call));
    // Never empty, and every byte touched: what grows from here on is the MPI library's.
    buffer_.assign(static_cast<size_t>(pattern.buffer_bytes(rank_)) + 1, gap_byte);
    data_bytes_ = pattern.data_bytes(rank_);
  }

  Outcome run() {
    outcome_.total_bytes = over_ranks(data_bytes_, MPI_INT64_T, MPI_SUM);
    pattern_.for_each_piece(
        rank_, [&](const Piece& piece) { end_ = std::max(end_, piece.file_offset + piece.bytes); });
    end_ = over_ranks(end_, MPI_INT64_T, MPI_MAX);
    prepare_file();
    if (ok()) call_all();
    if (ok() && options_.write && options_.verify) check_file();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) unlink(options_.path.c_str());
    return outcome_;
  }

 private:
  bool ok() const { return outcome_.failure.empty(); }
  void fail_if(const std::string& failure) { outcome_.failure = agree(failure); }

  void prepare_file() {
    std::string failure;
    if (rank_ == 0 && unlink(options_.path.c_str()) != 0 && errno != ENOENT)
      failure = fmt::format("cannot remove {}: {}", options_.path, std::strerror(errno));
    if (rank_ == 0 && failure.empty() && end_ > outcome_.total_bytes) failure = fill_holes();
    fail_if(failure);
    if (ok() && !options_.write) fail_if(write_by_posix());
  }

  // A pattern with holes is written over an old file, whose bytes in the holes must stay.
  std::string fill_holes() const {
    const std::vector<unsigned char> block(size_t{1} << 20, hole_byte);
    const int descriptor = open(options_.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fmt::format("cannot make {}: {}", options_.path, std::strerror(errno));
    std::string failure;
    for (int64_t offset = 0; offset < end_ && failure.empty();) {
      const int64_t size = std::min<int64_t>(end_ - offset, static_cast<int64_t>(block.size()));
      const ssize_t wrote = pwrite(descriptor, block.data(), static_cast<size_t>(size), offset);
      if (wrote < 0) failure = fmt::format("cannot write {}: {}", options_.path, std::strerror(errno));
      offset += wrote;
    }
    close(descriptor);
    return failure;
  }

  std::string write_by_posix() {
    const int descriptor = open(options_.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fmt::format("cannot make {}: {}", options_.path, std::strerror(errno));
    std::string failure;
    fill(0);
    pattern_.for_each_piece(rank_, [&](const Piece& piece) {
      if (!failure.empty()) return;
      const ssize_t wrote = pwrite(descriptor, buffer_.data() + piece.memory_offset,
                                   static_cast<size_t>(piece.bytes), piece.file_offset);
      if (wrote != piece.bytes)
        failure = fmt::format("cannot write {}: {}", options_.path,
                              wrote < 0 ? std::strerror(errno) : "it is full");
    });
    close(descriptor);
    return failure;
  }

  void call_all() {
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const Memory before = read_memory();
    MPI_File file = MPI_FILE_NULL;
    fail_if(open_file(file));
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition)
      call_once(file, repetition);
    const Memory after = read_memory();
    if (file != MPI_FILE_NULL) {
      const int code = MPI_File_close(&file);
      const std::string failure = agree(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_close"));
      if (ok()) outcome_.failure = failure;
    }
    const int64_t peak = std::max<int64_t>(after.peak_bytes - before.resident_bytes, 0);
    const int64_t shared = std::max<int64_t>(after.shared_bytes - before.shared_bytes, 0);
    outcome_.peak_growth_bytes = over_ranks(peak, MPI_INT64_T, MPI_MAX);
    outcome_.shared_growth_bytes = over_ranks(shared, MPI_INT64_T, MPI_MAX);
    outcome_.nodes = growth_by_node(peak, shared);
  }

  std::string open_file(MPI_File& file) {
    MPI_Info info = MPI_INFO_NULL;
    if (!options_.hints.empty()) MPI_Info_create(&info);
    for (const auto& [name, value] : options_.hints) MPI_Info_set(info, name.c_str(), value.c_str());
    const int mode = options_.write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    int code = MPI_File_open(MPI_COMM_WORLD, options_.path.c_str(), mode, info, &file);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    if (code != MPI_SUCCESS) {
      file = MPI_FILE_NULL;
      return message_of(code, "MPI_File_open");
    }
    if (accesses_.size() > 1) return {};
    code = set_view(file, accesses_[0]);
    return code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_set_view");
  }

  static int set_view(MPI_File file, const Access& access) {
    return MPI_File_set_view(file, access.displacement, access.etype, access.filetype.get(), "native",
                             MPI_INFO_NULL);
  }

  // All calls write and all read; the first repetition is the warm-up.
  void call_once(MPI_File file, int repetition) {
    const uint64_t content = options_.write ? static_cast<uint64_t>(repetition) : 0;
    if (options_.write) {
      fill(content);
      timed(outcome_.write, file, repetition, "write", [&](const Access& access, MPI_Status* status) {
        return options_.collective
                   ? MPI_File_write_at_all(file, 0, buffer_of(access), access.count, access.memory.get(),
                                           status)
                   : MPI_File_write_at(file, 0, buffer_of(access), access.count, access.memory.get(), status);
      });
    }
    if (ok() && options_.write && options_.sync) sync(file, repetition);
    if (ok() && options_.overlap) call_overlapped(file, repetition);
    // Where only writing is measured, the file itself is checked at the end.
    if (!ok() || !options_.read) return;
    poison();
    // Independent reads must not meet writes of other ranks that still go on.
    MPI_Barrier(MPI_COMM_WORLD);
    timed(outcome_.read, file, repetition, "read", [&](const Access& access, MPI_Status* status) {
      return options_.collective
                 ? MPI_File_read_at_all(file, 0, buffer_of(access), access.count, access.memory.get(), status)
                 : MPI_File_read_at(file, 0, buffer_of(access), access.count, access.memory.get(), status);
    });
    if (ok() && options_.verify) fail_if(check_buffer(content));
  }

  // The same write again, nonblocking, and meanwhile as much computing as takes as long as the write did
  // alone.
  void call_overlapped(MPI_File file, int repetition) {
    const double write_seconds =
        repetition == 0 ? outcome_.write.first_seconds : outcome_.write.seconds.back();
    const auto work_per_call =
        static_cast<int64_t>(write_seconds * computing_.per_second()) / pattern_.calls();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int call = 0; call < pattern_.calls(); ++call) computing_.run(work_per_call);
    const double computing_seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    timed(outcome_.overlapped, file, repetition, "nonblocking write",
          [&](const Access& access, MPI_Status* status) {
            MPI_Request request;
            const int code = options_.collective
                                 ? MPI_File_iwrite_at_all(file, 0, buffer_of(access), access.count,
                                                          access.memory.get(), &request)
                                 : MPI_File_iwrite_at(file, 0, buffer_of(access), access.count,
                                                      access.memory.get(), &request);
            if (code != MPI_SUCCESS) return code;
            computing_.run(work_per_call);
            return MPI_Wait(&request, status);
          });
    if (repetition > 0) {
      outcome_.overlap.push_back(outcome_.overlapped.seconds.back() /
                                 std::max(write_seconds, computing_seconds));
    }
  }

  void sync(MPI_File file, int repetition) {
    Times& times = outcome_.write;
    double& sum = repetition == 0 ? times.first_seconds : times.seconds.back();
    const double start = MPI_Wtime();
    const int code = MPI_File_sync(file);
    sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    fail_if(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_sync"));
  }

  template <typename Call>
  void timed(Times& times, MPI_File file, int repetition, const char* what, Call call) {
    double& sum = repetition == 0 ? times.first_seconds : times.seconds.emplace_back();
    for (size_t i = 0; i < accesses_.size() && ok(); ++i) {
      const Access& access = accesses_[i];
      MPI_Status status;
      std::memset(&status, 0, sizeof status);
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      int code = accesses_.size() > 1 ? set_view(file, access) : MPI_SUCCESS;
      if (code == MPI_SUCCESS) code = call(access, &status);
      sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
      fail_if(failure_of(code, access, status, what));
    }
  }

  std::string failure_of(int code, const Access& access, const MPI_Status& status, const char* what) const {
    if (code != MPI_SUCCESS) return message_of(code, what);
    if (!options_.verify || access.count == 0) return {};
    int count = 0;
    MPI_Get_count(&status, access.memory.get(), &count);
    if (count == access.count) return {};
    return fmt::format("{}: the status says {} of {} items", what, count, access.count);
  }

  unsigned char* buffer_of(const Access& access) { return buffer_.data() + access.memory_offset; }

  void fill(uint64_t content) {
    pattern_.for_each_piece(rank_, [&](const Piece& piece) {
      fill_content(buffer_.data() + piece.memory_offset, piece.file_offset, piece.bytes, content);
    });
  }

  void poison() {
    pattern_.for_each_piece(rank_, [&](const Piece& piece) {
      std::memset(buffer_.data() + piece.memory_offset, poison_byte, static_cast<size_t>(piece.bytes));
    });
  }

  std::string check_buffer(uint64_t content) const {
    std::string failure;
    int64_t gap_begin = 0;
    const auto check_gap = [&](int64_t end) {
      const int64_t other = find_other_than(buffer_.data() + gap_begin, end - gap_begin, gap_byte);
      if (other >= 0 && failure.empty()) {
        failure =
            fmt::format("memory between the pieces, at buffer offset {}: expected 0x{:02x}, found 0x{:02x}",
                        gap_begin + other, gap_byte, buffer_[static_cast<size_t>(gap_begin + other)]);
      }
    };
    pattern_.for_each_piece(rank_, [&](const Piece& piece) {
      if (!failure.empty()) return;
      const unsigned char* bytes = buffer_.data() + piece.memory_offset;
      const int64_t at = find_difference(bytes, piece.file_offset, piece.bytes, content);
      if (at >= 0)
        failure = difference("read", piece.file_offset + at, content_byte(piece.file_offset + at, content),
                             bytes[at]);
      check_gap(piece.memory_offset);
      gap_begin = piece.memory_offset + piece.bytes;
    });
    check_gap(static_cast<int64_t>(buffer_.size()));
    return failure;
  }

  // After the close: the file as any other program sees it.
  void check_file() {
    MPI_Barrier(MPI_COMM_WORLD);
    const uint64_t content = static_cast<uint64_t>(options_.repetitions);
    const MappedFile file(options_.path);
    std::string failure;
    if (!file.bytes() && data_bytes_ > 0)
      failure = fmt::format("cannot map {}: {}", options_.path, file.failure());
    pattern_.for_each_piece(rank_, [&](const Piece& piece) {
      if (!failure.empty()) return;
      if (piece.file_offset + piece.bytes > file.size()) {
        failure = fmt::format("the file ends at {}, before the piece at file offset {}", file.size(),
                              piece.file_offset);
        return;
      }
      const int64_t at =
          find_difference(file.bytes() + piece.file_offset, piece.file_offset, piece.bytes, content);
      if (at >= 0) {
        failure =
            difference("the file", piece.file_offset + at, content_byte(piece.file_offset + at, content),
                       file.bytes()[piece.file_offset + at]);
      }
    });
    if (failure.empty() && rank_ == 0) failure = check_holes(file);
    fail_if(failure);
  }

  // What no rank wrote must be as it was.
  std::string check_holes(const MappedFile& file) const {
    if (end_ != file.size()) return fmt::format("the file has {} bytes, expected {}", file.size(), end_);
    if (end_ == outcome_.total_bytes) return {};
    std::vector<unsigned char> written(static_cast<size_t>(end_), 0);
    for (int rank = 0; rank < ranks_; ++rank) {
      pattern_.for_each_piece(rank, [&](const Piece& piece) {
        std::memset(written.data() + piece.file_offset, 1, static_cast<size_t>(piece.bytes));
      });
    }
    // The next place from `offset` on that is written, or is not; the end of the file where there is none.
    const auto next = [&](int64_t offset, int value) {
      const void* found = std::memchr(written.data() + offset, value, static_cast<size_t>(end_ - offset));
      return found ? static_cast<const unsigned char*>(found) - written.data() : end_;
    };
    for (int64_t hole = next(0, 0); hole < end_;) {
      const int64_t hole_end = next(hole, 1);
      const int64_t other = find_other_than(file.bytes() + hole, hole_end - hole, hole_byte);
      if (other >= 0)
        return difference("a hole of the file", hole + other, hole_byte, file.bytes()[hole + other]);
      hole = next(hole_end, 0);
    }
    return {};
  }

  const Pattern& pattern_;
  const RunOptions& options_;
  Computing computing_;
  int rank_ = 0, ranks_ = 1;
  std::vector<Access> accesses_;  // of a repetition's calls
  std::vector<unsigned char> buffer_;
  int64_t data_bytes_ = 0;
  int64_t end_ = 0;  // of the file
  Outcome outcome_;
};

}  // namespace

Outcome run_pattern(const Pattern& pattern, const RunOptions& options) {
  return Harness(pattern, options).run();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace concilio::bench
