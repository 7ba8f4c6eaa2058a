#!/bin/bash
# concilio bench: its options and its errors. Arguments: CONCILIO PARTS MPI.
concilio=$1 parts=$2 mpi=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
small=(--mib-per-rank 0.01 --repetitions 1 -n 2 --mpi "$mpi")

# Other work on the machine is told of, since it makes times differ.
while :; do :; done &
other=$!
expect 0 "$concilio" bench contiguous "${small[@]}"
kill $other
says err 'bench: other programs use [0-9.]* of this machine.s [0-9]* cores, so times will differ more'

expect 2 "$concilio" bench no_such_pattern "${small[@]}"
says err 'there is no pattern no_such_pattern'
expect 2 "$concilio" bench --compare "${small[@]}" --json interleaved:64 contiguous
says err '--json .* interleaved:64, which is the name of a pattern'
[ ! -e interleaved:64 ] || fail 'a file with the name of a pattern'
expect 2 "$concilio" bench interleaved "${small[@]}"
says err 'interleaved:B'
expect 2 "$concilio" bench hpio:64 "${small[@]}"
expect 2 "$concilio" bench contiguous -n none --mpi "$mpi"
expect 2 "$concilio" bench contiguous -n 2 --mpi other
expect 2 "$concilio" bench contiguous --read-only --write-only "${small[@]}"
expect 2 "$concilio" bench contiguous --hint concilio_metod=list "${small[@]}"
says err 'did you mean concilio_method?'
expect 2 "$concilio" bench contiguous --hint nonsense "${small[@]}"
expect 1 "$concilio" bench contiguous "${small[@]}" --file "$scratch/no/such/folder/file"
says err 'pattern contiguous: rank'
CONCILIO_LIBEXECDIR=$scratch expect 2 "$concilio" bench contiguous "${small[@]}"
says err CONCILIO_LIBEXECDIR
CONCILIO_MPIRUN=$scratch/none expect 2 "$concilio" bench contiguous "${small[@]}"
says err CONCILIO_MPIRUN
expect 124 "$concilio" bench contiguous -n 2 --mpi "$mpi" --repetitions 1000000 --timeout 2
says err 'stopped after 2 seconds'

expect 0 "$concilio" bench --hint cb_nodes=1 --hint romio_cb_write=enable contiguous interleaved:64 "${small[@]}" --json
says out '"verified": true'
# The stand-in does nothing, so both sides use the MPI's own MPI-IO.
CONCILIO_LIBDIR=$parts expect 0 "$concilio" bench --compare interleaved:64 "${small[@]}" --alternations 2 --json result.json
says out 'interleaved:64'
says err '\[4/4\]'
grep -q '"write_ratio"' result.json || fail 'no ratio in the JSON'
CONCILIO_LIBDIR=$scratch expect 2 "$concilio" bench --compare interleaved:64 "${small[@]}"
says err CONCILIO_LIBDIR
CONCILIO_LIBDIR=$parts expect 0 "$concilio" bench suite -n 1 --mpi "$mpi" --calls iindependent,shared,open --repetitions 1 --alternations 1 --picture grid.svg --json grid.json
says out 'iindependent, 4 MiB: btio'
says_not out '^collective'
for calls in iindependent shared open; do says out "$calls, .*, first"; done
grep -q '"first_write"' grid.json || fail 'no first repetitions in the JSON'
grep -q 'open, 16 times: mpiiotest:8, first' grid.svg || fail 'no opens in the picture'
says out 'geometric mean'
grep -q '</svg>' grid.svg || fail 'no picture'
grep -q '"finding"' grid.json || fail 'no findings in the JSON'
# Programs. Those that need a library are among the tests of programs; here a stand-in for one fails.
mkdir parts
cp /bin/true "parts/concilio-bench-$mpi"
cp "$(dirname "$concilio")/../libexec/concilio/concilio-program-start-$mpi" parts
cat > "parts/concilio-program-hdf5-$mpi" <<'END'
#!/bin/bash
# MPICH's launcher may die itself of programs that end before they have called MPI.
"${0/hdf5/start}" "$@" > /dev/null
echo "concilio bench: rank 0: $1: other values" >&2
exit 1
END
chmod +x "parts/concilio-program-hdf5-$mpi"
CONCILIO_LIBEXECDIR=$scratch/parts CONCILIO_LIBDIR=$parts expect 1 "$concilio" bench suite -n 2 --mpi "$mpi" --calls programs \
  --alternations 1 --file data --json programs.json
says out '^programs: start  *[0-9]'
says out '^programs: [0-9] of 1 below'
says out "^$mpi 2 ranks, programs: hdf5, own: FAILED: rank 0: data: other values"
says_not out independent
says_not out netcdf
says err "$mpi 2 ranks, start, own"
grep -q '"seconds"' programs.json || fail 'no times of programs in the JSON'
expect 2 "$concilio" bench contiguous --calls shard "${small[@]}"
expect 2 "$concilio" bench contiguous --calls open --independent "${small[@]}"
expect 2 "$concilio" bench interleaved:64 --calls shared "${small[@]}"
says err '--calls shared is for contiguous and mpiiotest'
expect 2 "$concilio" bench contiguous --calls open --overlap "${small[@]}"
says err 'cannot be combined with --overlap'
# What is told to stop begins no other program.
CONCILIO_LIBDIR=$parts expect 143 timeout --preserve-status -s TERM 3 "$concilio" bench --compare contiguous -n 2 --mpi "$mpi" --repetitions 1000000
says err 'stopped by signal 15'
expect 2 "$concilio" bench suite --calls shard --mpi "$mpi"
expect 2 "$concilio" bench suite -n none --mpi "$mpi"
says err 'not a number of ranks'
leaves_only result.json grid.svg grid.json programs.json parts
finish
