#!/usr/bin/python3
"""no_workplace_named.py ROOT: no file of the project may name the folders of a machine it was written on."""
import pathlib
import re
import sys

# The words are put together here, so that this file does not contain them.
FOLDERS = re.compile(r"(?<![\w.])/(?:" + "|".join(["work", "root", "home/[a-z]\\w*", "Users"]) + r")/")
OUTSIDE = {".git", "build", ".venv", ".cache", "__pycache__"}


def files_of(root):
    for path in sorted(root.iterdir()):
        if path.name in OUTSIDE or path.is_symlink():
            continue
        if path.is_dir():
            yield from files_of(path)
        else:
            yield path


def text_of(path):
    """Nothing of a file that is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def named_in(path):
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if FOLDERS.search(line):
            yield f"{path}:{number}: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1])
    assert FOLDERS.search('see "/' + 'work/x"') and FOLDERS.search("/" + "home/me/x")
    assert not FOLDERS.search('#include "exec/' + 'work/space.h"')
    # In a worktree, .git is a file that says where the repository is.
    found = [line for path in files_of(root) if path.name != ".git" for line in named_in(path)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
