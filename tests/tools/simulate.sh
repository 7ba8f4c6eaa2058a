#!/bin/bash
# concilio simulate: errors by their words, and where SimGrid is there, what it finds out. Argument: CONCILIO.
concilio=$1
. "$(dirname "$0")/common.sh"
unset CONCILIO_THROTTLE CONCILIO_NODE_MEMORY CONCILIO_METHOD CONCILIO_LIBEXECDIR
check() { /usr/bin/python3 -c "$@" >>err 2>&1 || fail "check: $1"; }
# machine NAME [PLACE VALUE]...: a machine of 4 nodes, with some values changed.
machine() {
  /usr/bin/python3 - "$@" >"$1" <<'END'
import json, sys
machine = {"concilio_machine": 1,
           "nodes": {"count": 4, "cores": 4, "free_memory_gib": 1, "copy_gb_per_second": 10, "core_copy_gb_per_second": 5},
           "network": {"gb_per_second": 10, "latency_us": 2},
           "storage": {"device": "lustre", "targets": 2, "target_gb_per_second": 0.5, "request_ms": 0, "open_ms": 0}}
for place, value in zip(sys.argv[2::2], sys.argv[3::2]):
    *folders, name = place.split(".")
    where = machine
    for folder in folders:
        where = where[folder]
    where[name] = json.loads(value)
print(json.dumps(machine))
END
}
machine ./four

# What is wrong is said before anything starts.
expect 2 "$concilio" simulate interleaved:64 -n 4
says err 'give the machine by --machine'
expect 2 "$concilio" simulate interleaved:64 -n 4 --machine clusters
says err 'did you mean cluster?'
expect 2 "$concilio" simulate interleaved:64 -n 4 --machine ./none
says err 'machine ./none: .*No such file'
expect 2 "$concilio" simulate -n 4 --machine cluster
says err 'give a pattern'
expect 2 "$concilio" simulate interlaved:64 -n 4 --machine cluster
says err 'no pattern interlaved'
expect 2 "$concilio" simulate interleaved:64 --machine cluster
says err 'give the number of ranks'
expect 2 "$concilio" simulate interleaved:64 -n 17 --machine ./four
says err 'the machine has 4 nodes of 4 cores'
expect 2 "$concilio" simulate interleaved:64 -n 4 --machine cluster --method two-phase
says err "is none of auto.*two_phase"
expect 2 "$concilio" simulate interleaved:64 -n 4 --machine cluster --hint cb_buffer_sizes=1
says err 'cb_buffer_size'
machine ./wrong network.gb_per_second '"fast"'
expect 2 "$concilio" simulate interleaved:64 -n 4 --machine ./wrong
says err 'wrong describes no machine: network.gb_per_second is "fast", and not a number'
CONCILIO_LIBEXECDIR=$scratch expect 77 "$concilio" simulate interleaved:64 -n 4 --machine cluster
says err 'libsimgrid-dev'
says err 'CONCILIO_SMPI=ON'

# The machines that come with Concilio are right, whoever reads them.
expect 0 "$concilio" simulate --list
for name in laptop cluster memory-conscious; do says out "^$name "; done
says_not err .

