// What stands behind an iogroup_t: its settings, layouts and open files.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/exceptions.h"
#include "base/result.h"
#include "scorpio/files/own_reads.h"
#include "scorpio/hdf5_support.h"
#include "scorpio/ranks/layout.h"

namespace concilio::scorpio {

// A copy of the program's scorpio_creation_t.
struct Creation {
  std::vector<int64_t> chunk;
  int deflate = 0;
  bool shuffle = false;
  std::vector<std::string> dimension_names;
};

// A group in the file, which scorpio_create_dataset_group opened.
struct OpenGroup {
  std::string path;  // absolute
  int64_t id;        // as the program knows it: the root's HDF5 identifier
  hid_t handle;      // -1 on ranks that are not roots
};

struct File {
  std::string name;
  LayoutRef layout;
  hid_t id = -1;       // on roots
  FileIdentity plain;  // on roots, if ranks may read the file without HDF5
  bool writable = false;
  bool made = false;  // created by this opening
  bool netcdf = false;
  Creation creation;
  std::vector<OpenGroup> groups;  // in the order of opening
  bool in_group = false;          // relative names may begin at the last of these
  bool relative_names = false;    // as set by scorpio_set_relative_names
  std::string xmf;                // on global rank 0: the .xmf as last written
  iofile_t shown{};               // what the program sees

  bool is_root() const { return layout->is_root(); }
  // Returns the absolute path of `name`, without repeated or trailing slashes. A relative name begins at the
  // file's root or, in calls that look at open groups, at the group opened last.
  std::string path_of(const std::string& name, bool in_open_group = false) const;
};

struct Group {
  MPI_Comm comm = MPI_COMM_NULL;  // the duplicate of the caller's, which layouts use
  int number = 0;                 // among the I/O groups of the communicator
  int group_size = 0;             // 0: chosen for each file
  LayoutRef layout;               // of the file opened last; at first, one for writing
  int64_t buffer_bytes = 0;
  int64_t expected_bytes = 0;
  bool share_memory = true;
  bool relative_names = false;  // for files that are still to be opened
  int64_t peak_bytes = 0;
  std::vector<std::unique_ptr<File>> files;  // by handle, which is not used again; null: closed
  std::vector<LayoutRef> layouts;            // by handle
  std::vector<iofile_t*> shown;

  // Returns the open file of a handle, or an error if there is none.
  Result<File*> file(int handle);
  // Returns the layout of a handle's file, whether it is open or closed, since roots may have closed a file
  // that is open on other ranks. If the handle has had no file, returns that of the file opened last.
  const LayoutRef& layout_of_file(int handle) const;
};

// The following functions are collective, unless they say otherwise, and their errors are the same on all
// ranks.

// If conf.numIOgroups is given, sets conf.preferredGroupSize to what follows from it.
Result<std::unique_ptr<Group>> make_group(iogroup_conf_t& conf);
// Sets group.buffer_bytes and group.share_memory to what the environment gives, which they also are at first.
Status take_settings(Group& group);
Status end_group(Group& group);  // closes the files that are still open
Result<int> open_file(Group& group, const std::string& name, file_mode_t mode);  // returns the handle
Status close_file(Group& group, int handle);  // on roots, collective over them
void forget_file(Group& group, int handle);   // local
// Sets what the program sees of the group. Local.
void show(const Group& group, iogroup_t& shown);

// Runs `work` on the roots. All ranks get the same outcome. Collective.
template <typename Work>
Status at_roots(const File& file, Work work);
// The same, but only the roots call it and get the outcome.
template <typename Work>
Status among_roots(const File& file, Work work);

}  // namespace concilio::scorpio

#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {

template <typename Work>
Status at_roots(const File& file, Work work) {
  Status mine;
  if (file.is_root()) mine = without_exceptions(work);
  return agree(file.layout->global, mine);
}

template <typename Work>
Status among_roots(const File& file, Work work) {
  return agree(file.layout->io, without_exceptions(work));
}

}  // namespace concilio::scorpio
