// Handles files that are still open when a part of MPI ends.
#include <fmt/format.h>

#include <memory>

#include "base/exceptions.h"
#include "base/log.h"
#include "mpi/epoch.h"
#include "mpiio/api.h"
#include "mpiio/file/file.h"
#include "mpiio/file/registry.h"
#include "mpiio/file/report.h"

namespace concilio::mpiio {
namespace {

void for_all_open(const std::function<void(File&)>& work) {
  (void)without_exceptions([&]() -> Status {
    for (File* file : all_open_files()) work(*file);
    return {};
  });
}

}  // namespace

void before_end() {
  // If other parts of MPI continue, their files may be in use, and waiting for other ranks; and it is unknown
  // which part a file belongs to.
  if (mpi::parts_of_mpi() <= 1) {
    // An error stays with the file until its close.
    for_all_open([](File& file) { (void)without_exceptions([&] { return file.settle_alone(); }); });
  }
  mpi::Team::part_ends();
}

void after_end(void (*forget)(MPI_File)) {
  mpi::Team::part_has_ended();
  if (mpi::mpi_runs()) return;
  report_ends();
  for_all_open([&](File& open) {
    if_there_is_memory([&] { forget(open.handle()); });
    const std::unique_ptr<File> file(&open);
    const Status outcome = without_exceptions([&] { return file->abandon(); });
    if (!outcome) {
      log(LogLevel::error,
          "{} was open when MPI ended, and not all of it was written: {}; close files with MPI_File_close",
          file->path(), outcome.error().message);
    } else if (file->team().rank() == 0) {
      log(LogLevel::warning,
          "{} was open when MPI ended: what was written is in the file, but the report knows it in part at "
          "most; close files with MPI_File_close",
          file->path());
    }
  });
}

}  // namespace concilio::mpiio
