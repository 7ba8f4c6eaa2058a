#!/bin/bash
# What can go wrong for a user of concilio run. Each mishap has one message that names cause and cure, and an exit status.
# Arguments: CONCILIO MPI LAUNCHER PARTS [OTHER_MPI OTHER_LAUNCHER].
concilio=$1 mpi=$2 launcher=$3 parts=$4 other_mpi=${5:-} other_launcher=${6:-}
. "$(dirname "$0")/../common.sh"
unset OMPI_MCA_odls_base_sigkill_timeout # the ranks that are ended write what they know
let_ranks_rest
unset TMPDIR
start=("$launcher" -n 2)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 2)
writes=$parts/writes_file_$mpi no_file=$parts/program_of_$mpi without_mpi=$parts/program_without_mpi ends=$parts/ends_early_$mpi
data=$scratch/data
mishaps=0

# mishap STATUS CAUSE CURE [VARIABLE=VALUE...] ARGUMENTS...: `concilio ARGUMENTS` ends with the status, and one line of what it
# and the library say has the cause (a regular expression) and behind it the cure, or is followed by it.
mishap() {
  local status=$1 cause=$2 cure=$3 environment=()
  shift 3
  while [[ $1 == *=* && $1 != -* ]]; do environment+=("$1"); shift; done
  expect "$status" env "${environment[@]}" "$concilio" "$@"
  [ "$(grep -ce "$cause" err)" = 1 ] || fail "not one message says '$cause'"
  grep -e "$cause" -A 1 err | tr '\n' ' ' | grep -qe "$cause.*$cure" || fail "what says '$cause' does not go on with '$cure'"
  mishaps=$((mishaps + 1))
}
run=(run --summary)

# The command line.
mishap 2 'no program is given' 'concilio run .OPTIONS. mpirun -n 4' run
mishap 2 'run: unknown option --sumary' 'did you mean --summary? see concilio run --help' run --sumary "${start[@]}" "$writes" "$data"
mishap 2 '--hint cb_nodes=abc: hint cb_nodes: .abc.' 'concilio hints' "${run[@]}" --hint cb_nodes=abc "${start[@]}" "$writes" "$data"
mishap 2 '--hint cb_nods=1: hint cb_nods is unknown' 'did you mean cb_nodes?' "${run[@]}" --hint cb_nods=1 "${start[@]}" "$writes" "$data"
mishap 2 '--memory-limit lots: ' 'such as 4096, 512K or 8MiB; give 4096 to' "${run[@]}" --memory-limit lots "${start[@]}" "$writes" "$data"
says_not err 'lists them all'
mishap 2 '--report /no/such/report.json: cannot write in /no/such' 'No such file or directory' "${run[@]}" --report /no/such/report.json "${start[@]}" "$writes" "$data"
mishap 2 '--html / is a folder' 'name a file' "${run[@]}" --html / "${start[@]}" "$writes" "$data"
mishap 0 'cannot write /dev/full' 'No space left on device' run --report /dev/full "${start[@]}" "$writes" "$data"
mishap 2 'there is no command reprot' 'did you mean report? see concilio --help' help reprot
mishap 2 'there is no command reprot' 'did you mean report? see concilio --help' reprot run.json
mishap 2 'report: unknown option --trce' 'did you mean --trace? see concilio report --help' report run.json --trce=t.json
mishap 2 'explain: pattern is required' 'see concilio explain --help' explain
mishap 2 'report: unexpected: more.json' 'see concilio report --help' report run.json more.json
printf '{"concilio": "1", "files": [' >damaged.json
mishap 2 'damaged.json: no report of concilio run' 'write one by concilio run --report' report damaged.json

# The program and its MPI.
mishap 127 'nosuchprogram: command not found' 'correct its name' "${run[@]}" ./nosuchprogram
mishap 2 'is not linked with MPI, so there is no MPI-IO to take over' 'name the MPI by --mpi' "${run[@]}" "${start[@]}" "$without_mpi"
printf '#!/bin/sh\nexec "%s" "%s"\n' "$writes" "$data" >script.sh
chmod +x script.sh
mishap 2 'script.sh .*, so its MPI is unknown' 'put mpirun before it' "${run[@]}" ./script.sh
mishap 2 '--compare starts the program several times' 'put concilio run before the launcher' \
  OMPI_COMM_WORLD_SIZE=1 PMI_SIZE=1 OMPI_COMM_WORLD_RANK=0 PMI_RANK=0 run --compare --mpi "$mpi" ./script.sh
