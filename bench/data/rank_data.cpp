#include "data/rank_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "data/content.h"
#include "data/mapped_file.h"
#include "job/agree.h"

namespace concilio::bench {

namespace {

std::string difference(const char* where, int64_t offset, int expected, int found) {
  return fmt::format("{} at file offset {}: expected 0x{:02x}, found 0x{:02x}", where, offset, expected,
                     found);
}

// Checks that bytes which no rank wrote have not changed. `written` has one byte for each byte of the file,
// which is not 0 if any user of the file has written it.
std::string check_holes(const MappedFile& file, const std::vector<unsigned char>& written) {
  const auto end = static_cast<int64_t>(written.size());
  // The next offset, beginning at `offset`, whose byte is written (or not written), or the end of the file if
  // there is none.
  const auto next = [&](int64_t offset, int value) {
    const void* found = std::memchr(written.data() + offset, value, static_cast<size_t>(end - offset));
    return found ? static_cast<const unsigned char*>(found) - written.data() : end;
  };
  for (int64_t hole = next(0, 0); hole < end;) {
    const int64_t hole_end = next(hole, 1);
    const int64_t other = find_other_than(file.bytes() + hole, hole_end - hole, hole_byte);
    if (other >= 0)
      return difference("a hole of the file", hole + other, hole_byte, file.bytes()[hole + other]);
    hole = next(hole_end, 0);
  }
  return {};
}

}  // namespace

RankData::RankData(const Pattern& pattern, bool any_order)
    : pattern_(pattern), own_file_(pattern.file_per_rank()) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  keeper_ = own_file_ || rank_ == 0;
  for (int call = 0; call < pattern.calls(); ++call) accesses_.push_back(pattern.make_access(rank_, call));
  const auto has_first_view = [&](const Access& access) {
    const Access& first = accesses_.front();
    return access.displacement == first.displacement && access.etype == first.etype &&
           access.filetype.get() == first.filetype.get();
  };
  one_view_ = over_ranks<int>(std::ranges::all_of(accesses_, has_first_view), MPI_INT, MPI_MIN) != 0;
  if (any_order) content_shift_ = accesses_.front().offset - pattern.make_access(0, 0).offset;
  // The buffer is never empty, and every byte of it is touched, so that later growth of memory is the MPI
  // library's.
  buffer_.assign(static_cast<size_t>(pattern.buffer_bytes(rank_)) + 1, gap_byte);
  data_bytes_ = pattern.data_bytes(rank_);
  total_bytes_ = over_ranks(data_bytes_, MPI_INT64_T, MPI_SUM);
  file_data_bytes_ = own_file_ ? data_bytes_ : total_bytes_;
  pattern.for_each_piece(rank_,
                         [&](const Piece& piece) { end_ = std::max(end_, piece.file_offset + piece.bytes); });
  if (!own_file_) end_ = over_ranks(end_, MPI_INT64_T, MPI_MAX);
}

std::string RankData::path_of(const std::string& path) const {
  return own_file_ ? fmt::format("{}.{}", path, rank_) : path;
}

std::string RankData::prepare_file(const std::string& path) const {
  if (!keeper_) return {};
  if (unlink(path_of(path).c_str()) != 0 && errno != ENOENT)
    return fmt::format("cannot remove {}: {}", path_of(path), std::strerror(errno));
  return end_ > file_data_bytes_ ? fill_holes(path_of(path)) : "";
}

void RankData::remove_file(const std::string& path) const {
  if (keeper_) unlink(path_of(path).c_str());
}

// A pattern with holes is written over an existing file. The bytes in the holes must stay.
std::string RankData::fill_holes(const std::string& path) const {
  const std::vector<unsigned char> block(size_t{1} << 20, hole_byte);
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return fmt::format("cannot make {}: {}", path, std::strerror(errno));
  std::string failure;
  for (int64_t offset = 0; offset < end_ && failure.empty();) {
    const int64_t size = std::min<int64_t>(end_ - offset, static_cast<int64_t>(block.size()));
    const ssize_t wrote = pwrite(descriptor, block.data(), static_cast<size_t>(size), offset);
    if (wrote < 0) failure = fmt::format("cannot write {}: {}", path, std::strerror(errno));
    offset += wrote;
  }
  close(descriptor);
  return failure;
}

