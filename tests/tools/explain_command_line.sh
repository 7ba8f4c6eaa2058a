#!/bin/bash
# concilio explain: its output, its options and its errors. Argument: CONCILIO.
concilio=$1
. "$(dirname "$0")/common.sh"
check() { /usr/bin/python3 -c "$@" >>err 2>&1 || fail "check: $1"; }

# Data that belong to the ranks one after another, on three nodes. The last node has less memory than asked for, so its portion
# goes to another one. In an exchange of images, memory does not decide how large portions are.
serial=(contiguous --ranks 6 --nodes 3 --bytes-per-rank 1M --method two_phase --group-bytes 100M --aggregators 3
  --hint concilio_exchange=images)
expect 0 "$concilio" explain "${serial[@]}" --memory-per-node 64M,64M,4M --memory-min 16M
sed -n '/^  partition tree/,/realm aggregator/p' out >found
cat >wanted <<'END'
  partition tree:
    0-6291456 (6 MiB)
    |- 0-3145728 (3 MiB)
    |  |- 0-1572864 (1.5 MiB)
    |  `- 1572864-3145728 (1.5 MiB)
    `- 3145728-6291456 (3 MiB)
       |- 3145728-4718592 (1.5 MiB)
       `- 4718592-6291456 (1.5 MiB)
  remerged, 1 portion taken over:
    0-6291456 (6 MiB)
    |- 0-3145728 (3 MiB)
    |  |- 0-1572864 (1.5 MiB): rank 0 on node 0
    |  `- 1572864-3145728 (1.5 MiB): rank 2 on node 1
    `- 3145728-6291456 (3 MiB): rank 3 on node 1
  realm aggregator  node      bytes     window rounds  offsets
END
diff wanted found >>err || fail 'the partition tree is another'
says out '^pattern contiguous$'
says out '^collective write by 6 ranks on 3 nodes: 6 MiB in 6 pieces'
says out 'memory of a rank'
says out 'between nodes'

# JSON and picture are complete, and realms own the bytes of the call.
expect 0 "$concilio" explain interleaved:64 --ranks 6 --nodes 3 --json --picture plan.svg
cp out plan.json
check 'import json
plan = json.load(open("plan.json"))
spans = sorted(tuple(span) for realm in plan["two_phase"]["realms"] for span in realm["spans"])
assert sum(end - begin for begin, end in spans) == plan["facts"]["digest"]["bytes"], spans
assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), spans
assert len(plan["facts"]["nodes"]) == 3'
check 'import xml.dom.minidom
texts = [node.firstChild.data for node in xml.dom.minidom.parse("plan.svg").getElementsByTagName("text")]
assert "pattern interleaved:64" in texts and "node 2" in texts, texts'

# Facts that were written explain the same plan again, or another one if the options ask for it.
expect 0 "$concilio" explain interleaved:64 --ranks 6 --nodes 3
tail -n +2 out >first
expect 0 "$concilio" explain plan.json --picture again.svg
tail -n +2 out | cmp -s first - || fail 'facts that were read back give another plan'
check 'import xml.dom.minidom; xml.dom.minidom.parse("again.svg")'
{ echo 'concilio[0] info: something else'
  for ranks in 6 3; do
    "$concilio" explain interleaved:64 --ranks $ranks --nodes 3 --json |
      /usr/bin/python3 -c 'import json, sys; print("concilio[0] debug: planning by facts", json.dumps(json.load(sys.stdin)["facts"]))'
  done; } >log
expect 0 "$concilio" explain log
tail -n +2 out | cmp -s first - || fail 'facts in a log give another plan'
expect 0 "$concilio" explain log --call 1
says out 'by 3 ranks on 3 nodes'
expect 2 "$concilio" explain log --call 2
says err 'holds the facts of 2 calls'
expect 0 "$concilio" explain plan.json --policy cyclic --memory-per-node 1M
says out '^realms: cyclic'
expect 2 "$concilio" explain plan.json --ranks 3
says err 'leave it out'

# With many ranks the text is short, and comes soon.
expect 0 timeout 30 "$concilio" explain interleaved:64 --ranks 100000 --nodes 10000 --memory-normal 1G,200M,3
[ "$(wc -l <out)" -lt 150 ] || fail 'the text of 100000 ranks is long'
expect 0 "$concilio" explain interleaved:64 --ranks 40 --nodes 4 --memory-normal 64M,20M,3 --json
cp out once
expect 0 "$concilio" explain interleaved:64 --ranks 40 --nodes 4 --memory-normal 64M,20M,3 --json
cmp -s once out || fail 'the same seed draws other memory'
expect 0 "$concilio" explain timesteps:4 --ranks 4 --call 3 --read
says out 'call 3 of 4'
says out 'collective read'
expect 0 "$concilio" explain interleaved:64 --nodes 4 --ranks-per-node 3 --hint concilio_ranks_per_node=1
says out 'by 12 ranks on 12 nodes'
expect 0 "$concilio" explain interleaved:64 --hint access_style=read_once --stripe 1M --targets 4 --storage network
says out 'storage: network, blocks of 4 KiB, stripes of 1 MiB over 4 targets'
for policy in even aligned persistent cyclic balanced tree; do
  expect 0 "$concilio" explain interleaved:64 --ranks 4 --nodes 2 --policy $policy --picture plan.svg
  says out "^realms: $policy"
done

refused() { # MESSAGE, arguments
  local said=$1
  shift
  expect 2 "$concilio" explain "$@"
  says err "$said"
}
refused 'pattern' # none given
refused 'there is no pattern spiral; there are contiguous' spiral
refused 'write interleaved:B' interleaved
refused 'there are only 4 ranks' contiguous --ranks 4 --nodes 5
refused 'take 3 nodes, not 2' contiguous --ranks 6 --nodes 2 --ranks-per-node 2
refused '10000000, except .*: contiguous, interleaved, hpio, extent$' block3d --ranks 10000001
refused '2147483647' contiguous --ranks 2147483648
refused 'more than a picture can show' contiguous --nodes 20001 --picture plan.svg
refused '[-]-policy spiral' contiguous --policy spiral
refused 'concilio_file_set_realms' contiguous --policy user
refused '[-]-window lots' contiguous --window lots
refused '[-]-memory-per-node 4M,many' contiguous --memory-per-node 4M,many
refused 'write MEAN,SD' contiguous --memory-normal 4M
refused 'leave one out' contiguous --memory-normal 4M,1M --memory-per-node 4M
refused 'leave one out' contiguous --bytes-per-rank 4M --mib-per-rank 4
refused 'choose one of local, memory' contiguous --storage paper
refused 'write it as NAME=VALUE' contiguous --hint nonsense
refused 'did you mean concilio_method?' contiguous --hint concilio_metod=list
refused 'cb_nods is unknown; did you mean cb_nodes?' contiguous --hint cb_nods=1
refused 'concilio_nonsense' contiguous --hint concilio_nonsense=1
refused 'numbered from 0' contiguous --call 1
refused 'plan.svg' contiguous --picture no/such/folder/plan.svg
sed "s/\"fixed_realms\": 0/\"fixed_realms\": 3/" plan.json >fixed.json
expect 0 "$concilio" explain fixed.json
says err "had fixed 3 realms"
echo 'no facts' >nothing
refused 'holds no facts' nothing
echo '{"facts": {"operation": "write"}}' >little
refused 'cores_per_node' little
finish
