# shellcheck shell=bash
# The packages that Concilio needs, in one place. ./check and ./quickstart read this file (bash, with `source`).
#
# A line says what needs the package (build, mpich, test, h5py; programs: the tests of real programs; browser: those of
# pages; long: those of `./check --long`; figures: drawing results, by `concilio study`), its name in Debian, and how to tell that it is installed: by a command, a header
# (header:NAME), a module of pkg-config (pkg-config:NAME), a file (file:GLOB) or a Python module of /usr/bin/python3
# (python:NAME).
concilio_packages="
build  g++                  g++
build  cmake                cmake
build  ninja-build          ninja
build  libfmt-dev           header:fmt/core.h
build  nlohmann-json3-dev   header:nlohmann/json.hpp
build  libcli11-dev         header:CLI/CLI.hpp
build  liburing-dev         header:liburing.h
build  node-d3-axis         file:/usr/share/nodejs/d3-axis/dist/d3-axis.min.js
build  node-d3-brush        file:/usr/share/nodejs/d3-brush/dist/d3-brush.min.js
build  node-d3-scale        file:/usr/share/nodejs/d3-scale/dist/d3-scale.min.js
build  libopenmpi-dev       mpicc.openmpi
build  openmpi-bin          mpirun.openmpi
mpich  libmpich-dev         mpicc.mpich
mpich  mpich                mpiexec.mpich
test   libgtest-dev         header:gtest/gtest.h
test   libgmock-dev         header:gmock/gmock.h
test   libsimgrid-dev       smpicc
test   python3              /usr/bin/python3
test   python3-venv         python:ensurepip
test   pkg-config           pkg-config
test   gdb                  gdb
test   valgrind             valgrind
test   gfortran             gfortran
test   iproute2             ip
test   clang-format         clang-format
test   clang-tidy           clang-tidy
test   shellcheck           shellcheck
test   lmod                 file:/usr/share/lmod/lmod/init/bash
test   doxygen              doxygen
browser chromium            chromium
long   mmdebstrap           mmdebstrap
test   python3-matplotlib   python:matplotlib
h5py   python3              /usr/bin/python3
h5py   python3-h5py-mpi     python:h5py._debian_h5py_mpi
programs python3-h5py-mpi   python:h5py._debian_h5py_mpi
programs libhdf5-openmpi-dev pkg-config:hdf5-openmpi
programs libhdf5-mpich-dev  pkg-config:hdf5-mpich
programs libpugixml-dev     header:pugixml.hpp
programs libnetcdf-mpi-dev  pkg-config:netcdf-mpi
programs libpnetcdf-dev     pkg-config:pnetcdf
programs hdf5-tools         h5diff
programs netcdf-bin         ncdump
programs python3-mpi4py     python:mpi4py.MPI
programs python3-numpy      python:numpy
programs python3-petsc4py   file:/usr/lib/petscdir/*/*-real/lib/python3/dist-packages/petsc4py
programs python3-pip        python:pip
programs cp2k               cp2k.psmp
programs code-saturne-bin   /usr/lib/code_saturne/cs_solver
figures python3-matplotlib  python:matplotlib
"

say() { printf '\n== %s\n' "$*"; }

is_there() {
  case $1 in
    header:*) printf '#include <%s>\n' "${1#header:}" | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ;;
    pkg-config:*) pkg-config --exists "${1#pkg-config:}" 2>/dev/null ;;
    file:*) compgen -G "${1#file:}" >/dev/null ;;
    # The module is only looked for, as importing it would start MPI.
    python:*)
      /usr/bin/python3 -c '
import importlib.machinery, os, sys
folder, _, name = sys.argv[1].rpartition(".")
paths = [os.path.join(p, *folder.split(".")) for p in sys.path] if folder else sys.path
sys.exit(importlib.machinery.PathFinder.find_spec(name, paths) is None)' "${1#python:}" 2>/dev/null ;;
    # Tools for the administrator lie in folders that many users do not have in PATH.
    *) PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ;;
  esac
}

# missing_packages NEED...: prints the packages for these needs that are not installed.
missing_packages() {
  local need package probe wanted
  while read -r need package probe; do
    for wanted in "$@"; do
      if [ "$need" = "$wanted" ] && ! is_there "$probe"; then echo "$package"; fi
    done
  done <<< "$concilio_packages" | sort -u
}

# install_missing NEED...: installs what is missing, if that is possible. Otherwise names it and ends with status 2.
install_missing() {
  local missing as_root
  missing=$(missing_packages "$@" | tr '\n' ' ')
  if [ -z "$missing" ]; then
    echo "Nothing is missing."
    return
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=""
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    as_root=none
  fi
  if ! command -v apt-get >/dev/null || [ "$as_root" = none ]; then
    echo "These packages are missing (Debian's names): $missing" >&2
    if command -v apt-get >/dev/null; then
      echo "Without root they cannot be installed here. Ask for: apt-get install $missing" >&2
    else
      echo "Install what your system calls them, then run this again." >&2
    fi
    exit 2
  fi
  echo "Installing: $missing"
  local install="env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
  # The first attempt uses the lists of packages that apt has. They are updated only if it fails.
  # shellcheck disable=SC2086
  if ! $as_root $install $missing >/dev/null 2>&1; then
    $as_root apt-get update -qq >/dev/null || true
    if ! $as_root $install $missing >/dev/null; then
      echo "apt-get could not install: $missing" >&2
      exit 2
    fi
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  if [ -n "$missing" ]; then
    echo "Still missing after installation: $missing" >&2
    exit 2
  fi
}

# Prints how many compilers to run at a time: one for each core, but no more than there are GiB of memory.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}
