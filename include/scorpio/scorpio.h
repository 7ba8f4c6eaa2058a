/* SCORPIO: application-level I/O groups over HDF5, after Sreepathi et al., "SCORPIO: A Scalable Two-Phase
 * Parallel I/O Library With Application To A Large Scale Subsurface Simulator". This is Concilio's
 * implementation of the interface that programs written for SCORPIO call; link it with -lconcilio_scorpio.
 *
 * The ranks of a communicator are divided into I/O groups: runs of consecutive ranks. The first of each, its
 * root, opens the file for it. Reads: the roots read and distribute. Writes: the roots gather and write. A
 * root uses buffers of at most SCORPIO_BUFFER_BYTES (environment; 16 MiB unless told), whatever the group
 * moves.
 *
 * Every function is collective over the group's communicator (conf.commIncoming) unless it says "local" or
 * "of roots". It returns 0 or the value it is asked for, or FAILURE on all of these ranks alike; then
 * scorpio_last_error() tells why. No call ends the program or leaves a rank waiting that all ranks make.
 *
 * A function "of roots" is collective over the roots, who do not wait for the others. These may call it too,
 * and then get what came of it from their root.
 *
 * Extents and offsets count elements, the slowest varying dimension first (C order), from 0. A dataset's name
 * is a path. A relative one begins at the file's root, or, in some calls, at the group that
 * scorpio_create_dataset_group has opened: see scorpio_set_relative_names. Groups that are missing on the
 * path of a dataset to write are made. Local arrays are dense, in C order.
 */
#ifndef SCORPIO_H
#define SCORPIO_H

/* Programs count on these. */
#include <assert.h>
#include <hdf5.h>
#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scorpio_util.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FAILURE
#define FAILURE (-1)
#endif

/* The bytes of iofile_t.filename; files' names may be longer. */
#define MAX_FILENAME 100

/* The original's functions are declared as it declares them, for C programs that declare them once more. What
 * is not changed is constant for C++. */
#ifdef __cplusplus
#define SCORPIO_CONST const
#else
#define SCORPIO_CONST
#endif

/* How to divide a communicator: into groups of consecutive ranks, the last with what is left. If numIOgroups
 * is above 0, a group has ranks / numIOgroups of them (all, if that is 0), whatever preferredGroupSize holds,
 * which scorpio_IOgroup_init then sets. Else it has preferredGroupSize, if that is above 0. If neither is,
 * the library chooses, for each file it opens: by ranks, nodes, bytes, and whether it will be read or
 * written. */
typedef struct {
  int numIOgroups;
  int preferredGroupSize;
  MPI_Comm commIncoming;
} iogroup_conf_t;

/* An open file, for those who call HDF5 beside SCORPIO. */
typedef struct {
  int handle;
  char filename[MAX_FILENAME]; /* as much of it as there is room for, and a NUL */
  hid_t fid;                   /* -1 on ranks that are no roots */
  /* What the original keeps during its calls: -1. */
  hid_t acc_tpl, xfer_plist, link_plist, sid, file_dataspace, mem_dataspace, dataset;
  hid_t groupid; /* the group opened last by scorpio_create_dataset_group, or -1 */
} iofile_t;

/* Made by scorpio_IOgroup_init, to be read only. Where the library chooses the groups these are those of the
 * file opened last; before that, those for writing. */
typedef struct {
  int localrank;  /* in localcomm; 0 is the root */
  int globalrank; /* in globalcomm */
  int localsize;
  int globalsize;
  int iogroupRank;        /* the number of this rank's group, and its root's rank in iocomm */
  int iogroupSize;        /* the ranks of this group */
  int numIOgroups;        /* how many groups there are */
  int preferredGroupSize; /* the ranks of every group but perhaps the last, so that a root's globalrank is a
                             multiple */
  MPI_Comm localcomm;     /* the ranks of this group */
  MPI_Comm globalcomm;    /* all of them */
  MPI_Comm iocomm;        /* the roots; MPI_COMM_NULL on other ranks */
  iofile_t** file;        /* by file handle; NULL if closed */
  int numFiles;           /* entries of `file` */
  /* Set by initialize_datatype alone. */
  int datatype_size;
  MPI_Datatype mpi_type;
  hid_t hdf_type;
  void* impl;
} iogroup_t;

