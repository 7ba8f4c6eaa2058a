#!/bin/bash
# full_disk.sh HARNESS ARGS... -- PROGRAM: runs the program with its folder on a file system of 6 MiB. Exit status 77:
# such a file system cannot be made.
folder=$(mktemp -d)
end() {
  umount "$folder" 2>/dev/null
  rmdir "$folder"
}
trap end EXIT
if ! mount -t tmpfs -o size=6m tmpfs "$folder" 2>/dev/null; then
  echo "skipped: no file system can be mounted"
  exit 77
fi
harness=$1
shift
"$harness" --dir "$folder" "$@"