# What calls move is counted from their plans, also without SimGrid.
count() { expect 0 env CONCILIO_LIBEXECDIR="$scratch" "$concilio" simulate --count "$@"; }
count interleaved:64 contiguous -n 16 --machine ./four --mib-per-rank 0.0625 --method two_phase,list
says out 'counted from the plans, not run'
says out '^  two_phase  *write  *0[.][0-9]*  *[1-9][0-9]*  *[0-9.]* KiB  *1  *0  *[1-9]'
says out '^  list  *read  *0[.][0-9]*  *0  *0 B  *0  *16384  *0  *1 MiB  *0 B$'
machine ./many nodes.count 1000000 nodes.cores 1000
count contiguous --nodes 100000 --machine ./many --method list --json many.json
check 'import json
counted = json.load(open("many.json"))
assert counted["ranks"] == 10**8, counted
write = counted["results"][0]["write"]
assert write["method"] == "list" and write["counters"]["sum"]["storage_writes"] == 10**8, write'
# Of groups, whose roots call. Those of 1000 have one on each node, and those of 4000 on every fourth.
count contiguous --nodes 100 --machine ./many --method list --mib-per-rank 0.125 --io-groups 1,1000,4000 --json groups.json
check 'import json
groups = json.load(open("groups.json"))["results"]
assert [one["io_group"] for one in groups] == [1, 1000, 4000], groups
for one in groups:
    assert one["bytes"] == 10**5 << 17, one
    for call, requests in (("write", "storage_writes"), ("read", "storage_reads")):
        assert one[call]["counters"]["sum"][requests] == 10**5 // one["io_group"], one
opens = [one["open"]["predicted_seconds"] for one in groups]
assert opens[0] >= opens[1] > opens[2] > 0, opens
calls = [one["write"]["predicted_seconds"] for one in groups]
# 125 MB come to each root of 1000 from its own node, at 5 GB/s; 375 MB more to one of 4000 by the network, at 10 GB/s.
assert 0.02 < calls[1] - calls[0] < 0.04 and 0.03 < calls[2] - calls[1] < 0.06, calls'
expect 2 "$concilio" simulate contiguous --count -n 100 --machine ./many --io-groups 8
says err '100 ranks are not cut into groups of 8 without a rest'
expect 0 "$concilio" simulate contiguous -n 20001 --machine ./many --mib-per-rank 0.01
says out '^20001 ranks on 21 nodes; .* counted from the plans'
expect 2 "$concilio" simulate block3d -n 20001 --machine ./many
says err 'block3d cannot be counted, .* those of contiguous, interleaved, hpio, extent do'
expect 2 "$concilio" simulate contiguous --count --independent -n 4 --machine ./four
says err 'independent cannot go with --count'
expect 2 "$concilio" simulate contiguous -n 20001 --machine ./many --report records.json
says err 'report cannot go with more than 20000 ranks'
expect 1 "$concilio" simulate --count interleaved:64 -n 16 --machine ./four --method sieve
says out 'sieve  *not counted: sieving is not counted'
machine ./unnamed storage '{"target_gb_per_second": 1}'
expect 2 "$concilio" simulate --count contiguous -n 4 --machine ./unnamed
says err 'names no device'
rm -f many unnamed many.json groups.json

# Without SimGrid there is nothing more to test.
"$concilio" simulate contiguous -n 2 --machine ./four --mib-per-rank 0.01 >out 2>err </dev/null
if [ "$?" = 77 ]; then
  [ "$failures" = 0 ] || finish
  cat err
  exit 77
fi
leaves_only four wrong

# All bytes of every pattern are right, and the library's records are those of a run.
expect 0 "$concilio" simulate contiguous interleaved:64 block3d block4d btio unstruc hpio:64/64:indexed hpio:8/24:struct extent:64/50 \
  timesteps:4 hacc ior:1024 mpiiotest:1024 -n 4 --ranks-per-node 2 --machine ./four --mib-per-rank 0.0078125 --report records.json
says out 'every byte checked'
says_not out failed
[ "$(wc -l <records.json)" = 13 ] || fail 'not a record for each pattern'
expect 0 "$concilio" report records.json
says out 'by 4 ranks on 2 nodes'

# So are those that a program moves without the library: rows are 4 ranks on 2 nodes, so that half of the data goes between
# nodes, and each rank makes one request.
expect 0 "$concilio" simulate block3d block4d:8 block4d -n 8 --ranks-per-node 2 --machine ./four --mib-per-rank 0.03 --method rows,list --json rows.json
check 'import json
for one in json.load(open("rows.json"))["results"]:
    assert one["verified"] and "failure" not in one, one
    if one["method"] != "rows": continue
    for call, request in (("write", "storage_writes"), ("read", "storage_reads")):
        counts = one[call]["counters"]["sum"]
        assert counts["messages_sent"] == 16 and counts[request] == 8, (one["pattern"], counts)
        assert counts["message_bytes_sent"] * 2 == one["bytes"], (one["pattern"], counts)'
