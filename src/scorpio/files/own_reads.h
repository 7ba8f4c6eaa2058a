// Reading without HDF5, and without the root: where a dataset's elements lie in the file as they do in
// memory, a rank on the root's node reads its own part, if that lies in long pieces. The root would read it
// into its buffer only for the rank to copy it from there, and would do so for all ranks one after another.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/system/descriptor.h"
#include "scorpio/cells/box.h"

namespace concilio::scorpio {

struct File;

// A file by what every process of a node finds it to be; without a name: none.
struct FileIdentity {
  int64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Returns the identity of a file that the root has just opened, by `name`, for reading. Returns none if it
// lies on a file system of several nodes, which must not be asked by every rank to open it.
FileIdentity plain_file(const std::string& name);

// Where the elements of a dataset begin in the file.
struct PlainDataset {
  int64_t offset = -1;  // in bytes; -1: HDF5 must read them
  FileIdentity file;
};

// Called on the root of a file that is open for reading. `type` is that of elements in memory.
PlainDataset plain_dataset(const File& file, hid_t dataset, hid_t type);

// A rank's read of its own part.
class OwnRead {
 public:
  OwnRead() = default;
  // Opens the file, if reading `block` from there is possible and worth it.
  static OwnRead prepare(const std::string& name, const PlainDataset& dataset, const Box& block,
                         const std::vector<int64_t>& extents, int64_t cell_bytes);
  explicit operator bool() const { return static_cast<bool>(file_); }
  Status run(std::byte* data) const;

 private:
  Descriptor file_;
  int64_t offset_ = 0, cell_bytes_ = 1;
  Box block_, whole_;
};

}  // namespace concilio::scorpio
