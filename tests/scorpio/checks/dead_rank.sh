#!/bin/bash
# dead_rank.sh HARNESS --mpi M -n RANKS ARGS... -- PROGRAM: runs dead_rank.cpp, of which one rank is killed. All others
# must say that it went well.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
harness=$1 others=$(($5 - 1))
shift
output=$("$harness" --outlive --env CONCILIO_TEST_RESULTS="$folder" "$@" 2>&1)
well=$(find "$folder" -name 'well-*' | wc -l)
if [ "$well" != $others ]; then
  echo "FAILED: $well of $others others got on"
  head -40 <<< "$output"
  exit 1
fi
