#!/bin/bash
# small_shared_memory.sh HARNESS ARGS... -- PROGRAM: runs the program with 24 MiB in /dev/shm, of which MPI uses a part.
# Exit status 77: that cannot be arranged.
if ! unshare --mount true 2>/dev/null; then
  echo "skipped: no mount namespace can be made"
  exit 77
fi
# The harness runs inside the namespace, so that no other program loses its shared memory.
exec unshare --mount --propagation private bash -c 'mount -t tmpfs -o size=24m tmpfs /dev/shm || exit 77; exec "$@"' - "$@"