if [ -n "$other_mpi" ]; then
  mishap 2 'starts programs of' 'use the launcher of .* (mpirun\.' "${run[@]}" "$other_launcher" -n 2 "$writes" "$data"
  mishap 2 "is linked with .*, so --mpi $other_mpi does not fit" "leave --mpi out, or name $mpi" "${run[@]}" --mpi "$other_mpi" "${start[@]}" "$writes" "$data"
fi

# A program that the dynamic loader was told to run cannot be started again without a library that does not fit.
loader=$(compgen -G '/lib64/ld-linux*.so.2' | head -n 1)
if [ -n "$other_mpi" ] && [ -n "$loader" ]; then
  unfit=$("$concilio" version | sed -n "s/^$other_mpi (.*): //p")
  expect 0 env LD_PRELOAD="$unfit" "$loader" "$no_file"
  says out 'program ran'
fi

# The environment.
mishap 0 'variable CONCILIO_LOGG is unknown and ignored' 'did you mean CONCILIO_LOG?' CONCILIO_LOGG=debug "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 0 'CONCILIO_LOG: .loud. is none of error|warning|info|debug' 'it is ignored' CONCILIO_LOG=loud "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 2 'cannot read the hints file /no/such/hints' 'correct the path, or unset ROMIO_HINTS' ROMIO_HINTS=/no/such/hints "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 2 'cannot make a temporary folder in /no/such' 'set TMPDIR' TMPDIR=/no/such "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 2 'libconcilio-.*so is not in ' 'or set CONCILIO_LIBDIR to the folder that holds it' CONCILIO_LIBDIR="$scratch" "${run[@]}" "${start[@]}" "$writes" "$data"

# Nothing to tell of.
mishap 0 'CONCILIO_DISABLE is set' 'unset it' CONCILIO_DISABLE=1 "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 0 "closed no file that --only (CONCILIO_ONLY) '\*.nc' matches" 'leave it out to take over all files' "${run[@]}" --only '*.nc' "${start[@]}" "$writes" "$data"
mishap 0 'closed no file that it had opened by MPI_File_open' 'in h5py, driver=.mpio. opens them' "${run[@]}" "${start[@]}" "$no_file"

printf '#!/bin/sh\nexit 3\n' >ends.sh
chmod +x ends.sh
mishap 3 'no rank was seen to load Concilio (if MPI did not begin, what ended the program with status 3 is above' \
  'start the program itself' "${run[@]}" --mpi "$mpi" ./ends.sh

# Who took Concilio away on the way to the program, or keeps it out.
# script NAME LINE...: makes an executable script of these lines.
script() {
  printf '%s\n' '#!/bin/sh' "${@:2}" >"$1"
  chmod +x "$1"
}
lost='no rank was seen to load Concilio (.*'
script unsets.sh '# with LD_PRELOAD' 'dirname /a/b >/dev/null' 'unset LD_PRELOAD' "exec '$writes' '$data'"
mishap 0 "$lost/unsets.sh removes LD_PRELOAD (line 4: unset LD_PRELOAD)" 'start the program itself' "${run[@]}" "${start[@]}" ./unsets.sh
script changes.sh 'LD_PRELOAD=/no/such.so' 'sh -c ./unsets.sh'
mishap 0 "$lost./changes.sh changes LD_PRELOAD (line 2: LD_PRELOAD=/no/such.so)" 'leave that out' "${run[@]}" "${start[@]}" ./changes.sh
mishap 0 "$lost"'.sh -c. removes LD_PRELOAD' 'leave that out' "${run[@]}" "${start[@]}" sh -c "unset LD_PRELOAD; '$writes' '$data'"
mishap 0 "$lost"'.env -u LD_PRELOAD. removes LD_PRELOAD' 'leave that option out' "${run[@]}" "${start[@]}" env -u LD_PRELOAD "$writes" "$data"
mishap 0 "$lost"'.env LD_PRELOAD=. changes LD_PRELOAD' 'leave that option out' "${run[@]}" "${start[@]}" env LD_PRELOAD= "$writes" "$data"
script empties.sh "exec env -i '$without_mpi' -u LD_PRELOAD"
mishap 0 "$lost"'.env -i. removes LD_PRELOAD' 'leave that option out' "${run[@]}" "${start[@]}" ./empties.sh
static=$(compgen -G '/sbin/ldconfig' | head -n 1)
if [ -n "$static" ] && ! LD_TRACE_LOADED_OBJECTS=1 "$static" -p | grep -q 'libc.so.* (0x'; then
  script static.sh "'$static' --version"
  mishap 0 "$lost$static is statically linked" 'link it dynamically' "${run[@]}" "${start[@]}" ./static.sh
  mishap 0 "$lost$static is statically linked" 'link it dynamically' "${run[@]}" "${start[@]}" env A=b "$static" --version
