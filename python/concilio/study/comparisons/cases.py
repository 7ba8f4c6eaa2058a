"""What is compared: for each comparison cases, each the same patterns under several variants.

A new comparison is one function here that returns a Comparison, one row in ALL, a table in tables.py and a figure in
figures.py.
"""
import dataclasses
import json
import random

from ..experiments import KIB, MIB


@dataclasses.dataclass
class Variant:
    """What is compared within a case: the MPI's own MPI-IO, or Concilio with hints."""
    name: str
    concilio: bool = True
    hints: dict = dataclasses.field(default_factory=dict)
    env: dict = dataclasses.field(default_factory=dict)
    # Hints that differ from alternation to alternation, as drawn memory does.
    hints_each_time: list = dataclasses.field(default_factory=list)

    def hints_at(self, alternation):
        if not self.hints_each_time:
            return self.hints
        return {**self.hints, **self.hints_each_time[alternation % len(self.hints_each_time)]}


@dataclasses.dataclass
class Case:
    """One start of the benchmark program for each variant and alternation."""
    labels: dict  # what tells it from the other cases of the comparison
    variants: list
    patterns: dict  # pattern -> its labels
    mpi: str = "openmpi"
    ranks: int = 4
    hosts: int = 0  # 0: this machine as it is; else so many made on it
    pfs: bool = False  # on a distributed file system
    mib_per_rank: float = 1
    repetitions: int = 5
    options: tuple = ()
    seconds: float = 300
    program: str = "patterns"  # or "scorpio", whose patterns are its methods
    probed: bool = False  # the prices are those that `concilio probe` measures on these hosts and this storage

    @property
    def key(self):
        return ",".join(f"{name}={value}" for name, value in self.labels.items())

    @property
    def definition(self):
        """All that makes two runs comparable, as JSON has it."""
        kept = dataclasses.asdict(self)
        for name, usual in (("program", "patterns"), ("probed", False)):
            if kept[name] == usual:
                del kept[name]
        kept["variants"] = {variant.pop("name"): variant for variant in kept["variants"]}
        return json.loads(json.dumps(kept))


@dataclasses.dataclass
class Comparison:
    name: str
    title: str
    cases: list


def own_aggregators(count):
    """The MPI's own MPI-IO with so many aggregators: ROMIO takes the hint, OMPIO its own parameter."""
    return {"hints": {"cb_nodes": str(count)}, "env": {"OMPI_MCA_io_ompio_num_aggregators": str(count)}}


def datatypes(quick):
    """Flexible collective I/O, figure 4."""
    regions = 512 if quick else 4096
    sizes = [8, 128, 1024] if quick else [8, 16, 32, 64, 128, 256, 512, 1024]
    patterns = {f"hpio:{size}/128:{form}:{regions}": {"region_bytes": size, "form": form}
                for size in sizes for form in ("struct", "vector", "indexed")}
    cases = []
    for mpi in ("openmpi", "mpich"):
        for aggregators in (1, 4):
            forced = {"cb_nodes": str(aggregators), "concilio_method": "two_phase"}
            cases.append(Case({"mpi": mpi, "hosts": 1, "aggregators": aggregators},
                              [Variant("own", concilio=False, **own_aggregators(aggregators)),
                               Variant("concilio", hints=forced)],
                              patterns, mpi=mpi, ranks=4, repetitions=3 if quick else 7))
    # Between hosts descriptions travel, which they need not within one.
    for aggregators in (1, 6):
        forced = {"cb_nodes": str(aggregators), "concilio_method": "two_phase"}
        cases.append(Case({"mpi": "openmpi", "hosts": 3, "aggregators": aggregators},
                          [Variant("concilio", hints=forced)], patterns, ranks=6, hosts=3,
                          repetitions=3 if quick else 7))
    return Comparison("datatypes", "Short and long descriptions of the same access (HPIO)", cases)


# Percentage of a window above which the forced threshold sieves.
SIEVE_FROM_PERCENT = 25


