#!/bin/bash
# two_jobs.sh COMMAND...: runs the command (mpi_test with the situations) twice at the same time, as two MPI jobs that
# are independent of each other and write to the same file.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/concilio-jobs-XXXXXX")
trap 'rm -rf "$folder"' EXIT
mpi_test=$1
shift
jobs=2
processes=()
for ((job = 0; job < jobs; ++job)); do
  "$mpi_test" --env CONCILIO_TEST_JOBS_FOLDER="$folder" --env CONCILIO_TEST_JOBS=$jobs --env CONCILIO_TEST_JOB=$job "$@" \
    --run SeveralOpens.SeveralJobs &
  processes+=($!)
done
failed=0
for process in "${processes[@]}"; do
  wait "$process" || failed=1
done
exit $failed