std::string RankData::write_by_posix(const std::string& path, uint64_t content) {
  const std::string own = path_of(path);
  const int descriptor = open(own.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return fmt::format("cannot make {}: {}", own, std::strerror(errno));
  std::string failure = fill(content);
  pattern_.for_each_piece(rank_, [&](const Piece& piece) {
    if (!failure.empty()) return;
    const ssize_t wrote = pwrite(descriptor, buffer_.data() + piece.memory_offset,
                                 static_cast<size_t>(piece.bytes), piece.file_offset);
    if (wrote != piece.bytes)
      failure = fmt::format("cannot write {}: {}", own, wrote < 0 ? std::strerror(errno) : "it is full");
  });
  close(descriptor);
  return failure;
}

std::string RankData::move_to_device() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank_of_node = 0;
  MPI_Comm_rank(node, &rank_of_node);
  MPI_Comm_free(&node);
  const std::string failure = device_.make(buffer_.size(), rank_of_node);
  return failure.empty() ? put() : failure;
}

// To the device, if the calls have their buffer there.
std::string RankData::put() const {
  return device_ ? device_.put(buffer_.data(), buffer_.size()) : "";
}

std::string RankData::fill(uint64_t content) {
  pattern_.for_each_piece(rank_, [&](const Piece& piece) {
    fill_content(buffer_.data() + piece.memory_offset, content_offset(piece), piece.bytes, content);
  });
  return put();
}

std::string RankData::poison() {
  pattern_.for_each_piece(rank_, [&](const Piece& piece) {
    std::memset(buffer_.data() + piece.memory_offset, poison_byte, static_cast<size_t>(piece.bytes));
  });
  return put();
}

std::string RankData::check_buffer(uint64_t content) {
  std::string failure = device_ ? device_.get(buffer_.data(), buffer_.size()) : "";
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
    const int64_t at = find_difference(bytes, content_offset(piece), piece.bytes, content);
    if (at >= 0)
      failure = difference("read", piece.file_offset + at, content_byte(content_offset(piece) + at, content),
                           bytes[at]);
    check_gap(piece.memory_offset);
    gap_begin = piece.memory_offset + piece.bytes;
  });
  check_gap(static_cast<int64_t>(buffer_.size()));
  return failure;
}

std::string RankData::check_file(const std::string& path, uint64_t content) const {
  const MappedFile file(path_of(path));
  if (!file.bytes() && data_bytes_ > 0)
    return fmt::format("cannot map {}: {}", path_of(path), file.failure());
  std::string failure;
  pattern_.for_each_piece(rank_, [&](const Piece& piece) {
    if (!failure.empty()) return;
    if (piece.file_offset + piece.bytes > file.size()) {
      failure = fmt::format("the file ends at {}, before the piece at file offset {}", file.size(),
                            piece.file_offset);
      return;
    }
    const int64_t at =
        find_difference(file.bytes() + piece.file_offset, content_offset(piece), piece.bytes, content);
    if (at >= 0) {
      failure =
          difference("the file", piece.file_offset + at, content_byte(content_offset(piece) + at, content),
                     file.bytes()[piece.file_offset + at]);
    }
  });
  if (!failure.empty() || !keeper_) return failure;
  if (end_ != file.size()) return fmt::format("the file has {} bytes, expected {}", file.size(), end_);
  if (end_ == file_data_bytes_) return {};
  std::vector<unsigned char> written(static_cast<size_t>(end_), 0);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (own_file_ && rank != rank_) continue;
    pattern_.for_each_piece(rank, [&](const Piece& piece) {
      std::memset(written.data() + piece.file_offset, 1, static_cast<size_t>(piece.bytes));
    });
  }
  return check_holes(file, written);
}

}  // namespace concilio::bench
