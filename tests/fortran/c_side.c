// What the Fortran test programs have done in C: handles cross between the languages as integers.
#include <mpi.h>
#include <stddef.h>

static int calls = 0;
static int last_class = 0;
static MPI_File last_file;

static void note(MPI_File* file, int* code, ...) {
  ++calls;
  last_file = *file;
  MPI_Error_class(*code, &last_class);
}

void c_open_(MPI_Fint* comm, const char* path, MPI_Fint* file, MPI_Fint* error) {
  MPI_File opened;
  *error = MPI_File_open(MPI_Comm_f2c(*comm), path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &opened);
  *file = MPI_File_c2f(opened);
}

void c_close_(MPI_Fint* file, MPI_Fint* error) {
  MPI_File given = MPI_File_f2c(*file);
  *error = MPI_File_close(&given);
  *file = MPI_File_c2f(given);
}

void c_write_(MPI_Fint* file, MPI_Fint* place, MPI_Fint* type, void* data, MPI_Fint* error) {
  *error = MPI_File_write_at(MPI_File_f2c(*file), *place, data, 1, MPI_Type_f2c(*type), MPI_STATUS_IGNORE);
}

// A seek to before the file's begin.
void c_provoke_(MPI_Fint* file, MPI_Fint* error) {
  *error = MPI_File_seek(MPI_File_f2c(*file), -5, MPI_SEEK_SET);
}

void c_install_handler_(MPI_Fint* file, MPI_Fint* error) {
  MPI_Errhandler handler;
  *error = MPI_File_create_errhandler(note, &handler);
  if (*error == MPI_SUCCESS) *error = MPI_File_set_errhandler(MPI_File_f2c(*file), handler);
  if (*error == MPI_SUCCESS) *error = MPI_Errhandler_free(&handler);
}

// What the C handler has seen; `same` is 1 if it was given `file`.
void c_noted_(MPI_Fint* file, MPI_Fint* count, MPI_Fint* error_class, MPI_Fint* same) {
  *count = calls;
  *error_class = last_class;
  *same = last_file == MPI_File_f2c(*file);
}

// Gives one file the handler of another.
void c_copy_handler_(MPI_Fint* from, MPI_Fint* to, MPI_Fint* error) {
  MPI_Errhandler handler;
  *error = MPI_File_get_errhandler(MPI_File_f2c(*from), &handler);
  if (*error == MPI_SUCCESS) *error = MPI_File_set_errhandler(MPI_File_f2c(*to), handler);
  if (*error == MPI_SUCCESS) *error = MPI_Errhandler_free(&handler);
}

void c_call_handler_(MPI_Fint* file, MPI_Fint* code, MPI_Fint* error) {
  *error = MPI_File_call_errhandler(MPI_File_f2c(*file), *code);
}

// 1 if an integer becomes the same integer again by way of C.
void c_round_trip_(MPI_Fint* file, MPI_Fint* same) {
  *same = MPI_File_c2f(MPI_File_f2c(*file)) == *file;
}
