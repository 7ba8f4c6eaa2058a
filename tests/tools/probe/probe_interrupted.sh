#!/bin/bash
# concilio probe is interrupted: it leaves nothing behind, and the old profile does not change. Arguments: CONCILIO MPI
# LAUNCHER.
concilio=$1 mpi=$2 launcher=$3
. "$(dirname "$0")/../common.sh"
unset OMPI_MCA_odls_base_sigkill_timeout # the ranks that are ended remove their files
mkdir folder
echo old >profile.json
touch out err
# interrupt SIGNAL COMMAND...: sends the signal while the command measures, and waits for its end.
interrupt() {
  # Children of Python do not ignore SIGINT, as background jobs of a script do.
  timeout 60 /usr/bin/python3 - "$@" <<'END' || fail "$*"
import os, signal, subprocess, sys, time
process = subprocess.Popen(sys.argv[2:], stdout=open("out", "w"), stderr=open("err", "w"), stdin=subprocess.DEVNULL)
end = time.time() + 30
while not any(os.path.exists(f"folder/{name}/data") for name in os.listdir("folder")) and time.time() < end:
    time.sleep(0.05)
time.sleep(1)
assert process.poll() is None, "ended before it was interrupted"
process.send_signal(getattr(signal, sys.argv[1]))
status = process.wait(20)
# A launcher that is told to stop chooses its exit status itself: MPICH's is sometimes 0.
assert status != 0 or "mpich" in os.path.basename(sys.argv[2]), status
end = time.time() + 10
while os.listdir("folder") and time.time() < end:
    time.sleep(0.05)
END
  left=$(ls -A folder)
  [ -z "$left" ] || fail "$* left behind: $left $(ls -A folder/*)"
  [ "$(cat profile.json)" = old ] || fail "$* replaced the old profile"
}

for signal in SIGINT SIGTERM; do
  interrupt $signal "$concilio" probe folder -n 2 --quick --mpi "$mpi" --output "$scratch/profile.json"
done
oversubscribe=
[[ $mpi == openmpi* ]] && oversubscribe=--oversubscribe
interrupt SIGTERM "$launcher" $oversubscribe -n 2 "$concilio" probe folder --quick --output "$scratch/profile.json"
leaves_only folder profile.json
finish
