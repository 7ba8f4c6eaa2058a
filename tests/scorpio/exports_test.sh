#!/bin/bash
# exports_test.sh NM LIBRARY HEADER MODULE: SCORPIO's library shows a program what its header declares and what its Fortran
# module has, no other Fortran names, and nothing of the libraries within it.
set -u -o pipefail
names=$("$1" -D --defined-only "$2" | awk '{ sub(/@.*/, "", $3); print $3 }')
failed=0
declared=$(grep -oE '\bscorpio_\w+\(' "$3" | tr -d '(' | sort -u)
missing=$(comm -23 <(echo "$declared") <(sort -u <<< "$names"))
fortran=$(diff <(sed -nE 's/^ *end subroutine (\w+)$/\1_/p' "$4" | sort) <(grep '^fscorpio_' <<< "$names" | sort)) ||
  { printf 'in the module (<) or the library (>) alone:\n%s\n' "$fortran"; failed=1; }
surplus=$(grep -vE '^(scorpio_|fscorpio_|fprint_|initialize_datatype$)' <<< "$names" || true)
[ -z "$missing" ] || { printf 'not defined, though the header has them:\n%s\n' "$missing"; failed=1; }
[ -z "$surplus" ] || { printf 'shown, and not of SCORPIO:\n%s\n' "$surplus"; failed=1; }
echo "$(wc -l <<< "$declared") names declared, $(wc -l <<< "$names") defined"
exit $failed