fi
if [ "$(id -u)" = 0 ]; then
  cp "$without_mpi" as_nobody
  chown nobody as_nobody
  chmod u+s as_nobody
  script setuid.sh 'exec ./as_nobody'
  mishap 0 "$lost/as_nobody is setuid" 'start a copy that is not' "${run[@]}" "${start[@]}" ./setuid.sh
fi
# A launcher takes it away from the ranks only where Concilio does not see its options.
if [[ $mpi == openmpi* ]]; then without=(-x LD_PRELOAD=) said='-x LD_PRELOAD='; else without=(-genv LD_PRELOAD "''") said='-genv LD_PRELOAD'; fi
script job.sh "exec ${start[*]:0:1} ${without[*]} ${start[*]:1} '$writes' '$data'"
mishap 0 "$lost.* $said"'. \(removes\|changes\) LD_PRELOAD' 'leave that option out' "${run[@]}" --mpi "$mpi" ./job.sh
[[ $mpi == openmpi* ]] || without=(-genv LD_PRELOAD "")
expect 0 "$concilio" "${run[@]}" "${start[@]:0:1}" "${without[@]}" "${start[@]:1}" "$writes" "$data"
says err 'collective write'
# Of what happens on other hosts nothing is known.
mkdir far
script far/mpirun "[ \"\$1\" != --version ] || exec '$launcher' --version"
mishap 0 "$lost"'no program on this host did; .* on other hosts, see --host far1,far2, .* share' 'set TMPDIR to a folder' \
  "${run[@]}" far/mpirun -n 2 --host far1,far2 "$writes" "$data"

# As under srun that cannot tell this MPI of the other tasks.
mishap 0 'srun started 2 tasks, and MPI made each of them a program of its own' 'srun --mpi=pmi2 for MPICH' \
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "${run[@]}" "$writes" "$data"

# Storage.
mishap 0 "data.missing: not opened by 2 ranks" 'MPI_File_open: .*data.missing.*No such file' "${run[@]}" "${start[@]}" "$ends" "$data" missing
mishap 0 'call.* failed; the first: MPI_File_write_at_all: .*data' 'No space left on device' CONCILIO_FAULT='write:*:ENOSPC' "${run[@]}" "${start[@]}" "$writes" "$data"
mishap 0 'data: not opened by 2 ranks' 'MPI_File_open: .*Permission denied' CONCILIO_FAULT='open:*:EACCES' "${run[@]}" "${start[@]}" "$writes" "$data"

# A program that ends early. What its ranks were doing is the cause.
early() {
  if timeout 60 "$concilio" run --summary "${start[@]}" "$ends" "$data" "$1" >out 2>err </dev/null; then
    fail "a program that ends early ($1) has status 0"
  fi
  says err 'the program ended before it closed 1 file; what was counted until then is here'
  says err 'not closed by 2 ranks'
  mishaps=$((mishaps + 1))
}
early kill
early abort
begin "$concilio" run --summary "${start[@]}" "$ends" "$data" hang
await 20 out 'live in'
sleep 2
kill -TERM "$child"
wait "$child"
status=$?
[ "$status" = 143 ] || fail "a program that SIGTERM ended gave $status, not 143"
says err 'rank 1 in no call; rank 0 in a collective write for'
mishaps=$((mishaps + 1))

# The other commands.
mishap 2 'bench: there is no pattern scropio' 'did you mean scorpio? .concilio bench --help. lists them' bench scropio --mpi "$mpi"
mishap 2 'bench: there is no pattern interleavd; did you mean interleaved?' 'concilio bench --help' bench interleavd:64 -n 2 --mpi "$mpi"
mishap 2 'probe: no folder is given' 'write: concilio probe DIR' probe
[ "$mishaps" -ge 20 ] || fail "only $mishaps mishaps"
finish
