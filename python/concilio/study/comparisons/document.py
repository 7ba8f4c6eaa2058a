"""A comparison shown: how it was measured, its table and figure; and these in their place in a document of Markdown."""
import os
import re

from .. import drawing
from . import figures, rows, tables


def table_of(name, comparison):
    return tables.ALL[name](rows.rows_of(comparison))


def figure_of(name, comparison):
    return figures.ALL[name](rows.rows_of(comparison))


def unit_of(name):
    """Of the numbers in a comparison's table."""
    return "Milliseconds" if name == "scorpio" else "MiB/s"


def facts_text(name, comparison):
    """How it was measured, in one sentence."""
    machine = comparison["machine"]
    runs = {}
    for run in comparison["runs"]:
        key = run["case"], run["variant"]
        runs[key] = runs.get(key, 0) + 1
    fewest, most = min(runs.values()), max(runs.values())
    starts = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    loads = sorted(run["load"] for run in comparison["runs"])
    text = (f"{unit_of(name)}, medians of {starts} starts by turns. {machine['cores']} cores ({machine['processor']}), "
            f"{machine['memory_gib']} GiB, Linux {machine['kernel']}, {machine['file_system']}; "
            f"{'; '.join(comparison['mpi'].values())}. Load while measuring: {loads[0]:g} to {loads[-1]:g}.")
    if comparison["quick"]:
        text += " **Few and small (`--quick`): not to be compared.**"
    for left in comparison["left_out"]:
        text += f" Left out: {left['case']}{', ' + left['variant'] if 'variant' in left else ''} ({left['why']})."
    return text


def with_section(document, name, text, writer="concilio study"):
    """The document with `text` between the marks of `name`, which name the writer; None where it has no such marks."""
    marks = re.compile(rf"(<!-- {name}: written by {writer} -->\n).*?(<!-- {name}: end -->)", re.DOTALL)
    if not marks.search(document):
        return None
    return marks.sub(lambda found: found[1] + text + found[2], document, count=1)


def section_of(name, comparison, picture=None):
    """`picture`: where the document finds the figure."""
    text = facts_text(name, comparison) + "\n\n" + table_of(name, comparison).markdown()
    return text + (f"\n![{comparison['title']}]({picture})\n" if picture else "")


def write(path, folder, comparisons, draw):
    """Each comparison goes to its place in the document `path`, its figure to the folder; returns those without a place."""
    with open(path, encoding="utf-8") as file:
        document = file.read()
    without = []
    for name, comparison in comparisons.items():
        picture = os.path.join(folder, f"{name}.svg") if draw else None
        beside = os.path.relpath(picture, os.path.dirname(path) or ".") if picture else None
        changed = with_section(document, name, section_of(name, comparison, beside))
        if changed is None:
            without.append(name)
            continue
        document = changed
        if picture:
            with open(picture, "w", encoding="utf-8") as file:
                file.write(drawing.svg_of(figure_of(name, comparison), "concilio"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(document)
    return without