def sieving(quick):
    """Flexible collective I/O, figure 5."""
    extents = [1, 16] if quick else [1, 2, 4, 8, 16, 32, 64]
    percents = [3, 50] if quick else [3, 12, 25, 50, 75, 90, 100]
    patterns = {f"extent:{extent * KIB}/{percent}": {"extent_bytes": extent * KIB, "percent": percent}
                for extent in extents for percent in percents}
    two_phase = {"concilio_method": "two_phase"}
    variants = [Variant(flush, hints={**two_phase, "concilio_flush": flush})
                for flush in ("rmw", "list", "batch", "auto")]
    variants.append(Variant("threshold", hints={**two_phase, "romio_cb_ds_threshold": str(SIEVE_FROM_PERCENT)}))
    return Comparison("sieving", "Piece by piece against sieving beneath two-phase, by extent",
                      [Case({"mpi": "openmpi"}, variants, patterns, ranks=4, mib_per_rank=2 if quick else 16,
                            repetitions=5, options=("--write-only",))])


# The paper's stripe is 2 MiB of a file of 200 MiB; a quarter of the data points is taken here.
REALM_ALIGNMENT_BYTES = 512 * KIB
DATA_POINT_BYTES = 100 * 32  # in one time step


def realms(quick):
    """Flexible collective I/O, figures 6 and 7."""
    points, steps = (64, 4) if quick else (512, 32)
    unaligned, aligned = {"romio_cb_fr_alignment": "1"}, {"romio_cb_fr_alignment": str(REALM_ALIGNMENT_BYTES)}
    kept = {"romio_cb_pfr": "enable"}
    # What persistent realms make possible: an aggregator may cache, since nobody else has its bytes.
    held = {"romio_no_indep_rw": "true", "concilio_write_behind": "4M"}
    cases = []
    for ranks, flush in ((4, "rmw"), (8, "rmw"), (4, "auto")):
        common = {"cb_nodes": str(ranks // 2), "concilio_method": "two_phase", "concilio_flush": flush}
        variants = [Variant("even", hints={**common, "concilio_realms": "even", **unaligned}),
                    Variant("aligned", hints={**common, "concilio_realms": "aligned", **aligned}),
                    Variant("persistent", hints={**common, **kept, **unaligned}),
                    Variant("persistent aligned", hints={**common, **kept, **aligned}),
                    Variant("persistent aligned, held back", hints={**common, **kept, **aligned, **held})]
        cases.append(Case({"ranks": ranks, "flush": flush}, variants, {f"timesteps:{steps}": {"steps": steps}},
                          ranks=ranks, pfs=True, mib_per_rank=points * DATA_POINT_BYTES / ranks / MIB,
                          repetitions=1, options=("--write-only", "--sync"), seconds=600))
    return Comparison("realms", "Persistent and aligned realms on a distributed file system, one call a time step", cases)


def drawn_memory(mean_bytes, deviation_bytes, hosts, seed):
    """Available memory of each host, normally distributed, with exactly this mean.

    The deviation is larger than the smaller means. What is drawn below an eighth of the mean counts as that; then all
    are scaled, so that the hosts together have what they have in the runs with equal buffers.
    """
    numbers = random.Random(seed)
    drawn = [max(numbers.gauss(mean_bytes, deviation_bytes), mean_bytes / 8) for _ in range(hosts)]
    return [int(one * mean_bytes * hosts / sum(drawn)) for one in drawn]


def listed(amounts):
    return ",".join(str(amount) for amount in amounts)


# Sizes are a quarter of the paper's, with its proportion of buffer to data.
PLAIN = {"concilio_method": "two_phase", "concilio_groups": "off", "concilio_placement": "first",
         "concilio_realms": "even", "cb_config_list": "*:1", "concilio_memory_limit": "1G"}
CONSCIOUS = {"concilio_method": "two_phase", "concilio_groups": "auto", "concilio_placement": "memory",
             "concilio_memory_limit": "1G"}
PAPER_SCALE = 4
HOSTS, RANKS_PER_HOST = 3, 2
# As a parallel file system's requests cost: the page cache of one machine has no such price.
SLOW_STORAGE = {"CONCILIO_THROTTLE": "request=1;bandwidth=400M"}


def memory(quick):
    """Memory-conscious collective I/O, figures 6, 7 and 8."""
    buffers = [8, 128] if quick else [2, 4, 8, 16, 32, 64, 128]
    cases = []
    for storage, env in (("page cache", {}), ("slow storage", SLOW_STORAGE)):
        for paper_mib in buffers:
            mean = paper_mib * MIB // PAPER_SCALE
            draws = [drawn_memory(mean, 50 * MIB // PAPER_SCALE, HOSTS, f"{paper_mib}/{draw}") for draw in range(5)]
            available = [{"concilio_node_memory": listed(draw)} for draw in draws]
            variants = [Variant("plain, equal memory", env=env,
                                hints={**PLAIN, "concilio_node_memory": listed([mean] * HOSTS)}),
                        Variant("plain, drawn memory", env=env, hints=PLAIN, hints_each_time=available),
                        Variant("memory-conscious", env=env, hints=CONSCIOUS, hints_each_time=available)]
            cases.append(Case({"storage": storage, "buffer_mib": paper_mib / PAPER_SCALE, "paper_mib": paper_mib},
                              variants, {"block3d": {"access": "block3d"},
                                         "interleaved:65536": {"access": "interleaved"}},
                              ranks=HOSTS * RANKS_PER_HOST, hosts=HOSTS, mib_per_rank=1 if quick else 32 / PAPER_SCALE,
                              repetitions=3, probed=True))
    return Comparison("memory", "Memory-conscious against plain two-phase, memory of hosts drawn at random", cases)


HOST_LIMITS_MIB = [4, 16, 64]


def limits(quick):
    """Even realms against memory-conscious placement where hosts may use 4, 16 and 64 MiB."""
    available = {"concilio_node_memory": ",".join(f"{mib}M" for mib in HOST_LIMITS_MIB)}
    even = {"concilio_method": "two_phase", "concilio_groups": "off", "concilio_placement": "spread",
            "concilio_realms": "even", "concilio_memory_limit": "1G"}
    cases = []
    for storage, env in (("page cache", {}), ("slow storage", SLOW_STORAGE)):
        cases.append(Case({"storage": storage},
                          [Variant("even", env=env, hints={**even, **available}),
                           Variant("memory-conscious", env=env, hints={**CONSCIOUS, **available})],
                          {f"interleaved:{block}": {"block_bytes": block} for block in (1024, 65536)},
                          ranks=HOSTS * RANKS_PER_HOST, hosts=HOSTS, mib_per_rank=2 if quick else 32,
                          repetitions=3, probed=True))
    return Comparison("limits", "Even realms against memory-conscious placement under limits of 4, 16 and 64 MiB a host", cases)


def scorpio(quick):
    """SCORPIO, figures 4, 5, 8 and 9; and a grid of the size that the paper's application has, 960 x 960 x 240."""
    grid = "16x16x16" if quick else "128x128x128"
    several = {"openmpi": (1, 2, 4, 8), "mpich": (1, 2, 4)}
    kinds = [("vectors", ("--grid", grid), several, 7), ("blocks", ("--blocks", "--grid", grid), several, 7)]
    if not quick:
        kinds.append(("large vectors", ("--grid", "960x960x240"), {"openmpi": (2, 4, 8)}, 1))
    cases = []
    for access, options, rank_counts, repetitions in kinds:
        for mpi, counts in rank_counts.items():
            for ranks in counts[1:2] if quick else counts:
                methods = {method: {"method": method} for method in ("hdf5-collective", "hdf5-independent")}
                for size in (1, 2, 4, 8):
                    if size <= ranks:
                        methods[f"scorpio:{size}"] = {"method": "scorpio", "group_ranks": size}
                methods["scorpio:auto"] = {"method": "scorpio:auto"}
                cases.append(Case({"access": access, "mpi": mpi, "ranks": ranks}, [Variant("own", concilio=False)], methods,
                                  mpi=mpi, ranks=ranks, repetitions=2 if quick else repetitions, program="scorpio",
                                  options=options, seconds=600))
    return Comparison("scorpio", "SCORPIO beside plain HDF5: by group size, by ranks, and where the time goes", cases)


ALL = {"datatypes": datatypes, "sieving": sieving, "realms": realms, "memory": memory, "limits": limits,
       "scorpio": scorpio}
