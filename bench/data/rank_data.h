// One rank's part of a pattern: its buffer, and the bytes that belong there and in the file.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/device_buffer.h"
#include "patterns/pattern.h"

namespace concilio::bench {

// Functions that return a text return what failed on this rank, or an empty text.
class RankData {
 public:
  // Collective over MPI_COMM_WORLD. `any_order`: in each call of a pattern whose ranks move equally many
  // bytes side by side, each of them may have the place of any, so all of them write the same.
  explicit RankData(const Pattern& pattern, bool any_order = false);

  const Pattern& pattern() const { return pattern_; }
  const std::vector<Access>& accesses() const { return accesses_; }  // for the calls of a repetition
  unsigned char* buffer() { return buffer_.data(); }
  // The view that all ranks can take for all calls; null if each call has a view of its own.
  const Access* access_of_view() const { return one_view_ ? accesses_.data() : nullptr; }
  // What the calls get.
  unsigned char* buffer_of(const Access& access) {
    return (device_ ? device_.data() : buffer_.data()) + access.memory_offset;
  }
  // Gives the calls a buffer in the memory of a GPU; buffer() is then what is copied to it and from it.
  std::string move_to_device();
  int rank() const { return rank_; }
  int64_t total_bytes() const { return total_bytes_; }  // of all ranks together

  // The file that this rank uses, and the ranks that use the same file.
  std::string path_of(const std::string& path) const;
  MPI_Comm users() const { return own_file_ ? MPI_COMM_SELF : MPI_COMM_WORLD; }

  // One of the users of a file calls these functions for all; on the others they do nothing. prepare_file()
  // removes the file, or makes one of old bytes if the pattern has holes.
  std::string prepare_file(const std::string& path) const;
  void remove_file(const std::string& path) const;
  std::string write_by_posix(const std::string& path, uint64_t content);

  std::string fill(uint64_t content);
  std::string poison();
  std::string check_buffer(uint64_t content);
  // Reads the file as any other program sees it.
  std::string check_file(const std::string& path, uint64_t content) const;

 private:
  std::string fill_holes(const std::string& path) const;
  std::string put() const;
  // The place in the file whose content a piece has.
  int64_t content_offset(const Piece& piece) const { return piece.file_offset - content_shift_; }

  const Pattern& pattern_;
  int rank_ = 0, ranks_ = 1;
  bool own_file_;
  int64_t content_shift_ = 0;
  bool one_view_ = false;
  bool keeper_ = false;  // whether this rank makes and removes the file
  std::vector<Access> accesses_;
  std::vector<unsigned char> buffer_;
  DeviceBuffer device_;
  int64_t data_bytes_ = 0, total_bytes_ = 0;
  int64_t file_data_bytes_ = 0;  // written by all users of the file
  int64_t end_ = 0;              // the end of the file
};

}  // namespace concilio::bench
