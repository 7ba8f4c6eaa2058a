#!/bin/bash
# concilio run --record, and where SimGrid is there, what concilio simulate --record makes of it. Arguments: CONCILIO
# MPI LAUNCHER PROGRAM [ORACLE].
concilio=$1 mpi=$2 launcher=$3 program=$4 oracle=${5-}
. "$(dirname "$0")/../common.sh"
unset CONCILIO_RECORD CONCILIO_THROTTLE CONCILIO_NODE_MEMORY CONCILIO_METHOD CONCILIO_LIBEXECDIR
let_ranks_rest
start=("$launcher" -n 4)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 4)
mkdir data
holds() { /usr/bin/python3 - "$2" <<'PYTHON' || fail "it does not hold: $1"
import json, sys
lines = [json.loads(line) for line in open("record")]
of_rank, rank = {}, None
for line in lines[1:-1]:
    if "rank" in line:
        rank = of_rank.setdefault(line["rank"], [])
    else:
        rank.append(line)
calls = {rank: [line for line in its if "call" in line] for rank, its in of_rank.items()}
def count(rank, **wanted):
    return sum(all(line.get(name) == value for name, value in wanted.items()) for line in calls[rank])
sys.exit(0 if eval(sys.argv[1]) else f"{lines[0]} {calls[1]}")
PYTHON
}

# All calls of all ranks are there, in one file, and nothing else is left behind.
expect 0 "$concilio" run --record record "${start[@]}" "$program" data
says_not err .
leaves_only data record
holds 'it begins with what it is' 'lines[0] == {"concilio_record": 1, "ranks": 4, "nodes": 1}'
holds 'it ends with the number of lines' 'lines[-1] == {"lines": len(lines) - 1}'
holds 'all ranks are there' 'sorted(of_rank) == [0, 1, 2, 3]'
holds 'each rank has opened three files, and closed them' 'all(count(rank, call="open") == count(rank, call="close") == 3 for rank in calls)'
holds 'on communicators of all ranks, of two, and of one' \
  '[line.get("ranks") for line in calls[2] if line["call"] == "open"] == [None, [2, 3], [2]]'
holds 'collective calls' 'all(count(rank, call="write", kind="blocking", collective=True) == 3 for rank in calls)'
holds 'nonblocking calls' 'count(1, call="write", kind="nonblocking", collective=True) == count(1, call="write", kind="nonblocking", collective=False) == 1'
holds 'split calls' 'count(1, kind="split") == 2 and count(1, call="place") == 1'
holds 'independent calls by the individual pointer' 'count(1, pointer="individual", collective=False, bytes=40) == 10'
holds 'they begin behind each other' '[line["position"] for line in calls[1] if line.get("bytes") == 40][:10] == list(range(0, 400, 40))'
holds 'shared pointers' 'count(1, pointer="ordered") == 2 and count(1, pointer="shared") == 1'
holds 'waits' 'all(count(rank, call="wait") == 5 for rank in calls)'
holds 'sizes and syncs' 'count(1, call="set_size", size=8192) == count(1, call="sync") == 1'
holds 'datatypes are there once' '[len([line for line in of_rank[rank] if "nest" in line]) for rank in of_rank] == [2] * 4'
holds 'the time of the program itself' '20e6 <= sum(line.get("idle_ns", 0) for line in calls[1]) < 20e9'

# Mishaps, each before the program starts where that can be.
expect 2 "$concilio" run --record /no/such/folder/record "${start[@]}" "$program" data
says err 'record /no/such/folder/record: cannot write in /no/such/folder'
expect 2 "$concilio" run --record data "${start[@]}" "$program" data
says err '--record data is a folder; name a file'
expect 2 "$concilio" run --compare --record other "${start[@]}" "$program" data
says err 'record excludes --compare'
expect 2 "${start[@]}" "${lasting[@]}" "$concilio" run --record other "$program" data
says err 'record joins what all ranks record: put concilio run before the launcher'
CONCILIO_DISABLE=1 expect 0 "$concilio" run --record other "${start[@]}" "$program" data
says err 'CONCILIO_DISABLE is set.*, so there is no record'
expect 0 "$concilio" run --only '*.none' --record other "${start[@]}" "$program" data
says err "closed no file that --only .*, so there is no record"
leaves_only data record
# A folder for the parts that is not there does the program no harm.
CONCILIO_RECORD=/no/such/folder expect 0 "$concilio" run "${start[@]}" "$program" data
says err 'calls are not recorded in /no/such/folder: No such file'

# A rank writes no more than 16 MiB, and the program goes on.
expect 0 "$concilio" run --record long "${start[@]}" "$program" data 160000
says err 'the record of rank 1 ends before the program did: it holds at most 16 MiB a rank'
/usr/bin/python3 - <<'PYTHON' || fail 'the record does not end where it is full'
lines = open("long").read().splitlines()
part = lines[lines.index('{"rank":1,"node":0}') + 1:lines.index('{"rank":2,"node":0}')]
bytes = sum(len(line) + 1 for line in part)
assert part[-1] == '{"full":true}' and (16 << 20) - 1000 < bytes < (16 << 20) + 100, (part[-1], bytes)
PYTHON
rm long

