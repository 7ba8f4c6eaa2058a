#!/usr/bin/python3
"""add_a_store.py ROOT BUILD CXX: docs/add-a-store.md, followed to the letter.

Takes the code from the page, puts it where the page says into a copy of the sources, and runs the suite that every store
must pass over the new store.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    page = (root / "docs/add-a-store.md").read_text(encoding="utf-8")
    *files, row = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    paths = re.findall(r"^`src/(store/\S+)`:$", page, re.MULTILINE)
    include = re.search(r'^and `(#include "store/\S+")` there', page, re.MULTILINE)[1]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in ("base", "store"):
            shutil.copytree(root / "src" / name, copy / name)
        for path, text in zip(paths, files, strict=True):
            (copy / path).write_text(text, encoding="utf-8")
        suite = (root / "tests/unit/store/conformance_test.cpp").read_text(encoding="utf-8")
        first_row = "const StoreCase store_cases[] = {\n"
        if suite.count(first_row) != 1:
            sys.exit("add_a_store: conformance_test.cpp has no list of stores any more")
        gtest = "#include <gtest/gtest.h>\n"
        suite = suite.replace(first_row, first_row + row).replace(gtest, f"{gtest}{include}\n", 1)
        (copy / "suite.cpp").write_text(suite, encoding="utf-8")
        sources = ["suite.cpp", *(path for path in paths if path.endswith(".cpp"))]
        objects = [str((copy / source).with_suffix(".o")) for source in sources]
        started = [subprocess.Popen([compiler, "-std=c++20", "-O0", "-I", str(copy), "-c", str(copy / source), "-o", made])
                   for source, made in zip(sources, objects)]
        if any(status != 0 for status in [one.wait() for one in started]):
            sys.exit("add_a_store: the page's code does not compile")
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        ring = re.findall(r"^CONCILIO_LIBURING:\S+=(/.*)$", cache, re.MULTILINE)
        libraries = [str(build / f"src/{name}/libconcilio_{name}.a") for name in ("store", "base")]
        subprocess.run([compiler, *objects, *libraries, *ring, "-lfmt", "-lgmock", "-lgtest_main", "-lgtest", "-lpthread",
                        "-o", str(copy / "try")], check=True)
        done = subprocess.run([str(copy / "try"), "--gtest_filter=*mounted_memory*"], capture_output=True, text=True,
                              check=False, cwd=folder, env={**os.environ, "TMPDIR": "/tmp"})
    passed = re.search(r"\[  PASSED  \] (\d+) tests", done.stdout)
    # At least as many tests as any store has, because a filter that selects none would pass.
    if done.returncode or not passed or int(passed[1]) < 10:
        sys.exit(f"add_a_store: the suite says\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
    print(f"ok: {passed[1]} tests")


main()
