#!/usr/bin/python3
"""instructions.py [--write] COMPILER (MPI LIBRARY PROGRAM)...: the instructions and system calls of the hot paths.

Counts them under callgrind, on one rank, and fails if a call of a path takes a tenth more instructions than
instructions.txt says, or more system calls (rounded). Unlike time, these are the same however busy the machine is. COMPILER
is the name and version of the compiler; the table holds for the one that it names, and with another this is skipped (exit
status 77).

--write renews the table, for the MPIs that are given. Do it when a path has got faster, or slower for a good reason:
  cmake --build BUILD --target renew_instructions
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "instructions.txt")
SOURCE = os.path.join(HERE, "hot_paths.cpp")
GROWTH = 1.10
# Are counted with a report too, which enters each long call by itself, and notes the short ones, some of them untimed.
REPORTED = ("independent_write_8", "independent_write_1048576", "gathered_write_2_of_8", "open_and_close", "meeting_write_16384")
SHORT = ("independent_write_8", "gathered_write_2_of_8", "meeting_write_16384")
# Recording takes a hundredth of these at most where there is no time for it, so that they are left out. Each is made of
# thousands of instructions; of fewer, those in the kernel are the most.
LEFT_OUT = ("gathered_write_2_of_8", "meeting_write_16384")
A_HUNDREDTH = 1.01
SKIPPED = 77
HEAD = """\
# What a call takes on the hot paths of hot_paths.cpp: instructions, those of the MPI among them, and system calls, whose
# instructions in the kernel are not counted.
# Written by instructions.py --write, which says how they are counted.
"""


def source_facts():
    """The paths, and how many calls of each are counted."""
    with open(SOURCE, encoding="utf-8") as source:
        text = source.read()
    return re.findall(r"^PATH\((\w+)\)", text, re.M), int(re.search(r"constexpr int calls = (\d+);", text)[1])


class Cost(typing.NamedTuple):
    instructions: int
    system_calls: float

    @staticmethod
    def of(dump, calls):
        """What a call takes, by the text of a dump for so many calls."""
        events = re.search(r"^events: (.+)", dump, re.M)[1].split()
        totals = re.search(r"^totals: (.+)", dump, re.M)[1].split()
        of_event = dict(zip(events, map(int, totals)))
        return Cost(round(of_event["Ir"] / calls), round(of_event.get("sysCount", 0) / calls, 1))


def count(library, program):
    """What a call takes, by path."""
    report, short, long = {"CONCILIO_REPORT": os.devnull}, {"HOT_PATHS_STEP_NS": "200"}, {"HOT_PATHS_STEP_NS": "20000"}
    kinds = {"": (source_facts()[0], {}), "short_": (SHORT, short), "reported_": (REPORTED, report | long),
             "reported_short_": (SHORT, report | short), "left_out_": (LEFT_OUT, report | {"HOT_PATHS_STEP_NS": "1"})}
    return {kind + path: cost for kind, (paths, settings) in kinds.items()
            for path, cost in count_paths(library, program, paths, settings).items()}


def count_paths(library, program, paths, settings):
    """The same for some paths, with some environment variables."""
    calls = source_facts()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", "--toggle-collect=path_*"]
        command += ["--collect-systime=yes"]
        command += [f"--dump-after=path_{path}" for path in paths] + [program, f"{folder}/file"]
        # The program is started without a launcher, as the only rank. Open MPI refuses to let root start it otherwise.
        environment = dict(os.environ, LD_PRELOAD=library, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        for name in [name for name in environment if name.startswith("CONCILIO_")]:
            del environment[name]
        environment.update(settings)
        environment["CONCILIO_PROFILE"] = "off"  # what was measured on this machine would change which methods are legal
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
        if run.returncode != 0:
            sys.exit(f"{program} under valgrind: exit status {run.returncode}\n{run.stderr}")
        counts = {}
        dumps = glob.glob(f"{folder}/counts.*")
        for name in sorted(dumps, key=lambda dump: int(dump.rsplit(".", 1)[1])):
            with open(name, encoding="utf-8") as dump:
                text = dump.read()
            trigger = re.search(r"^desc: Trigger: --dump-after=path_(\w+)", text, re.M)
            if trigger:
                counts[trigger[1]] = Cost.of(text, calls)
    if missing := [path for path in paths if path not in counts]:
        sys.exit(f"callgrind has not counted {', '.join(missing)}")
    return {path: counts[path] for path in paths}


def read_table():
    """The compiler, and {MPI: {path: cost}}."""
    compiler, table = "", {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as lines:
            for line in lines:
                words = line.split()
                if words[:1] == ["compiler"]:
                    compiler = " ".join(words[1:])
                elif words and words[0] != "#":
                    table.setdefault(words[0], {})[words[1]] = Cost(int(words[2]), float(words[3]))
    return compiler, table


def bytes_of(path):
    """What a call of the path moves, as its name says; 0 if it moves no data."""
    if pieces := re.search(r"_(\d+)_of_(\d+)", path):
        return int(pieces[1]) * int(pieces[2])
    piece = re.search(r"_(\d+)$", path)
    return int(piece[1]) if piece else 0


def write_table(compiler, table):
    with open(TABLE, "w", encoding="utf-8") as out:
        out.write(f"{HEAD}compiler {compiler}\n#        {'path':36} instructions  system calls  instructions a byte\n")
        for mpi, counts in sorted(table.items()):
            for path, cost in counts.items():
                of_byte = f"{cost.instructions / bytes_of(path):20.2f}" if bytes_of(path) else ""
                out.write(f"{mpi:8} {path:36} {cost.instructions:12} {cost.system_calls:13} {of_byte}".rstrip() + "\n")


def complaints(mpi, counts, allowed):
    for path in LEFT_OUT:
        without, recorded = counts["short_" + path].instructions, counts["left_out_" + path].instructions
        if recorded > without * A_HUNDREDTH:
            yield f"{mpi} {path}: {recorded} instructions a call with a report, {without} without"
    for path, cost in counts.items():
        if path not in allowed:
            yield f"{mpi} {path}: {cost.instructions} instructions a call, and not in the table"
            continue
        limit = allowed[path]
        if cost.instructions > limit.instructions * GROWTH:
            yield f"{mpi} {path}: {cost.instructions} instructions a call, {limit.instructions} in the table"
        # Which calls look who waits for a lock depends on the clock, and another thread may ask for the time too.
        if round(cost.system_calls) > round(limit.system_calls):
            yield f"{mpi} {path}: {cost.system_calls} system calls a call, {limit.system_calls} in the table"
    for path in allowed.keys() - counts.keys():
        yield f"{mpi} {path}: in the table, but not in {os.path.basename(SOURCE)}"


def main():
    words = sys.argv[1:]
    write = words[:1] == ["--write"]
    compiler, *mpis = words[write:]
    if not mpis or len(mpis) % 3:
        sys.exit(__doc__)
    for_compiler, table = read_table()
    if not write and compiler != for_compiler:
        print(f"the table is for {for_compiler}, this is {compiler}")
        sys.exit(SKIPPED)
    if not any(os.access(os.path.join(folder, "valgrind"), os.X_OK) for folder in os.get_exec_path()):
        print("there is no valgrind")
        sys.exit(SKIPPED)
    counted = {mpi: count(library, program) for mpi, library, program in zip(*[iter(mpis)] * 3)}
    if write:
        write_table(compiler, (table if compiler == for_compiler else {}) | counted)
        return
    found = [line for mpi, counts in counted.items() for line in complaints(mpi, counts, table.get(mpi, {}))]
    for line in found:
        print(line)
    if found:
        sys.exit("A path has grown. If that has a good reason: cmake --build BUILD --target renew_instructions")
    for mpi, counts in counted.items():
        for path, cost in counts.items():
            growth = cost.instructions / table[mpi][path].instructions - 1
            print(f"{mpi:8} {path:36} {cost.instructions:9} {growth:+7.1%} {cost.system_calls:8}")


if __name__ == "__main__":
    main()
