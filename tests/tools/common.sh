# shellcheck shell=bash
# Shared by the scripts that test the command line.
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# What a single host needs. Open MPI takes longer to look at everything else than most tests take.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
# Open MPI's launcher waits two seconds for what it has told to end. Tests whose ranks then still do something unset this.
export OMPI_MCA_odls_base_sigkill_timeout=0
unset LD_PRELOAD ROMIO_HINTS CONCILIO_HINTS CONCILIO_REPORT CONCILIO_ONLY CONCILIO_MPIRUN
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  echo "--- stdout"; cat "$scratch/out"
  echo "--- stderr"; cat "$scratch/err"
  failures=$((failures + 1))
}
# expect STATUS COMMAND...: runs the command, which must end with that status. Its output is in out and err.
expect() {
  local wanted=$1 status
  shift
  timeout 150 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  [ "$status" = "$wanted" ] || fail "'$*' gave exit status $status, not $wanted"
}
# Before a command that a launcher starts and that may end at once: lets the rank last until the launcher has started all.
# MPICH's ends by SIGPIPE (141) if it still has something to say to ranks that are gone.
# shellcheck disable=SC2016,SC2034  # The rank's shell expands it; the script that sources this one uses it.
lasting=(sh -c '"$0" "$@"; status=$?; sleep 0.5; exit $status')
# begin COMMAND...: runs the command in the background as $child, with its output in out and err. They are emptied before
# it begins: the shell that runs it does so later, and until then what the last command wrote could be taken for its own.
begin() {
  : >"$scratch/out"
  : >"$scratch/err"
  "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
  # shellcheck disable=SC2034  # The script that sources this one ends it.
  child=$!
}
# await SECONDS FILE TEXT: waits until out or err says the text.
await() {
  local end=$((SECONDS + $1))
  until grep -qe "$3" "$scratch/$2"; do
    [ $SECONDS -lt $end ] || { fail "after $1 s, $2 does not say '$3'"; return; }
    sleep 0.05
  done
}
# Lets ranks rest that wait, if a test does not measure their speed: see tests/harness/resting.c.
let_ranks_rest() {
  local resting
  # shellcheck disable=SC2154  # The script that sources this one sets `concilio`.
  resting=$(dirname "$concilio")/../tests/libresting.so
  [ ! -e "$resting" ] || LD_PRELOAD=$(realpath "$resting")
  export LD_PRELOAD
}
# leaves_only NAME...: the scratch folder must contain only out, err and these.
leaves_only() {
  local left
  left=$(find . -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vxF -e out -e err "${@/#/--regexp=}")
  [ -z "$left" ] || fail "left behind: $left"
}
says() { grep -qe "$2" "$scratch/$1" || fail "$1 does not say '$2'"; }
says_not() { ! grep -qe "$2" "$scratch/$1" || fail "$1 says '$2'"; }
finish() {
  [ "$failures" = 0 ] && echo "all as expected"
  exit "$((failures > 0))"
}
