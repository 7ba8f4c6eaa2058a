#!/usr/bin/python3
"""mpi_io_table.py ROOT: docs/mpi-io.md has every function of src/bind/entry_points.def, none that is not there, and says
rightly which have a form with large counts; docs/programs.md has every program of tests/programs/."""
import pathlib
import re
import sys

ROW = re.compile(r"^\| `(MPI_\w+)` \|(.*)\|$", re.MULTILINE)
NOT_THE_CHAPTER = re.compile(r"MPI_(Wait|Test|Request|Err|Info)")
# These are functions of parts of programs, not of programs.
HELPERS = {"CMakeLists.txt", "program.h"}


def functions_of(definitions):
    """Each function, and whether it has a form with large counts."""
    lines = [line for line in definitions.splitlines() if not line.startswith(("//", "#"))]
    return {name: kind == "COUNTED"
            for kind, name in re.findall(r"^(ENTRY|COUNTED)\((?:\w+, )?(MPI_\w+),", "\n".join(lines), re.MULTILINE)}


def problems_of_table(definitions, document):
    functions, rows = functions_of(definitions), ROW.findall(document)
    problems = []
    if len(functions) < 60:
        problems.append(f"only {len(functions)} functions found in entry_points.def")
    named = [row[0] for row in rows]
    problems += [f"docs/mpi-io.md lacks {name}" for name in functions if name not in named]
    problems += [f"docs/mpi-io.md has {name}, which is not in entry_points.def" for name in named if name not in functions]
    problems += [f"docs/mpi-io.md has {name} twice" for name in sorted(set(named)) if named.count(name) > 1]
    for name, rest in rows:
        if NOT_THE_CHAPTER.match(name):
            continue
        large, state, _ = rest.split("|", 2)
        if functions.get(name) != (large.strip() == "yes"):
            problems.append(f"docs/mpi-io.md is wrong about large counts of {name}")
        if state.strip() != "done":
            problems.append(f"docs/mpi-io.md: the state of {name} is '{state.strip()}'")
    if "UNSUPPORTED" in definitions:
        problems.append("entry_points.def has functions that are not there, docs/mpi-io.md says that all are")
    return problems


def problems_of_programs(folder, document):
    return [f"docs/programs.md does not name {path.name}" for path in sorted(folder.iterdir())
            if path.name not in HELPERS and f"`{path.name}`" not in document]


def main():
    root = pathlib.Path(sys.argv[1])
    problems = problems_of_table((root / "src/bind/entry_points.def").read_text(encoding="utf-8"),
                                 (root / "docs/mpi-io.md").read_text(encoding="utf-8"))
    problems += problems_of_programs(root / "tests/programs", (root / "docs/programs.md").read_text(encoding="utf-8"))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