expect 1 "$concilio" simulate contiguous -n 4 --machine ./four --method rows
says out 'rows *failed: the blocks of the pattern are not in rows'
expect 2 "$concilio" simulate contiguous -n 4 --machine ./four --method rows --count
says err 'method rows cannot go with --count'

# A call that fails is told of.
CONCILIO_FAULT=write:1:EIO expect 1 "$concilio" simulate contiguous -n 2 --machine ./four --mib-per-rank 0.01
says out 'failed: rank 0: write failed'

# A table and JSON, the same in every run.
sixteen=(interleaved:64 block3d -n 16 --machine ./four --mib-per-rank 0.0625 --method 'two_phase,list')
expect 0 "$concilio" simulate "${sixteen[@]}" --json first.json
says out '^4 nodes of 4 cores, 1 GiB free; network 10 GB/s, 2 us$'
says out '^16 ranks on 4 nodes; 0.0625 MiB a rank, every byte checked; simulated in '
says out '^interleaved:64: 1 MiB$'
says out '^  two_phase  *write  *[0-9.]*[1-9][0-9]*  *[0-9.]*  *[1-9][0-9]* '
says out "^  list  *read "
says err '^\[4/4\] block3d list$'
expect 0 "$concilio" simulate "${sixteen[@]}" --json -
cmp -s out first.json || fail 'two runs differ'
check 'import json
run = json.load(open("first.json"))
assert (run["ranks"], run["nodes"], len(run["results"])) == (16, 4, 4), run
for one in run["results"]:
    assert one["verified"] and "failure" not in one, one
    for call in ("write", "read"):
        assert one[call]["seconds"][0] > 0, one
        counts = one[call]["counters"]["sum"]
        assert (counts["messages_sent"] > 0) == (one["method"] == "two_phase"), one
        assert counts["method_" + one["method"]] == 16, one
two_phase, separate = run["results"][:2]
assert 0 < two_phase["peak_bytes_per_rank"] <= two_phase["peak_bytes_per_node"], two_phase
requests = [one["write"]["counters"]["sum"]["storage_writes"] for one in (two_phase, separate)]
assert requests[0] < requests[1], requests'

# Where storage is the bottleneck, twice its bandwidth halves the time. Other parts of the machine count too where
# they are the bottleneck.
seconds() { # FILE MACHINE [OPTION...]: of a write and a read
  expect 0 "$concilio" simulate contiguous -n 8 --ranks-per-node 2 --mib-per-rank 1 --json "$1" --machine "${@:2}"
}
compare() { # FILE FILE LEAST MOST: how many times as long the first took
  check "import json
def seconds(name): return [json.load(open(name))['results'][0][call]['seconds'][0] for call in ('write', 'read')]
ratios = [a / b for a, b in zip(seconds('$1'), seconds('$2'))]
assert all($3 < ratio < $4 for ratio in ratios), ratios"
}
machine ./slow storage.target_gb_per_second 0.02
machine ./twice storage.target_gb_per_second 0.04
machine ./fast storage.target_gb_per_second 100
machine ./narrow storage.target_gb_per_second 100 network.gb_per_second 0.01
machine ./linked storage.target_gb_per_second 100 storage.gb_per_second 0.01
# Links of the nodes to storage alone spare the network's, and have their own rate.
machine ./apart storage.target_gb_per_second 100 network.gb_per_second 0.01 storage.node_gb_per_second 0.02
machine ./both storage.target_gb_per_second 100 storage.gb_per_second 0.01 storage.node_gb_per_second 10
for one in slow twice fast narrow linked apart both; do seconds $one.json ./$one --method independent; done
says out 'each node 10 GB/s by its own link, all together 0.01 GB/s$'
compare slow.json twice.json 1.9 2.1
compare narrow.json fast.json 20 10000
compare linked.json narrow.json 3.8 4.2
compare narrow.json apart.json 1.9 2.1
compare both.json linked.json 0.95 1.05
# So does copying, in memory that is slow.
machine ./copies storage.target_gb_per_second 100 nodes.copy_gb_per_second 0.01
machine ./core storage.target_gb_per_second 100 nodes.core_copy_gb_per_second 0.005
for one in fast copies core; do seconds $one.json ./$one --method two_phase; done
compare copies.json fast.json 3 10000
compare core.json fast.json 3 10000
# The stretches of a window are asked for at once, so that several take about as long as one.
machine ./far nodes.count 8 nodes.cores 8 storage.target_gb_per_second 100 storage.request_ms 10 storage.targets 64 storage.streams 8
expect 0 "$concilio" simulate block4d -n 64 --mib-per-rank 0.25 --method two_phase --hint concilio_group_bytes=64K \
  --hint cb_buffer_size=64M --hint concilio_memory_limit=256M --machine ./far --json far.json
