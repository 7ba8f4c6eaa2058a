#!/usr/bin/python3
"""documents.py ROOT CONCILIO: what the documents say is so.

docs/hints.md is what `concilio hints` says (--write ROOT CONCILIO writes it anew); all files that name the project's
version name the same one; docs/guide.md explains every counter of a report; no document points to a file or heading that
is not there, or names a source that is not there; every man page of a subcommand exists, and so does one of every function
of the installed headers, with its prototype.
"""
import json
import pathlib
import re
import subprocess
import sys

HINTS_HEAD = """# Hints and settings

Written by `tests/house/documents.py --write . build/all/bin/concilio`, from the table in
`src/base/settings/settings.cpp`; `concilio hints` prints the same.

A hint can be set by the program (`MPI_Info`), by `concilio run --hint NAME=VALUE`, by
`CONCILIO_HINTS="name=value;name=value"` in the environment, or by a file that `ROMIO_HINTS` names, with one `name
value` a line. What the user sets wins over what the program sets.

A size is a number of bytes, or a number with a unit: `4096`, `64K`, `1MiB`. "Also" introduces other names of the same
hint, of the MPI standard or of other implementations. Hints that can be `enable` and `disable` accept `true` and
`false` too.

If ranks give different values of a hint, or only some ranks give it, the lowest rank that gives it decides for all
ranks, and rank 0 says so. On a command line, as that of `concilio run --hint`, a hint that cannot be honoured is
refused. One of the program or of the environment is ignored, with one message from rank 0 of the communicator that the
file is opened by. A node prints each message once, so a program that opens its files by one communicator gets it once
in all; only where communicators have their first ranks on several nodes, as `MPI_COMM_SELF` has, each of these nodes
prints it. `MPI_File_get_info` returns every hint below that is honoured, by its first name, with the value in
force, but no numbers of 0 that only say that the plan or the file system chooses. Hints of other implementations that
mean nothing here (`access_style`, `romio_lustre_co_ratio`, `nc_...`) are ignored silently.

"""


def hints_of(concilio):
    said = subprocess.run([concilio, "hints", "--json"], check=True, capture_output=True, text=True).stdout
    text, settings = HINTS_HEAD, json.loads(said)
    for title, key in (("Hints", "hint"), ("Settings of the process, from the environment alone", None)):
        text += f"## {title}\n\n| name | range | default | meaning |\n| --- | --- | --- | --- |\n"
        for setting in settings:
            if bool(setting["hint"]) != bool(key):
                continue
            names = f"`{setting['hint']}`" if setting["hint"] else ""
            names += "".join(f", also `{alias}`" for alias in setting["aliases"])
            if setting["environment"]:
                names += (", environment " if names else "") + f"`{setting['environment']}`"
            cells = [names, setting["range"], setting["default"] or "none", setting["help"]]
            text += "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
        text += "\n"
    return text.rstrip("\n") + "\n"


def counters_of(root):
    text = (root / "src/base/counters.h").read_text(encoding="utf-8")
    body = re.sub(r"//[^\n]*|#define[^\n]*", "", re.search(r"enum class Counter[^{]*{(.*?)}", text, re.DOTALL)[1])
    methods = re.findall(r"^METHOD\((\w+)", (root / "src/base/methods.def").read_text(encoding="utf-8"), re.MULTILINE)
    body = body.replace('#include "base/methods.def"', " ".join(f"method_{name}" for name in methods))
    return [name for name in re.findall(r"\w+", body) if name != "count_"]


