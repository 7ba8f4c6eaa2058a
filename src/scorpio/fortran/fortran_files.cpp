// I/O groups, files and their settings, for Fortran.
#include "scorpio/fortran/fortran.h"

namespace concilio::scorpio {
namespace {

void make_group(int preferred_size, int number_of_groups, const int* comm, int* gid, int* ierr) {
  *gid = FAILURE;
  *ierr = guarded([&] {
    iogroup_conf_t conf{number_of_groups, preferred_size, MPI_Comm_f2c(*comm)};
    // This is what Open MPI makes of an integer that is no handle.
    if (conf.commIncoming == MPI_Comm{}) conf.commIncoming = MPI_COMM_NULL;
    const int id = add_entry();
    if (scorpio_IOgroup_init(&conf, &find_entry(id)->group) != 0) {
      remove_entry(id);
      return FAILURE;
    }
    *gid = id;
    return 0;
  });
}

int end_group(int id) {
  // The group is removed whatever the result is, since a file that could not be closed is no reason to keep
  // it.
  const int result = scorpio_IOgroup_cleanup(&find_entry(id)->group);
  remove_entry(id);
  return result;
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

FSCORPIO fscorpio_iogroup_init_(const int* numgroups, const int* comm, int* gid, int* ierr) {
  make_group(0, *numgroups, comm, gid, ierr);
}

FSCORPIO fscorpio_iogroup_init2_(const int* preferredsize, const int* numgroups, const int* comm, int* gid,
                                 int* ierr) {
  make_group(*preferredsize, *numgroups, comm, gid, ierr);
}

FSCORPIO fscorpio_iogroup_cleanup_(const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t*) { return end_group(*gid); });
}

FSCORPIO fscorpio_cleanup_(int* ierr) {
  *ierr = guarded([] {
    int result = 0;
    for (const int id : entry_ids()) {
      if (end_group(id) != 0) result = FAILURE;
    }
    return result;
  });
}

FSCORPIO fscorpio_iogroup_info_(int* numgroups, int* number, int* localrank, int* localsize, const int* gid,
                                int* ierr) {
  on_group(gid, ierr, [&](const iogroup_t* group) {
    *numgroups = group->numIOgroups;
    *number = group->iogroupRank;
    *localrank = group->localrank;
    *localsize = group->localsize;
    return 0;
  });
}

FSCORPIO fscorpio_open_file_(const char* filename, const int* gid, const int* mode, int* fid, int* ierr,
                             size_t filename_length) {
  *fid = FAILURE;
  on_group(gid, ierr, [&](iogroup_t* group) {
    *fid = scorpio_open_file(fortran_text(filename, filename_length).c_str(), group,
                             static_cast<file_mode_t>(*mode));
    return *fid == FAILURE ? FAILURE : 0;
  });
}

FSCORPIO fscorpio_close_file_(const int* fid, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t* group) { return scorpio_close_file(*fid, group); });
}

FSCORPIO fscorpio_last_error_(char* text, size_t text_length) {
  put_text(scorpio_last_error(), text, text_length);
}

FSCORPIO fscorpio_set_buffer_bytes_(const int64_t* bytes, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t* group) { return scorpio_set_buffer_bytes(*bytes, group); });
}

FSCORPIO fscorpio_peak_buffer_bytes_(int64_t* bytes, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](const iogroup_t* group) {
    *bytes = scorpio_peak_buffer_bytes(group);
    return 0;
  });
}

FSCORPIO fscorpio_set_expected_bytes_(const int64_t* bytes, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t* group) { return scorpio_set_expected_bytes(*bytes, group); });
}

FSCORPIO fscorpio_set_relative_names_(const int* relative, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t* group) { return scorpio_set_relative_names(*relative, group); });
}

FSCORPIO fscorpio_set_creation_(const int* nchunk, const int64_t* chunk, const int* deflate,
                                const int* shuffle, const char* dimension_names, const int* fid,
                                const int* gid, int* ierr, size_t dimension_names_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const std::string names = fortran_text(dimension_names, dimension_names_length);
    const scorpio_creation_t creation{*nchunk, chunk, *deflate, *shuffle,
                                      names.empty() ? nullptr : names.c_str()};
    return scorpio_set_creation(&creation, *fid, group);
  });
}

FSCORPIO fscorpio_group_exists_(const char* name, const int* fid, const int* gid, int* ierr,
                                size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_group_exists(fortran_text(name, name_length).c_str(), *fid, group);
  });
}

FSCORPIO fscorpio_dataset_exists_(const char* name, const int* fid, const int* gid, int* ierr,
                                  size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_dataset_exists(fortran_text(name, name_length).c_str(), *fid, group);
  });
}

// The C functions recognise ids by their low 32 bits too, which is what an INTEGER has room for.
FSCORPIO fscorpio_create_dataset_group_(int* groupid, const char* name, const int* fid, const int* gid,
                                        int* ierr, size_t name_length) {
  *groupid = FAILURE;
  on_group(gid, ierr, [&](iogroup_t* group) {
    const int64_t id = scorpio_create_dataset_group(fortran_text(name, name_length).c_str(), *fid, group);
    *groupid = static_cast<int>(id);
    return id == FAILURE ? FAILURE : 0;
  });
}

FSCORPIO fscorpio_close_dataset_group_(const int* groupid, const int* fid, const int* gid, int* ierr) {
  on_group(gid, ierr, [&](iogroup_t* group) { return scorpio_close_dataset_group(*groupid, *fid, group); });
}

FSCORPIO fscorpio_create_link_(const char* target, const int* link_location, const char* link_name,
                               const int* fid, const int* gid, int* ierr, size_t target_length,
                               size_t link_name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_create_link(fortran_text(target, target_length).c_str(), *link_location,
                               fortran_text(link_name, link_name_length).c_str(), *fid, group);
  });
}
