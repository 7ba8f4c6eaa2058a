"""The storage itself: `concilio probe` of it, its profile, and from that the paper's table of raw rates."""
import json
import os

from . import measure

# Requests of a table like the paper's.
SMALL, LARGE = 4096, 1024 * 1024


def curve_at(points, x):
    """Between the points of a curve, [[x, y], ...], in a straight line; beyond its ends in proportion to x."""
    points = sorted((float(one[0]), float(one[1])) for one in points)
    if not points:
        return None
    if x >= points[-1][0]:
        return points[-1][1] * x / points[-1][0] if points[-1][0] > 0 else points[-1][1]
    for (left, low), (right, high) in zip(points, points[1:]):
        if left <= x <= right:
            return low + (high - low) * (x - left) / (right - left)
    return points[0][1]


CACHED, DIRECT = "through the page cache", "past it (direct)"
# (way, order of requests) -> what the probe calls its samples.
SERIES = {(CACHED, "random"): "scattered", (CACHED, "sequential"): "adjoining", (DIRECT, "random"): "direct_scattered",
          (DIRECT, "sequential"): "direct"}


def curve_of(profile, name):
    """Seconds by bytes of a request: what was measured, else what the library plans with."""
    series = profile.get("measurements", {}).get("series", {})
    return series.get(name, {}).get("points") or profile.get("prices", {}).get(name) or []


def rates_of(profile):
    """{way: {"write random 4096": MB/s, of a million bytes as the paper has them}} of one client."""
    rates = {}
    for (way, order), name in SERIES.items():
        for operation in ("write", "read"):
            points = curve_of(profile, f"{operation}_{name}")
            for size in (SMALL, LARGE):
                seconds = curve_at(points, size)
                if seconds and seconds > 0:
                    rates.setdefault(way, {})[f"{operation} {order} {size}"] = size / seconds / 1e6
    return rates


def probe_command(concilio, folder, output, quick, mpi, ranks=None):
    words = [concilio, "probe", folder, "--output", output]
    if ranks:
        words += ["-n", str(ranks)]
    if quick:
        words.append("--quick")
    if mpi:
        words += ["--mpi", mpi]
    return words


def probe(bench, storage, output, quick, timeout_seconds=300, ranks=None, more_environment=None):
    """Makes the storage's profile and returns its rates; Failed where that does not go, and then there is no profile."""
    environment = {**bench.environment(storage), **(more_environment or {})}
    environment.pop("CONCILIO_PROFILE", None)
    if os.path.exists(output):
        os.unlink(output)
    words = probe_command(bench.concilio, storage.folder, output, quick, bench.mpi, ranks)
    status, _, errors = measure.run(words, environment, timeout_seconds)
    if status or not os.path.exists(output):
        raise measure.Failed(measure.last_words(errors) or f"concilio probe ended with exit status {status}")
    try:
        with open(output, encoding="utf-8") as file:
            return rates_of(json.load(file))
    except ValueError as error:
        raise measure.Failed(f"the profile is no JSON: {error}") from error
