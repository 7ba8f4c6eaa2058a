#!/bin/bash
# bench/at_scale/on_hosts: its table of lines that are known, and a few calls simulated and measured. Arguments: CONCILIO ROOT.
concilio=$1
on_hosts=$2/bench/at_scale/on_hosts
. "$(dirname "$0")/common.sh"
unset CONCILIO_THROTTLE CONCILIO_NODE_MEMORY CONCILIO_METHOD
grep -q '^<!-- simulated-times: written by bench/at_scale/on_hosts -->' "$2/docs/simulation.md" || fail 'docs/simulation.md has no place'
expect 2 "$on_hosts" 100mbit-tape
says err 'no case 100mbit-tape; there are 100mbit-lustre, '
expect 2 "$on_hosts" --quick --output made.csv
says err 'quick: give other files, by --output and --markdown'
expect 1 "$on_hosts" --report-only --output none.csv --markdown page.md
says err 'nothing is kept in none.csv'
# Two ways that are less than 20 % apart, one pair in order, and one that is not.
cat >known.csv <<'END_OF_LINES'
network,storage,pattern,method,hints,call,simulated_ms,measured_ms,fastest_ms,slowest_ms
slow,disk,btio,list,,write,110,100,90,120
slow,disk,btio,sieve,,write,105,110,100,120
slow,disk,btio,two_phase,,write,50,40,30,60
slow,disk,btio,list,,read,100,200,190,210
slow,disk,btio,two_phase,,read,120,100,90,110
END_OF_LINES
echo 'no place' >page.md
expect 1 "$on_hosts" --report-only --output known.csv --markdown page.md
says err 'page.md has no place for simulated-times'
printf '<!-- simulated-times: written by bench/at_scale/on_hosts -->\nold\n<!-- simulated-times: end -->\n' >page.md
expect 0 "$on_hosts" --report-only --output known.csv --markdown page.md
says_not page.md '^old$'
says page.md '^| slow | disk | list | 2 | 30% | -20% | -50% (read of btio) |$'
says page.md '^| slow | disk | two_phase | 2 | 22% | +22% | +25% (write of btio) |$'
says page.md '^| all |  |  | 5 | 20% | +10% | -50% (read of btio) |$'
says page.md '^Of 3 pairs of ways that differ by more than 20% when measured, 2 come in the same order when simulated.$'
[ $failures = 0 ] || finish
timeout 150 "$on_hosts" --quick 400mbit-lustre --concilio "$concilio" --output made.csv --markdown page.md >out 2>err
status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "exit status $status"
says err '^400 Mbit/s, lustre: probed [1-9]'
says page.md '^| 400 Mbit/s | lustre | two_phase | 2 | '
/usr/bin/python3 - <<'END_OF_CHECK' || fail 'lines are missing or wrong'
import csv
lines = list(csv.DictReader(open("made.csv")))
ways = [(method, call) for method in ("two_phase", "list") for call in ("write", "read")]
assert [(one["method"], one["call"]) for one in lines] == ways, lines
# Two of the six stripes lie on one target, which takes 53 ms for them.
assert all(float(one[name]) > 50 for one in lines for name in ("simulated_ms", "measured_ms")), lines
END_OF_CHECK
finish
