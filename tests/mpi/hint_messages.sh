#!/bin/bash
# hint_messages.sh HOSTS HARNESS... PROGRAM: what is said of hints that are ignored or differ between 3 ranks on so many
# hosts: each once, and on each host once what ranks say each by itself.
set -u -o pipefail
hosts=$1
shift
situations=("$@")
results=$(mktemp)
trap 'rm -f "$results"' EXIT
failed=0
run() {  # [NAME=VALUE...]: the situations of hints, what is said of them in `said`
  # Apart from the ranks' other output, which a launcher puts between two blocks of 4 KiB, in the middle of a line.
  said=$(env "$@" "${situations[@]}" --run Hints 2>&1 > "$results")
  local code=$?
  [ $code = 0 ] || { cat "$results"; echo "$said"; exit $code; }  # 77: there can be no hosts here
}
expect_said() {  # TIMES MESSAGE
  local times
  times=$(grep -cF -- "warning: $2" <<< "$said")
  [ "$times" = "$1" ] || { echo "said $times times, not $1: $2"; failed=1; }
}
once() {
  expect_said 1 "$1"
}
run
once "hint no_such_hint is unknown and ignored; \`concilio hints\` lists them all"
# Each rank by itself, whichever of a host comes first.
expect_said "$hosts" "hint nobody_knows_it is unknown and ignored; \`concilio hints\` lists them all"
for known in nc_header_align_size romio_lustre_any; do
  if grep -F "$known" <<< "$said"; then
    echo "$known is another library's, and nothing to speak of"
    failed=1
  fi
done
once "hint cb_nodes: -3 is out of range; give 0 to 1000000000; it is ignored"
once "hint concilio_method: 'magic' is none of auto|independent|list|sieve|two_phase|mapped; it is ignored"
once "hint striping_unit=4096 takes effect only when given to MPI_File_open; it is ignored"
once "rank 2: hint cb_nodes: 'garbage' is not a whole number; give 0 to 1000000000; it is ignored"
once "hint concilio_method is not the same on all ranks: rank 2 gives two_phase, 2 of 3 ranks give none; two_phase is used on all; give the same hints on every rank"
once "hint cb_nodes is not the same on all ranks: rank 0 gives 1, rank 1 gives 2, 2 of 3 ranks give another value; 1 is used on all; give the same hints on every rank"
once "hint romio_cb_write is not the same on all ranks: rank 0 gives disable, rank 1 gives enable; disable is used on all; give the same hints on every rank"
if grep -E 'concilio\[[12]\] warning: ' <<< "$said" | grep -v nobody_knows_it; then
  echo "another rank than 0 says it too"
  failed=1
fi
# Patterns of files for which there is no room.
if [ "$hosts" = 1 ]; then
  long=$(printf 'x%.0s' {1..20000})
  run CONCILIO_ONLY="$long:*"
  once "hint no_such_hint is unknown and ignored; \`concilio hints\` lists them all"
  expect_said 0 "CONCILIO_ONLY is too long: '*'"
  [[ $said == *"CONCILIO_ONLY is too long: '$long' is ignored"* ]] || { echo "nothing is said of the long pattern"; failed=1; }
fi
[ $failed = 0 ] || { cat "$results"; echo "$said"; }
exit $failed
