// Reading and writing: the names and counters that a record has for each.
#pragma once

#include "base/counters.h"

namespace concilio::tools {

struct DataOperation {
  const char* name;  // as in Reason::operation
  Counter collective, independent, bytes, requests, request_bytes;
  const char* buffering_hint;   // the hint that lets aggregators combine the pieces of all ranks
  const char* sieving_hint;     // the hint that lets requests include holes (data sieving)
  const char* collective_call;  // the MPI function to call in place of the independent one
};

inline constexpr DataOperation data_operations[] = {
    {"write", Counter::collective_writes, Counter::independent_writes, Counter::bytes_written,
     Counter::storage_writes, Counter::storage_bytes_written, "romio_cb_write", "romio_ds_write",
     "MPI_File_write_at_all"},
    {"read", Counter::collective_reads, Counter::independent_reads, Counter::bytes_read,
     Counter::storage_reads, Counter::storage_bytes_read, "romio_cb_read", "romio_ds_read",
     "MPI_File_read_at_all"}};

}  // namespace concilio::tools
