#!/bin/bash
# concilio probe: its options and its errors. Arguments: CONCILIO MPI.
concilio=$1 mpi=$2
. "$(dirname "$0")/../common.sh"
let_ranks_rest
export XDG_CONFIG_HOME=$scratch/config
mkdir folder

expect 2 "$concilio" probe
says err 'no folder is given'
expect 2 "$concilio" probe folder --mpi other
expect 2 "$concilio" probe folder -n none
expect 2 "$concilio" probe folder --no-such-option
expect 1 "$concilio" probe no/such/folder --mpi "$mpi"
says err 'no/such/folder: No such file'
touch file
expect 1 "$concilio" probe file --mpi "$mpi"
says err 'file is not a folder'
# Nobody can create files there, not even root.
expect 1 "$concilio" probe /proc --mpi "$mpi"
says err 'cannot make files in /proc'
CONCILIO_LIBEXECDIR=$scratch expect 2 "$concilio" probe folder --mpi "$mpi"
says err CONCILIO_LIBEXECDIR
expect 1 "$concilio" probe --show folder
says err 'cannot read'
echo '{"concilio_profile": 99}' >damaged
expect 1 "$concilio" probe --show damaged
says err 'damaged: .*version'
# If the results cannot be written at the end, this is reported at the beginning: to measure would take longer.
expect 1 timeout 40 "$concilio" probe folder -n 2 --mpi "$mpi" --output /proc/none/profile.json
says err 'cannot write /proc/none/profile.json'
expect 1 timeout 40 "$concilio" probe folder -n 2 --mpi "$mpi" --json=folder
says err 'it is a folder'
expect 1 timeout 40 "$concilio" probe folder -n 2 --mpi "$mpi" --picture folder
says err 'it is a folder'
expect 1 timeout 40 env -u XDG_CONFIG_HOME -u HOME "$concilio" probe folder -n 2 --mpi "$mpi"
says err 'give --output FILE'
CONCILIO_THROTTLE=nonsense expect 1 "$concilio" probe folder -n 2 --quick --mpi "$mpi"
says err 'CONCILIO_THROTTLE'
expect 124 "$concilio" probe folder -n 2 --quick --mpi "$mpi" --timeout 2
says err 'stopped after 2 seconds'
left=$(ls -A folder)
[ -z "$left" ] || fail "left behind: $left"
[ ! -e config ] || fail "a profile was written: $(find config)"
finish
