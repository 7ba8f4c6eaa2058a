#!/bin/bash
# other_mpi.sh HARNESS LIBDIR TESTS LAUNCHER MPI LIBRARY...: runs a program of MPI with each of these libraries
# preloaded. The library must either fit and work, or say once in the job which library would fit, and pass all calls
# on.
set -u -o pipefail
harness=$1 libdir=$2 tests=$3 launcher=$4 mpi=$5
shift 5
failed=0
for library in "$@"; do
  [ -e "$libdir/libconcilio-$library.so" ] || continue
  report=$(mktemp)
  rm "$report"
  said=$("$harness" --mpi "$mpi" -n 2 --timeout 60 --launcher "$launcher" --env "CONCILIO_REPORT=$report" \
    --preload "$libdir/libconcilio-$library.so" -- "$tests/situations-$mpi" --own --run Windows.OfFourKiB --run Delete.Existing --run ErrorHandler.Default 2>&1)
  code=$?
  aside=$(grep -c "Concilio is not used.* library for this MPI is libconcilio-$mpi.so, and" <<< "$said")
  expected=1
  # MPICH's interface is the same in several versions.
  case $mpi-$library in "$mpi-$mpi" | mpich-mpich5 | mpich5-mpich) expected=0 ;; esac
  works=0
  [ -s "$report" ] && works=1
  rm -f "$report"
  if [ $code != 0 ] || [ "$aside" != $expected ] || [ $works = $expected ]; then
    echo "the library for $library under $mpi: exit code $code, stood aside $aside times, reported: $works"
    echo "$said" | head -30
    failed=1
  fi
done
exit $failed
