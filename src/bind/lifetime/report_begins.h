// Makes the report when MPI begins.
#pragma once

namespace concilio::bind {

// Makes the file that CONCILIO_REPORT names, if there is none yet. So `concilio run` knows whether this
// library was loaded by a program that closed no file. It is done on rank 0 of the job. On all ranks, the
// times in reports begin here.
void report_begins();

}  // namespace concilio::bind
