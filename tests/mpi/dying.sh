#!/bin/bash
# dying.sh RANKS PROGRAM MPI_TEST OPTIONS...: kills one rank of PROGRAM (dying.cpp) in several situations. All other
# ranks must report that they have got an error and continued.
set -u
ranks=$1 program=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# try VICTIM WHEN NODE_RANKS
try() {
  rm -rf "${folder:?}"/*
  local settings=(--env CONCILIO_TEST_RESULTS="$folder" --hint concilio_method=two_phase --hint cb_buffer_size=65536)
  [ "$3" = 0 ] || settings+=(--hint concilio_ranks_per_node="$3")
  case $2 in
    before | wait | ordered) ;;
    open) settings+=(--env CONCILIO_THROTTLE=open=4000) ;;
    *) settings+=(--env CONCILIO_THROTTLE=request=100) ;;
  esac
  "${runner[@]}" -n "$ranks" --outlive --timeout 60 "${settings[@]}" ${4+"${@:4}"} -- "$program" "$1" "$2" >"$folder/output" 2>&1
  local well
  well=$(cat "$folder"/rank-* 2>/dev/null | grep -c '^well$')
  if [ "$well" != $((ranks - 1)) ]; then
    echo "FAILED: rank $1 of $ranks killed ($2), $3 ranks a node: $well of $((ranks - 1)) others got on"
    cat "$folder"/rank-* "$folder/output" | head -40
    failed=1
  else
    echo "ok: rank $1 of $ranks killed ($2), $3 ranks a node"
  fi
}

runner=("$@")
last=$((ranks - 1))
for when in before wait ordered write read open; do
  try 0 $when 0
  try $last $when 0
  if [ "$ranks" -ge 4 ]; then
    try 0 $when 2
    try 3 $when 2
  fi
done
for exchange in images alltoallw; do
  [ "$ranks" -lt 4 ] || try 3 write 2 --hint concilio_exchange=$exchange
done
exit $failed
