#!/usr/bin/python3
"""api_docs.py ROOT: the pages of the interfaces (docs/api) are made without a warning, and have the headers' comments.

Exit status 77 where there is no doxygen.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

# Headers in which every function must be described. Of the C++ headers, some functions are checked on behalf of all.
DESCRIBED = {"include/concilio/concilio.h", "include/concilio/file.h"}
EXAMPLES = {"store::StoreFile::make_space", "plan::chosen_policy"}


def words_of(member):
    return " ".join("".join(member.find(part).itertext()) for part in ("briefdescription", "detaileddescription")).split()


def faults(folder):
    seen, described = set(), set()
    for page in sorted((folder / "xml").glob("*.xml")):
        for member in tree.parse(page).iter("memberdef"):
            if member.get("kind") != "function":
                continue
            name = (member.findtext("qualifiedname") or member.findtext("name")).removeprefix("concilio::")
            header = "/".join(pathlib.Path(member.find("location").get("file")).parts[-3:])
            seen.add(header)
            if words_of(member):
                described.add(name)
            elif header in DESCRIBED:
                yield f"{header}: the pages say nothing of {name}"
    yield from (f"the pages have no function of {header}" for header in DESCRIBED - seen)
    yield from (f"the pages say nothing of {name}" for name in EXAMPLES - described)


def main():
    root = pathlib.Path(sys.argv[1])
    doxygen = shutil.which("doxygen")
    if not doxygen:
        print("skipped: no doxygen")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        settings = (root / "docs/api/Doxyfile").read_text(encoding="utf-8") + "GENERATE_HTML = NO\nGENERATE_XML = YES\n"
        made = subprocess.run([doxygen, "-"], input=settings, text=True, cwd=root, check=False,
                              env={**os.environ, "CONCILIO_API_DIR": folder})
        if made.returncode:
            print(f"doxygen ended with status {made.returncode}")
            return 1
        found = list(faults(pathlib.Path(folder)))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
