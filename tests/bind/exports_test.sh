#!/bin/bash
# exports_test.sh NM LIBRARY: the preloaded library defines every I/O function that its MPI does, by both names, and
# shows nothing else.
set -eu -o pipefail
nm=$1 library=$2

names() { "$nm" -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u; }

mpi=$(ldd "$library" | awk '$1 ~ /^libmpi(ch|_abi)?\.so/ { print $3 }')
[ -n "$mpi" ] || { echo "$library is not linked to an MPI library"; exit 1; }
expected=$(names "$mpi" | grep -E '^P?MPI_(File_|Register_datarep|Error_string$|Errhandler_free$|Info_(set|delete|free)$|Request_get_status(_all|_any|_some)?$|Init$|Init_thread$|Finalize$|Session_(init|finalize)$|(Test|Wait)(all|any|some)?$)')
# The Fortran names of one routine, if this MPI comes with Fortran.
for fortran in "$(dirname "$mpi")"/lib{mpi_mpifh.so.??,mpi_usempif08.so.??,mpichfort.so.??}; do
  case $(basename "$mpi") in
    libmpi.so*) [[ $fortran == */libmpi_* ]] || continue ;;
    *) [[ $fortran == */libmpich* ]] || continue ;;
  esac
  [ -e "$fortran" ] || continue
  expected+=$'\n'$(names "$fortran" | grep -iE '^p?mpir?_file_create_errhandler')
done
expected=$(sort -u <<< "$expected")
actual=$(names "$library")

failed=0
missing=$(comm -23 <(echo "$expected") <(echo "$actual"))
if [ -n "$missing" ]; then
  printf 'not defined, though %s has them:\n%s\n' "$mpi" "$missing"
  failed=1
fi
# Fortran names in all their forms, some of which an MPI may not have; what MPICH's C++ bindings call; and what newer
# versions of MPICH have that load the same library.
fortran='create_errhandler|register_datarep'
surplus=$(comm -13 <(echo "$expected") <(echo "$actual") | grep -E -i -v -e '^concilio_' -e '^MPII_Errhandler_set_cxx$' -e '^P?MPI_Request_get_status_(all|any|some)$' -e "^p?mpir?_(file_)?($fortran)" || true)
if [ -n "$surplus" ]; then
  printf 'defined, though %s has no such name:\n%s\n' "$mpi" "$surplus"
  failed=1
fi
# MPIs of version 3.1 with MPICH's ABI load the library too.
needed=$("$nm" -D --undefined-only "$library" | grep -E ' U P?MPI_(.*_c|Session_.*)$' || true)
if [ -n "$needed" ]; then
  printf 'needed, though MPI 3.1 does not have them:\n%s\n' "$needed"
  failed=1
fi
echo "$(echo "$expected" | wc -l) names expected, $(echo "$actual" | wc -l) defined"
exit $failed
