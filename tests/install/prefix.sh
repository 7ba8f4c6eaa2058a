#!/bin/bash
# prefix.sh BUILD VERSION "MPI,..." "COMPILER,..." "LAUNCHER,...": what `cmake --install` installs must work on its
# own.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 version=$2
IFS=',' read -ra mpis <<< "$3"
IFS=',' read -ra compilers <<< "$4"
IFS=',' read -ra launchers <<< "$5"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
failed=0
# No settings of this machine, and nothing of the build, may have an effect.
unset CONCILIO_LIBDIR CONCILIO_LIBEXECDIR LD_PRELOAD LD_LIBRARY_PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fail() { echo "FAILED: $*"; failed=1; }
must() { "$@" > "$folder/output" 2>&1 || { fail "$*"; cat "$folder/output"; return 1; }; }

must cmake --install "$build" --prefix "$prefix" || exit 1
[ "$("$prefix/bin/concilio" version | head -n 1)" = "concilio $version" ] || fail "concilio version"
for page in concilio concilio-run concilio-bench concilio-probe concilio-explain concilio-study concilio-simulate \
  concilio-hints; do
  [ -n "$(find "$prefix" -name "$page.1")" ] || fail "no man page $page.1"
done

for page in concilio_version concilio_file_counter concilio_counter_name concilio_file_set_method; do
  [ -n "$(find "$prefix" -path "*/man3/$page.3")" ] || fail "no man page $page.3"
done

# `concilio study` must find its Python package.
must env -u CONCILIO_PYTHONDIR "$prefix/bin/concilio" study --numbers-only --list --only romio --storage real --dir "$folder" &&
  { grep -q 'bench block3d' "$folder/output" || fail "concilio study --list"; }

# `concilio simulate` must find its machines, and where SimGrid is there, its program.
must "$prefix/bin/concilio" simulate --list &&
  { grep -q "^cluster .*" "$folder/output" || fail "concilio simulate --list"; }
if [ -e "$build/libexec/concilio/concilio-bench-smpi" ]; then
  must "$prefix/bin/concilio" simulate contiguous --machine laptop -n 2 --mib-per-rank 0.01
fi

# Links of documents must lead to something that is installed, and the module file must load.
documents=$prefix/share/doc/concilio
must "$here/links.py" "$documents"
must "$here/module.sh" "$prefix" "$version"

# The headers must compile as every version of C and as C++, without MPI.
printf '#include <concilio/concilio.h>\nint main(void) { return concilio_version ? 1 : 0; }\n' > "$folder/header.c"
for standard in c99 c11 c++11 c++20; do
  must g++ -x "$(case $standard in c++*) echo c++ ;; *) echo c ;; esac)" -std=$standard -Wall -Wextra -pedantic -Werror \
    -I"$prefix/include" "$folder/header.c" -o "$folder/header"
done
# A program that uses the C interface must link and run without Concilio.
must "$folder/header"

cat > "$folder/scorpio.c" <<'END'
#include <scorpio.h>
#include <stdio.h>

int main(int argc, char** argv) {
  iogroup_conf_t conf = {0, 2, MPI_COMM_NULL};
  iogroup_t group;
  int rows = 2, row = 1, rank, file;
  double value, back = -1;
  MPI_Init(&argc, &argv);
  conf.commIncoming = MPI_COMM_WORLD;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = rank;
  if (scorpio_IOgroup_init(&conf, &group)) return 3;
  file = scorpio_open_file(argv[1], &group, SCORPIO_FILE_CREATE);
  if (file == FAILURE) return 4;
  if (scorpio_write_dataset(&value, SCORPIO_DOUBLE, 1, &rows, &row, file, "x", &group, SCORPIO_UNIFORM_CONTIGUOUS_WRITE)) return 5;
  if (scorpio_read_dataset(&back, SCORPIO_DOUBLE, 1, &rows, &row, file, "x", &group, SCORPIO_UNIFORM_CONTIGUOUS_READ)) return 6;
  if (scorpio_close_file(file, &group) || back != value || scorpio_IOgroup_cleanup(&group)) return 7;
  if (rank == 0) printf("scorpio abc\n");
  MPI_Finalize();
  return 0;
}
END

pkg_config() { PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name concilio.pc)") pkg-config "$@"; }
if command -v pkg-config > /dev/null; then
  [ "$(pkg_config --modversion concilio)" = "$version" ] || fail "pkg-config --modversion concilio"
  eval "set -- $(pkg_config --cflags concilio)"
  must gcc "$@" "$folder/header.c" -o "$folder/header-pc"
fi