/* UNIFORM: every rank has the same localdims. NONUNIFORM: the ranks' rows follow each other in the order of
 * ranks. Both divide the first dimension. NONCONTIGUOUS: the ranks' blocks tile the dataset in the order of
 * ranks, the last dimension first: two ranks with half the columns each, for example. */
typedef enum {
  SCORPIO_UNIFORM_CONTIGUOUS_READ = 0,
  SCORPIO_NONUNIFORM_CONTIGUOUS_READ = 1,
  SCORPIO_NONCONTIGUOUS_READ = 2,
  SCORPIO_EVERYONE_ENTIRE_DATASET_READ = 3,
  SCORPIO_UNIFORM_CONTIGUOUS_WRITE = 4,
  SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE = 5,
  SCORPIO_NONCONTIGUOUS_WRITE = 6
} iopattern_t;

typedef enum {
  SCORPIO_FILE_CREATE = 0, /* made anew, whatever was there */
  SCORPIO_FILE_READONLY = 1,
  SCORPIO_FILE_READWRITE = 2,
  SCORPIO_FILE_CREATE_NETCDF4 =
      3 /* as CREATE; the datasets carry dimension scales, so that netCDF understands them */
} file_mode_t;

/* int, double, float, long, char, unsigned char, strings. */
typedef enum {
  SCORPIO_INTEGER = 0,
  SCORPIO_DOUBLE = 1,
  SCORPIO_FLOAT = 2,
  SCORPIO_LONG = 3,
  SCORPIO_CHAR = 4,
  SCORPIO_BYTE = 5,
  SCORPIO_STRING = 6
} datatype_t;

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* --- Groups and files --- */

int scorpio_IOgroup_init(iogroup_conf_t* conf, iogroup_t* group);
/* Closes the files that are still open. */
int scorpio_IOgroup_cleanup(iogroup_t* group);
/* Returns a file handle, one higher than the last of this I/O group. */
int scorpio_open_file(const char* filename, iogroup_t* group, file_mode_t mode);
/* Of roots. */
int scorpio_close_file(int fhandle, iogroup_t* group);

/* Local. Why this rank's last call that failed did so: file, dataset and cause. Valid until the next call. */
const char* scorpio_last_error(void);

/* A root's buffers for one transfer, at least 4096 bytes; 0: what SCORPIO_BUFFER_BYTES says, else 16 MiB. */
int scorpio_set_buffer_bytes(int64_t bytes, iogroup_t* group);
/* Local. The most that this rank has had in buffers at a time since the group was made. 0 on ranks that are
 * no roots. */
int64_t scorpio_peak_buffer_bytes(const iogroup_t* group);
/* For groups the library chooses: what will be moved through the next file opened, where it cannot be known
 * (a file to create; for one to read its size is taken). */
int scorpio_set_expected_bytes(int64_t bytes, iogroup_t* group);

/* How relative names are meant in the files that this group opens from now on. Not 0: with a group of the
 * file open, all of them begin there; groups may be opened in each other; with group A open "x" and "A/x"
 * both are /A/x. 0, as at first: as the original has it; then only NONUNIFORM writes and those of blocks
 * begin at the group opened last, until any is closed, and all other names at the file's root. */
int scorpio_set_relative_names(int relative, iogroup_t* group);

/* How datasets are made. */
typedef struct {
  int nchunk;           /* extents in `chunk`; 0: not chunked, or, for deflate, chunks of about 1 MiB */
  const int64_t* chunk; /* elements; for datasets of nchunk dimensions */
  int deflate;          /* 0: not compressed, else the level, 1 to 9 */
  int shuffle;          /* not 0: bytes of a chunk by significance, before they are compressed */
  const char* dimension_names; /* netCDF-4 files: "z,y,x", of datasets of so many dimensions; NULL: made up */
} scorpio_creation_t;
/* For the datasets that this file gets from now on, but those of strings. NULL: as at first, plain. */
int scorpio_set_creation(const scorpio_creation_t* creation, int fhandle, iogroup_t* group);

/* --- What a file holds --- */

