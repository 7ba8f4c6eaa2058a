#!/bin/bash
# concilio run, with a stand-in for the library. Arguments: CONCILIO PARTS MPI LAUNCHER.
concilio=$1 parts=$2 mpi=$3 launcher=$4
. "$(dirname "$0")/../common.sh"
export CONCILIO_LIBDIR=$parts
program=$parts/program_of_$mpi
start=("$launcher" -n 2)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 2)

# The ranks load the library and get the settings, but the launcher does not.
expect 0 "$concilio" run --hint cb_nodes=2 --hint concilio_method=two_phase --memory-limit 4MiB --only '*.h5' "${start[@]}" "$program"
says out 'program ran'
says err "stand-in $mpi loaded into program_of_$mpi: hints=cb_nodes=2;concilio_method=two_phase limit=4MiB only=\*.h5"
says_not err 'loaded into mpi'
says_not err 'loaded into or'
says_not err 'loaded into hydra'
[ "$(grep -c 'loaded into program' err)" = 2 ] || fail 'not loaded once in each of the two ranks'

expect 0 "$concilio" run --threads "${start[@]}" "$program"
says err 'threads=1'

# Hints that the user has set stay, before those of the command line.
CONCILIO_HINTS='cb_nodes=1' expect 0 "$concilio" run --hint romio_cb_write=enable -- "${start[@]}" "$program"
says err 'hints=cb_nodes=1;romio_cb_write=enable'

# Only the first "--" belongs to concilio run, and only before the program.
printf '#!/bin/sh\necho "arguments: $*"\n' >arguments.sh
chmod +x arguments.sh
expect 0 "$concilio" run --mpi "$mpi" -- ./arguments.sh -a -- -b
says out 'arguments: -a -- -b'
expect 0 "$concilio" run --mpi "$mpi" ./arguments.sh --summary -- -b
says out 'arguments: --summary -- -b'

# Libraries that the user preloads stay.
other=$({ compgen -G '/lib/*/libutil.so.1' || compgen -G '/lib/*/libdl.so.2'; } | head -n 1)
if [ -n "$other" ]; then
  LD_PRELOAD=$other expect 0 "$concilio" run "${start[@]}" "$program"
  says err 'loaded into program'
fi

# Hints on the launcher's own command line stay too.
if [[ $mpi == openmpi* ]]; then own=(-x CONCILIO_HINTS=cb_nodes=2); else own=(-genv CONCILIO_HINTS=cb_nodes=2); fi
expect 0 "$concilio" run --hint concilio_method=list "${start[@]:0:1}" "${own[@]}" "${start[@]:1}" "$program"
says err 'hints=cb_nodes=2;concilio_method=list '

# The program is where the launcher's line says that it is started.
mkdir folder
ln -s "$program" folder/program
ln -s "$parts/program_without_mpi" folder/without_mpi
expect 0 "$concilio" run "${start[@]:0:1}" -wdir "$scratch/folder" "${start[@]:1}" ./program
says err "stand-in $mpi loaded into program"
expect 2 "$concilio" run "${start[@]:0:1}" -wdir "$scratch/folder" "${start[@]:1}" ./without_mpi
says err 'without_mpi is not linked with MPI'

# A wrapper before the launcher, into which nothing is preloaded either.
expect 0 "$concilio" run timeout 50 "${start[@]}" "$program"
[ "$(grep -c 'loaded into program' err)" = 2 ] || fail 'not loaded once in each of the two ranks behind a wrapper'
says_not err 'loaded into timeout'
says_not err 'loaded into mpi'

# What the user sets for a launcher makes no rank of this command.
HYDRA_LAUNCHER=fork expect 0 "$concilio" run "$program"
says err 'loaded into program'
# Ranks that Slurm starts know which they are. Only the first says that there is nothing to tell of.
for rank in 0 1; do
  SLURM_PROCID=$rank PMIX_RANK=$rank expect 0 "$concilio" run --mpi "$mpi" --summary true
  [ "$(grep -c 'so there is no summary' err)" = $((1 - rank)) ] || fail "rank $rank does not know which it is"
done
SLURM_PROCID=0 PMIX_RANK=0 expect 2 "$concilio" run --mpi "$mpi" --record record true
says err 'put concilio run before the launcher'
# A job script has such a variable too, and is no rank.
SLURM_PROCID=0 expect 0 "$concilio" run --mpi "$mpi" --record record true
says err 'so there is no record'

# Where nothing is to be done afterwards, the command becomes the program.
# shellcheck disable=SC2016  # It is the program's own parent.
expect 0 "$concilio" run --mpi "$mpi" sh -c 'cat /proc/$PPID/comm'
says out '^timeout$'

# Exit statuses are passed on.
expect 7 "$concilio" run "${start[@]}" "$program" exit 7
expect 7 "$concilio" run --summary "${start[@]}" "$program" exit 7
expect 134 "$concilio" run --summary "$program" signal 6

