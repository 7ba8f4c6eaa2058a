"""What is measured: a table of experiments. A new one is a function that yields cases, and one row in ALL."""
import dataclasses

KIB, MIB = 1024, 1024 * 1024
OWN = "mpi"  # the MPI's own MPI-IO, without Concilio


def counted(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


@dataclasses.dataclass(frozen=True)
class Case:
    """One start of `concilio bench`: a pattern on a storage, by several methods in turn."""
    experiment: str
    storage: str
    pattern: str
    ranks: int
    mib_per_rank: float
    series: dict  # method -> what it is called in figures
    labels: dict  # what tells the point from others of its figure
    collective: bool = True
    repetitions: int = 5
    measured_seconds: float = 0  # a method whose repetitions take less goes on, up to ten times as many
    warm_up: int = 3
    timeout_seconds: float = 120
    method_seconds: float = 10  # that one method may take in all
    skip_slower_than: float = 50  # a method predicted to take so many times the cheapest's time is not tried

    @property
    def key(self):
        calls = "collective" if self.collective else "independent"
        return f"{self.experiment}/{self.storage}/{self.pattern}/{self.ranks}/{calls}/{','.join(self.series)}"

    @property
    def definition(self):
        """All that makes two measurements comparable, as JSON has it."""
        return {"mib_per_rank": self.mib_per_rank, "collective": self.collective, "repetitions": self.repetitions,
                "measured_seconds": self.measured_seconds,
                "warm_up": self.warm_up, "skip_slower_than": self.skip_slower_than, "series": dict(self.series),
                "labels": dict(self.labels)}

    @property
    def title(self):
        calls = "" if self.collective else ", independent calls"
        return f"{self.experiment}: {self.storage}, {self.pattern}, {counted(self.ranks, 'rank')}{calls}"


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A figure of every storage: curves or bars over `x`, a panel for each value of `panels`."""
    name: str
    title: str
    x: str
    x_title: str
    panels: tuple
    where: dict = dataclasses.field(default_factory=dict)
    kind: str = "lines"


@dataclasses.dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    text: str  # what it is and what to look for, for the report
    cases: object  # (Storage, Scale) -> iterable of Case
    drawings: tuple = ()


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much is measured."""
    quick: bool = False
    ranks: tuple = (1, 2, 4, 8)
    smallest: bool = False  # of tests: as little as there can be
    methods: tuple = ()  # the library's, which a call can be forced to

    def few(self, values):
        """The ends of a sweep where time is short."""
        values = list(values)
        if self.smallest:
            return values[:1]
        return [values[0], values[-1]] if self.quick and len(values) > 2 else values

    @property
    def rank_counts(self):
        counts = sorted(set(self.ranks))
        if self.quick and not self.smallest and len(counts) > 2:
            counts = [counts[0], counts[-1] if counts[-1] <= 4 else max(one for one in counts if one <= 4)]
        return self.few(counts) if self.smallest else list(dict.fromkeys(counts))

    @property
    def most_ranks(self):
        """Ranks of the sweeps that go over something else: four where so many are wanted."""
        return max([one for one in self.rank_counts if one <= 4] or [self.rank_counts[0]])

    def mib(self, storage, real=8.0):
        """MiB a rank: a call is to take a second at most, by the slower methods too."""
        if self.smallest:
            return 0.0625
        if storage.request_seconds > 2e-3:
            size = 0.5
        elif storage.request_seconds > 2e-4 or storage.distributed:
            size = 1.0
        elif storage.request_seconds > 0:
            size = 2.0
        else:
            size = real
        return size / 2 if self.quick and size > 0.5 else size

    def repetitions(self, storage):
        if self.smallest:
            return 1
        if storage.request_seconds > 2e-3:
            return 3
        return 5 if self.quick else 7

    def grid_repetitions(self, storage):
        """On models calls are long, and vary little."""
        if self.smallest or self.quick:
            return self.repetitions(storage)
        return 9 if storage.real else 5

    @property
    def grid_seconds(self):
        """Calls of milliseconds vary by half on a machine that does anything else: a median of nine is no number."""
        return 0 if self.smallest else 0.2

    def case(self, experiment, storage, pattern, ranks, series, labels, **more):
        more = {"mib_per_rank": self.mib(storage), "method_seconds": 4 if self.quick else 10,
                "repetitions": self.repetitions(storage), **more}
        return Case(experiment, storage.name, pattern, ranks, series=series, labels=labels,
                    warm_up=1 if self.smallest else 3, **more)


def size_text(count):
    for unit, size in (("MiB", MIB), ("KiB", KIB)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count:g} B"


def no_cases(storage, scale):
    return ()


LAYOUTS = {"fpp": "a file per process", "shared": "shared file", "records": "interleaved records"}


def checkpoint(storage, scale):
    for layout, title in LAYOUTS.items():
        for ranks in scale.rank_counts:
            labels = {"layout": title, "ranks": ranks}
            pattern = f"hacc:{layout}"
            series = {"auto": "auto", "posix": "POSIX", "independent": "independent", "two_phase": "two_phase"}
            yield scale.case("checkpoint", storage, pattern, ranks, series, labels)
            if storage.real:
                yield scale.case("checkpoint", storage, pattern, ranks, {OWN: "the MPI's own, collective"}, labels)


def independent_and_collective(experiment, storage, scale, pattern, ranks, labels, mib):
    """The paper's three ways, auto, and what the MPI has itself."""
    series = {"auto": "auto", "posix": "POSIX", "two_phase": "MPI collective"}
    yield scale.case(experiment, storage, pattern, ranks, series, labels, mib_per_rank=mib)
    yield scale.case(experiment, storage, pattern, ranks, {"independent": "MPI independent"}, labels, mib_per_rank=mib,
                     collective=False)
    if storage.real:
        yield scale.case(experiment, storage, pattern, ranks, {OWN: "the MPI's own, collective"}, labels, mib_per_rank=mib)
        yield scale.case(experiment, storage, pattern, ranks, {OWN: "the MPI's own, independent"}, labels, mib_per_rank=mib,
                         collective=False)


def ior(storage, scale):
    for transfer in scale.few((64 * KIB, 256 * KIB, MIB)):
        for ranks in scale.rank_counts:
            labels = {"transfer": transfer, "ranks": ranks}
            mib = scale.mib(storage) if scale.smallest else max(scale.mib(storage), 1)
            yield from independent_and_collective("ior", storage, scale, f"ior:{transfer}", ranks, labels, mib)


def mpiio_test(storage, scale):
    mib = scale.mib(storage) if scale.smallest else max(scale.mib(storage, 4.0), 1)
    for block in scale.few((16 * KIB, 64 * KIB, 256 * KIB, MIB)):
        yield from independent_and_collective("mpiio_test", storage, scale, f"mpiiotest:{block}", scale.most_ranks,
                                              {"sweep": "block", "block": block}, mib)
    for clients in scale.rank_counts:
        if clients != scale.most_ranks:
            yield from independent_and_collective("mpiio_test", storage, scale, f"mpiiotest:{64 * KIB}", clients,
                                                  {"sweep": "clients", "clients": clients, "block": 64 * KIB}, mib)


APPLICATIONS = {"block3d": "DIST3D", "btio": "BTIO", "unstruc": "UNSTRUC"}


def romio(storage, scale):
    ranks = scale.most_ranks
    for pattern, name in APPLICATIONS.items():
        labels = {"application": name, "ranks": ranks}
        series = {"auto": "auto", "posix": "Unix-style", "two_phase": "collective"}
        yield scale.case("romio", storage, pattern, ranks, series, labels)
        yield scale.case("romio", storage, pattern, ranks, {"sieve": "data sieving"}, labels, collective=False)
        if storage.real:
            yield scale.case("romio", storage, pattern, ranks, {OWN: "the MPI's own, collective"}, labels)


# Of every kind: large and small, regular and not, dense and with holes, in memory too.
GRID = ("contiguous", "interleaved:64", "interleaved:4096", "interleaved:65536", "interleaved:1048576", "block3d", "btio",
        "unstruc", "hpio:512/512", "extent:65536/6")


LEAST_REAL_MIB = 32  # of all ranks: from a page cache less takes no longer than what disturbs it


def regret(storage, scale):
    """On real storage every number of ranks; on models, where a case takes longer, two of them, by turns."""
    counts = sorted(set(scale.ranks))
    patterns = GRID
    if scale.quick:
        patterns, counts = GRID[1:8:2], [scale.most_ranks]
    if scale.smallest:
        patterns, counts = GRID[:1], [1]
    for number, pattern in enumerate(patterns):
        some = counts
        if not scale.quick and (storage.throttle or storage.distributed):
            some = counts[number % min(2, len(counts))::2]
        for ranks in some:
            mib = scale.mib(storage) if ranks < 8 else scale.mib(storage) / 2
            if not scale.quick and not storage.throttle and not storage.distributed:
                mib = max(mib, LEAST_REAL_MIB / ranks)
            if pattern == "interleaved:1048576":
                mib = max(mib, 1)
            methods = ("auto", *scale.methods)
            # A price that is wrong shows only where its method is tried all the same.
            yield scale.case("regret", storage, pattern, ranks, {method: method for method in methods},
                             {"pattern": pattern, "ranks": ranks}, mib_per_rank=mib, skip_slower_than=1000,
                             repetitions=scale.grid_repetitions(storage), measured_seconds=scale.grid_seconds)


ALL = {one.name: one for one in (
    Experiment("device", "The storage itself",
               "As table II of the Optane paper: what the storage gives one client for requests one after the other and in "
               "places apart, measured by `concilio probe`. The paper's disk reads 204 MB/s in sequence and 2.7 MB/s at "
               "random, its Optane SSD 2569 and 2286: on the one everything is worth doing to make requests large, on the "
               "other almost nothing. Through the page cache, real storage shows the cache's rates.", no_cases),
    Experiment("checkpoint", "Checkpoint: HACC-IO",
               "As figure 2: nine variables of every particle are written and read, into a file per process, into one shared "
               "file, variable by variable, and as interleaved records, particle by particle. Look at how the rate grows with "
               "ranks, and at how far the layouts lie apart: records are small pieces.", checkpoint,
               (Drawing("checkpoint", "HACC-IO by ranks", "ranks", "ranks", ("operation", "layout")),)),
    Experiment("ior", "IOR: POSIX, MPI independent, MPI collective",
               "As figures 3 and 4: blocks of one shared file by POSIX calls, by independent and by collective MPI-IO. The paper "
               "finds MPI's overhead over POSIX only where storage is fast, and collective calls slower throughout, since its "
               "network was. What auto takes should be as fast as the best of them.", ior,
               (Drawing("ior", "IOR by transfer size", "transfer", "bytes of a transfer", ("operation", "ranks")),)),
    Experiment("mpiio_test", "mpi-io-test: sizes of blocks and numbers of clients",
               "As figures 5, 6 and 8: blocks in turn over the clients. In the paper a disk's rate grows with the block and not "
               "with clients, Optane's with both; collective calls win on PVFS.", mpiio_test,
               (Drawing("mpiio_test_block", "mpi-io-test by block size", "block", "bytes of a block", ("operation",),
                        {"sweep": "block"}),
                Drawing("mpiio_test_clients", "mpi-io-test by clients, blocks of 64 KiB", "clients", "clients",
                        ("operation",), {"sweep": "clients"}))),
    Experiment("romio", "DIST3D, BTIO and UNSTRUC: Unix-style, data sieving, collective",
               "As tables 1 to 6 of the data-sieving paper: a three-dimensional array in blocks, a multipartition, and an "
               "irregular map, by a request for every piece, by independent data sieving, and by collective calls. There, "
               "collective calls win almost everywhere, by up to hundreds; where storage is fast, sieving once wins over them.",
               romio, (Drawing("romio", "DIST3D, BTIO and UNSTRUC", "application", "", ("operation",), {}, "bars"),)),
    Experiment("regret", "Regret: how good the library's own choice is",
               "Every situation is measured with each method forced and with the library's own choice (auto), in turn in one "
               "process, after three calls to warm up and with the profile that was measured for that storage. Regret is the "
               "time of auto over that of the best forced method. The prediction error is that of the predicted against the "
               "measured time.", regret),
    Experiment("contrast", "The paper's findings",
               "With a fast storage and a slow network collective calls lose to independent ones for large pieces; with a slow "
               "storage and small pieces two-phase I/O wins by an order of magnitude.", no_cases),
)}
