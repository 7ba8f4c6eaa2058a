#!/bin/bash
# bench/at_scale/run: every experiment at a tiny scale, and its table and drawing in a page. Arguments: CONCILIO ROOT.
concilio=$1
run=$2/bench/at_scale/run
. "$(dirname "$0")/common.sh"
unset CONCILIO_THROTTLE CONCILIO_NODE_MEMORY CONCILIO_METHOD
names=$("$run" --list | cut -d' ' -f1)
[ -n "$names" ] || fail "no experiments"
for name in $names; do
  grep -q "^<!-- $name: written by bench/at_scale/run -->" "$2/docs/papers.md" || fail "docs/papers.md has no place for $name"
  printf '<!-- %s: written by bench/at_scale/run -->\nold\n<!-- %s: end -->\n' "$name" "$name"
done >page.md
expect 2 "$run" simulated-nothing
says err 'no experiment simulated-nothing; there are'
mkdir kept
simulate_all() { "$run" --quick --jobs 2 --concilio "$concilio" --output kept --markdown page.md "$@" >out 2>err; }
simulate_all
status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "exit status $status"
says_not err 'has no place'
says_not page.md '^old$'
for name in $names; do
  [ -s "kept/$name.json" ] || fail "no results of $name"
  /usr/bin/python3 - "$name" <<'END_OF_CHECK' || fail "$name has no table"
import re, sys
text = re.search(rf"<!-- {sys.argv[1]}: written.*?-->\n(.*?)<!-- {sys.argv[1]}: end", open("page.md").read(), re.DOTALL)[1]
assert re.search(r"^\| --- .*\n\| .*[1-9]", text, re.MULTILINE), text
END_OF_CHECK
done
# What is kept is shown again without being made, and is the same.
cp page.md first.md
expect 0 "$run" --report-only --output kept --markdown page.md
cmp first.md page.md || fail "the page is another one"
simulate_all --resume || fail "--resume failed"
says_not err '^\[1/'
finish
