"""The Optane paper's findings: a slow network against a fast storage, and a slow storage against small pieces."""
import os
import pathlib
import shutil
import subprocess

from . import measure
from .results import median_seconds
from .storage import Storage

HARNESS = pathlib.Path(__file__).resolve().parents[3] / "tests/harness"
HOSTS, RATE = 3, "100mbit"
SLOW_NETWORK, SLOW_STORAGE = "slow network", "slow storage"
# Stands in for mpirun: the same ranks, one on each host.
LAUNCHER = """#!/bin/sh
# Open MPI's mpirun for `concilio bench`, with a rank on each of the hosts that testhosts made.
case $1 in --version) exec mpirun.openmpi --version ;; esac
first=
for word; do
  shift
  case $first in -n) first= ; continue ;; esac
  case $word in -n) first=-n ; continue ;; --oversubscribe) continue ;; esac
  set -- "$@" "$word"
done
exec HARNESS/testhosts mpirun 1 "$@"
"""


def why_not_hosts():
    """Why no hosts can be made here; None if they can."""
    if not (HARNESS / "testhosts").exists():
        return "several hosts on one machine can only be made from Concilio's source tree (tests/harness/testhosts)"
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if os.geteuid() != 0 or not shutil.which("ip", path=search) or not shutil.which("tc", path=search):
        return "several hosts on one machine need root and iproute2"
    if not shutil.which("mpirun.openmpi"):
        return "several hosts on one machine need Open MPI (mpirun.openmpi)"
    return None


class Hosts:
    """Hosts with a slow network, for as long as they are needed; and the launcher that starts on them."""

    def __init__(self, folder):
        self.launcher = os.path.join(folder, "mpirun-on-hosts")

    def __enter__(self):
        with open(self.launcher, "w", encoding="utf-8") as file:
            file.write(LAUNCHER.replace("HARNESS", str(HARNESS)))
        os.chmod(self.launcher, 0o755)
        # `up` would remove the hosts of whoever made some before.
        others = subprocess.run([HARNESS / "testhosts", "hosts"], capture_output=True, text=True, check=False)
        if others.stdout.strip():
            raise measure.Failed("testhosts: there are hosts already, which somebody else may be using; `testhosts down` "
                                 "removes them")
        made = subprocess.run([HARNESS / "testhosts", "up", str(HOSTS), RATE], capture_output=True, text=True, check=False)
        if made.returncode:
            self.__exit__()
            raise measure.Failed("testhosts: " + measure.last_words(made.stderr))
        return self

    def __exit__(self, *_):
        subprocess.run([HARNESS / "testhosts", "down"], capture_output=True, check=False)

    def environment(self):
        return {"CONCILIO_MPIRUN": self.launcher, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def network_cases(storage, scale):
    """Large pieces, all of which two-phase I/O would send over the network."""
    for block in (1 << 20, 4 << 20)[:1 if scale.quick else 2]:
        series = {method: method for method in ("auto", "independent", "two_phase")}
        yield scale.case("contrast", storage, f"interleaved:{block}", HOSTS, series,
                         {"finding": SLOW_NETWORK, "block": block}, mib_per_rank=4 if scale.quick else 8, method_seconds=60)


def storage_cases(storage, scale):
    """Small pieces on a disk: each a seek, if not brought together."""
    for pattern in ("interleaved:4096", "interleaved:1024")[:1 if scale.quick else 2]:
        series = {method: method for method in ("auto", "independent", "two_phase")}
        # Left out are methods whose calls would take minutes: here that is the finding.
        yield scale.case("contrast", storage, pattern, 4, series,
                         {"finding": SLOW_STORAGE, "block": int(pattern.partition(":")[2])}, mib_per_rank=0.25,
                         method_seconds=60, timeout_seconds=300)


def disk(storages):
    """The disk of this study, or one modelled on its first folder."""
    for one in storages:
        if one.name == "hdd":
            return one
    first = storages[0]
    return Storage("hdd", first.folder, "device=hdd", first.file_system, False, 6e-3)


def verdict_of(result, operation):
    """What one case says about its finding, with its numbers; None where it was not measured."""
    rows = {row["method"]: row for row in result["rows"] if row["operation"] == operation}
    seconds = {method: median_seconds(row) for method, row in rows.items() if not row.get("failure")}
    if not seconds.get("auto") or not seconds.get("two_phase") or not seconds.get("independent"):
        return None
    rates = {method: result["bytes"] / 2 ** 20 / value for method, value in seconds.items()}
    taken = rows["auto"].get("taken")
    numbers = (f"{operation}, {result['pattern']}, {result['ranks']} ranks: independent {rates['independent']:.3g} MiB/s, "
               f"two_phase {rates['two_phase']:.3g} MiB/s, auto {rates['auto']:.3g} MiB/s (took {taken})")
    if result["labels"]["finding"] == SLOW_NETWORK:
        holds = rates["two_phase"] < rates["independent"] and taken in ("independent", "list")
        return {"finding": "Fast storage, slow network, large pieces: collective loses, and auto takes independent I/O",
                "numbers": numbers + f"; independent is {rates['independent'] / rates['two_phase']:.1f} times as fast",
                "passed": holds}
    ratio = rates["two_phase"] / rates["independent"]
    return {"finding": "Slow storage, small pieces: two-phase I/O wins by an order of magnitude",
            "numbers": numbers + f"; two_phase is {ratio:.1f} times as fast", "passed": ratio >= 10}


def verdicts_of(results):
    found = (verdict_of(result, operation) for result in results if not result["failure"] for operation in ("write", "read"))
    return [one for one in found if one]
