"""The Optane paper's findings: a slow network against a fast storage, and a slow storage against small pieces."""
from . import device, hosts
from .results import median_seconds
from .storage import Storage

HOSTS, RATE = 3, "100mbit"
SLOW_NETWORK, SLOW_STORAGE = "slow network", "slow storage"
FINDINGS = {SLOW_NETWORK: "Fast storage, slow network, large pieces: collective loses, and auto takes a method without exchange",
            SLOW_STORAGE: "Slow storage, small pieces: two-phase I/O wins by an order of magnitude"}
# A request a piece, without exchange: what independent I/O is where a rank has several pieces.
SERIES = {"auto": "auto", "list": "independent", "two_phase": "two_phase"}
ANY = 1e9  # the slow method is the finding: it is tried however slow it is predicted to be


class SlowHosts(hosts.Hosts):
    """Hosts with a slow network."""

    def __init__(self, folder):
        super().__init__(folder, HOSTS, RATE)

    def probe(self, bench, storage, output):
        """A profile made by these hosts together, which knows their network; the environment that makes it used."""
        device.probe(bench, storage, output, True, ranks=HOSTS, more_environment=self.environment())
        return {**self.environment(), "CONCILIO_PROFILE": output}


def network_cases(storage, scale):
    """Large pieces, all of which two-phase I/O would send over the network."""
    for block in (1 << 20, 4 << 20)[:1 if scale.quick else 2]:
        yield scale.case("contrast", storage, f"interleaved:{block}", HOSTS, SERIES,
                         {"finding": SLOW_NETWORK, "block": block}, mib_per_rank=4 if scale.quick else 8, method_seconds=60,
                         timeout_seconds=300, skip_slower_than=ANY, repetitions=3)


def storage_cases(storage, scale):
    """Small pieces on a disk: each a seek, if not brought together."""
    # So few bytes that a seek for each piece takes seconds, and not minutes.
    for block, mib in ((4096, 0.25), (1024, 0.125))[:1 if scale.quick else 2]:
        yield scale.case("contrast", storage, f"interleaved:{block}", min(4, max(scale.ranks)), SERIES,
                         {"finding": SLOW_STORAGE, "block": block},
                         mib_per_rank=mib, method_seconds=120, timeout_seconds=400, skip_slower_than=ANY, repetitions=3)


def disk(storages):
    """The disk of this study, or one modelled on its first folder."""
    for one in storages:
        if one.name == "hdd":
            return one
    first = storages[0]
    return Storage("hdd", first.folder, "device=hdd", first.file_system, False, 6e-3)


def not_measured(result, operation, why):
    return {"finding": FINDINGS[result["labels"]["finding"]], "passed": False,
            "numbers": f"{operation}, {result['pattern']}, {result['ranks']} ranks: not measured ({why})"}


def why_missing(rows):
    """What there is to say of the methods that have no times."""
    reasons = []
    for method in SERIES:
        row = rows.get(method, {})
        if row.get("failure") or not median_seconds(row):
            reasons.append(f"{method}: {row.get('failure') or 'no times'}")
        elif method != "auto" and row.get("taken") not in (None, method):
            reasons.append(f"{method}: the library took {row['taken']}")
    return "; ".join(reasons)


def verdict_of(result, operation):
    """What one case says about its finding, with its numbers. A finding that was not measured does not hold."""
    rows = {row["method"]: row for row in result["rows"] if row["operation"] == operation}
    missing = result["failure"] or why_missing(rows)
    if missing:
        return not_measured(result, operation, missing)
    rates = {method: result["bytes"] / 2 ** 20 / median_seconds(rows[method]) for method in SERIES}
    taken = rows["auto"].get("taken")
    finding = result["labels"]["finding"]
    numbers = (f"{operation}, {result['pattern']}, {result['ranks']} ranks: independent (list) {rates['list']:.3g} MiB/s, "
               f"two_phase {rates['two_phase']:.3g} MiB/s, auto {rates['auto']:.3g} MiB/s (took {taken})")
    if finding == SLOW_NETWORK:
        return {"finding": FINDINGS[finding],
                "numbers": numbers + f"; independent is {rates['list'] / rates['two_phase']:.1f} times as fast",
                "passed": rates["two_phase"] < rates["list"] and taken is not None and "two_phase" not in taken}
    ratio = rates["two_phase"] / rates["list"]
    return {"finding": FINDINGS[finding], "numbers": numbers + f"; two_phase is {ratio:.1f} times as fast", "passed": ratio >= 10}


def verdicts_of(results):
    return [verdict_of(result, operation) for result in results for operation in ("write", "read")]
