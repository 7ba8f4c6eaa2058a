#!/bin/bash
# concilio probe makes a profile of this storage, with ranks that it starts itself and with those of a launcher; shows
# it again; and measures throttled storage. Arguments: CONCILIO MPI LAUNCHER.
concilio=$1 mpi=$2 launcher=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
export XDG_CONFIG_HOME=$scratch/config
mkdir folder
oversubscribe=
[[ $mpi == openmpi* ]] && oversubscribe=--oversubscribe

expect 0 "$concilio" probe folder -n 2 --quick --mpi "$mpi" --verbose --picture curves.svg
says out '^buffered, 1 MiB '
says out 'Msg_group'
says err 'synchronisation'
profile=$(find config -name '*.json')
[ "$(wc -l <<<"$profile")" = 1 ] || fail "profiles: $profile"
cp out shown_before
expect 0 "$concilio" probe --show folder
grep -v '^picture' shown_before | cmp -s - out || fail 'shown otherwise than measured'
expect 0 "$concilio" probe --show folder --json
cmp -s "$profile" out || fail '--json --show does not print the profile'
expect 0 "$concilio" probe --show folder --json=shown.json
cmp -s "$profile" shown.json || fail '--json=FILE --show does not write the profile'
says out 'Msg_group'
/usr/bin/python3 - "$profile" curves.svg <<'END' || fail 'the profile is wrong'
import json, sys, xml.dom.minidom
profile = json.load(open(sys.argv[1]))
assert profile["concilio_profile"] == 1 and len(profile["hosts"]) == 1 and profile["mount"].startswith("/"), profile
series = profile["measurements"]["series"]
missing = {"read_adjoining", "write_scattered", "write_growing", "write_synced", "read_at_once", "read_clients_small",
           "write_group", "write_window", "open", "copy", "synchronise"} - set(series)
assert not missing, missing
for name, one in series.items():
    points = one["points"]
    assert all(y > 0 for _, y in points), (name, points)
    assert all(a[0] < b[0] for a, b in zip(points, points[1:])), (name, points)
assert [x for x, _ in series["read_clients_large"]["points"]] == [1, 2]
assert profile["parameters"]["domain_bytes"] >= 64 and profile["parameters"]["memory_min_bytes"] > 0
assert xml.dom.minidom.parse(sys.argv[2]).getElementsByTagName("path")
END

# Storage whose speed is known. The test needs the cores for itself: see CMakeLists.txt.
if [ "$mpi" = openmpi ]; then
export CONCILIO_THROTTLE='request=1;bandwidth=50M'
expect 0 "$launcher" $oversubscribe -n 2 "$concilio" probe folder --quick --mpi "$mpi" --output slow/profile.json --json=slow.json
says out 'throttled: request=1;bandwidth=50M'
cmp -s slow/profile.json slow.json || fail '--json=FILE does not write the profile'
/usr/bin/python3 - slow/profile.json <<'END' || fail 'the throttle was not measured'
import json, sys
profile = json.load(open(sys.argv[1]))
series = profile["measurements"]["series"]
for name in "read_adjoining", "write_adjoining", "read_scattered", "write_scattered":
    points = {x: y for x, y in series[name]["points"]}
    assert 0.5e-3 < points[64] < 5e-3, (name, points)
    assert 0.5 < points[1 << 20] * 50e6 / (1 << 20) < 2, (name, points)
assert profile["throttle"] == "request=1;bandwidth=50M" and not profile["prices"]["from_memory"]
END
unset CONCILIO_THROTTLE
fi
# The launcher's MPI is recognised; one node acts as two.
CONCILIO_HINTS=concilio_ranks_per_node=1 expect 0 "$launcher" $oversubscribe -n 2 "$concilio" probe folder --quick \
  --output nodes.json --json
cmp -s nodes.json out || fail '--json does not print the profile, and nothing else'
expect 0 "$concilio" probe --show nodes.json
says out '2 ranks on 2 nodes'
says out 'Messages between nodes'
expect 2 "$launcher" $oversubscribe -n 1 "${lasting[@]}" "$concilio" probe folder -n 2
left=$(ls -A folder)
[ -z "$left" ] || fail "left behind: $left"
finish
