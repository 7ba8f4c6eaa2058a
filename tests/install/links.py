#!/usr/bin/python3
"""links.py FOLDER: every relative link of the Markdown pages below FOLDER leads to a file there, or a heading of one."""
import pathlib
import re
import sys


def prose_of(page):
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def headings_of(page):
    """The headings of a page, as links name them."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)}


def links_of(page):
    text = re.sub(r"`[^`]*`", "", prose_of(page))
    for target in re.findall(r"\]\(([^)\s]*)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def faults(folder):
    pages, count = sorted(folder.rglob("*.md")), 0
    for page in pages:
        for link in links_of(page):
            count += 1
            name, _, heading = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            where = page.relative_to(folder)
            if not target.exists() or folder.resolve() not in target.resolve().parents:
                yield f"{where} points to {link}, which is not there"
            elif heading and heading not in headings_of(target):
                yield f"{where} points to {link}, which has no such heading"
    if len(pages) < 20 or count < 100:
        yield f"only {count} links in {len(pages)} pages: are the documents there?"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
