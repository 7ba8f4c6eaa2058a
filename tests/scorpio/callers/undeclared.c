/* What callers declare for themselves, as the original defines it, whether its header declares it or not; and
 * the original's log. */
#define SCORPIO_DEBUG 3
#include <unistd.h>

#include "callers.h"

int scorpio_IOgroup_init(iogroup_conf_t* myIOgroupConf, iogroup_t* myIOgroup);
int scorpio_IOgroup_cleanup(iogroup_t* myIOgroup);
int scorpio_open_file(const char* filename, iogroup_t* myIOgroup, file_mode_t mode);
int scorpio_close_file(int fhandle, iogroup_t* myIOgroup);
int scorpio_get_dataset_ndims(int* pndims, int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_get_dataset_dims(int* dataset_dims, int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_get_dataset_size(int* mydataset_size, int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_read_dataset(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                         int fhandle, char* dset_name, iogroup_t* myIOgroup, iopattern_t mypattern);
int scorpio_write_dataset(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                          int fhandle, char* dset_name, iogroup_t* myIOgroup, iopattern_t mypattern);
int scorpio_write_dataset_block(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                                int* localstarts, int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_read_same_sub_dataset(void* vector, datatype_t mytype, int ndims, int* globaldims, int* mystart,
                                  int fhandle, char* dset_name, iogroup_t* myIOgroup);
int scorpio_write_str_array(char** strarray, int nstrings, int fhandle, char* dset_name,
                            iogroup_t* myIOgroup);
int scorpio_read_str_array(char*** pstrarray, int* pnstrings, int fhandle, char* dset_name,
                           iogroup_t* myIOgroup);
int scorpio_read_simple_attr(char* attr_name, void** pattr_data, datatype_t mytype, int fhandle,
                             char* primary_obj_name, iogroup_t* myIOgroup);
int scorpio_read_attr(char* attr_name, void** pattr_data, datatype_t mytype, int* pndims, int** padims,
                      int fhandle, char* primary_obj_name, iogroup_t* myIOgroup);
int scorpio_write_simple_attr(char* attr_name, void* attr_data, datatype_t mytype, int fhandle,
                              char* primary_obj_name, iogroup_t* myIOgroup);
int scorpio_write_attr(char* attr_name, void* attr_data, datatype_t mytype, int ndims, int* adims,
                       int fhandle, char* primary_obj_name, iogroup_t* myIOgroup);
int64_t scorpio_create_dataset_group(char* group_name, int fhandle, iogroup_t* myIOgroup);
int scorpio_group_exists(char* group_name, int fhandle, iogroup_t* myIOgroup);
int scorpio_dataset_exists(char* dataset_name, int fhandle, iogroup_t* myIOgroup);
int scorpio_close_dataset_group(int64_t groupid, int fhandle, iogroup_t* myIOgroup);
int scorpio_create_link(char* target, int64_t link_loc_id, char* link_name, int fhandle,
                        iogroup_t* myIOgroup);

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
void initialize_datatype(datatype_t mytype, iogroup_t* myIOgroup);
void scorpio_debuglog_init(int rank);
void scorpio_printmsg(scorpio_loglevel_t scorpio_loglevel, const char* format, ...);
void fprint_string_(char* filename, int* x, int* ierr, int strlen);
void fprint_array_(int* x, int* ierr);
void fprint_array2_(void* xin, int* ierr);

void test_undeclared(void) {
  iogroup_t group;
  int file, global[2], local[2], row[2], all[16], i;
  make_group(&group);
  EXPECT(group.file == NULL || group.numFiles == 0);
  file = scorpio_open_file(path_of("undeclared.h5"), &group, SCORPIO_FILE_CREATE);
  EXPECT(group.numFiles == 1);
  if (group.localrank == 0) {
    iofile_t* currfile = group.file[file];
    EXPECT(currfile->handle == file);
    EXPECT(strlen(currfile->filename) < MAX_FILENAME &&
           strncmp(currfile->filename, path_of("undeclared.h5"), 99) == 0);
    EXPECT(H5Iget_type(currfile->fid) == H5I_FILE && currfile->groupid == -1);
  }
  global[0] = ranks;
  local[0] = 1;
  global[1] = local[1] = 2;
  row[0] = 10 * rank;
  row[1] = 10 * rank + 1;
  EXPECT(scorpio_write_dataset1(row, SCORPIO_INTEGER, 2, global, local, file, "one", &group) == 0);
  EXPECT(scorpio_write_dataset2(row, SCORPIO_INTEGER, 2, global, local, file, "two", &group) == 0);
  row[0] = row[1] = 0;
  EXPECT(scorpio_read_dataset1(row, SCORPIO_INTEGER, 2, global, local, file, "two", &group) == 0);
  EXPECT(row[0] == 10 * rank && row[1] == 10 * rank + 1);
  row[0] = row[1] = 0;
  EXPECT(scorpio_read_dataset2(row, SCORPIO_INTEGER, 2, global, local, file, "one", &group) == 0);
  EXPECT(row[0] == 10 * rank && row[1] == 10 * rank + 1);
  EXPECT(scorpio_read_entire_dataset(all, SCORPIO_INTEGER, 2, global, file, "one", &group) == 0);
  for (i = 0; i < 2 * ranks; ++i) EXPECT(all[i] == i / 2 * 10 + i % 2);
  memset(all, 0, sizeof all);
  EXPECT(scorpio_read_dataset_all(all, SCORPIO_INTEGER, 2, global, file, "two", &group) == 0);
  for (i = 0; i < 2 * ranks; ++i) EXPECT(all[i] == i / 2 * 10 + i % 2);
  initialize_datatype(SCORPIO_DOUBLE, &group);
  EXPECT(group.datatype_size == sizeof(double) && group.mpi_type == MPI_DOUBLE);
  EXPECT(group.hdf_type == H5T_NATIVE_DOUBLE);
  EXPECT(scorpio_close_file(file, &group) == 0);
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}

void test_log(void) {
  char text[2 * MAXSTR], expected[100];
  int kept = dup(2), ierr = 1, numbers[2] = {3, 4};
  size_t length;
  snprintf(text, sizeof text, "%s-%d", path_of("log"), rank);
  fflush(stderr);
  if (!freopen(text, "w+", stderr)) abort();
  PRINT_MSG((SCORPIO_ERROR, "nothing is printed at first"));
  scorpio_debuglog_init(rank + 100);
  scorpio_debug = SCORPIO_INFO;
  PRINT_MSG((SCORPIO_INFO, "%d cells", 42));
  PRINT_MSG((SCORPIO_VERBOSE, "too much"));
  scorpio_debug = 0;
  rewind(stderr);
  length = fread(text, 1, sizeof text - 1, stderr);
  text[length] = 0;
  dup2(kept, 2);
  close(kept);
  snprintf(expected, sizeof expected, "rank %d: SCORPIO_INFO: test_log (", rank + 100);
  EXPECT(strncmp(text, expected, strlen(expected)) == 0);
  EXPECT(strstr(text, "undeclared.c:") && strstr(text, "42 cells\n") && !strstr(text, "much"));
  fprint_string_("text", &numbers[0], &ierr, 4);
  EXPECT(ierr == 0);
  ierr = 1;
  fprint_array_(numbers, &ierr);
  EXPECT(ierr == 0);
  ierr = 1;
  fprint_array2_(numbers, &ierr);
  EXPECT(ierr == 0);
}
