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

# Programs of an MPI that only says its name, in places that real ones may have.
if [ -n "${launchers[openmpi]-}" ] && [ -n "${launchers[openmpi5]-}" ] && command -v cc >/dev/null; then
  printf '%s\n' '#include <string.h>' 'int MPI_Get_library_version(char* text, int* length) {' \
    '  strcpy(text, SAYS); *length = strlen(text); return 0; }' >library.c
  printf '%s\n' 'int MPI_Get_library_version(char*, int*);' \
    'int main(int count, char** words) { return count > 100 ? MPI_Get_library_version(words[0], &count) : 0; }' >program.c
  # says_name FOLDER TEXT OPTION...: FOLDER/program, and beside it its MPI library NAME, whose version is TEXT.
  says_name() {
    local folder=$1 text=$2 name=${NAME:-libmpi.so.40}
    shift 2
    mkdir -p "$folder"
    cc -shared -fPIC -DSAYS="\"$text\"" "-Wl,-soname,$name" -o "$folder/$name" library.c
    # shellcheck disable=SC2016  # The dynamic loader knows what $ORIGIN is.
    cc "$@" -o "$folder/program" program.c "$folder/$name" '-Wl,-rpath,$ORIGIN'
  }
  # Reached by a link. The loader looks where the file itself is.
  says_name real 'Open MPI v5.0.11'
  ln -s real/program link
  expect 0 "$concilio" run ./link
  says err 'stand-in openmpi5 loaded into'
  # If the library does not tell its version, the launcher does.
  says_name nameless 'a library'
  for mpi in openmpi openmpi5; do
    expect 0 "$concilio" run "${launchers[$mpi]}" -n 1 nameless/program
    says err "stand-in $mpi loaded into"
  done
  expect 2 "$concilio" run nameless/program
  says err 'choose one by --mpi openmpi or --mpi openmpi5'
  # A library for MPICH under another name is none for this program, also where the loader does not find that MPICH.
  NAME=libmpi.so.12 says_name mpich4 'MPICH Version: 4.3.2'
  NAME=libmpich.so.12-elsewhere says_name elsewhere 'MPICH Version: 4.0.2'
  # serves FLAVOUR VERSION LIBRARY: mpich/libconcilio-FLAVOUR.so, which is built for this MPICH and linked with LIBRARY.
  serves() {
    mkdir -p mpich
    echo "const char* built_for(void) { return \"concilio-built-for: mpich $2\"; }" |
      cc -shared -fPIC -x c -o "mpich/libconcilio-$1.so" - -x none -Wl,--no-as-needed "$3"
  }
  serves mpich 4.0.2 elsewhere/libmpich.so.12-elsewhere
  CONCILIO_LIBDIR=$scratch/mpich expect 2 "$concilio" run mpich4/program
  says err 'no library for MPICH 4.3.2 .*, only for mpich (MPICH 4.0.2); build it with .*"auto;mpich5:'
  serves mpich5 5.0.2 mpich4/libmpi.so.12
  CONCILIO_LIBDIR=$scratch/mpich expect 0 "$concilio" run mpich4/program
  # The loader may not find the program's own MPI, where the launcher alone says where it lies.
  mkdir kept path
  mv mpich4/libmpi.so.12 kept
  # shellcheck disable=SC2016  # the launcher's own words
  printf '%s\n' '#!/bin/sh' 'if [ "$1" = --version ]; then echo "HYDRA build details: Version: 5.0.2"; exit; fi' \
    "[ \"\$1\" = -genv ] && LD_LIBRARY_PATH=$scratch/kept LD_PRELOAD=\$3 exec \"\$6\"" > path/mpirun
  chmod +x path/mpirun
  PATH=$scratch/path:$PATH CONCILIO_LIBDIR=$scratch/mpich expect 0 "$concilio" run mpirun -n 1 mpich4/program
  # Such a name cannot be preloaded.
  says_name 'with space' 'Open MPI v5.0.11'
  expect 2 "$concilio" run 'with space/program'
  says err "the program's MPI library .*with space/libmpi.so.40 cannot be preloaded"
  # gcc's AddressSanitizer ends programs where it is not the first library.
  if says_name checked 'Open MPI v5.0.11' -fsanitize=address 2>/dev/null && checked/program 2>/dev/null; then
    ASAN_OPTIONS=detect_leaks=0 expect 0 "$concilio" run checked/program
    says err 'stand-in openmpi5 loaded into'
  fi
fi

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
