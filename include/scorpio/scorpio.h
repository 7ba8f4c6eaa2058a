/* SCORPIO: application-level I/O groups over HDF5, after Sreepathi et al., "SCORPIO: A Scalable Two-Phase
 * Parallel I/O Library With Application To A Large Scale Subsurface Simulator". This is Concilio's
 * implementation of the interface that programs written for SCORPIO call; link it with -lconcilio_scorpio.
 *
 * The ranks of a communicator are divided into I/O groups of consecutive ranks. The first rank of each group,
 * its root, opens the file for the group. For a read, the roots read and distribute the data. For a write,
 * the roots gather the data and write them. A root uses buffers of at most SCORPIO_BUFFER_BYTES (an
 * environment variable; 16 MiB by default), however much the group moves.
 *
 * Every function is collective over the group's communicator (conf.commIncoming) unless it says "local" or
 * "of roots". It returns 0 or the value that it is asked for, or it returns FAILURE on all of these ranks
 * alike; then scorpio_last_error() tells the reason. No call ends the program. No rank is left waiting in a
 * call that all ranks make.
 *
 * A function "of roots" is collective over the roots, who do not wait for the other ranks. The other ranks
 * may make the call too, and then receive its result from their root.
 *
 * Extents and offsets count elements from 0, with the slowest varying dimension first (C order). The name of
 * a dataset is a path. A relative path begins at the file's root, or, in some calls, at the group that
 * scorpio_create_dataset_group has opened (see scorpio_set_relative_names). A write makes the groups that are
 * missing on the dataset's path. Local arrays are dense, in C order.
 */
#ifndef SCORPIO_H
#define SCORPIO_H

/* Programs rely on these headers. */
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

/* The size of iofile_t.filename in bytes. File names may be longer. */
#define MAX_FILENAME 100

/* The functions of the original are declared exactly as it declares them, because some C programs repeat the
 * declarations. For C++, arguments that are not changed are const. */
#ifdef __cplusplus
#define SCORPIO_CONST const
#else
#define SCORPIO_CONST
#endif

/* How to divide a communicator into groups of consecutive ranks; the last group has the ranks that are left.
 * If numIOgroups is above 0, a group has ranks / numIOgroups ranks (all ranks, if that is 0), and
 * scorpio_IOgroup_init sets preferredGroupSize accordingly. Otherwise a group has preferredGroupSize ranks,
 * if that is above 0. If neither is, the library chooses the groups for each file that it opens: by ranks,
 * nodes, bytes, and whether the file will be read or written. */
typedef struct {
  int numIOgroups;
  int preferredGroupSize;
  MPI_Comm commIncoming;
} iogroup_conf_t;

/* An open file, for programs that call HDF5 beside SCORPIO. */
typedef struct {
  int handle;
  char filename[MAX_FILENAME]; /* as much of the name as there is room for, and a NUL */
  hid_t fid;                   /* -1 on ranks that are no roots */
  /* The original keeps handles here during its calls; these are always -1. */
  hid_t acc_tpl, xfer_plist, link_plist, sid, file_dataspace, mem_dataspace, dataset;
  hid_t groupid; /* the group opened last by scorpio_create_dataset_group, or -1 */
} iofile_t;

/* Set by scorpio_IOgroup_init, and only to be read. If the library chooses the groups, these are the groups
 * of the file that was opened last, or, before any was opened, the groups for writing. */
typedef struct {
  int localrank;  /* rank in localcomm; 0 is the root */
  int globalrank; /* rank in globalcomm */
  int localsize;
  int globalsize;
  int iogroupRank; /* the number of this rank's group, and its root's rank in iocomm */
  int iogroupSize; /* how many ranks this group has */
  int numIOgroups; /* how many groups there are */
  /* The number of ranks of each group, except perhaps the last. A root's globalrank is a multiple of it. */
  int preferredGroupSize;
  MPI_Comm localcomm;  /* the ranks of this group */
  MPI_Comm globalcomm; /* all ranks */
  MPI_Comm iocomm;     /* the roots; MPI_COMM_NULL on other ranks */
  iofile_t** file;     /* indexed by file handle; NULL if closed */
  int numFiles;        /* how many entries `file` has */
  /* Only initialize_datatype sets these. */
  int datatype_size;
  MPI_Datatype mpi_type;
  hid_t hdf_type;
  void* impl;
} iogroup_t;

/* UNIFORM: all ranks have the same localdims. NONUNIFORM: the ranks' numbers of rows may differ. In both, the
 * first dimension is divided, and the ranks' rows follow each other in the order of ranks. NONCONTIGUOUS: the
 * ranks' blocks tile the dataset in the order of ranks, the last dimension first; for example, each of two
 * ranks has half the columns. */
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
  SCORPIO_FILE_CREATE = 0, /* made anew, even if the file exists */
  SCORPIO_FILE_READONLY = 1,
  SCORPIO_FILE_READWRITE = 2,
  /* Like SCORPIO_FILE_CREATE; the datasets have dimension scales, so that netCDF understands them. */
  SCORPIO_FILE_CREATE_NETCDF4 = 3
} file_mode_t;