# What is wrong with a record is said with its line.
wrong() { expect 2 "$concilio" simulate --machine cluster --record "$@"; }
wrong none
says err 'record none: .*No such file'
head -n 20 record >truncated
wrong truncated
says err 'truncated, line 20: the file ends here'
sed '8s/"position":[0-9]*/"position":-3/' record >negative
wrong negative
says err 'negative, line 8: position is -3; it is at least 0; record the program again'
sed '5s/.*/{/' record >spoilt
wrong spoilt
says err 'spoilt, line 5: this is no JSON'
wrong record -n 5
says err '--ranks 5: record has the calls of 4 ranks; give 4, or leave it out'
wrong record --scale 100000
says err '4 ranks 100000 times (--scale) are 400000, and at most 20000 can be run; take a smaller --scale, up to 5000'
wrong record contiguous
says err 'either patterns or a record'
rm truncated negative spoilt

"$concilio" simulate --machine cluster --record record >out 2>err </dev/null
if [ "$?" = 77 ]; then
  [ "$failures" = 0 ] || finish
  cat err
  exit 77
fi

# Each byte is checked, by every method; the program's own time is there.
expect 0 "$concilio" simulate --machine cluster --record record --json results.json
says_not err record
says err '^\[5/5\] independent$'
expect 0 "$concilio" simulate --machine cluster --record record
says out '^4 ranks on 1 node; the calls of 4 recorded ranks, every byte checked; simulated in '
says out '^record: 1[0-9.]* KiB written, [0-9.]* KiB read$'
for method in auto two_phase list sieve independent; do says out "^  $method"; done
says_not out failed
says_not out 'left out'
says out '^Of the time in calls with auto, [0-9]* % goes to storage'
says out '^No other method saves\|concilio run --hint concilio_method='
/usr/bin/python3 - <<'PYTHON' || fail 'the results are not those of the record'
import json
run = json.load(open("results.json"))
assert (run["ranks"], run["nodes"], run["scale"], run["record"]) == (4, 1, 1, "record"), run
assert [one["method"] for one in run["results"]] == ["auto", "two_phase", "list", "sieve", "independent"]
for one in run["results"]:
    sums = one["counters"]["sum"]
    assert one["verified"] and one["idle_seconds"] >= 0.02 and one["seconds"] > one["idle_seconds"] and one["call_seconds"] > 0, one
    assert (sums["collective_writes"], sums["independent_writes"]) == (4 * 6, 4 * 12), sums
    assert (sums["collective_reads"], sums["independent_reads"]) == (4 * 1, 4 * 2), sums
PYTHON
# With faulty storage bytes are wrong or calls fail, and that is told.
CONCILIO_FAULT=write:1:EIO expect 1 "$concilio" simulate --machine cluster --record record --method independent
says out '^  independent  *failed: rank [0-3]: '

# Three times as many ranks, each copy with its own part of the shared file.
expect 0 "$concilio" simulate --machine cluster --record record --scale 3 --method auto,list --json scaled.json
expect 0 "$concilio" simulate --machine cluster --record record --scale 3 --method list --nodes 2
says out '^12 ranks on 2 nodes; the calls of 4 recorded ranks, 3 times, every byte checked'
says_not out failed
/usr/bin/python3 - <<'PYTHON' || fail 'the copies do not move as much as the record'
import json
one, three = (json.load(open(name))["results"][0]["counters"]["sum"] for name in ("results.json", "scaled.json"))
assert json.load(open("scaled.json"))["nodes"] == 3
for name in ("bytes_written", "bytes_read", "collective_writes", "independent_reads"):
    assert three[name] == 3 * one[name], (name, one[name], three[name])
PYTHON

# Random views, buffers and calls, on communicators of several kinds: what is made again has the same bytes.
[ -n "$oracle" ] && for cases in '--seed 5 --cases 60' '--seed 6 --cases 20 --opens 3' '--seed 7 --cases 20 --threads'; do
  read -ra words <<<"$cases"
  expect 0 "$concilio" run --record random "${start[@]:0:${#start[@]}-1}" 3 "$oracle" "${words[@]}" --dir "$scratch/data"
  expect 0 "$concilio" simulate --machine cluster --record random --method auto
  says out 'every byte checked'
  says_not out failed
done

# A record that ends early is made again as far as all ranks have come.
/usr/bin/python3 - <<'PYTHON'
lines = open("record").read().splitlines()
begin = lines.index('{"rank":2,"node":0}')
end = lines.index('{"rank":3,"node":0}')
cut = lines[:begin + 8] + ['{"full":true}'] + lines[end:-1]
open("cut", "w").write("\n".join(cut + ['{"lines":%d}' % len(cut)]) + "\n")
PYTHON
expect 0 "$concilio" simulate --machine cluster --record cut --method auto
says out "recorded calls are left out, as not all ranks of their file came to them: a rank's record was full"
says out 'every byte checked'
says_not out failed
finish
