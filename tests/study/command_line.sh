#!/bin/bash
# concilio study: its options, its errors, and a run with a stand-in for bench and probe. Arguments: CONCILIO ROOT.
concilio=$1 root=$2
. "$root/tests/tools/common.sh"
unset CONCILIO_PYTHON CONCILIO_PYTHONDIR CONCILIO_THROTTLE CONCILIO_PROFILE
# Runs the package itself, with the stand-in in place of the command.
study() { CONCILIO_COMMAND=$root/tests/study/fake_concilio exec /usr/bin/python3 -B "$root/python/concilio/study" --numbers-only "$@"; }
export -f study
export root
faked() { expect "$1" bash -c 'study "$@"' study "${@:2}"; }

expect 0 "$concilio" study --help
for word in --quick --storage --dir --testpfs --only --mpi --output --resume --overwrite --numbers-only --list --report-only --markdown --alternations --case --json checkpoint romio regret contrast sieving scorpio comparisons; do
  says out "$word"
done
expect 2 "$concilio" study --no-such-option --numbers-only
expect 2 "$concilio" study --numbers-only --storage floppy
says err 'concilio: study: --storage floppy: there is real, hdd'
expect 2 "$concilio" study --numbers-only --storage lustre
says err 'how many OSTs'
expect 2 "$concilio" study --numbers-only --only nothing
says err 'there is device, checkpoint'
expect 2 "$concilio" study --numbers-only --only sieving --alternations 0
says err '--alternations: at least 1'
expect 2 "$concilio" study --numbers-only --only sieving --markdown "$scratch/none.md"
says err 'no such file'
expect 2 "$concilio" study --numbers-only --report-only
says err 'has no study'
expect 2 "$concilio" study --numbers-only --dir "$scratch/none"
says err 'no such folder'
expect 2 "$concilio" study --numbers-only -n 0
says err 'numbers of ranks'
expect 2 "$concilio" study --numbers-only --output /proc/none
says err 'concilio: study: --output /proc/none'
: > file
expect 2 "$concilio" study --numbers-only --output file
says err '--output file'

# An interpreter without matplotlib, and no interpreter at all.
cat > no-matplotlib <<'END'
#!/bin/sh
case "$*" in *matplotlib*) exit 3 ;; esac
exec /usr/bin/python3 "$@"
END
chmod +x no-matplotlib
CONCILIO_PYTHON=$scratch/no-matplotlib expect 2 "$concilio" study
says err 'python3-matplotlib'
says err '--numbers-only'
CONCILIO_PYTHON=$scratch/no-matplotlib expect 0 "$concilio" study --help
CONCILIO_PYTHON=$scratch/no-matplotlib expect 0 "$concilio" study --numbers-only --list --only ior
says out 'bench ior:'
CONCILIO_PYTHON=$scratch/none expect 2 "$concilio" study --help
says err 'CONCILIO_PYTHON'
CONCILIO_PYTHONDIR=$scratch expect 2 "$concilio" study --help
says err 'CONCILIO_PYTHONDIR'
[ ! -e concilio-study ] || fail "a folder was made where nothing was measured"

# A whole run: storages are told apart, profiles are made and used, and what fails is reported but does not end the run.
export FAKE_LOG=$scratch/log FAKE_FAIL=btio
faked 0 --quick --storage real hdd --only device,romio,regret
says out '^PASS  auto within 10 %'
says out 'cases failed; the report says why'
says out 'Report: .*concilio-study/report.html'
says err '] romio: hdd, block3d, 4 ranks'
for name in report.html study.json regret.json profiles/hdd.json; do
  [ -s "concilio-study/$name" ] || fail "no $name"
done
grep -q '^device=hdd - probe' log || fail 'the probe of the model was not told its throttle'
grep -q '^device=hdd .*/profiles/hdd.json bench' log || fail 'the model was not measured with its profile'
grep -q '^- .*/profiles/[^h].*json bench' log || fail 'real storage was not measured with its profile'
grep -q 'no &amp; space &lt;left&gt;' concilio-study/report.html || fail 'the report does not tell the failure'
faked 2 --quick --storage real hdd --only romio
says err '--resume'
faked 0 --report-only --json
cp out printed.json
faked 0 --report-only --json "$scratch/written.json"
says out 'Report: '
/usr/bin/python3 - <<'END' || fail 'the study as JSON is wrong'
import json
printed, written, study = (json.load(open(name)) for name in ("printed.json", "written.json", "concilio-study/study.json"))
assert printed == written == {**study, "comparisons": {}}, printed
END
faked 2 --report-only --json /proc/none/file
says err 'concilio: study: --json /proc/none'
# Only what failed is measured again, and the profiles are kept.
: > log
FAKE_FAIL='' faked 0 --quick --storage real hdd --only device,romio,regret --resume
says_not out 'cases failed'
! grep -qe 'block3d' -e ' probe ' log || fail "measured again what was there"
grep -q btio log || fail "did not measure what had failed"
echo damaged > concilio-study/study.json
faked 2 --quick --only romio --resume
says err 'study.json'

