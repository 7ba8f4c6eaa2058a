"""What the numbers of an experiment say, in sentences. No sentence claims what its numbers do not."""
from .experiments import counted, size_text
from .results import select, values_of

BESIDES = ("auto", "POSIX", "Unix-style", "the MPI's own, collective", "the MPI's own, independent")


def groups_of(points):
    """Points that differ in nothing but the series."""
    groups = {}
    for point in points:
        key = tuple(sorted((name, value) for name, value in point.items()
                           if name not in ("series", "seconds", "rate", "low", "high", "taken", "predicted")))
        groups.setdefault(key, {})[point["series"]] = point
    return groups


def auto_tracks(points):
    """How often auto is near the best of Concilio's other ways."""
    ratios = []
    for group in groups_of(points).values():
        others = [one["seconds"] for name, one in group.items() if name not in BESIDES]
        if "auto" in group and others:
            ratios.append(group["auto"]["seconds"] / min(others))
    if not ratios:
        return None
    near = sum(one <= 1.1 for one in ratios)
    worst = f"at worst it takes {max(ratios):.2f} times as long" if max(ratios) > 1.005 else "it is slower in none"
    return (f"auto is within 10 % of the best of Concilio's other ways, or faster, in {near} of {len(ratios)} points; "
            f"{worst}.")


def compared(points, one, other, label):
    """Range of the ratios of two series' rates over their common points."""
    ratios = [(group[one]["rate"] / group[other]["rate"], group) for group in groups_of(points).values()
              if one in group and other in group]
    if not ratios:
        return None
    (low, at_low), (high, at_high) = (pick(ratios, key=lambda pair: pair[0]) for pick in (min, max))
    if len(ratios) == 1:
        return f"{one} has {low:.2f} times the rate of {other}."
    where = [f"{group[one]['operation']}, {place(group[one], label)}" for group in (at_low, at_high)]
    return f"{one} has {low:.2f} ({where[0]}) to {high:.2f} ({where[1]}) times the rate of {other}."


def place(point, labels):
    words = []
    for name in labels:
        if name in point:
            words.append(size_text(point[name]) if name in ("transfer", "block")
                         else counted(point[name], "rank") if name == "ranks"
                         else counted(point[name], "client") if name == "clients" else str(point[name]))
    return ", ".join(words)


PAIRS = {"checkpoint": (("two_phase", "independent"), ("auto", "the MPI's own, collective")),
         "ior": (("MPI independent", "POSIX"), ("MPI collective", "MPI independent"), ("auto", "the MPI's own, collective")),
         "mpiio_test": (("MPI collective", "MPI independent"),),
         "romio": (("data sieving", "Unix-style"), ("collective", "Unix-style"), ("collective", "data sieving"))}
LABELS = {"checkpoint": ("layout", "ranks"), "ior": ("transfer", "ranks"), "mpiio_test": ("block", "clients"),
          "romio": ("application",)}


def findings_of(experiment, points):
    """Sentences about one storage's points."""
    said = [compared(points, one, other, LABELS.get(experiment, ())) for one, other in PAIRS.get(experiment, ())]
    return [one for one in [*said, auto_tracks(points)] if one]


def storage_contrast(experiment, points, storages):
    """One sentence where a disk and a fast device were both measured."""
    names = [name for name in values_of(points, "storage") if name in storages]
    if "hdd" not in names or "nvm" not in names:
        return None
    common = []
    for group in groups_of([{**one, "series": one["storage"], "storage": one["series"]} for one in
                            [*select(points, storage="hdd"), *select(points, storage="nvm")]]).values():
        if "hdd" in group and "nvm" in group:
            common.append(group["nvm"]["rate"] / group["hdd"]["rate"])
    if not common:
        return None
    return f"nvm (modelled) has {min(common):.1f} to {max(common):.0f} times the rate of hdd (modelled) at the same point."
