// Datasets, for Fortran. Extents are passed on as they are: as in C, the slowest varying dimension comes
// first, which is the last one of a Fortran array.
#include "scorpio/fortran/fortran.h"

namespace concilio::scorpio {
namespace {

datatype_t type_of(const int* type) {
  return static_cast<datatype_t>(*type);
}

iopattern_t pattern_of(const int* pattern) {
  return static_cast<iopattern_t>(*pattern);
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

FSCORPIO fscorpio_get_dataset_ndims_(int* ndims, const int* fid, const char* name, const int* gid, int* ierr,
                                     size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_get_dataset_ndims(ndims, *fid, fortran_text(name, name_length).c_str(), group);
  });
}

FSCORPIO fscorpio_get_dataset_dims_(int* dims, const int* fid, const char* name, const int* gid, int* ierr,
                                    size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_get_dataset_dims(dims, *fid, fortran_text(name, name_length).c_str(), group);
  });
}

FSCORPIO fscorpio_get_dataset_dims_64_(int64_t* dims, const int* fid, const char* name, const int* gid,
                                       int* ierr, size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_get_dataset_dims_64(dims, *fid, fortran_text(name, name_length).c_str(), group);
  });
}

FSCORPIO fscorpio_get_dataset_size_(int* size, const int* fid, const char* name, const int* gid, int* ierr,
                                    size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_get_dataset_size(size, *fid, fortran_text(name, name_length).c_str(), group);
  });
}

FSCORPIO fscorpio_get_dataset_size_64_(int64_t* size, const int* fid, const char* name, const int* gid,
                                       int* ierr, size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_get_dataset_size_64(size, *fid, fortran_text(name, name_length).c_str(), group);
  });
}

FSCORPIO fscorpio_read_dataset_(void* data, const int* type, const int* ndims, const int* globaldims,
                                const int* localdims, const int* fid, const char* name, const int* gid,
                                const int* pattern, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_dataset(data, type_of(type), *ndims, globaldims, localdims, *fid,
                                fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                group, pattern_of(pattern));
  });
}

FSCORPIO fscorpio_read_dataset_64_(void* data, const int* type, const int* ndims, const int64_t* globaldims,
                                   const int64_t* localdims, const int* fid, const char* name, const int* gid,
                                   const int* pattern, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_dataset_64(data, type_of(type), *ndims, globaldims, localdims, *fid,
                                   fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                   group, pattern_of(pattern));
  });
}

FSCORPIO fscorpio_write_dataset_(const void* data, const int* type, const int* ndims, const int* globaldims,
                                 const int* localdims, const int* fid, const char* name, const int* gid,
                                 const int* pattern, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_dataset(data, type_of(type), *ndims, globaldims, localdims, *fid,
                                 fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                 group, pattern_of(pattern));
  });
}

FSCORPIO fscorpio_write_dataset_64_(const void* data, const int* type, const int* ndims,
                                    const int64_t* globaldims, const int64_t* localdims, const int* fid,
                                    const char* name, const int* gid, const int* pattern, int* ierr,
                                    size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_dataset_64(data, type_of(type), *ndims, globaldims, localdims, *fid,
                                    fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                    group, pattern_of(pattern));
  });
}

FSCORPIO fscorpio_read_dataset_block_(void* data, const int* type, const int* ndims, const int* globaldims,
                                      const int* localdims, const int* localstarts, const int* fid,
                                      const char* name, const int* gid, int* ierr, size_t name_length,
                                      size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_dataset_block(data, type_of(type), *ndims, globaldims, localdims, localstarts, *fid,
                                      fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                      group);
  });
}

FSCORPIO fscorpio_read_dataset_block_64_(void* data, const int* type, const int* ndims,
                                         const int64_t* globaldims, const int64_t* localdims,
                                         const int64_t* localstarts, const int* fid, const char* name,
                                         const int* gid, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_dataset_block_64(
        data, type_of(type), *ndims, globaldims, localdims, localstarts, *fid,
        fortran_text_behind_data(*type, name, name_length, next_length).c_str(), group);
  });
}

FSCORPIO fscorpio_write_dataset_block_(const void* data, const int* type, const int* ndims,
                                       const int* globaldims, const int* localdims, const int* localstarts,
                                       const int* fid, const char* name, const int* gid, int* ierr,
                                       size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_dataset_block(
        data, type_of(type), *ndims, globaldims, localdims, localstarts, *fid,
        fortran_text_behind_data(*type, name, name_length, next_length).c_str(), group);
  });
}

FSCORPIO fscorpio_write_dataset_block_64_(const void* data, const int* type, const int* ndims,
                                          const int64_t* globaldims, const int64_t* localdims,
                                          const int64_t* localstarts, const int* fid, const char* name,
                                          const int* gid, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_dataset_block_64(
        data, type_of(type), *ndims, globaldims, localdims, localstarts, *fid,
        fortran_text_behind_data(*type, name, name_length, next_length).c_str(), group);
  });
}

FSCORPIO fscorpio_read_same_sub_dataset_(void* data, const int* type, const int* ndims, const int* localdims,
                                         const int* localstarts, const int* fid, const char* name,
                                         const int* gid, int* ierr, size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_same_sub_dataset(
        data, type_of(type), *ndims, localdims, localstarts, *fid,
        fortran_text_behind_data(*type, name, name_length, next_length).c_str(), group);
  });
}

FSCORPIO fscorpio_read_same_sub_dataset_64_(void* data, const int* type, const int* ndims,
                                            const int64_t* localdims, const int64_t* localstarts,
                                            const int* fid, const char* name, const int* gid, int* ierr,
                                            size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_same_sub_dataset_64(
        data, type_of(type), *ndims, localdims, localstarts, *fid,
        fortran_text_behind_data(*type, name, name_length, next_length).c_str(), group);
  });
}

FSCORPIO fscorpio_read_dataset_map_(void* data, const int* type, const int* ndims, const int64_t* globaldims,
                                    const int64_t* nlocal, const int64_t* map, const int* fid,
                                    const char* name, const int* gid, int* ierr, size_t name_length,
                                    size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_read_dataset_map(data, type_of(type), *ndims, globaldims, *nlocal, map, *fid,
                                    fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                    group);
  });
}

FSCORPIO fscorpio_write_dataset_map_(const void* data, const int* type, const int* ndims,
                                     const int64_t* globaldims, const int64_t* nlocal, const int64_t* map,
                                     const int* fid, const char* name, const int* gid, int* ierr,
                                     size_t name_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_dataset_map(data, type_of(type), *ndims, globaldims, *nlocal, map, *fid,
                                     fortran_text_behind_data(*type, name, name_length, next_length).c_str(),
                                     group);
  });
}
