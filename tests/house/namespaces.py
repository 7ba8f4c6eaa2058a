#!/usr/bin/python3
"""namespaces.py ROOT: reads the C++ of ROOT/src, tools, bench and tests, and fails on a source that is not in the namespace of
its folder:

    src/base            concilio, because everything speaks its words
    src/FOLDER          concilio::FOLDER
    tools, bench        concilio::tools, concilio::bench
    bench/scorpio       concilio::bench::scorpio, as it is a program of its own
    tests/unit/FOLDER   the namespace of src/FOLDER, or one within it: a test file has one named as the file
    tests/.../FOLDER    FOLDER or ABOVE_FOLDER, where ABOVE is the folder that FOLDER is in (but see OF_TESTS)

Folders inside a folder of src or of tools group files, and have no namespace of their own. A source may declare types of
another folder that it may see (includes.py). Unnamed namespaces are inside a named one, except in programs, which have main().
A source needs no namespace if all it has is for C or for the preprocessor, and a header none in a folder of C sources alone.
"""
import pathlib
import re
import sys

import includes

# Tests whose namespace does not follow from the folder's name.
OF_TESTS = {
    "unit": {"concilio::test"},
    "tools/unit": {"concilio::tools"},
    "common": {"tests", "situations"},
}
# Instances of templates of {fmt}, in its namespace.
OF_OTHERS = {"src/base/fmt_once.cpp"}
SUFFIXES = {".h", ".cpp"}
# A namespace that begins at the start of a line. Those that are inside another one and are for nobody else are called detail.
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) \{$", re.MULTILINE)
TYPES_ALONE = re.compile(r"\s*(?:(?:template <[\w ,]+>\s*)?(?:class|struct|enum class) \w+(?: : \w+)?;\s*)+\}")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
FOR_C = re.compile(r'(?:using namespace [\w:]+;\s*)*extern "C"')
PROGRAM = re.compile(r"^int main\(", re.MULTILINE)


def of_folder(name):
    return "concilio" if name == "base" else f"concilio::{name}"


def own_namespaces(place):
    """Of the folder `place`, from ROOT: the namespaces that its sources may be in."""
    top, *inner = place.parts
    if top == "src":
        return {of_folder(inner[0])}
    if top == "tools":
        return {"concilio::tools"}
    if top == "bench":
        return {"concilio::bench::scorpio" if inner[:1] == ["scorpio"] else "concilio::bench"}
    if (listed := OF_TESTS.get("/".join(inner))) is not None:
        return listed
    if inner[:1] == ["unit"]:
        return {of_folder(inner[1])}
    # A folder inside a program's folder groups files of that program.
    return {name for depth in range(1, len(inner) + 1) for name in (inner[depth - 1], "_".join(inner[max(0, depth - 2):depth]))}


def is_within(namespace, own):
    """Whether it is a namespace that a test has for itself, within that of its folder."""
    outer, _, name = namespace.rpartition("::")
    return outer in own and name not in includes.ALLOWED


def may_declare(place, namespace):
    """Whether sources of the folder `place` may declare types of `namespace`."""
    return place.parts[0] == "src" and namespace in map(of_folder, includes.ALLOWED.get(place.parts[1], ()))


def faults_of(path, text):
    """What is wrong with the source `path`, from ROOT."""
    place, own = path.parent, own_namespaces(path.parent)
    in_tests = place.parts[0] == "tests"
    text = includes.without_comments(text, with_strings=True)
    named = False
    blocks = list(NAMESPACE.finditer(text))
    for found in blocks:
        namespace = found[1]
        if not namespace:
            if not named and not PROGRAM.search(text) and not in_tests:
                yield "has an unnamed namespace outside a named one"
        elif namespace in own or in_tests and is_within(namespace, own):
            named = True
        elif namespace == "detail" and named or may_declare(place, namespace) and TYPES_ALONE.match(text, found.end()):
            continue
        else:
            yield f"has the namespace {namespace}; that of its folder is {' or '.join(sorted(own))}"
    remains = PREPROCESSOR.sub("", text).strip()
    if not blocks and not in_tests and remains and not FOR_C.match(remains):
        yield f"is in no namespace; that of its folder is {' or '.join(sorted(own))}"


def is_of_c(folder):
    """Whether it is a folder of C sources."""
    return any(folder.glob("*.c")) and not any(folder.glob("*.cpp"))


def faults(root):
    """(path, what is wrong) for all of them."""
    count = 0
    for top in ("src", "tools", "bench", "tests"):
        for path in sorted((root / top).rglob("*")):
            inside = path.relative_to(root)
            if path.suffix in SUFFIXES and inside.as_posix() not in OF_OTHERS and not is_of_c(path.parent):
                count += 1
                yield from ((inside, fault) for fault in faults_of(inside, path.read_text(encoding="utf-8")))
    if count == 0:
        yield root, "holds no sources"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    for path, fault in found:
        print(f"{path} {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
