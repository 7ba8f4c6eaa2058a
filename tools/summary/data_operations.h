// Reading and writing, by the names and numbers that a record has of them.
#pragma once

#include "base/counters.h"

namespace concilio::tools {

struct DataOperation {
  const char* name;  // as in Reason::operation
  Counter collective, independent, bytes, requests, request_bytes;
  const char* buffering_hint;   // whether aggregators bring the pieces of all ranks together
  const char* sieving_hint;     // whether requests take holes along
  const char* collective_call;  // of MPI, in place of an independent one
};

inline constexpr DataOperation data_operations[] = {
    {"write", Counter::collective_writes, Counter::independent_writes, Counter::bytes_written,
     Counter::storage_writes, Counter::storage_bytes_written, "romio_cb_write", "romio_ds_write",
     "MPI_File_write_at_all"},
    {"read", Counter::collective_reads, Counter::independent_reads, Counter::bytes_read,
     Counter::storage_reads, Counter::storage_bytes_read, "romio_cb_read", "romio_ds_read",
     "MPI_File_read_at_all"}};

}  // namespace concilio::tools
