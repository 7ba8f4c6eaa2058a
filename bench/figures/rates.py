"""What tables of `concilio bench --compare --json` have in common: the names of patterns, and the cells of their rates."""
NAMES = {"contiguous": "contiguous", "hpio:64/64": "HPIO, 64 B regions, 128 B spacing, memory too", "block3d": "3-D block",
         "block4d": "4-D block", "btio": "BTIO multipartition", "unstruc:64": "irregular 64 B (UNSTRUC)",
         **{f"interleaved:{size}": f"{size} B interleaved" for size in (64, 1024, 4096, 65536)}}


def name_of(pattern):
    return NAMES.get(pattern, pattern)


def cells_of(one):
    """Of one comparison: own rates, Concilio's, and the ratios, each of writing and reading. Rates are in MiB/s."""
    rates = [[one[side][f"{way}_mib_per_second"] for way in ("write", "read")] for side in ("own", "concilio")]
    return [*(" / ".join(f"{rate:.0f}" for rate in side) for side in rates),
            " / ".join(f"{ours / own:.2f}" for own, ours in zip(*rates))]


def method_of(one):
    """The method that most of Concilio's calls took."""
    return one["methods"].split(",")[0]
