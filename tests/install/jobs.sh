#!/bin/bash
# jobs.sh PREFIX LAUNCHER PROGRAM FOLDER: the job scripts of the installation run PROGRAM, a program of this launcher's
# MPI, as Slurm, PBS and LSF would start them. No such system is here: their variables and srun are stand-ins.
set -u
prefix=$1 launcher=$2 program=$3 folder=$4
jobs=$prefix/share/doc/concilio/examples/jobs
failed=0
mkdir -p "$folder/stand-ins" && cd "$folder" || exit 1
fail() { echo "FAILED: $*"; cat said; failed=1; }
more=""
if "$launcher" --version | grep -q 'Open MPI\|OpenRTE'; then more=--oversubscribe; fi
# mpirun is this launcher. srun starts as many ranks as Slurm's variables say; what follows it is the program.
printf '#!/bin/bash\nexec "%s" %s "$@"\n' "$launcher" "$more" > stand-ins/mpirun
cat > stand-ins/srun <<END
#!/bin/bash
while [[ \${1:-} == --* ]]; do
  if [[ \$1 == --export=ALL,* ]]; then IFS=, read -ra settings <<< "\${1#--export=ALL,}"; fi
  shift
done
for setting in "\${settings[@]}"; do if [[ \$setting == *=* ]]; then export "\${setting?}"; fi; done
exec "$launcher" $more -n 2 "\$@"
END
chmod +x stand-ins/*
ln -sfn "$prefix" concilio # where the scripts look for it, below HOME

# job SCRIPT NUMBER COMMAND...
job() {
  local script=$1 number=$2
  shift 2
  PATH=$folder/stand-ins:$PATH HOME=$folder timeout 60 "$@" > said 2>&1 < /dev/null || { fail "$script"; return; }
  grep -q '^[0-9][0-9.]* abc$' said || fail "$script: Concilio did not take over"
  grep -q '^concilio: ' said || fail "$script: no summary"
  grep -q '<html' "concilio-$number.html" || fail "$script: no page"
}
job slurm.sh 17 env SLURM_JOB_ID=17 "$jobs/slurm.sh" "$program" data
printf '%s\n' "$(uname -n)" "$(uname -n)" > hosts
job pbs.sh 18 env PBS_JOBID=18.server PBS_O_WORKDIR="$folder" PBS_NODEFILE="$folder/hosts" PROGRAM="$program data" "$jobs/pbs.sh"
job lsf.sh 19 env LSB_JOBID=19 LSB_DJOB_NUMPROC=2 PROGRAM="$program data" bash -c "bash < '$jobs/lsf.sh'"
exit $failed
