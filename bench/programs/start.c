// Begins and ends MPI, and opens no file: what a program pays for a library that it does not use.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
