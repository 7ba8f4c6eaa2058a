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
says out '<li><code>8-byte independent writes, 4000 by 4 ranks: make them fewer and collective:.*at most 4 s to be won'
says_not out 'class="details"'

# Of a single file all is shown at once.
record /d/only 1 >one.json
show one.json
says out 'class="details"'
says out 'Opened 1 time by 4 ranks on 1 node, 500 ms'
says out '<td>independent write</td><td>independent</td><td>4,000</td><td>one stretch</td>'
says out 'independent: 250 ms predicted, 125 ms measured'
says out 'mapped: not possible'
says out 'Hints that are not as usual: <code>cb_nodes=2</code>'
finish