def functions_of(root):
    """Name and prototype of every function that the installed headers declare."""
    for header in sorted((root / "include/concilio").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        for declared in re.findall(r"^CONCILIO_WEAK\s+([^;]*);", text, re.MULTILINE):
            prototype = " ".join(declared.split())
            yield re.search(r"(\w+)\(", prototype)[1], prototype


def plain_text_of(page):
    """Of a man page: what stands there, without requests for type faces."""
    text = re.sub(r"^\.(BI|BR|IR|RB|RI|IB|B|I|nf|fi)\b ?", "", page, flags=re.MULTILINE)
    return " ".join(text.replace('"', "").replace("\\-", "-").split())


def faults_of_function_pages(root):
    pages, functions = root / "docs/man", list(functions_of(root))
    if len(functions) < 8:
        yield "the headers in include/concilio could not be read"
    for name, prototype in functions:
        page = pages / f"{name}.3"
        if not page.exists():
            yield f"no man page {name}.3"
            continue
        text = page.read_text(encoding="utf-8")
        if link := re.fullmatch(r"\.so man3/(\S+)\s*", text):
            text = (pages / link[1]).read_text(encoding="utf-8")
        # The fonts of a prototype's parts leave spaces between them.
        if prototype.replace(" ", "") not in plain_text_of(text).replace(" ", ""):
            yield f"{page.name} does not have the prototype {prototype}"
        if not re.search(rf"^\.SH NAME\n[^\n]*\b{name}\b", text, re.MULTILINE):
            yield f"{page.name} does not name {name} under NAME"
    names = {name for name, _ in functions}
    for page in pages.glob("*.3"):
        if page.stem not in names:
            yield f"{page.name} is of no function that there is"
    for page in pages.iterdir():
        for name, section in re.findall(r"^\.BR (concilio[\w-]*) \((\d)\)", page.read_text(encoding="utf-8"), re.MULTILINE):
            if not (pages / f"{name}.{section}").exists():
                yield f"{page.name} points to {name}({section}), which is not there"


def headings_of(document):
    """The headings of a document, as links name them."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


# The files that contain the version of a release (docs/releasing.md).
VERSIONS = {"CMakeLists.txt": r"project\(concilio VERSION ([\d.]+)", "python/concilio/__init__.py": r'__version__ = "([^"]*)"',
            "CITATION.cff": r"(?m)^version: (.*)$", "CHANGELOG.md": r"(?m)^## ([\d.]+)"}


def faults_of_versions(root):
    found = {name: re.search(pattern, (root / name).read_text(encoding="utf-8"))[1] for name, pattern in VERSIONS.items()}
    if len(set(found.values())) > 1:
        yield "the project's version differs: " + ", ".join(f"{version} in {name}" for name, version in found.items())


def faults(root, concilio):
    yield from faults_of_versions(root)
    if (root / "docs/hints.md").read_text(encoding="utf-8") != hints_of(concilio):
        yield "docs/hints.md is not what `concilio hints` says; run tests/house/documents.py --write ROOT CONCILIO"
    guide = (root / "docs/guide.md").read_text(encoding="utf-8")
    counters = counters_of(root)
    if len(counters) < 20:
        yield "src/base/counters.h could not be read"
    for name in counters:
        if f"`{name}`" not in guide:
            yield f"docs/guide.md does not explain the counter {name}"
    for document in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        prose = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", prose):
            path = document.parent / target if target else document
            if not path.exists():
                yield f"{document.relative_to(root)} points to {target}, which is not there"
            elif heading and heading not in headings_of(path):
                yield f"{document.relative_to(root)} points to {path.name}#{heading}, which has no such heading"
        for name in re.findall(r"`((?:bench|cmake|examples|include|packaging|python|scripts|src|tests|tools)/[\w./-]+)`", prose):
            if not (root / name).exists() and not re.search(r"NAME|halves|mounted|singly", name):
                yield f"{document.relative_to(root)} names {name}, which is not there"
    help_text = subprocess.run([concilio, "--help"], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"concilio-(\w+) \(1\)", (root / "docs/man/concilio.1").read_text(encoding="utf-8")):
        if not (root / f"docs/man/concilio-{name}.1").exists():
            yield f"no man page concilio-{name}.1"
        if not re.search(rf"^\s+{name}\b", help_text, re.MULTILINE):
            yield f"`concilio --help` does not list {name}"
    yield from faults_of_function_pages(root)


def main():
    words = sys.argv[1:]
    if words[0] == "--write":
        root = pathlib.Path(words[1])
        (root / "docs/hints.md").write_text(hints_of(words[2]), encoding="utf-8")
        return 0
    found = list(faults(pathlib.Path(words[0]), words[1]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
