#!/bin/bash
# fatal_sessions.sh HARNESS... PROGRAM (sessions.c): errors that end a program of sessions must print their message, and
# end all ranks.
set -u -o pipefail
failed=0

# dies HOW MESSAGE
dies() {
  local said code
  said=$("${run[@]}" "$1" 2>&1)
  code=$?
  if [ $code = 0 ] || [ $code = 124 ] || ! grep -qE "concilio: rank [01]: $2" <<< "$said" ||
    grep -qiE "lives on|segmentation|signal: abort|\(signal 6\)" <<< "$said"; then
    echo "sessions $1: exit code $code"
    echo "$said" | head -40
    failed=1
  fi
}

run=("$@")
dies fatal "MPI_File_seek on .*/dies: "
dies abort "MPI_File_seek on .*/dies: "
dies no_file "MPI_File_open: rank 0: cannot open /no-such-folder/file"
dies no_comm "MPI_File_delete: cannot delete /no-such-folder/file"
exit $failed
