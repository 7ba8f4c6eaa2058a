#!/bin/bash
# ended_by_launcher.sh MPI_TEST OPTIONS... -- dying VICTIM WHEN: a rank is killed, and the launcher must end the others,
# soon, as it does by default.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
runner=$1
shift
output=$("$runner" --timeout 60 --env CONCILIO_TEST_RESULTS="$folder" "$@" 2>&1)
code=$?
timed_out=124
if [ $code = 0 ] || [ $code = $timed_out ]; then
  echo "FAILED: exit code $code"
  head -40 <<< "$output"
  exit 1
fi
