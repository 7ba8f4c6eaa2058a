#!/usr/bin/python3
"""includes.py ROOT: reads every #include below ROOT/src, tools, bench and include, and fails on one that runs against
the direction of the house:

    base    <- pattern <- plan ------+
    base    <- store ----------------+-- exec <- mpiio <- bind
    base    <- counter <- mpi -------+
    pattern <- mpi
    plan <- sim
    base, mpi <- scorpio
    base, pattern, plan, store, mpi <- probe

and within a folder, and within tools and bench, the direction of its own folders (INNER).

Also: base, pattern, plan, sim, store and counter see no MPI; pattern, plan and sim no files, clocks or threads; only base reads
the environment; the command sees base, plan, sim and probe of all this, and where it
reads a described machine, the devices of store; the benchmarks see the numbers that describe
patterns (sim/patterns), from which they make their datatypes, and nothing else but SEEN_BY_ALL, except for
NAME_bench.cpp, which times functions of pattern, and the ways that move bytes through the store (BY_STORE), and the program of
`concilio simulate`, which makes a record's calls again; the installed headers are C; plan, which all ranks must compute
alike, calls no function of the C library's mathematics whose last bit differs between processors.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": {"base"},
    "pattern": {"base", "pattern"},
    "plan": {"base", "pattern", "plan"},
    "sim": {"base", "pattern", "plan", "sim"},
    "store": {"base", "store"},
    "counter": {"base", "counter"},
    "mpi": {"base", "pattern", "counter", "mpi"},
    "exec": {"base", "pattern", "plan", "store", "mpi", "exec"},
    "mpiio": {"base", "pattern", "plan", "store", "mpi", "exec", "mpiio"},
    "bind": {"base", "pattern", "plan", "store", "mpi", "exec", "mpiio", "bind", "concilio"},
    "scorpio": {"base", "mpi", "scorpio"},
    "probe": {"base", "pattern", "plan", "store", "mpi", "probe"},
}
# The folders inside a folder: each sees itself and those before it. "" stands for the files in the folder itself.
INNER = {
    "base": ["job", "", "activity", "text", "drawing", "system", "settings", "gpu"],
    "plan": ["facts", "layout", "choose", "", "show"],
    "store": ["", "place", "posix", "devices", "wrappers"],
    "mpi": ["", "types", "nodes"],
    "scorpio": ["", "ranks", "cells", "files", "c", "fortran"],
    "exec": ["storage", "locks", "call", "alone", "windows", "two_phase", ""],
    "mpiio": ["", "settings", "recording", "file", "calls", "transfer"],
    "bind": ["mpi_library", "fortran", "lifetime", ""],
    "probe": ["derive", "show", "measure", ""],
    "bench": ["job", "patterns", "data", "measure", "methods", "programs", "scorpio", "simulated", ""],
    "tools": ["system", "launch", "summary", "benchmark", "simulation", ""],
}
# Headers that programs may always see.
SEEN_BY_ALL = {"base/median.h", "base/methods.def"}
# Files of the benchmarks that see base and store.
BY_STORE = {"methods/stored_file.h", "methods/stored_file.cpp", "methods/rows_way.cpp"}
WITHOUT_MPI = {"base", "pattern", "plan", "sim", "store", "counter"}
PURE = {"pattern", "plan", "sim"}
IMPURE_HEADERS = {
    "chrono", "ctime", "time.h", "sys/time.h", "fstream", "iostream", "filesystem", "cstdio", "stdio.h", "fcntl.h",
    "unistd.h", "sys/stat.h", "sys/mman.h", "sys/uio.h", "thread", "mutex", "future", "random",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(|\benviron\b")
INEXACT = re.compile(r"\b(?:std::)?(?:log|log2|log10|log1p|exp|exp2|expm1|pow|cbrt|hypot|sin|cos|tan|tanh)\s*\(")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".def"}


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def without_comments(text, with_strings):
    return COMMENT.sub(lambda found: found[0] if with_strings and found[0][0] == '"' else "", text)


def inner_folder(path):
    """Of a path below a folder of src: the folder in that one, "" if it lies there itself."""
    return path.split("/")[0] if "/" in path else ""


def against_order(folder, path, name):
    """What is wrong with a file `path` below a folder that includes the file `name` below the same folder."""
    order = INNER.get(folder, [])
    here, there = inner_folder(path), inner_folder(name)
    if order and (here not in order or there not in order):
        yield f'includes "{name}": {here} or {there} has no place in {folder}'
    elif order and order.index(there) > order.index(here):
        yield f'includes "{name}": {folder}/{here} must not see {folder}/{there}'


def of_source(folder, path, text):
    """What is wrong with a file of src/folder, `path` below it."""
    for bracket, name in INCLUDE.findall(without_comments(text, with_strings=True)):
        if bracket == '"':
            target = name.split("/")[0]
            if "/" not in name or target not in ALLOWED and target != "concilio":
                yield f'includes "{name}"; write "FOLDER/FILE.h", with a folder of src'
            elif target not in ALLOWED[folder]:
                yield f'includes "{name}": {folder} must not see {target}'
            elif target == folder:
                yield from against_order(folder, path, name.split("/", 1)[1])
        elif name in ("mpi.h", "mpio.h") and folder in WITHOUT_MPI:
            yield f"includes <{name}>: {folder} must not see MPI"
        elif name in IMPURE_HEADERS and folder in PURE:
            yield f"includes <{name}>: {folder} sees no files, clocks, threads"
    if folder != "base" and ENVIRONMENT.search(without_comments(text, with_strings=False)):
        yield "touches the environment: only base does"
    if folder == "plan" and INEXACT.search(without_comments(text, with_strings=False)):
        yield "calls a function whose last bit differs between processors: see plan/facts/logarithm.h"


def of_program(place, path, text):
    """What is wrong with a file of tools or bench, `path` below it: which of src it sees, and which of its own place."""
    name_of_file = path.split("/")[-1]
    of_bench = {"base", "store"} if path in BY_STORE else \
        {"base", "pattern"} if name_of_file.endswith("_bench.cpp") else \
        {"base", "pattern", "sim"} if path.startswith("simulated/") else set()
    of_tools = {"base", "plan", "sim", "probe"} | ({"store"} if path.startswith("simulation/machine") else set())
    seen = {"tools": of_tools, "bench": of_bench}[place]
    for bracket, name in INCLUDE.findall(without_comments(text, with_strings=True)):
        target = name.split("/")[0]
        permitted = name in SEEN_BY_ALL or place == "bench" and name.startswith("sim/patterns/")
        if bracket == '"' and inner_folder(name) in INNER.get(place, []):
            yield from against_order(place, path, name)
        elif bracket == '"' and "/" in name and target in ALLOWED and target not in seen and not permitted:
            yield f'includes "{name}": {place} must not see {target}'
        if ".." in name.split("/"):
            yield f'includes "{name}": no way up'


def of_installed_header(text):
    for _, name in INCLUDE.findall(without_comments(text, with_strings=True)):
        if not name.endswith(".h"):
            yield f"includes <{name}>: installed headers are C"


def faults(root):
    """(path, what is wrong) for all of them."""
    count = 0
    for folder in sorted(entry for entry in (root / "src").iterdir() if entry.is_dir()):
        if folder.name not in ALLOWED:
            count += 1
            yield folder, "is a folder without a place in the house"
            continue
        for path in files_below(folder):
            count += 1
            inside = path.relative_to(folder).as_posix()
            yield from ((path, fault) for fault in of_source(folder.name, inside, path.read_text(encoding="utf-8")))
    for place in ("tools", "bench"):
        for path in files_below(root / place):
            count += 1
            inside = path.relative_to(root / place).as_posix()
            yield from ((path, fault) for fault in of_program(place, inside, path.read_text(encoding="utf-8")))
    for path in files_below(root / "include"):
        count += 1
        yield from ((path, fault) for fault in of_installed_header(path.read_text(encoding="utf-8")))
    if count == 0:
        yield root, "holds no sources"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(faults(root))
    for path, fault in found:
        print(f"{path.relative_to(root)} {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
