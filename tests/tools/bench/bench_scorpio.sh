#!/bin/bash
# concilio bench scorpio: its options, its results and its errors. Arguments: CONCILIO MPI SPOILING_LIBRARY_FOLDER.
concilio=$1 mpi=$2 spoiling=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
small=(-n 4 --mpi "$mpi" --grid 16x16x16 --repetitions 1)
bench=("$concilio" bench scorpio)

expect 0 "${bench[@]}" "${small[@]}"
says out '4 ranks; 2 datasets of 16x16x16 in one dimension of 4 processes'
# The heading, the two modes of plain HDF5, groups of 1, 2 and 4, and the library's choice.
[ "$(grep -cE '^(hdf5-(collective|independent)|scorpio:(1|2|4|auto)) ' out)" = 6 ] || fail 'not the methods that were meant'
if command -v h5diff >/dev/null; then says out 'h5diff finds them the same'; else says out 'h5diff is not installed'; fi

# The grid cannot be divided evenly. The last rank, which in one case is a group of its own, has no data. As many
# processes open the file as there are groups.
expect 0 "${bench[@]}" -n 4 --mpi "$mpi" --grid 3x5x2 --blocks --processes 4x1x1 --variables 3 --group-sizes 3,all,3 --repetitions 2 --buffer-bytes 4096 --json
[ "$(wc -l <out)" = 4 ] || fail 'not a line for each method'
/usr/bin/python3 - out <<'END' || fail 'not the JSON that was meant'
import json, sys
lines = {one["method"]: one for one in map(json.loads, open(sys.argv[1]))}
assert list(lines) == ["hdf5-collective", "hdf5-independent", "scorpio:3", "scorpio:4"], list(lines)
for name, line in lines.items():
    assert line["verified"] and line["blocks"] and line["processes"] == [4, 1, 1] and line["bytes"] == 3 * 30 * 8, line
    assert list(sorted(line["phases"])) == ["close", "init", "open", "read", "write"], line
    assert all(len(phase["seconds"]) == 2 for phase in line["phases"].values()), line
assert lines["hdf5-collective"]["output"]["openers"] == 4
for name, groups, ranks in (("scorpio:3", 2, 3), ("scorpio:4", 1, 4)):
    for file in ("input", "output"):
        told = lines[name][file]
        assert (told["openers"], told["groups"], told["group_ranks"]) == (groups, groups, ranks), told
        assert told["group_bytes"] == 30 * 8, told
    assert 0 < lines[name]["peak_buffer_bytes"] <= 4096, lines[name]
    assert lines[name]["times_as_fast"]["hdf5-collective"]["write"] > 0
END

rest=(-n 4 --mpi "$mpi" --repetitions 1)
expect 2 "${bench[@]}" "${rest[@]}" --grid 16x16; says err "grid 16x16: write three numbers"
expect 2 "${bench[@]}" "${rest[@]}" --grid 16x0x16
expect 2 "${bench[@]}" "${small[@]}" --group-sizes 1,5; says err "'5' is not one of 1 to 4, all and auto"

expect 2 "${bench[@]}" "${small[@]}" --blocks --processes 2x2x2; says err 'whose product is 4'
expect 2 "${bench[@]}" "${small[@]}" --buffer-bytes 100
expect 2 "${bench[@]}" -n 2 --mpi other; says err '\-\-mpi other'
expect 2 "${bench[@]}" -n 2 --mpi openmpi,mpich
expect 2 "${bench[@]}" -n 0 --mpi "$mpi"
expect 1 "${bench[@]}" "${small[@]}" --file "$scratch/no/such/folder/file"; says err 'create .*no/such/folder/file.in.h5'
mkdir libexec
CONCILIO_LIBEXECDIR=$scratch/libexec expect 2 "${bench[@]}" "${small[@]}"; says err CONCILIO_LIBEXECDIR
touch libexec/concilio-bench-"$mpi"
CONCILIO_LIBEXECDIR=$scratch/libexec expect 2 "${bench[@]}" "${small[@]}"; says err "built without SCORPIO for .*hdf5-$mpi"
expect 124 "${bench[@]}" -n 2 --mpi "$mpi" --repetitions 1000000 --timeout 2; says err 'stopped after 2 seconds'

# It must notice a wrong byte in plain HDF5's collective calls, which a library spoils.
CONCILIO_LIBDIR=$spoiling expect 0 "${bench[@]}" "${small[@]}" --concilio
SPOIL=read CONCILIO_LIBDIR=$spoiling expect 1 "${bench[@]}" "${small[@]}" --concilio
says err 'hdf5-collective: rank 1: what was read: Materials/Cell Ids, element 1056: expected'
SPOIL=write CONCILIO_LIBDIR=$spoiling expect 1 "${bench[@]}" "${small[@]}" --concilio
says err 'hdf5-collective: rank 0: the output file: Materials/Cell Ids, element 1025: expected'

# "scorpio" is not the name of a pattern, and patterns work as before.
expect 0 "$concilio" bench contiguous -n 2 --mpi "$mpi" --mib-per-rank 0.01 --repetitions 1
leaves_only libexec
finish