check "import json
one = json.load(open('far.json'))['results'][0]
for call in ('write', 'read'):
    requests = one[call]['counters']['max']['storage_' + call + 's']
    assert requests > 2 and 0.01 < one[call]['seconds'][0] < 0.02, (call, requests, one[call]['seconds'])"
# A message between ranks of a node is a copy of a core too: each rank sends three quarters of its data, then sorts all.
exchange() { # FILE MACHINE
  expect 0 "$concilio" simulate block3d -n 8 --nodes 1 --mib-per-rank 1 --method rows --machine "$2" --json "$1"
}
machine ./wide storage.target_gb_per_second 100 nodes.cores 8 nodes.copy_gb_per_second 1000 nodes.core_copy_gb_per_second 0.01
exchange wide.json ./wide
check "import json
one = json.load(open('wide.json'))['results'][0]
for call in ('write', 'read'):
    sorting = one['bytes'] / 8 / 0.01e9
    assert one[call]['seconds'][0] > 1.1 * sorting, (one[call]['seconds'], sorting)"

# Opens queue at a metadata server of 100 a second. The first ranks of 4 nodes open at once, the other 12 when they write
# first; later reads and writes take as long as without it, but for a tick of the library's clock, which counts whole
# nanoseconds from another time on.
opens() { # FILE MACHINE
  expect 0 "$concilio" simulate interleaved:64 -n 16 --mib-per-rank 0.0625 --method list --machine "$2" --json "$1"
  expect 0 "$concilio" simulate interleaved:64 -n 16 --mib-per-rank 0.0625 --method list --machine "$2"
}
machine ./server storage.opens_per_second 100
opens four.json ./four
opens server.json ./server
says out '^  list  *open  *0\.04'
check "import json
free, slow = [json.load(open(name))['results'][0] for name in ('four.json', 'server.json')]
assert free['open']['seconds'] < 0.01 and 0.04 <= slow['open']['seconds'] < 0.05, (free['open'], slow['open'])
assert free['write']['first_seconds'] < 0.01 and 0.12 <= slow['write']['first_seconds'] < 0.13, (free['write'], slow['write'])
# Each time is between two instants in whole nanoseconds, so that two times may differ by two.
assert abs(free['write']['seconds'][0] - slow['write']['seconds'][0]) < 2.5e-9, (free['write'], slow['write'])"

# In groups of ranks only the roots open the file: 16, 4 and 1 of them, once to write and once to read. Where all ranks are
# roots, the first of each node opens at once and the others when they move their data; whenever it is, the server is asked.
expect 0 "$concilio" simulate contiguous -n 16 --mib-per-rank 0.0625 --method independent --io-groups 1,4,16 --machine ./server \
  --json groups.json
