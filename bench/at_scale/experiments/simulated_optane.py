"""Optane, figures 2 and 4 to 8: HACC-IO and IOR on NFS, and mpi-io-test on PVFS2, on a disk and on an Optane SSD."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "HACC-IO, IOR and mpi-io-test on an Optane SSD and on a disk, by NFS and by PVFS2"

# The disk of table II: 200 MB/s in order, 3 and 6 MB/s in requests at random, which are taken to be of 16 KiB.
DISK = {"target_gb_per_second": 0.2, "streams": 1, "read_seek_ms": 6, "write_seek_ms": 2.6}
LINK = 1.25  # GB/s of an I/O node
DEVICES = {"Optane": {}, "disk": DISK}
CALLS = {"individual": ["--independent", "--method", "list"], "collective": ["--method", "two_phase"]}


def nfs(device):
    return frame.machine("optane-nfs", storage=DEVICES[device])


def pvfs(device, io_nodes=3):
    return frame.machine("optane-pvfs", storage={**DEVICES[device], "targets": io_nodes, "gb_per_second": LINK * io_nodes})


def cases(quick):
    found = []
    few = 1 if quick else 100
    size = 0.125 if quick else 4

    def add(labels, machine, pattern, ranks, nodes, calls, mib=size):
        found.append(frame.Case({**labels, "calls": calls}, machine,
                                [pattern, "-n", str(ranks), "--nodes", str(nodes), "--mib-per-rank", f"{mib:g}", "--write-only",
                                 "--no-verify", *CALLS[calls]]))

    for device in DEVICES:
        for tasks in (1, 2, 4, 8, 16)[:few]:
            add({"figure": 2, "device": device, "tasks": tasks}, nfs(device), "hacc", 3 * tasks, 3, "individual")
        for tasks in (1, 4, 16)[:few]:
            for calls in CALLS:
                add({"figure": 4, "device": device, "tasks": tasks}, nfs(device), "ior:1M", 3 * tasks, 3, calls, max(size, 1))
        for kib in (4, 32, 120, 512, 2048)[:few]:
            add({"figure": 5, "device": device, "block_kib": kib}, pvfs(device), f"mpiiotest:{kib}K", 24, 1, "individual")
        for clients in (1, 4, 8, 16, 24)[:few]:
            add({"figure": 6, "device": device, "clients": clients}, pvfs(device), "mpiiotest:64K", 2 * clients, 2, "individual")
        for io_nodes in (1, 2, 3)[:few]:
            add({"figure": 7, "device": device, "io_nodes": io_nodes}, pvfs(device, io_nodes), "mpiiotest:64K", 24, 1,
                "individual")
        for calls in CALLS:
            add({"figure": 8, "device": device}, pvfs(device), "mpiiotest:64K", 24, 1, calls)
    return found


def rate(rows, **labels):
    return select(rows, **labels)[0]["write"]["mib_per_second"]


VARIED = {2: ("tasks", "HACC-IO on NFS, tasks a node"), 5: ("block_kib", "mpi-io-test on PVFS2, KiB of a block"),
          6: ("clients", "mpi-io-test on PVFS2, clients a node"), 7: ("io_nodes", "mpi-io-test on PVFS2, I/O nodes")}


def section(rows):
    lines = []
    for figure_number, (what, words) in VARIED.items():
        of_figure = select(rows, figure=figure_number)
        for value in values_of(of_figure, what):
            found = [rate(of_figure, device=device, **{what: value}) for device in DEVICES]
            one = select(of_figure, **{what: value})[0]
            lines.append([figure_number, words, value, one["ranks"], one["nodes"], *(f"{each:.0f}" for each in found),
                          f"{found[0] / found[1]:.1f}"])
    text = "Writing, simulated MiB/s of all ranks together.\n\n"
    text += frame.table(["figure", "benchmark, and what varies", "value", "ranks", "nodes", *DEVICES, "Optane / disk"], lines)
    lines = []
    for figure_number, words in ((4, "IOR on NFS"), (8, "mpi-io-test on PVFS2")):
        for device in DEVICES:
            of_figure = select(rows, figure=figure_number, device=device)
            for ranks in values_of(of_figure, "ranks"):
                found = [rate(of_figure, ranks=ranks, calls=calls) for calls in CALLS]
                lines.append([figure_number, words, device, ranks, select(of_figure, ranks=ranks)[0]["nodes"],
                              *(f"{each:.0f}" for each in found), f"{found[1] / found[0]:.2f}"])
    head = ["figure", "benchmark", "device", "ranks", "nodes", *CALLS, "collective / individual"]
    return text + "\n" + frame.table(head, lines)


COLOURS = {"Optane": "#0072b2", "disk": "#e69f00"}


def figure(rows):
    made, axes = drawing.panels(len(VARIED), 4, 3.0, 2.6)
    for axis, (figure_number, (what, words)) in zip(axes, VARIED.items()):
        of_figure = select(rows, figure=figure_number)
        for device, colour in COLOURS.items():
            points = [(value, *[rate(of_figure, device=device, **{what: value})] * 3) for value in values_of(of_figure, what)]
            drawing.curve(axis, points, colour, label=device)
        axis.set_yscale("log")
        axis.set_title(f"figure {figure_number}: {words.split(',')[0]}", fontsize=8)
        axis.set_xlabel(words.split(", ")[1])
        axis.set_ylabel("simulated MiB/s")
    drawing.legend_below(made, axes)
    return made