/* The types int, double, float, long, signed char, unsigned char, and strings. */
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
/* Returns a file handle, which is greater by one than the last one of this I/O group. */
int scorpio_open_file(const char* filename, iogroup_t* group, file_mode_t mode);
/* Of roots. */
int scorpio_close_file(int fhandle, iogroup_t* group);

/* Local. Why the last call that failed on this rank did so: file, dataset and cause. Valid until the next
 * call. */
const char* scorpio_last_error(void);

/* Sets the size of a root's buffers for one transfer, which is at least 4096 bytes. 0 means
 * SCORPIO_BUFFER_BYTES of the environment, or else 16 MiB. */
int scorpio_set_buffer_bytes(int64_t bytes, iogroup_t* group);
/* Local. The largest amount of buffers that this rank has used at one time since the group was made; 0 on
 * ranks that are no roots. */
int64_t scorpio_peak_buffer_bytes(const iogroup_t* group);
/* For groups that the library chooses: tells how many bytes will be moved through the next file that is
 * opened for writing. (For a file that is opened to be read, the library takes its size.) */
int scorpio_set_expected_bytes(int64_t bytes, iogroup_t* group);

/* Decides where relative names begin in the files that this group opens from now on. If `relative` is not 0
 * and a group of the file is open, all relative names begin at that group. Groups may then be opened in each
 * other, and while group A is open, "x" and "A/x" are both /A/x. If `relative` is 0, as it is at first, names
 * are as in the original: only in NONUNIFORM writes and in writes of blocks they begin at the group that was
 * opened last, until any group is closed; all other names begin at the file's root. */
int scorpio_set_relative_names(int relative, iogroup_t* group);

/* How datasets are made. */
typedef struct {
  int nchunk;           /* extents in `chunk`; 0: not chunked, or, with deflate, chunks of about 1 MiB */
  const int64_t* chunk; /* in elements; for datasets of nchunk dimensions */
  int deflate;          /* 0: not compressed; else the level, 1 to 9 */
  int shuffle;          /* not 0: sorts the bytes of a chunk by significance before compression */
  /* For netCDF-4 files: "z,y,x" names the dimensions of datasets that have as many. NULL: made-up names. */
  const char* dimension_names;
} scorpio_creation_t;
/* Applies to the datasets that this file gets from now on, except datasets of strings. NULL: plain datasets,
 * as at first. */
int scorpio_set_creation(const scorpio_creation_t* creation, int fhandle, iogroup_t* group);

/* --- What a file holds --- */

