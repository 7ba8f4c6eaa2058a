#!/bin/bash
# profiles.sh PROGRAM HARNESS...: profiles that are missing, wrong or of another place are reported once, whatever opens
# files, and the program continues. A profile that fits is used, and wrong prices are corrected by experience.
set -u -o pipefail
program=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# make_profile FILE [KEY=JSON]...: makes a profile in which requests cost nothing, so that the method list does not
# either. KEY may be prices.NAME.
make_profile() {
  /usr/bin/python3 - "$@" <<'END'
import json, sys
nothing, one = [[0, 1e-12], [1 << 30, 2e-12]], [[1, 1]]
prices = {f"{way}_{name}": curve for way in ("read", "write")
          for name, curve in (("adjoining", nothing), ("scattered", nothing), ("window", nothing), ("clients_small", one),
                              ("clients_large", one), ("at_once_served", 1), ("at_once_submit_seconds", 0))}
prices |= {"window_bytes_per_second": 1e10, "window_piece_seconds": 1e-6, "lock_seconds": 1e-6,
           "copy": [[0, 4e-9], [1 << 30, 0.2]], "map_seconds": 1e-5, "map_read_page_seconds": 2e-7,
           "map_write_page_seconds": 4e-6, "synchronise_seconds": 1e-6, "oversubscribed_seconds": 1e-6,
           "message": [[0, 1e-5], [1 << 30, 1]], "network_bytes_per_second": 1e9, "datatype_piece_seconds": 2e-8,
           "from_memory": True}
profile = {"concilio_profile": 1, "hosts": ["*"], "mount": "/", "file_system": "ext4", "throttle": "", "made": "today",
           "prices": prices, "parameters": {"aggregators_per_node": 0, "domain_bytes": 0, "group_bytes": 0,
                                            "memory_min_bytes": 0}}
for change in sys.argv[2:]:
    key, value = change.split("=", 1)
    place = prices if key.startswith("prices.") else profile
    place[key.removeprefix("prices.")] = json.loads(value)
json.dump(profile, open(sys.argv[1], "w"))
END
}

# run WARNINGS SETTING... [-- ARGUMENT...]: the program must succeed, with so many lines of warnings. Its output is in
# out.
run() {
  local warnings=$1 settings=() said
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    settings+=(--env "$1")
    shift
  done
  [ $# = 0 ] || shift
  "${harness[@]}" --env "XDG_CONFIG_HOME=$scratch/config" "${settings[@]}" -- "$program" "$@" >"$scratch/out" 2>&1 || {
    echo "FAILED: ${settings[*]}"
    cat "$scratch/out"
    failed=1
  }
  said=$(grep -cE 'concilio.* (warning|error): ' "$scratch/out")
  [ "$said" = "$warnings" ] && return
  echo "FAILED: ${settings[*]} $*: $said warnings, not $warnings"
  cat "$scratch/out"
  failed=1
}
says() { grep -qF -- "$1" "$scratch/out" || { echo "FAILED: not said: $1"; cat "$scratch/out"; failed=1; }; }
says_not() { ! grep -qF -- "$1" "$scratch/out" || { echo "FAILED: said: $1"; failed=1; }; }

harness=("$@")
profile=$scratch/profile.json
used='"prices":{'

make_profile "$profile"
run 0 "CONCILIO_PROFILE=$profile" CONCILIO_LOG=debug
says "$used"
for setting in off auto; do
  run 0 CONCILIO_PROFILE=$setting CONCILIO_LOG=debug
  says_not "$used"
done
run 0 "CONCILIO_PROFILE=$profile" -- --leaves-list
dear='[[0, 1], [1073741824, 2]]'
make_profile "$scratch/mapped" "prices.read_adjoining=$dear" "prices.read_scattered=$dear" "prices.read_window=$dear" \
  prices.map_seconds=1e-9 prices.map_read_page_seconds=1e-9
run 0 "CONCILIO_PROFILE=$scratch/mapped" -- --stays-mapped

run 1 "CONCILIO_PROFILE=$scratch/missing.json"
says "warning: the profile $scratch/missing.json is not used: it cannot be read: No such file or directory"
run 1 "CONCILIO_PROFILE=$scratch"
says 'it is not a regular file'
mkfifo "$scratch/pipe"
run 1 "CONCILIO_PROFILE=$scratch/pipe"
says 'it is not a regular file'
head -c 2000000 /dev/zero >"$scratch/large"
run 1 "CONCILIO_PROFILE=$scratch/large"
says 'it is larger than 1 MiB'
head -c 300 "$profile" >"$scratch/damaged"
run 1 "CONCILIO_PROFILE=$scratch/damaged"
says 'it is no JSON'
make_profile "$scratch/version" concilio_profile=2
run 1 "CONCILIO_PROFILE=$scratch/version"
says 'it has version 2, not 1'
make_profile "$scratch/host" 'hosts=["elsewhere"]'
run 1 "CONCILIO_PROFILE=$scratch/host"
says 'it was measured on host elsewhere, and this is '
make_profile "$scratch/throttle" 'throttle="request=1"'
run 1 "CONCILIO_PROFILE=$scratch/throttle"
says 'it was measured on CONCILIO_THROTTLE=request=1, and this is storage that is not throttled'
# The same costs in another notation.
echo 'request 0.001' >"$scratch/costs"
make_profile "$scratch/throttle" 'throttle="request=0.001"'
run 0 "CONCILIO_PROFILE=$scratch/throttle" "CONCILIO_THROTTLE=@$scratch/costs" CONCILIO_LOG=debug
says "$used"
[ $failed = 0 ] && echo "all as expected"
exit $failed
