#!/bin/bash
# concilio run chooses the library that the program's own MPI needs, and says what is missing. The stand-ins for the
# libraries print their names. Arguments: CONCILIO PARTS MPI=LAUNCHER...
concilio=$1 parts=$2
shift 2
. "$(dirname "$0")/../common.sh"
declare -A launchers
for pair in "$@"; do launchers[${pair%%=*}]=${pair#*=}; done
export CONCILIO_LIBDIR=$parts

for mpi in "${!launchers[@]}"; do
  start=("${launchers[$mpi]}" -n 1)
  program=$parts/program_of_$mpi
  expect 0 "$concilio" run "${start[@]}" "$program"
  says err "stand-in $mpi loaded into program_of_$mpi"
  expect 0 "$concilio" run "$program"
  says err "stand-in $mpi loaded into program_of_$mpi"
  # A script does not tell its MPI, but its launcher does. A launcher of MPICH does not tell that the standard's ABI is
  # needed.
  if [ "$mpi" != mpiabi ]; then
    printf '#!/bin/sh\nexec "%s"\n' "$program" > script.sh
    chmod +x script.sh
    expect 0 "$concilio" run "${start[@]}" ./script.sh
    says err "stand-in $mpi loaded into program_of_$mpi"
  fi
  expect 0 "$concilio" version
  says out "^$mpi (.*): $parts/libconcilio-$mpi.so"

  # Only the library of another MPI is there.
  for other in "${!launchers[@]}"; do
    [ "$other" = "$mpi" ] && continue
    mkdir -p "only-$other"
    ln -sf "$parts/libconcilio-$other.so" "only-$other/"
    CONCILIO_LIBDIR=$scratch/only-$other expect 2 "$concilio" run "${start[@]}" "$program"
    says err "program_of_$mpi: Concilio has no library for "
    says err "only for $other ("
    says err "CONCILIO_MPIS=\"auto;$mpi:.*/mpicc"
  done
done

# Python programs. The interpreter tells where its modules are, as a real one does.
python=$(PATH=/usr/bin:$PATH command -v python3)
[ -n "$python" ] || { echo 'skipped in part: no python3'; finish; }
suffix=$("$python" -c 'from importlib.machinery import EXTENSION_SUFFIXES; print(EXTENSION_SUFFIXES[0])')
echo 'print("ran")' > script.py
printf '#!/usr/bin/env -S PATH=%s python3\nprint("ran")\n' "$(dirname "$python")" > script_env.py
printf '#!%s -u\nprint("ran")\n' "$python" > script_direct.py
chmod +x script_env.py script_direct.py
for mpi in "${!launchers[@]}"; do
  modules=$scratch/modules-$mpi
  mkdir -p "$modules/mpi4py" "$modules/netCDF4"
  touch "$modules/mpi4py/__init__.py" "$modules/netCDF4/__init__.py"
  # Any library that is linked with the MPI can stand in for an extension, since it is only inspected.
  cp "$parts/libconcilio-$mpi.so" "$modules/mpi4py/MPI$suffix"
  for command in "$python script.py" "$python -u -m script" "$python -Wdefault -c pass" ./script_direct.py ./script_env.py \
    "${launchers[$mpi]} -n 1 $python -u script.py" "env A=b $python script.py"; do
    read -r -a words <<< "$command"
    PYTHONPATH=$modules expect 0 "$concilio" run "${words[@]}"
    says err "stand-in $mpi loaded into"
  done
  # mpi4py's wheels have one extension for each MPI.
  mv "$modules/mpi4py/MPI$suffix" "$modules/mpi4py/MPI.this$suffix"
  printf 'def _get_mpiabi():\n    import os\n    return os.environ.get("MPI4PY_MPIABI") or "this"\n' \
    > "$modules/mpi4py/_mpiabi.py"
  PYTHONPATH=$modules expect 0 "$concilio" run "$python" script.py
  says err "stand-in $mpi loaded into"
  for other in "${!launchers[@]}"; do
    cp "$parts/libconcilio-$other.so" "$modules/mpi4py/MPI.other$suffix"
    MPI4PY_MPIABI=other PYTHONPATH=$modules expect 0 "$concilio" run "$python" script.py
    says err "stand-in $other loaded into"
    CONCILIO_LIBDIR=$scratch/only-$other
    if [ -e "$CONCILIO_LIBDIR" ] && [ "$other" != "$mpi" ]; then
      PYTHONPATH=$modules expect 2 "$concilio" run "$python" script.py
      says err "python.*, through .*/mpi4py/MPI.this$suffix: Concilio has no library for"
    fi
    CONCILIO_LIBDIR=$parts
  done
  # Without mpi4py, other modules that are linked with MPI are used.
  rm -r "$modules/mpi4py"
  cp "$parts/libconcilio-$mpi.so" "$modules/netCDF4/_netCDF4$suffix"
  PYTHONPATH=$modules expect 0 "$concilio" run "$python" -S script.py
  says err "stand-in $mpi loaded into"
done
finish
