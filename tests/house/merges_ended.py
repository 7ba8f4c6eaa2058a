#!/usr/bin/python3
"""merges_ended.py ROOT: no file of the project may have marks in it that git leaves where two changes meet."""
import pathlib
import re
import sys

from no_workplace_named import files_of

# Seven of one sign at the beginning of a line, and what each of these lines goes on with. A line of seven equals signs
# alone also underlines headings, so it does not count.
MARKS = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)")


def marks_in(text):
    return [number for number, line in enumerate(text.splitlines(), start=1) if MARKS.match(line)]


def main():
    assert marks_in("\n".join(["a", "<" * 7 + " HEAD", "b", "=" * 7, "c", ">" * 7 + " 1234567"])) == [2, 6]
    assert not marks_in("out <<<<<<< x\n>>>>>>>>\n")
    found = []
    for path in files_of(pathlib.Path(sys.argv[1])):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path}:{number}" for number in marks_in(text)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
