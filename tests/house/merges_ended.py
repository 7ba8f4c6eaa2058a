#!/usr/bin/python3
"""merges_ended.py ROOT: no file of the project may have marks in it that git leaves where two changes meet."""
import pathlib
import re
import sys

from no_workplace_named import files_of, text_of

# Seven equals signs do not count: they underline headings too.
MARKS = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)")


def marks_in(text):
    return [number for number, line in enumerate(text.splitlines(), start=1) if MARKS.match(line)]


def main():
    assert marks_in("\n".join(["a", "<" * 7 + " HEAD", "b", "=" * 7, "c", ">" * 7 + " 1234567"])) == [2, 6]
    assert not marks_in("out <<<<<<< x\n>>>>>>>>\n")
    found = [f"{path}:{number}: a mark of a merge: keep what holds of both sides, and remove it"
             for path in files_of(pathlib.Path(sys.argv[1])) for number in marks_in(text_of(path))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
