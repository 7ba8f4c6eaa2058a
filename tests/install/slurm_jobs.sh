#!/bin/bash
# slurm_jobs.sh VERSION: what a user does on a cluster with Slurm, in the home that slurm.sh has filled: installs the wheel,
# and runs programs of each MPI there in all the ways that there are.
set -u
version=$1
failed=0
fail() { echo "FAILED: $*"; cat said; failed=1; }
says() { grep -q -e "$1" said || fail "$what: it does not say '$1'"; }
# Slurm is there when both nodes have told it of themselves.
for _ in {1..300}; do
  if [ "$(sinfo --noheader --states idle --format %D 2> /dev/null)" = 2 ]; then break; fi
  sleep 0.2
done
bash install.sh || exit 1
export PATH=$HOME/concilio/bin:$PATH

# here COMMAND...: what a user types. job OPTIONS... [SCRIPT ARGUMENTS...]: what a user submits.
here() {
  what=$*
  rm -f data said
  timeout 90 "$@" > said 2>&1 < /dev/null
  status=$?
}
job() {
  what="sbatch $*"
  rm -f data said
  timeout 90 sbatch --quiet --wait --output said "$@" < /dev/null
  status=$?
}
# took_over RANKS: the program ran once, under Concilio, and the summary is of all its ranks.
took_over() {
  [ "$status" = 0 ] || fail "$what: status $status"
  [ "$(grep -c "^$version abc$" said)" = 1 ] || fail "$what: Concilio did not take over, or not once"
  says "/data: $1 collective writes, $1 collective reads by $1 rank"
  echo "tried: $what"
}

# cancelled SCANCEL_OPTIONS SBATCH_OPTIONS...: this job is cancelled while rank 0 waits for rank 1.
cancelled() {
  local options=$1 id
  shift
  what="scancel $options of sbatch $*"
  rm -f data said
  id=$(sbatch --parsable --ntasks 2 --output said "$@")
  for _ in {1..100}; do
    if grep -q 'live in' said 2> /dev/null; then break; fi
    sleep 0.2
  done
  sleep 1
  # shellcheck disable=SC2086  # these are several words
  scancel $options "$id"
  for _ in {1..100}; do
    if [ -z "$(squeue --noheader --job "$id" 2> /dev/null)" ]; then break; fi
    sleep 0.2
  done
  says 'the program ended before it closed 1 file'
  says 'rank 1 in no call; rank 0 in a collective write for'
  echo "tried: $what"
}

# tries MPI PMI NODES
tries() {
  local mpi=$1 pmi=$2 nodes=$3 size
  local program=./program-$mpi
  [ -e "$program" ] || return
  size=(--nodes "$nodes" --ntasks 4)
  here concilio run --summary srun "--mpi=$pmi" "${size[@]}" "$program" data
  took_over 4
  here srun "--mpi=$pmi" "${size[@]}" concilio run --summary "$program" data
  took_over 4
  job "${size[@]}" --ntasks-per-node $((4 / nodes)) slurm.sh "--mpi=$pmi" "$program" data
  took_over 4
  grep -q '<html' concilio-*.html || fail "$what: no page"
  rm -f concilio-*.html
  job "${size[@]}" --wrap "concilio run --summary mpirun.$mpi $program data"
  took_over 4
  job "${size[@]}" --wrap "mpirun.$mpi concilio run --summary $program data"
  took_over 4
  # A script does not tell its MPI.
  printf '#!/bin/bash\nexec %s data\n' "$program" > script
  chmod +x script
  here concilio run --summary --mpi "$mpi" srun "--mpi=$pmi" "${size[@]}" ./script
  took_over 4
  # The node with the ranks has another /tmp than the one with `concilio run`.
  here concilio run --summary srun "--mpi=$pmi" --nodelist node2 --ntasks 2 "$program" data
  says 'set TMPDIR to a folder that all nodes share'
  here env TMPDIR="$HOME" concilio run --summary srun "--mpi=$pmi" --nodelist node2 --ntasks 2 "$program" data
  took_over 2

  cancelled "" --wrap "concilio run --summary srun --mpi=$pmi ./ends-$mpi data hang"
  # What Slurm does some time before the end with --signal=B:TERM@60.
  cancelled "--signal TERM --batch" --nodes 1 --ntasks-per-node 2 slurm.sh "--mpi=$pmi" "./ends-$mpi" data hang
}
tries openmpi pmix 2
# Debian's MPICH hangs now and then in MPI_Finalize on several nodes, with and without Concilio.
tries mpich pmi2 1

# An MPI to which srun does not tell of the other tasks.
if [ -e program-mpich ]; then
  here concilio run --summary srun --mpi=none --ntasks 2 ./program-mpich data
  says 'srun started 2 tasks, and MPI made each of them a program of its own'
fi
if [ -e program-openmpi ]; then
  here concilio run --summary srun --mpi=none --ntasks 2 ./program-openmpi data
  says 'if MPI did not begin, what ended the program with status 1 is above'
fi
exit $failed
