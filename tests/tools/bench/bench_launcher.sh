#!/bin/bash
# concilio bench takes the launcher that lies beside the command, as in a virtual environment with an MPI of PyPI, if it
# is of the MPI that is measured. Argument: CONCILIO.
concilio=$1
. "$(dirname "$0")/../common.sh"
mkdir -p prefix/bin prefix/libexec/concilio
cp "$concilio" prefix/bin/concilio
for mpi in openmpi openmpi5; do
  cp /bin/true "prefix/libexec/concilio/concilio-bench-$mpi"
done
cat > prefix/bin/mpirun <<'END'
#!/bin/sh
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 5.0.3"; else echo "$@" > started; exit 9; fi
END
chmod +x prefix/bin/mpirun
run=(prefix/bin/concilio bench contiguous -n 2 --mib-per-rank 0.01 --repetitions 1)

expect 9 "${run[@]}" --mpi openmpi5
grep -q concilio-bench-openmpi5 started || fail 'the mpirun beside the command was not started'
rm started
# It is not of Open MPI 4, whose own launcher may be there or not.
timeout 60 "${run[@]}" --mpi openmpi > out 2> err
[ ! -e started ] || fail 'the mpirun of another MPI was started'

# The same in PATH, for an MPI that Concilio was not built with. The library of the build may have its launcher.
mkdir path
mv prefix/bin/mpirun path
if ! "${run[@]}" --mpi openmpi5 > out 2> err && grep -q 'found no mpirun' err; then
  PATH=$scratch/path:$PATH expect 9 "${run[@]}" --mpi openmpi5
  grep -q concilio-bench-openmpi5 started || fail 'the mpirun of PATH was not started'
fi
finish
