// Functions that the original SCORPIO exports although its header does not declare them, and that some
// programs call.
#include <scorpio.h>

#include "scorpio/cells/elements.h"

using namespace concilio::scorpio;

extern "C" {

int scorpio_read_dataset1(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                          int fhandle, char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_read_dataset(vector, mytype, ndims, globaldims, localdims, fhandle, dset_name, myIOgroup,
                              SCORPIO_UNIFORM_CONTIGUOUS_READ);
}

int scorpio_read_dataset2(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                          int fhandle, char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_read_dataset(vector, mytype, ndims, globaldims, localdims, fhandle, dset_name, myIOgroup,
                              SCORPIO_NONUNIFORM_CONTIGUOUS_READ);
}

int scorpio_read_entire_dataset(void* vector, datatype_t mytype, int ndims, int* globaldims, int fhandle,
                                char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_read_dataset(vector, mytype, ndims, globaldims, globaldims, fhandle, dset_name, myIOgroup,
                              SCORPIO_EVERYONE_ENTIRE_DATASET_READ);
}

int scorpio_read_dataset_all(void* vector, datatype_t mytype, int ndims, int* globaldims, int fhandle,
                             char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_read_entire_dataset(vector, mytype, ndims, globaldims, fhandle, dset_name, myIOgroup);
}

int scorpio_write_dataset1(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                           int fhandle, char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_write_dataset(vector, mytype, ndims, globaldims, localdims, fhandle, dset_name, myIOgroup,
                               SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
}

int scorpio_write_dataset2(void* vector, datatype_t mytype, int ndims, int* globaldims, int* localdims,
                           int fhandle, char* dset_name, iogroup_t* myIOgroup) {
  return scorpio_write_dataset(vector, mytype, ndims, globaldims, localdims, fhandle, dset_name, myIOgroup,
                               SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE);
}

void initialize_datatype(datatype_t mytype, iogroup_t* myIOgroup) {
  const auto element = element_of(mytype);
  if (!element || !myIOgroup) return;
  myIOgroup->datatype_size = static_cast<int>(element->bytes);
  myIOgroup->mpi_type = element->mpi;
  myIOgroup->hdf_type = element->hdf5;
}

// With these functions Fortran programs can see how their arguments arrive.
__attribute__((visibility("default"))) void fprint_string_(char* text, int* number, int* ierr, int length) {
  printf("text: %s, length: %d, number: %d\n", text, length, *number);
  fflush(stdout);
  *ierr = 0;
}

__attribute__((visibility("default"))) void fprint_array_(int* values, int* ierr) {
  printf("at %p: %d %d\n", static_cast<void*>(values), values[0], values[1]);
  fflush(stdout);
  *ierr = 0;
}

__attribute__((visibility("default"))) void fprint_array2_(void* values, int* ierr) {
  fprint_array_(static_cast<int*>(values), ierr);
}

}  // extern "C"
