#!/bin/bash
# The page of a report in a browser, if there is Chromium. Argument: CONCILIO.
concilio=$1
. "$(dirname "$0")/../common.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "there is no Chromium"; exit 77; }
# Leaves the page as the browser shows it in out, without what it is made from.
show() {
  expect 0 "$concilio" report "$1" -o page.html
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --dump-dom \
    "file://$scratch/page.html" 2>err >whole || fail 'the browser fails'
  sed '/<script/,/<\/script>/d' whole >out
}
# record NAME SECONDS [MORE]: a file whose calls took so long.
record() {
  printf '{"file":"%s","ranks":4,"nodes":1,"open_seconds":0.5,"counters":{"independent_writes":4000,"bytes_written":32000,' "$1"
  printf '"method_independent":4000},"max":{"independent_writes":1000,"call_ns":%d000000000,"storage_ns":1000000000},' "$2"
  printf '"reasons":[{"operation":"write","method":"independent","collective":false,"reason":"one stretch","calls":4000,'
  printf '"candidates":[{"method":"independent","legal":true,"predicted_seconds":0.25,"calls":2,"measured_seconds":0.125},'
  printf '{"method":"mapped","legal":false,"predicted_seconds":null,"calls":0,"measured_seconds":null}]}],'
  printf '"hints":{"cb_nodes":"2","cb_buffer_size":"0"}%s}\n' "${3:-}"
}

{ record /d/quick 1; record '/d/<b>slow</b>' 4; record /d/open 2 ',"open_ranks":[{"rank":3}]'; } >three.json
show three.json
says out '<p class="verdict">7 s in MPI-IO calls on the slowest rank of each file: 3 s storage'
says out '<p class="trouble">/d/open: not closed by 1 of 4 ranks; rank 3 in no call</p>'
says out '<b>12,000</b>calls'
says out 'aria-sort="descending"><button>time</button>'
tr '\n' ' ' <out | sed 's/<tr class="file"/\n&/g' | grep -o '^<tr class="file".*' | grep -o '/d/[^ ]*</td><td>[^<]*' >rows
printf '%s\n' '/d/&lt;b&gt;slow&lt;/b&gt;</td><td>4.5 s' '/d/open</td><td>2.5 s' '/d/quick</td><td>1.5 s' | cmp - rows || fail "rows: $(cat rows)"
says out '<li><code>8-byte independent writes, 4000 by 4 ranks: make them fewer and collective:.*at most 7 s to be won'
says out '/d/&lt;b&gt;slow&lt;/b&gt; and 2 more files: at most 7 s to be won'
says_not out 'class="details"'

# What wins most comes first, and the same advice once: 5 s for two files go before 4 s for one.
{ record /d/one 2; record /d/two 3; record /d/other 4 | sed 's/32000/64000/'; } >two_kinds.json
show two_kinds.json
grep -o '<li><code>[0-9]*-byte\|/d/[a-z]*[^:<]*: at most [0-9]* s to be won' out >advice
printf '%s\n' '<li><code>8-byte' '/d/two and 1 more file: at most 5 s to be won' '<li><code>16-byte' '/d/other: at most 4 s to be won' |
  cmp - advice || fail "advice: $(cat advice)"

# Of a single file all is shown at once.
record /d/only 1 >one.json
show one.json
says out 'class="details"'
says out 'Opened 1 time by 4 ranks on 1 node, 500 ms'
says out '<td>independent write</td><td>independent</td><td>4,000</td><td>one stretch</td>'
says out 'independent: 250 ms predicted, 125 ms measured'
says out 'mapped: not possible'
says out 'Hints whose values, as given or as chosen, are not the defaults: <code>cb_nodes=2</code>'
says_not out 'When and where'

# When and where ranks read and wrote: 4096 ranks, 128 in a row, of which the last waited least.
activity=',"hints_given":[{"name":"cb_nods","value":"1","by":"program","outcome":"ignored","why":"did you mean cb_nodes?"}],
  "activity":{"ranks_a_row":128,"rows":32,"time":{"bin_ns":1048576,"first":1000,"bins":2,"call_us":[0,134217,63,67108],
  "exchange_us":[0,67108],"storage_us":[0,67108,63,67108],"asked_read":[],"asked_written":[0,2048,63,4096],"stored_read":[],
  "stored_written":[0,6144]},"offsets":{"bin_bytes":4096,"first":0,"bins":2,"asked_read":[],"asked_written":[0,2048,63,4096],
  "stored_read":[],"stored_written":[0,6144]},"lengths":{"asked_read":[],"asked_written":[10,6],"stored_read":[],
  "stored_written":[11,3]},"alignments":{"asked_read":[],"asked_written":[11,3,12,3],"stored_read":[],"stored_written":[63,3]},
  "waited_least":[{"rank":4095,"waited_seconds":0.001,"own_seconds":0.5}]}'
wide() { record "$1" 1 "$(tr -d '\n' <<<"$activity")" | sed 's/"ranks":4,/"ranks":4096,/; s/"storage_ns":/"exchange_ns":900000000,&/'; }
wide /d/wide >wide.json
show wide.json
says out '<h2>When and where</h2>'
says out '/d/wide: ranks waited up to 900 ms for others. Rank 4095 waited least, 1 ms: its own work in calls took 500 ms'
# Axes have round ticks, and their units once.
axis() { grep -o '<text class="title"[^>]*>[^<]*<\|<text fill[^>]*>[^<]*<' out | sed 's/<$//; s/.*>//' | tr '\n' ' '; }
axis >axes
says axes '^0 500 1000 1500 2000 2500 3000 3500 4000 rank 1.0486 1.0488 1.0490 .* 1.0506 time (s) 0 500 '
says axes ' rank 0 2 4 6 8 place in the file (KiB) $'
[ "$(grep -o '<path' out | wc -l)" -ge 8 ] || fail "not all pictures are drawn: $(grep -o '<path[^>]*' out)"
# Half of the first cell's time is waiting, and half storage; of the last one's half is storage.
says out '<path d="M0 0.500h1v0.460h-1z" class="time-exchange">'
says out '<path d="M0 0.040h1v0.460h-1zM1 31.500h1v0.460h-1z" class="time-storage">'
says out 'what storage saw<span class="quiet"> (strongest: 6 KiB)'
says out '<td>writes of the program</td><td>6</td>'
says out '<td>1 KiB to 2 KiB: 100 %</td><td>50 %</td><td>0 %</td><td>0 %</td>'
says out '<td>cb_nods</td><td>1</td><td>program</td><td>ignored</td><td>did you mean cb_nodes?</td>'
{ wide /d/wide; wide /d/other; } >two.json
show two.json
says out 'Files over their bytes'
says out '<option value="1">/d/other</option>'
finish
