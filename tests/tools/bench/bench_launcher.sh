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

# Of MPICH's launchers, the one that fits is of the very version that the benchmark program loads: MPICH 4 and 5 have the
# same interface. Here that is a stand-in for PyPI's MPICH 4.
if command -v cc > /dev/null; then
  mkdir -p prefix/lib/concilio
  mv prefix/bin/mpirun mpirun-of-openmpi
  cp /bin/true prefix/libexec/concilio/concilio-bench-mpich5
  printf '%s\n' '#include <string.h>' 'int MPI_Get_library_version(char* text, int* length) {' \
    '  strcpy(text, "MPICH Version: 4.3.2"); *length = strlen(text); return 0; }' > mpi.c
  cc -shared -fPIC -Wl,-soname,libmpi.so.12 -o prefix/lib/libmpi.so.12 mpi.c
  # shellcheck disable=SC2016  # the dynamic loader knows what $ORIGIN is
  echo 'const char* built_for(void) { return "concilio-built-for: mpich 5.0.2"; }' |
    cc -shared -fPIC -x c -o prefix/lib/concilio/libconcilio-mpich5.so - -x none -Wl,--no-as-needed \
      prefix/lib/libmpi.so.12 '-Wl,-rpath,$ORIGIN/..'
  for version in 4.3.2 5.0.2; do
    sed "s/mpirun (Open MPI) 5.0.3/HYDRA build details: Version: $version/" mpirun-of-openmpi > prefix/bin/mpirun
    chmod +x prefix/bin/mpirun
    rm -f started
    timeout 60 "${run[@]}" --mpi mpich5 > out 2> err
    if [ $version = 4.3.2 ]; then [ -e started ]; else [ ! -e started ]; fi ||
      fail "mpich5 with an mpirun of MPICH $version: $(cat err)"
  done
  mv mpirun-of-openmpi prefix/bin/mpirun
  rm -f started
fi

# The same in PATH, for an MPI that Concilio was not built with. The library of the build may have its launcher.
mkdir path
mv prefix/bin/mpirun path
if ! "${run[@]}" --mpi openmpi5 > out 2> err && grep -q 'found no mpirun' err; then
  PATH=$scratch/path:$PATH expect 9 "${run[@]}" --mpi openmpi5
  grep -q concilio-bench-openmpi5 started || fail 'the mpirun of PATH was not started'
fi
finish
