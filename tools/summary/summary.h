// The texts that `concilio run --summary` writes at the end.
#pragma once

#include <string>
#include <vector>

#include "summary/records.h"

namespace concilio::tools {

// `files` holds one record for each file name, see by_name.

// One sentence: where the time went.
std::string verdict_on(const std::vector<FileRecord>& files);
// What went wrong with a file: that it was not closed, and calls that failed.
std::vector<std::string> troubles_of(const FileRecord& file);
// "98 of 100 opens so brief that only totals are known, 1 of 16 calls recorded singly, the others as if like
// these": what would have taken too much of the run's time to record. Empty if there is none.
std::string told_of_sampling(const FileRecord& file);
// For which rank the others waited, if they waited long and it did not; else empty.
std::string told_of_late_rank(const FileRecord& file);
// All files as one record: counts and times are added, and of ranks and nodes the greatest number is taken.
FileRecord job_of(const std::vector<FileRecord>& files);
// The short summary, at most a screen: where the time went, totals, and the files that took longest, each
// with an advice if there is one.
std::string render_summary(const std::vector<FileRecord>& files);
// The full summary: all that was done for each file, and why.
std::string render_details(const std::vector<FileRecord>& files);

}  // namespace concilio::tools
