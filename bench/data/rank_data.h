// One rank's part of a pattern: its buffer, and what belongs there and in the file.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "patterns/pattern.h"

namespace concilio::bench {

// Functions that return a text say what failed on this rank; empty: nothing.
class RankData {
 public:
  explicit RankData(const Pattern& pattern);  // collective over MPI_COMM_WORLD

  const Pattern& pattern() const { return pattern_; }
  const std::vector<Access>& accesses() const { return accesses_; }  // of a repetition's calls
  unsigned char* buffer() { return buffer_.data(); }
  unsigned char* buffer_of(const Access& access) { return buffer_.data() + access.memory_offset; }
  int rank() const { return rank_; }
  int64_t total_bytes() const { return total_bytes_; }  // of all ranks

  // The file of this rank, of which it may be one among many users, and these.
  std::string path_of(const std::string& path) const;
  MPI_Comm users() const { return own_file_ ? MPI_COMM_SELF : MPI_COMM_WORLD; }

  // Each where this rank is the one to do it.
  std::string prepare_file(const std::string& path) const;  // gone, or full of holes to be
  void remove_file(const std::string& path) const;
  std::string write_by_posix(const std::string& path, uint64_t content);

  void fill(uint64_t content);
  void poison();
  std::string check_buffer(uint64_t content) const;
  // The file as any other program sees it.
  std::string check_file(const std::string& path, uint64_t content) const;

 private:
  std::string fill_holes(const std::string& path) const;

  const Pattern& pattern_;
  int rank_ = 0, ranks_ = 1;
  bool own_file_;
  bool keeper_ = false;  // of the file: makes and removes it
  std::vector<Access> accesses_;
  std::vector<unsigned char> buffer_;
  int64_t data_bytes_ = 0, total_bytes_ = 0;
  int64_t file_data_bytes_ = 0;  // of all users of the file
  int64_t end_ = 0;              // of the file
};

}  // namespace concilio::bench