check "import json
results = json.load(open('groups.json'))['results']
assert [one['io_group'] for one in results] == [1, 4, 16], results
opens = [one['open']['seconds'] for one in results]
whole = [one['open']['seconds'] + one['write']['seconds'][0] + one['read']['seconds'][0] for one in results]
assert all(least <= found < least + 0.02 for least, found in zip((0.08, 0.08, 0.02), opens)), opens
assert all(least <= found < least + 0.04 for least, found in zip((0.32, 0.08, 0.02), whole)), whole
assert all(one['verified'] for one in results), results
assert [one['write']['counters']['sum']['bytes_written'] for one in results] == [1 << 20] * 3, results"
expect 0 "$concilio" simulate contiguous -n 7 --mib-per-rank 0.01 --io-groups 3 --machine ./server
says out '^contiguous, in groups of 3: '
says out '^  auto  *init  *0'
expect 2 "$concilio" simulate interleaved:64 -n 4 --io-groups 2 --machine ./four
says err 'io-groups: .* contiguous'

# Where stripes have locks, nodes whose realms share one take it from each other.
locks() { # FILE ALIGNMENT [OPTION VALUE]...
  machine ./locks storage.lock_ms 0 "${@:3}"
  expect 0 "$concilio" simulate contiguous -n 16 --mib-per-rank 0.4375 --method two_phase --machine ./locks \
    --hint concilio_realms=even --hint cb_config_list=*:1 --hint "romio_cb_fr_alignment=$2" --json "$1"
}
locks free.json 4096
locks apart.json 1M storage.revoke_ms 20
locks shared.json 4096 storage.revoke_ms 20
compare shared.json apart.json 2 100
compare shared.json free.json 2 100
compare apart.json free.json 0.5 2

# Clients that make one request after another use several targets at the same time: half of the blocks lie on two of four.
requests() { # FILE TARGETS
  machine ./targets storage "{\"targets\": $2, \"streams\": 1, \"request_ms\": 1, \"stripe_mib\": 0.5}"
  expect 0 "$concilio" simulate block3d -n 8 --mib-per-rank 0.25 --method list --machine ./targets --json "$1"
}
requests one.json 1
requests four.json 4
compare one.json four.json 1.9 4.1

# Aggregators begin on different targets of a striped file. In even realms all begin on the same one, and wait there.
machine ./striped storage.targets 8 storage.stripe_mib 0.0625 storage.target_gb_per_second 0.1
for policy in tree even; do
  expect 0 "$concilio" simulate interleaved:4096 -n 8 --ranks-per-node 2 --mib-per-rank 0.5 --machine ./striped --method two_phase \
    --hint cb_buffer_size=64K --hint concilio_aggregators_per_node=1 --hint concilio_realms=$policy --json $policy.json
  says out 'every byte checked'
done
compare even.json tree.json 2 8

# The memory of the machine's file reaches the plan: with little of it, there are as many rounds as are planned for it.
pattern=(interleaved:64 -n 16 --mib-per-rank 0.25 --method two_phase --hint cb_nodes=4)
rounds() { # MACHINE SIZE: in simulated writing, and as planned
  expect 0 "$concilio" simulate "${pattern[@]}" --machine "$1" --json rounds.json
  expect 0 "$concilio" explain "${pattern[@]}" --nodes 4 --memory-per-node "$2"
  check "import json, re
rounds = json.load(open('rounds.json'))['results'][0]['write']['counters']['max']['rounds']
planned = re.search('at most ([0-9]*) round', open('out').read())[1]
assert rounds == int(planned) and (rounds > 10) == ('$1' == './poor'), (rounds, planned)"
}
machine ./poor nodes.free_memory_gib 0.00048828125
rounds ./four 1G
rounds ./poor 512K
finish
