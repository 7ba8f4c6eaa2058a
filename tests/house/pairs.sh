#!/bin/bash
# The quickstart's comparison (scripts/pairs.awk) of runs as quiet and noisy machines make them.
set -u
pairs=$(cd ../../scripts && pwd)/pairs.awk
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# says WHAT EXPECTED OWN CONCILIO: times of write in each turn; the line must end with EXPECTED.
says() {
  local said
  tr ' ' '\n' <<< "$3" | sed 's/^/write /' > "$folder/own"
  tr ' ' '\n' <<< "$4" | sed 's/^/write /' > "$folder/ours"
  said=$(awk -v program=p -f "$pairs" "$folder/own" "$folder/ours")
  [[ $said == *"$2" ]] || { echo "$1: expected '...$2', got '$said'"; failed=1; }
}
says "a quiet machine" "3.000 (3.000-3.000)  1.000 (1.000-1.000)  3.0x (3.0x-3.0x)" "3 3 3 3" "1 1 1 1"
says "a machine that is busy for some turns" "3.0x (2.9x-3.0x)" "3 9 9.1 3" "1 3 3.1 1"
says "a machine that is busy in a run of the first side" "3.0x (3.0x-9.0x)" "3 9 3 3" "1 1 1 1"
says "a machine that is busy in a run of the second side" "within the spread" "3 3 3 3" "1 1 3.5 1"
says "sides that are the same" "within the spread" "1 1.1 1 1.05" "1.05 1 1 1.1"
says "a second side that is slower" "0.5x (0.5x-0.5x)" "1 1 1 1" "2 2 2 2"
says "a side that takes no time" "within the spread" "0 0 1 1" "0 0 1 1"

printf 'write 2\nread 4\nmemory 10.2\nwrite 2\nread 4\nmemory 10.4\n' > "$folder/own"
printf 'write 1\nread 1\nmemory 3\nwrite 1\nread 1\nmemory 3\n' > "$folder/ours"
expected='p              write, s            2.000 (2.000-2.000)  1.000 (1.000-1.000)  2.0x (2.0x-2.0x)
p              read, s             4.000 (4.000-4.000)  1.000 (1.000-1.000)  4.0x (4.0x-4.0x)
p              memory, MiB a rank                 10.3                  3.0'
said=$(awk -v program=p -f "$pairs" "$folder/own" "$folder/ours")
[ "$said" = "$expected" ] || { echo "a table: expected"; echo "$expected"; echo "got"; echo "$said"; failed=1; }

# A turn that is missing on one side must not be compared with another one.
echo 'write 1' >> "$folder/ours"
awk -v program=p -f "$pairs" "$folder/own" "$folder/ours" > /dev/null 2>&1 && { echo "a missing turn was passed over"; failed=1; }
exit $failed
