// concilio run --compare: the user's own program without and with Concilio, by turns.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "benchmark/file_digest.h"
#include "summary/records_file.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

struct Launch {
  Words words;
  Environment environment;
};

// A file that the program wrote by MPI-IO, as it was after each turn that wrote it.
struct WrittenFile {
  std::set<FileDigest> own, concilio;
};

struct ProgramComparison {
  std::vector<double> own_seconds, concilio_seconds;  // of the program, by turn
  std::vector<double> concilio_io_seconds;            // of these in MPI-IO calls
  std::map<std::string, WrittenFile> files;           // by name

  // Whether the bytes of some file depend on Concilio.
  bool files_differ() const;
};

std::string render(const ProgramComparison& comparison);

// Starts the program once on each side to warm up, then `alternations` times, and prints the table. Returns
// the exit status: that of the program if it fails, else 1 if files differ. `records`: where the library
// writes; at the end it has the records of the last turn with Concilio.
int compare_program(const Launch& own, const Launch& concilio, const RecordsFile& records, int alternations);

}  // namespace concilio::tools
