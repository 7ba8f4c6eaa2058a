#!/bin/bash
# small_shared_memory.sh HARNESS ARGS... -- PROGRAM: the program where /dev/shm has 24 MiB, of which MPI takes its part.
# 77: that cannot be made.
if ! unshare --mount true 2>/dev/null; then
  echo "skipped: no mount namespace can be made"
  exit 77
fi
# The harness works inside it, so that no other program loses its shared memory.
exec unshare --mount --propagation private bash -c 'mount -t tmpfs -o size=24m tmpfs /dev/shm || exit 77; exec "$@"' - "$@"
