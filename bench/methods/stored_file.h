// A file that a way moves bytes of by requests of its own, without MPI-IO. It is the project's store, so that
// storage is as slow as it is for the library (CONCILIO_THROTTLE). Functions return what failed on this rank,
// or an empty text.
#pragma once

#include <memory>
#include <string>

#include "measure/mpi_file.h"
#include "store/store.h"

namespace concilio::bench {

class StoredFile {
 public:
  std::string open(const std::string& path, bool writes, int rank);
  std::string move(Operation operation, const store::Transfer& request);
  std::string sync();
  void close() { file_.reset(); }

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::StoreFile> file_;
};

}  // namespace concilio::bench