int scorpio_get_dataset_ndims(int* ndims, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
/* FAILURE if an extent is no int: use the other. */
int scorpio_get_dataset_dims(int* dims, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
int scorpio_get_dataset_dims_64(int64_t* dims, int fhandle, const char* dataset, iogroup_t* group);
/* In elements. */
int scorpio_get_dataset_size(int* size, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
int scorpio_get_dataset_size_64(int64_t* size, int fhandle, const char* dataset, iogroup_t* group);
/* 1 or 0. */
int scorpio_group_exists(SCORPIO_CONST char* group_name, int fhandle, iogroup_t* group);
int scorpio_dataset_exists(SCORPIO_CONST char* dataset, int fhandle, iogroup_t* group);

/* Local. Whether there is anything of that name, from the file or group of HDF5 on, as a root has it. 1 or 0.
 */
int scorpio_name_exists(hid_t location, const char* name);

/* --- Datasets. A dataset that is written and not there is made, with extents globaldims; else it must have
 * these. As in all of HDF5, cells that nobody has written hold anything, unless the dataset is chunked: then
 * they are 0. --- */

/* globaldims: of the dataset, which has more rows (globaldims[0]) perhaps if it is read: then its first ones
 * are. localdims: of this rank's part; not looked at for EVERYONE_ENTIRE_DATASET_READ. */
int scorpio_read_dataset(void* data, datatype_t type, int ndims, SCORPIO_CONST int* globaldims,
                         SCORPIO_CONST int* localdims, int fhandle, SCORPIO_CONST char* dataset,
                         iogroup_t* group, iopattern_t pattern);
int scorpio_read_dataset_64(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                            const int64_t* localdims, int fhandle, const char* dataset, iogroup_t* group,
                            iopattern_t pattern);
int scorpio_write_dataset(SCORPIO_CONST void* data, datatype_t type, int ndims, SCORPIO_CONST int* globaldims,
                          SCORPIO_CONST int* localdims, int fhandle, SCORPIO_CONST char* dataset,
                          iogroup_t* group, iopattern_t pattern);
int scorpio_write_dataset_64(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                             const int64_t* localdims, int fhandle, const char* dataset, iogroup_t* group,
                             iopattern_t pattern);

/* Each rank its own block, localdims at localstarts. Blocks may overlap; where they do in a write, the higher
 * rank wins. A rank with an extent of 0 takes part with nothing. */
int scorpio_read_dataset_block(void* data, datatype_t type, int ndims, const int* globaldims,
                               const int* localdims, const int* localstarts, int fhandle, const char* dataset,
                               iogroup_t* group);
int scorpio_read_dataset_block_64(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                                  const int64_t* localdims, const int64_t* localstarts, int fhandle,
                                  const char* dataset, iogroup_t* group);
int scorpio_write_dataset_block(SCORPIO_CONST void* data, datatype_t type, int ndims,
                                SCORPIO_CONST int* globaldims, SCORPIO_CONST int* localdims,
                                SCORPIO_CONST int* localstarts, int fhandle, SCORPIO_CONST char* dataset,
                                iogroup_t* group);
int scorpio_write_dataset_block_64(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                                   const int64_t* localdims, const int64_t* localstarts, int fhandle,
                                   const char* dataset, iogroup_t* group);

/* Every rank the same block. */
int scorpio_read_same_sub_dataset(void* data, datatype_t type, int ndims, SCORPIO_CONST int* localdims,
                                  SCORPIO_CONST int* localstarts, int fhandle, SCORPIO_CONST char* dataset,
                                  iogroup_t* group);
int scorpio_read_same_sub_dataset_64(void* data, datatype_t type, int ndims, const int64_t* localdims,
                                     const int64_t* localstarts, int fhandle, const char* dataset,
                                     iogroup_t* group);

/* Unstructured data: local row i is the dataset's row map[i], 0 <= map[i] < globaldims[0]; a row has the
 * extents globaldims[1] ... (an element, if ndims is 1). Rows may come in any order and more than once; of
 * those written more than once the higher rank's, and of a rank the later one, stays. Rows that nobody writes
 * keep what they hold. */
int scorpio_read_dataset_map(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                             int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                             iogroup_t* group);
int scorpio_write_dataset_map(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                              int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                              iogroup_t* group);

/* Writing: of roots. n strings, the same on all ranks (rank 0's are written). Read: an array for free(), and
 * each of its strings for free() by itself. */
int scorpio_write_str_array(char** strings, int n, int fhandle, SCORPIO_CONST char* dataset,
                            iogroup_t* group);
int scorpio_read_str_array(char*** strings, int* n, int fhandle, SCORPIO_CONST char* dataset,
                           iogroup_t* group);

/* --- Attributes of an object: a dataset, a group, "/". An attribute that is written and there is replaced.
 * ---
 *
 * Writing: of roots. Values are the same on all ranks (rank 0's are written). Of type SCORPIO_STRING: data is
 * a char * with one string; for an attribute with dimensions a char **. What is read lies in memory for
 * free(), data and dims each in one piece. */
int scorpio_read_simple_attr(SCORPIO_CONST char* attr, void** data, datatype_t type, int fhandle,
                             SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_write_simple_attr(SCORPIO_CONST char* attr, SCORPIO_CONST void* data, datatype_t type,
                              int fhandle, SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_read_attr(SCORPIO_CONST char* attr, void** data, datatype_t type, int* ndims, int** dims,
                      int fhandle, SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_write_attr(SCORPIO_CONST char* attr, SCORPIO_CONST void* data, datatype_t type, int ndims,
                       SCORPIO_CONST int* dims, int fhandle, SCORPIO_CONST char* object, iogroup_t* group);

/* --- Groups and links in the file: calls of roots --- */

/* Makes the group, with those on its path, or opens it if it is there. Returns an id, the same on all ranks
 * of an I/O group that call. */
int64_t scorpio_create_dataset_group(SCORPIO_CONST char* group_name, int fhandle, iogroup_t* group);
int scorpio_close_dataset_group(int64_t groupid, int fhandle, iogroup_t* group);
/* The one opened last. */
int scorpio_close_last_dataset_group(int fhandle, iogroup_t* group);
/* A soft link link_name, in the group link_location (from scorpio_create_dataset_group; or the file's root,
 * if that is 0 or less), to the path `target`. */
int scorpio_create_link(SCORPIO_CONST char* target, int64_t link_location, SCORPIO_CONST char* link_name,
                        int fhandle, iogroup_t* group);

/* --- What the original's header does not declare, but its library has --- */

/* scorpio_read_dataset and scorpio_write_dataset: UNIFORM, NONUNIFORM, EVERYONE_ENTIRE (twice). */
int scorpio_read_dataset1(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                          int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_read_dataset2(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                          int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_read_entire_dataset(void* vector, datatype_t mytype, int ndims, int* globaldims, int fhandle,
                                char* dset_name, iogroup_t* myIOgroup);
int scorpio_read_dataset_all(void* vector, datatype_t mytype, int ndims, int* globaldims, int fhandle,
                             char* dset_name, iogroup_t* myIOgroup);
int scorpio_write_dataset1(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                           int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_write_dataset2(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                           int fhandle, char* dset_name, iogroup_t* myIOgroup);
/* Local. Sets the group's datatype_size, mpi_type and hdf_type to those of a type other than SCORPIO_STRING.
 */
void initialize_datatype(datatype_t mytype, iogroup_t* myIOgroup);

/* --- XDMF: a description FILE.xmf beside the HDF5 file, that ParaView and VisIt open --- */

typedef enum {
  SCORPIO_XDMF_UNIFORM = 0,     /* origin and spacing */
  SCORPIO_XDMF_RECTILINEAR = 1, /* a dataset of coordinates for each dimension */
  SCORPIO_XDMF_UNSTRUCTURED = 2 /* a dataset of points, one of the cells' points */
} scorpio_xdmf_kind_t;

typedef struct {
  const char* dataset;
  const char* name; /* NULL: the last part of the dataset's name */
  int on_cells;     /* not 0: a value a cell, else a value a point */
} scorpio_xdmf_field_t;

typedef struct {
  scorpio_xdmf_kind_t kind;
  double time;
  int ndims;             /* 2 or 3; for structured grids */
  const int64_t* points; /* structured: points in each dimension, slowest first (cells + 1) */
  const double* origin;  /* uniform */
  const double* spacing; /* uniform */
  const char**
      coordinates; /* rectilinear: ndims datasets, slowest first; unstructured: one, of points x 3 (or 2) */
  const char* topology; /* unstructured: XDMF's name: "Tetrahedron", "Hexahedron", "Triangle", "Mixed", ... */
  const char* connectivity; /* unstructured: dataset of cells x points of a cell; "Mixed": of one dimension */
  int64_t cells;            /* unstructured and "Mixed": the number of cells; else taken from the dataset */
  int nfields;
  const scorpio_xdmf_field_t* fields;
} scorpio_xdmf_grid_t;

/* Adds a grid, one time step, to the file's description. The .xmf is whole after every call. */
int scorpio_write_xdmf(const scorpio_xdmf_grid_t* grid, int fhandle, iogroup_t* group);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
