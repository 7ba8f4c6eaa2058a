#!/bin/bash
# no_search.sh COMMAND...: runs the command (mpi_test with a program that moves data), and fails if a process searches the
# file system for the library of a GPU's driver, which nobody has loaded. Such a search takes some hundred system calls.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/concilio-search-XXXXXX")
trap 'rm -rf "$folder"' EXIT
"$1" --env LD_DEBUG=libs --env LD_DEBUG_OUTPUT="$folder/loader" "${@:2}" || exit 1
grep -q 'find library=' "$folder"/loader.* || {
  echo "the loader has told of no search at all"
  exit 1
}
! grep -h 'find library=lib\(cuda\|amdhip64\)\.' "$folder"/loader.*