# The summary and the report.
expect 0 "$concilio" run --summary "${start[@]}" "$program"
says err '^concilio: 1.5 s in MPI-IO calls on the slowest rank; 250 ms in MPI_File_open$'
says err '^  1.75 s   /data/result.h5: 2 collective writes by 2 ranks; 2 MiB written, 1.3 MiB/s$'
says_not err 'two_phase'
expect 2 "$concilio" run --summary=long "${start[@]}" "$program"
says err 'long not in {short,full}'
expect 0 "$concilio" run --summary=full --report "$scratch/report.json" "${start[@]}" "$program"
says err '^concilio: 1.5 s in MPI-IO calls on the slowest rank;'
says err 'concilio: /data/result.h5'
says err 'two_phase, 2 calls: pieces of 64 bytes'
grep -q '"exit_code": 0' report.json || fail 'no exit code in the report'
grep -q '/data/result.h5' report.json || fail 'no file in the report'
expect 0 "$concilio" run --html page.html "${start[@]}" "$program"
grep -q '<p class="verdict">1.5 s in MPI-IO calls on the slowest rank; 250 ms in MPI_File_open</p>' page.html ||
  fail 'no verdict in the page'
expect 0 "$concilio" report report.json -o again.html
grep -q '"name":"/data/result.h5"' again.html || fail 'no file in the page of the report'
expect 0 "$concilio" report report.json
says out '^concilio: 1.5 s in MPI-IO calls on the slowest rank;'
says out 'two_phase, 2 calls: pieces of 64 bytes'
expect 0 "$concilio" report report.json --json
cp out printed.json
/usr/bin/python3 - <<'END' || fail 'the report as JSON is wrong'
import json
told = json.load(open("printed.json"))
assert told["verdict"] == "1.5 s in MPI-IO calls on the slowest rank; 250 ms in MPI_File_open", told["verdict"]
assert told["exit_code"] == 0 and [file["file"] for file in told["files"]] == ["/data/result.h5"], told
assert told["files"][0]["slowest_rank"]["call_ns"] == 1500000000 and "activities" not in told["files"][0], told
END
expect 0 "$concilio" report report.json --json=written.json -o again.html
[ ! -s out ] || fail 'there is text beside the file'
cmp printed.json written.json || fail 'written otherwise than printed'
expect 1 "$concilio" report report.json --json="$scratch/no/such/file"
says err 'report: cannot write'
expect 2 "$concilio" report "$program"
says err 'no report of concilio run'
expect 2 "$concilio" report no-such-report
says err 'no-such-report: '
expect 1 "$concilio" report report.json -o "$scratch/no/such/page.html"
says err 'cannot write'
expect 2 "$concilio" run --html "$scratch/no/such/page.html" "${start[@]}" "$program"
says err '--html .*cannot write in'
STAND_IN_CLOSES_NO_FILE=1 expect 0 "$concilio" run --summary "${start[@]}" "$program"
says err 'closed no file that it had opened by MPI_File_open (.*driver=.mpio.*), so there is no summary'
STAND_IN_CLOSES_NO_FILE=1 expect 0 "$concilio" run --summary --only '*.nc' "${start[@]}" "$program"
says err "closed no file that --only (CONCILIO_ONLY) '\*.nc' matches"
CONCILIO_DISABLE=1 STAND_IN_CLOSES_NO_FILE=1 expect 0 "$concilio" run --summary "${start[@]}" "$program"
says err 'CONCILIO_DISABLE is set, .* (unset it), so there is no summary'
expect 0 "$concilio" run --mpi "$mpi" --summary env -u LD_PRELOAD "$program"
# shellcheck disable=SC2016  # The message has them.
says err 'no rank was seen to load Concilio (`env -u LD_PRELOAD` removes LD_PRELOAD'
expect 0 "$concilio" run --mpi "$mpi" --summary true
says err 'no rank was seen to load Concilio (if a script changes LD_PRELOAD'

# One `concilio run` for each rank: only one of them prints a summary.
expect 0 "${start[@]}" "$concilio" run --summary=full --report "$scratch/inside.json" "$program"
[ "$(grep -c 'concilio: /data/result.h5' err)" = 1 ] || fail 'not exactly one summary'
grep -q '/data/result.h5' inside.json || fail 'no report from inside the launcher'
STAND_IN_CLOSES_NO_FILE=1 expect 0 "${start[@]}" "$concilio" run --summary "$program"
[ "$(grep -c 'closed no file' err)" = 1 ] || fail 'not exactly one word that there was no file'

# For scripts the launcher tells the MPI. Without a launcher it is unknown.
printf '#!/bin/sh\nexec "%s"\n' "$program" >script.sh
chmod +x script.sh
expect 0 "$concilio" run "${start[@]}" ./script.sh
says err 'loaded into program'
expect 2 "$concilio" run ./script.sh
says err 'put mpirun before it'
expect 0 "$concilio" run --mpi "$mpi" ./script.sh
says err 'loaded into program'

