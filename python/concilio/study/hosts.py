"""Several hosts on this machine, made by tests/harness/testhosts, and a launcher that spreads ranks over them."""
import os
import pathlib
import shutil
import subprocess

from . import measure

HARNESS = pathlib.Path(__file__).resolve().parents[3] / "tests/harness"
# Stands in for mpirun.
LAUNCHER = """#!/bin/sh
# The launcher for `concilio bench`, with the ranks spread evenly over the hosts that testhosts made.
case $1 in --version) exec %(mpirun)s --version ;; esac
ranks=%(count)d before=
for word; do
  shift
  case $before in -n) ranks=$word before= ; continue ;; esac
  case $word in -n) before=-n ; continue ;; esac
  set -- "$@" "$word"
done
export MPIRUN=%(mpirun)s MPIEXEC=%(mpirun)s
exec %(testhosts)s %(way)s $((ranks / %(count)d)) %(options)s "$@"
"""
# The hosts share this machine's cores, so that a rank that waits has to let others run, as MPICH 5 does by itself.
OPTIONS = {"mpirun": "--bind-to none --mca mpi_yield_when_idle 1", "mpiexec": ""}


def why_not(rate=""):
    """Why no hosts can be made here; None if they can."""
    if not (HARNESS / "testhosts").exists():
        return "several hosts on one machine can only be made from Concilio's source tree (tests/harness/testhosts)"
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if os.geteuid() != 0 or not all(shutil.which(name, path=search) for name in (["ip", "tc"] if rate else ["ip"])):
        return "several hosts on one machine need root and iproute2"
    if not shutil.which("mpirun.openmpi"):
        return "several hosts on one machine need Open MPI (mpirun.openmpi)"
    return None


class Hosts:
    """So many hosts for as long as they are needed, each with the network rate given; and the launcher that starts on
    them. It stands for another launcher, `mpirun`, by that way of testhosts that knows it: mpirun (Open MPI) or mpiexec
    (MPICH)."""

    def __init__(self, folder, count, rate="", mpirun="mpirun.openmpi", way="mpirun"):
        self.launcher = os.path.join(folder, "mpirun-on-hosts")
        self.count, self.rate, self.mpirun, self.way = count, rate, mpirun, way

    def __enter__(self):
        parts = {"mpirun": self.mpirun, "way": self.way, "options": OPTIONS[self.way], "count": self.count,
                 "testhosts": HARNESS / "testhosts"}
        with open(self.launcher, "w", encoding="utf-8") as file:
            file.write(LAUNCHER % parts)
        os.chmod(self.launcher, 0o755)
        # `up` would remove the hosts of whoever made some before.
        others = subprocess.run([HARNESS / "testhosts", "hosts"], capture_output=True, text=True, check=False)
        if others.stdout.strip():
            raise measure.Failed("testhosts: there are hosts already, which somebody else may be using; `testhosts down` "
                                 "removes them")
        try:
            words = [HARNESS / "testhosts", "up", str(self.count), *filter(None, [self.rate])]
            made = subprocess.run(words, capture_output=True, text=True, check=False, start_new_session=True)
        except BaseException:
            # Interrupted half-way: no __exit__ would follow.
            self.__exit__()
            raise
        if made.returncode:
            self.__exit__()
            raise measure.Failed("testhosts: " + measure.last_words(made.stderr))
        return self

    def __exit__(self, *_):
        """To its end, whoever is impatient."""
        with measure.uninterrupted():
            subprocess.run([HARNESS / "testhosts", "down"], capture_output=True, check=False, start_new_session=True)

    def environment(self):
        return {"CONCILIO_MPIRUN": self.launcher, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
