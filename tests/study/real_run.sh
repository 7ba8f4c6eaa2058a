#!/bin/bash
# concilio study measures with the real `concilio bench`, as little as possible. Arguments: CONCILIO ROOT MPI.
concilio=$1 root=$2 mpi=$3
. "$root/tests/tools/common.sh"
unset CONCILIO_PYTHON CONCILIO_PYTHONDIR CONCILIO_THROTTLE CONCILIO_PROFILE
/usr/bin/python3 -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("matplotlib"))' || exit 77

expect 0 "$concilio" study --quick --smallest --only ior --storage real nvm -n 2 --mpi "$mpi" --dir "$scratch"
says_not out 'cases failed'
says out 'Report: '
[ "$(grep -c '<svg' concilio-study/report.html)" = 2 ] || fail 'not a figure for each storage'
grep -q 'modelled storage: nvm' concilio-study/report.html || fail 'the report does not say what was modelled'
for series in auto POSIX 'MPI independent' 'MPI collective' "the MPI's own, collective"; do
  grep -q "\"series\": \"$series\"" concilio-study/study.json || fail "nothing was measured of $series"
done
left=$(ls -d concilio-study-* 2>/dev/null)
[ -z "$left" ] || fail "left behind: $left"
finish