for i in "${!mpis[@]}"; do
  mpi=${mpis[$i]} launch=("${launchers[$i]}" -n 2)
  if [[ $mpi == openmpi* ]]; then launch+=(--oversubscribe); fi
  says() {
    local expected=$1 what=$2
    shift 2
    local said
    said=$(timeout 60 "$@" "$folder/data" < /dev/null 2> "$folder/errors" | grep -E ' abc$')
    [ "$said" = "$expected abc" ] || { fail "$mpi, $what: expected \"$expected abc\", got \"$said\""; cat "$folder/errors"; }
  }
  must "${compilers[$i]}" -I"$prefix/include" "$here/program.c" -o "$folder/plain-$mpi" || continue
  says without "alone" "${launch[@]}" "$folder/plain-$mpi"
  says "$version" "concilio run" "$prefix/bin/concilio" run --summary -- "${launch[@]}" "$folder/plain-$mpi"
  grep -q "^concilio: " "$folder/errors" || fail "$mpi: concilio run --summary said nothing"
  must "$here/jobs.sh" "$prefix" "${launchers[$i]}" "$folder/plain-$mpi" "$folder/jobs-$mpi"
  # If the dynamic loader cannot preload a path, the command must say so, and how to avoid it.
  mkdir -p "$folder/a prefix" && ln -sfn "$(dirname "$(find "$prefix" -name "libconcilio-$mpi.so")")" "$folder/a prefix/lib"
  export CONCILIO_LIBDIR="$folder/a prefix/lib"
  if "$prefix/bin/concilio" run "${launch[@]}" "$folder/plain-$mpi" "$folder/data" > "$folder/output" 2>&1 ||
    ! grep -q "set CONCILIO_LIBDIR to a link" "$folder/output"; then
    fail "$mpi: a library with a space in its name"
    cat "$folder/output"
  fi
  unset CONCILIO_LIBDIR
  if command -v pkg-config > /dev/null; then
    eval "set -- $(pkg_config --cflags concilio)"
    must "${compilers[$i]}" "$documents/examples/statistics.c" "$@" -o "$folder/statistics-$mpi"
    eval "set -- $(pkg_config --cflags --libs "concilio-$mpi")"
    must "${compilers[$i]}" "$here/program.c" -o "$folder/linked-$mpi" "$@" &&
      says "$version" "linked by pkg-config" "${launch[@]}" "$folder/linked-$mpi"
  fi

  if command -v pkg-config > /dev/null && [ -n "$(find "$prefix" -name "concilio-scorpio-$mpi.pc")" ]; then
    eval "set -- $(pkg_config --cflags --libs "concilio-scorpio-$mpi")"
    must "${compilers[$i]}" -Wall -Wextra -Werror "$folder/scorpio.c" -o "$folder/scorpio-$mpi" "$@" &&
      says scorpio "SCORPIO, linked by pkg-config" "${launch[@]}" "$folder/scorpio-$mpi"
  fi

  # A build that looks for the original SCORPIO: by pkg-config, and by the names of its header and library.
  original=$(find "$prefix" -path "*/concilio/$mpi/scorpio" -type d)
  if [ -n "$original" ]; then
    if command -v pkg-config > /dev/null; then
      eval "set -- $(PKG_CONFIG_PATH=$original/lib/pkgconfig pkg-config --cflags --libs scorpio)"
      must "${compilers[$i]}" -Wall -Wextra -Werror "$folder/scorpio.c" -o "$folder/original-$mpi" "$@" &&
        says scorpio "SCORPIO, linked by the original's name" "${launch[@]}" "$folder/original-$mpi"
      hdf5=$(pkg-config --cflags "hdf5-$mpi")
      mkdir -p "$folder/find-$mpi"
      cat > "$folder/find-$mpi/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_library(SCORPIO_LIBRARY scorpio REQUIRED)
find_path(SCORPIO_INCLUDE_DIR scorpio.h REQUIRED)
add_executable(program ../scorpio.c)
target_include_directories(program PRIVATE \${SCORPIO_INCLUDE_DIR})
target_compile_options(program PRIVATE $hdf5)
target_link_libraries(program \${SCORPIO_LIBRARY})
END
      must cmake -S "$folder/find-$mpi" -B "$folder/find-$mpi/build" -DCMAKE_PREFIX_PATH="$original" \
        -DCMAKE_C_COMPILER="${compilers[$i]}" &&
        must cmake --build "$folder/find-$mpi/build" &&
        says scorpio "SCORPIO, found by CMake" "${launch[@]}" "$folder/find-$mpi/build/program"
    fi
    for name in lib/libparallelio.so include/parallelIO.h; do
      [ -e "$original/$name" ] || fail "$mpi: the older name $name is not there"
    done
  fi

  mkdir -p "$folder/cmake-$mpi"
  cat > "$folder/cmake-$mpi/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_package(Concilio $version REQUIRED)
if(NOT EXISTS "\${Concilio_COMMAND}" OR NOT "$mpi" IN_LIST Concilio_MPIS)
  message(FATAL_ERROR "command '\${Concilio_COMMAND}', MPIs '\${Concilio_MPIS}'")
endif()
add_executable(header ../header.c)
target_link_libraries(header Concilio::headers)
add_executable(program $here/program.c)
target_link_libraries(program Concilio::$mpi)
END
  must cmake -S "$folder/cmake-$mpi" -B "$folder/cmake-$mpi/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="${compilers[$i]}" &&
    must cmake --build "$folder/cmake-$mpi/build" &&
    must "$folder/cmake-$mpi/build/header" &&
    says "$version" "linked by CMake" "${launch[@]}" "$folder/cmake-$mpi/build/program"
done

# The Python package must find the library of its MPI beside it.
if [ -n "$(find "$prefix" -path "*/openmpi/libconcilio_scorpio.so")" ] &&
  /usr/bin/python3 -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("mpi4py") and u.find_spec("numpy")))'; then
  unset CONCILIO_SCORPIO_LIBRARY
  must env PYTHONPATH="$(dirname "$(find "$prefix" -path "*/python/concilio")")" /usr/bin/python3 -c "
from concilio import __version__, _scorpio_c
assert __version__ == '$version', __version__
assert _scorpio_c.library.path.startswith('$prefix/'), _scorpio_c.library.path"
fi
exit $failed