int scorpio_get_dataset_ndims(int* ndims, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
/* Returns FAILURE if an extent does not fit into an int; use the other function then. */
int scorpio_get_dataset_dims(int* dims, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
int scorpio_get_dataset_dims_64(int64_t* dims, int fhandle, const char* dataset, iogroup_t* group);
/* The size in elements. */
int scorpio_get_dataset_size(int* size, int fhandle, SCORPIO_CONST char* dataset, iogroup_t* group);
int scorpio_get_dataset_size_64(int64_t* size, int fhandle, const char* dataset, iogroup_t* group);
/* These return 1 or 0. */
int scorpio_group_exists(SCORPIO_CONST char* group_name, int fhandle, iogroup_t* group);
int scorpio_dataset_exists(SCORPIO_CONST char* dataset, int fhandle, iogroup_t* group);

/* Local. Whether the name exists, relative to a file or group of HDF5 that a root has open: 1 or 0. */
int scorpio_name_exists(hid_t location, const char* name);

/* --- Datasets --- */

/* A write makes the dataset with the extents globaldims if it does not exist. An existing dataset must have
 * these extents. As always in HDF5, cells that nobody has written have undefined content, except in chunked
 * datasets, where they are 0. */

/* globaldims are the extents of the dataset. A dataset that is read may have more rows than globaldims[0];
 * then its first rows are read. localdims are the extents of this rank's part, and are ignored for
 * EVERYONE_ENTIRE_DATASET_READ. */
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

/* Each rank has a block of its own, with extents localdims, at localstarts. Blocks may overlap; where they
 * overlap in a write, the higher rank wins. A rank with an extent of 0 takes part without data. */
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

/* Every rank reads the same block. */
int scorpio_read_same_sub_dataset(void* data, datatype_t type, int ndims, SCORPIO_CONST int* localdims,
                                  SCORPIO_CONST int* localstarts, int fhandle, SCORPIO_CONST char* dataset,
                                  iogroup_t* group);
int scorpio_read_same_sub_dataset_64(void* data, datatype_t type, int ndims, const int64_t* localdims,
                                     const int64_t* localstarts, int fhandle, const char* dataset,
                                     iogroup_t* group);

/* Unstructured data: local row i is row map[i] of the dataset, 0 <= map[i] < globaldims[0]. A row has the
 * extents globaldims[1], ...; if ndims is 1, it is one element. Rows may come in any order, and more than
 * once. Of a row that is written more than once, the highest rank's data stay, and of this rank's data the
 * last. Rows that nobody writes keep their content. */
int scorpio_read_dataset_map(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                             int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                             iogroup_t* group);
int scorpio_write_dataset_map(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                              int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                              iogroup_t* group);

/* Writing is a call of roots. The n strings are the same on all ranks (rank 0's are written). Reading returns
 * an array and strings; the caller frees the array, and each string by itself, with free(). */
int scorpio_write_str_array(char** strings, int n, int fhandle, SCORPIO_CONST char* dataset,
                            iogroup_t* group);
int scorpio_read_str_array(char*** strings, int* n, int fhandle, SCORPIO_CONST char* dataset,
                           iogroup_t* group);

/* --- Attributes of an object, which is a dataset, a group, or "/" --- */

/* Writing is a call of roots. It replaces an existing attribute. The values are the same on all ranks (rank
 * 0's are written). For the type SCORPIO_STRING, data is a char* to one string, or a char** for an attribute
 * with dimensions. What is read is memory that the caller frees with free(): data is one piece, and dims is
 * one piece. */
int scorpio_read_simple_attr(SCORPIO_CONST char* attr, void** data, datatype_t type, int fhandle,
                             SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_write_simple_attr(SCORPIO_CONST char* attr, SCORPIO_CONST void* data, datatype_t type,
                              int fhandle, SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_read_attr(SCORPIO_CONST char* attr, void** data, datatype_t type, int* ndims, int** dims,
                      int fhandle, SCORPIO_CONST char* object, iogroup_t* group);
int scorpio_write_attr(SCORPIO_CONST char* attr, SCORPIO_CONST void* data, datatype_t type, int ndims,
                       SCORPIO_CONST int* dims, int fhandle, SCORPIO_CONST char* object, iogroup_t* group);

/* --- Groups and links in the file: calls of roots --- */

/* Makes the group, and missing groups on its path, or opens it if it exists. Returns an id, which is the same
 * on all ranks of an I/O group that make the call. */
int64_t scorpio_create_dataset_group(SCORPIO_CONST char* group_name, int fhandle, iogroup_t* group);
int scorpio_close_dataset_group(int64_t groupid, int fhandle, iogroup_t* group);
/* Closes the group that was opened last. */
int scorpio_close_last_dataset_group(int fhandle, iogroup_t* group);
/* Makes a soft link link_name to the path `target`. The link is made in the group link_location (an id from
 * scorpio_create_dataset_group), or in the file's root if that is 0 or less. */
int scorpio_create_link(SCORPIO_CONST char* target, int64_t link_location, SCORPIO_CONST char* link_name,
                        int fhandle, iogroup_t* group);

/* --- Functions that the original's library has, but its header does not declare --- */

/* The same as scorpio_read_dataset and scorpio_write_dataset with a fixed pattern: UNIFORM, NONUNIFORM,
 * EVERYONE_ENTIRE (two functions), UNIFORM, NONUNIFORM. */
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
/* Local. Sets the group's datatype_size, mpi_type and hdf_type for any type except SCORPIO_STRING. */
void initialize_datatype(datatype_t mytype, iogroup_t* myIOgroup);

/* --- XDMF: a file FILE.xmf that describes the HDF5 file, for ParaView and VisIt --- */

typedef enum {
  SCORPIO_XDMF_UNIFORM = 0,     /* given by origin and spacing */
  SCORPIO_XDMF_RECTILINEAR = 1, /* given by a dataset of coordinates for each dimension */
  SCORPIO_XDMF_UNSTRUCTURED = 2 /* given by a dataset of points, and one of the cells' points */
} scorpio_xdmf_kind_t;

typedef struct {
  const char* dataset;
  const char* name; /* NULL: the last part of the dataset's name */
  int on_cells;     /* not 0: one value for each cell, else one for each point */
} scorpio_xdmf_field_t;

typedef struct {
  scorpio_xdmf_kind_t kind;
  double time;
  int ndims;             /* 2 or 3; for structured grids */
  const int64_t* points; /* structured: points in each dimension, slowest first (cells + 1) */
  const double* origin;  /* uniform grids */
  const double* spacing; /* uniform grids */
  /* Rectilinear: ndims datasets, slowest first. Unstructured: one dataset of points x 3 (or 2). */
  const char** coordinates;
  /* Unstructured: XDMF's name, such as "Tetrahedron", "Hexahedron", "Triangle" or "Mixed". */
  const char* topology;
  /* Unstructured: a dataset of cells x points of a cell; for "Mixed" it has one dimension. */
  const char* connectivity;
  /* Unstructured and "Mixed": the number of cells. Otherwise it is taken from the dataset. */
  int64_t cells;
  int nfields;
  const scorpio_xdmf_field_t* fields;
} scorpio_xdmf_grid_t;

/* Adds a grid, which is one time step, to the file's description. The .xmf is complete after every call. */
int scorpio_write_xdmf(const scorpio_xdmf_grid_t* grid, int fhandle, iogroup_t* group);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
