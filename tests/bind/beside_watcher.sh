#!/bin/bash
# beside_watcher.sh HARNESS CONCILIO MPI LAUNCHER LIBRARY FOLDER: a program with Concilio and with libraries that watch
# MPI-IO, in every order. Each of them must see each call, and Concilio must carry it out. FOLDER has libwatcher-1.so to
# libwatcher-3.so, which pass calls on in ways of their own, and the program alone (watched) and linked with each of
# them (watched-1 to watched-3).
set -u -o pipefail
harness=$1 concilio=$2 mpi=$3 launcher=$4 library=$(realpath "$5") folder=$(realpath "$6")
failed=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT
# What Open MPI would say of root and of too many ranks; the harness says it by itself.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
resting=$folder/../libresting.so
if [ -e "$resting" ]; then front=$(realpath "$resting"): ; else front=""; fi

# seen WHAT WATCHER...: what was said must be that Concilio carried out the calls, and that these saw them on 2 ranks.
seen() {
  local what=$1 watcher
  shift
  grep -q '^[0-9][0-9.]* abc$' "$said" || { echo "$mpi, $what: Concilio did not carry the calls out"; return 1; }
  for watcher in "$@"; do
    if [ "$(grep -c "^watcher $watcher: 1 opened, 1 written, 1 read, 1 closed\$" "$said")" != 2 ]; then
      echo "$mpi, $what: watcher $watcher did not see each call of both ranks"
      return 1
    fi
  done
}

# preloaded LIST PROGRAM WATCHER...
preloaded() {
  local list=$1 program=$2
  shift 2
  "$harness" --mpi "$mpi" -n 2 --timeout 60 --launcher "$launcher" --env "LD_PRELOAD=$front$list" -- \
    "$folder/$program" "$folder/data-$mpi" > "$said" 2>&1
  seen "$program with $list" "$@" || { cat "$said"; failed=1; }
}

for way in 1 2 3; do
  preloaded "$folder/libwatcher-$way.so:$library" watched $way
  preloaded "$library:$folder/libwatcher-$way.so" watched $way
  preloaded "$library" watched-$way $way
done
preloaded "$library:$folder/libwatcher-2.so $folder/libwatcher-3.so" watched 2 3
preloaded "$folder/libwatcher-2.so:$library" watched-3 2 3

# Another copy of Concilio, as from a second installation, is no watcher: the program is not started again.
copy=$folder/copy-$mpi.so
cp "$library" "$copy"
for list in "$library:$copy" "$copy:$library"; do
  found=$(LD_PRELOAD=$list env | sed -n 's/^LD_PRELOAD=//p')
  [ "$found" = "$list" ] || { echo "$mpi: $list became $found" | cut -c 1-500; failed=1; }
done
rm -f "$copy"

# By `concilio run`, with a watcher that the user preloads.
launch=("$launcher" -n 2)
if [[ $mpi == openmpi* ]]; then launch+=(--oversubscribe); fi
for way in 1 2 3; do
  LD_PRELOAD=$folder/libwatcher-$way.so CONCILIO_LIBDIR=$(dirname "$library") timeout 60 "$concilio" run --summary \
    "${launch[@]}" "$folder/watched" "$folder/data-$mpi" > "$said" 2>&1 < /dev/null
  seen "concilio run with watcher $way" $way || { cat "$said"; failed=1; }
  grep -q '1 collective write\|2 collective writes' "$said" || { echo "$mpi: no summary"; cat "$said"; failed=1; }
done
[ $failed = 1 ] || echo "each sees each call"
exit $failed