# What is wrong, and how to correct it.
expect 2 "$concilio" run "${start[@]}" "$parts/program_without_mpi"
says err 'program_without_mpi is not linked with MPI'
expect 2 "$concilio" run "$parts/program_without_mpi"
says err 'not linked with MPI'
expect 127 "$concilio" run ./there-is-no-such-program
says err 'command not found'
CONCILIO_LIBDIR=$scratch expect 2 "$concilio" run "${start[@]}" "$program"
says err 'CONCILIO_LIBDIR'
ROMIO_HINTS=$scratch/missing expect 2 "$concilio" run "${start[@]}" "$program"
says err "cannot read the hints file $scratch/missing"
ROMIO_HINTS=$scratch expect 2 "$concilio" run "${start[@]}" "$program"
says err 'cannot read the hints file'
expect 2 "$concilio" run --hint cb_buffer_size=huge "${start[@]}" "$program"
says err 'cb_buffer_size'
expect 2 "$concilio" run --hint concilio_no_such=1 "${start[@]}" "$program"
says err 'concilio_no_such'
expect 2 "$concilio" run --hint nonsense "${start[@]}" "$program"
says err 'NAME=VALUE'
expect 2 "$concilio" run --hint somebody_elses_hint=1 "${start[@]}" "$program"
says err '--hint somebody_elses_hint=1: hint somebody_elses_hint is unknown; .concilio hints. lists them all$'
expect 2 "$concilio" run --hint concilio_metod=list "${start[@]}" "$program"
says err 'did you mean concilio_method?'
CONCILIO_METOD=list expect 0 "$concilio" run "${start[@]}" "$program"
says err '^concilio: the environment variable CONCILIO_METOD is unknown and ignored; did you mean CONCILIO_METHOD?$'
CONCILIO_METOD=list expect 0 "${start[@]}" "$concilio" run "$program"
[ "$(grep -c 'CONCILIO_METOD' err)" = 1 ] || fail 'an unknown variable is not named exactly once'
expect 2 "$concilio" run --memory-limit lots "${start[@]}" "$program"
says err 'memory-limit'
expect 2 "$concilio" run --report "$scratch/no/such/folder.json" "${start[@]}" "$program"
says err 'cannot write in'
expect 2 "$concilio" run --no-such-option "${start[@]}" "$program"
says err 'unknown option --no-such-option'
expect 2 "$concilio" run
expect 2 "$concilio" no-such-subcommand
expect 0 "$concilio"
says out 'run .*Run an MPI program'
expect 0 "$concilio" run --help
says out '--memory-limit'
expect 0 "$concilio" hints
says out 'cb_buffer_size'
says out 'concilio_memory_limit'
expect 0 "$concilio" hints --json
/usr/bin/python3 - out <<'EOF' || fail 'hints --json does not tell the choices'
import json, sys
choices = {one["hint"]: one["choices"] for one in json.load(open(sys.argv[1]))}
assert choices["concilio_method"] == ["auto", "independent", "list", "sieve", "two_phase", "mapped"], choices
assert choices["cb_buffer_size"] is None, choices
EOF
expect 0 "$concilio" version
says out '^concilio [0-9]'
says out "^$mpi ([A-Za-z ]*[0-9.]*): $parts/libconcilio-$mpi.so"

# A signal that is sent only to `concilio run` reaches the program.
"$concilio" run --summary sleep 30 2>err &
wait $!
says err 'not linked with MPI'
begin "$concilio" run --mpi "$mpi" --summary sleep 30
await 20 err 'loaded into sleep'
kill -TERM "$child"
wait "$child"
status=$?
[ "$status" = 143 ] || fail "a program ended by SIGTERM gave $status, not 143"
# One that catches it and ends by itself has its own status.
begin "$concilio" run --mpi "$mpi" /bin/sh -c 'trap "kill $!; exit 85" TERM; sleep 30 & echo ready; wait'
await 20 out ready
kill -TERM "$child"
wait "$child"
status=$?
[ "$status" = 85 ] || fail "a program that ended with status 85 after SIGTERM gave $status"
# The same with a summary afterwards. srun outlives a signal that its tasks outlive; other statuses of it say nothing.
cat >srun <<'END'
#!/bin/sh
[ "$1" != --version ] || exit 0
trap 'kill $!; exit $STATUS' TERM
sleep 30 &
echo ready
wait
END
chmod +x srun
for ends in 0=0 3=143; do
  STATUS=${ends%=*} begin "$concilio" run --mpi "$mpi" --summary ./srun -n 1 ./script.sh
  await 20 out ready
  kill -TERM "$child"
  wait "$child"
  status=$?
  [ "$status" = "${ends#*=}" ] || fail "srun that ended with status ${ends%=*} after SIGTERM gave $status"
done
# Julia's calls are not taken over, and that is said.
printf '#!/bin/sh\n' >julia
chmod +x julia
expect 0 "$concilio" run --mpi "$mpi" ./julia script.jl
says err './julia looks MPI.s functions up in the MPI library itself'
finish
