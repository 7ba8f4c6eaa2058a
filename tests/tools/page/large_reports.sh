#!/bin/bash
# The pages of large runs are small enough to be sent and opened: 4096 and 10 000 ranks, and 10 000 files. Argument: CONCILIO.
concilio=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../common.sh"
"$here/large_records.py" || fail 'no records'
for run in 4096_ranks 10000_ranks 10000_files; do
  expect 0 "$concilio" report $run.json -o $run.html
  size=$(stat -c %s $run.html)
  [ "$size" -lt 5000000 ] || fail "the page of $run has $size bytes"
done
grep -q 'not closed by 4096 ranks' 4096_ranks.html || fail 'the page does not tell of the file that was left open'
grep -q 'step-09999/fields.09999.h5' 10000_files.html || fail 'the page lacks a file'
finish