# Nothing can be measured.
FAKE_FAIL=block3d,btio,unstruc faked 1 --smallest --storage hdd --only romio --output nothing
says err 'nothing could be measured'
[ -s nothing/report.html ] || fail 'no report of failures'

# If the run is interrupted, what was measured is kept, and the next run continues with it.
export FAKE_FAIL=''
FAKE_SLEEP=0.5 CONCILIO_COMMAND=$root/tests/study/fake_concilio begin /usr/bin/python3 -B "$root/python/concilio/study" \
  --numbers-only --smallest --storage hdd nvm --only ior,romio --output broken
await 20 err '^\[2/'
kill -TERM "$child"
wait "$child"
status=$?
[ $status = 130 ] || fail "interrupted, it gave exit status $status"
says err 'interrupted; --resume goes on'
grep -q 'The study was interrupted' broken/report.html || fail 'the report does not say that it was interrupted'
faked 0 --smallest --storage hdd nvm --only ior,romio --output broken --resume
# Closing the terminal interrupts the run too.
FAKE_SLEEP=0.5 CONCILIO_COMMAND=$root/tests/study/fake_concilio begin /usr/bin/python3 -B "$root/python/concilio/study" \
  --numbers-only --smallest --storage hdd --only ior --output closed
await 20 err '^\[1/'
kill -HUP "$child"
wait "$child"
[ $? = 130 ] || fail 'SIGHUP was no interruption'
[ -s closed/report.html ] || fail 'no report after SIGHUP'
! grep -q 'was interrupted' broken/report.html || fail 'it goes on, and still says that it was interrupted'
# Comparisons: results that exist are not measured again, what cannot be measured is reported, and the document gets its
# table.
: > log
printf 'Before\n<!-- sieving: written by concilio study -->\n<!-- sieving: end -->\n' > papers.md
faked 0 --quick --only sieving,realms,scorpio --mpi openmpi --alternations 2 --output compared --markdown papers.md
[ "$(grep -c 'bench' log)" = 12 ] || fail 'not each of five variants twice, and each case of SCORPIO, which is not there, once'
! grep -q probe log || fail 'comparisons probed the storage'
says err 'realms: left out: .*distributed file system'
says err '] sieving: mpi=openmpi, auto$'
grep -q '^| 1 KiB | 3 | .* | 0 % | ' papers.md || fail 'the table is not in the document'
grep -q 'no concilio-scorpio-bench' compared/scorpio.json || fail 'it is not kept why there is no SCORPIO'
grep -q '<h2 id=sieving>' compared/report.html || fail 'the report has no comparison'
faked 2 --quick --only sieving --output compared
says err '--resume'
: > log
faked 0 --quick --only sieving --alternations 3 --output compared --resume
[ "$(grep -c 'bench' log)" = 5 ] || fail 'measured again what was there'
: > log
faked 0 --quick --only sieving --alternations 1 --output compared --overwrite
[ "$(grep -c 'bench' log)" = 5 ] || fail 'what was to be replaced was kept'
rm compared/report.html
: > log
faked 0 --report-only --output compared
grep -q '<h2 id=sieving>' compared/report.html || fail 'the report was not written again'
[ ! -s log ] || fail 'it measured for a report alone'
echo damaged > compared/sieving.json
faked 2 --quick --only sieving --output compared --resume
says err 'sieving.json'
faked 0 --quick --only sieving --alternations 1 --output compared --overwrite
echo 'No place' > papers.md
faked 1 --report-only --output compared --markdown papers.md
says err 'it has no place for sieving'
left=$(ls -d concilio-study-* 2>/dev/null)
[ -z "$left" ] || fail "left behind: $left"
finish
