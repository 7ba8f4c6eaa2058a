// Makes very many calls that differ from each other on FILE and on FILE.1 to FILE.99, which are open at once,
// and says how many bytes of memory the process had at most until it closed them, and from then on. By its
// clock there is time for a record of each close. Argument: FILE.
#include <malloc.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/own_clock.h"

// Every allocation of the process is counted, MPI's and Concilio's too: these stand before the C library's.
static _Atomic long held, most;
static void* counted(void* memory) {
  if (memory) {
    const long now =
        atomic_fetch_add(&held, (long)malloc_usable_size(memory)) + (long)malloc_usable_size(memory);
    long before = most;
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) continue;
  }
  return memory;
}
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);
void* malloc(size_t bytes) {
  return counted(__libc_malloc(bytes));
}
void* calloc(size_t count, size_t bytes) {
  return counted(__libc_calloc(count, bytes));
}
void* memalign(size_t alignment, size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  return (*memory = memalign(alignment, bytes)) ? 0 : 12;
}
void* realloc(void* memory, size_t bytes) {
  const long before = memory ? (long)malloc_usable_size(memory) : 0;
  void* const larger = counted(__libc_realloc(memory, bytes));
  if (larger || bytes == 0) atomic_fetch_sub(&held, before);
  return larger;
}
void free(void* memory) {
  if (memory) atomic_fetch_sub(&held, (long)malloc_usable_size(memory));
  __libc_free(memory);
}

enum { files = 100, calls = 8000, largest = 64 << 10 };
static int rank;
static char data[largest];

static void ok(int code) {
  if (code) MPI_Abort(MPI_COMM_WORLD, 3);
}

// Pieces of other sizes, with other gaps, in every call.
static void write_pieces(MPI_File file, int i, int collective) {
  MPI_Datatype pieces;
  MPI_Type_vector(2 + i % 40, 1 + i % 100, 150 + i % 7000, MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  const int bytes = (2 + i % 40) * (1 + i % 100);
  ok(MPI_File_set_view(file, rank * 301 + i, MPI_BYTE, pieces, "native", MPI_INFO_NULL));
  ok(collective ? MPI_File_write_at_all(file, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
                : MPI_File_write_at(file, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  MPI_Type_free(&pieces);
}

static void say(const char* when) {
  long mine = most, all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %ld\n", when, all);
  most = held;
}

int main(int argc, char** argv) {
  static MPI_File file[files];
  char name[4096];
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < files; ++i) {
    snprintf(name, sizeof name, i ? "%s.%d" : "%s", argv[1], i);
    ok(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file[i]));
  }
  for (int i = 0; i < calls; ++i) {
    // Farther and farther apart, so that places lie in all stretches of a file that grows.
    const MPI_Offset offset = ((MPI_Offset)i * i * 7 + rank) % ((MPI_Offset)1 << 32);
    const int bytes = 1 + i * 37 % (i % 50 ? 3000 : largest);
    MPI_File* const one = &file[i % 4 ? 0 : i / 4 % files];
    ok(MPI_File_write_at(*one, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    if (i % 3 == 0) ok(MPI_File_read_at(*one, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    if (i % 16 == 0) write_pieces(*one, i, i % 32);
  }
  say("open");
  for (int i = 0; i < files; ++i) {
    let_pass(3000000000);
    ok(MPI_File_close(&file[i]));
  }
  say("closing");
  MPI_Finalize();
  return 0;
}
