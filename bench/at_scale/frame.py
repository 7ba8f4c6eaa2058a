"""What all experiments have in common: their cases are simulated, kept, and shown.

An experiment is a module in experiments/, with

  TITLE           one line
  cases(quick)    a list of Case
  section(rows)   its tables and sentences, as Markdown, for its place in docs/papers.md
  figure(rows)    its drawing, by concilio.study.drawing; None for none

and, where a case is more than one `concilio simulate`, measure(case, tools), which returns a list of rows. A row is a
dictionary: the labels of its case, and what simulated() keeps of one pattern and method.
"""
import concurrent.futures
import dataclasses
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]
from concilio.study import drawing  # noqa: E402
from concilio.study.comparisons.document import with_section  # noqa: E402
from concilio.study.comparisons.tables import Table  # noqa: E402
from concilio.study.measure import Failed, last_words, surroundings  # noqa: E402
from concilio.study.progress import progress  # noqa: E402

MIB = 1 << 20
COUNTERS = ("messages_sent", "message_bytes_sent", "storage_reads", "storage_writes", "storage_bytes_read",
            "storage_bytes_written")


class NoSimulator(Exception):
    """SimGrid, or the program for it, is not there."""


@dataclasses.dataclass
class Case:
    """One `concilio simulate`: the machine, as its file says it, and the words behind that."""
    labels: dict  # what tells its rows from those of other cases
    machine: dict
    words: list
    hints: dict = dataclasses.field(default_factory=dict)
    seconds: float = 3600  # of real time, after which it has failed

    @property
    def definition(self):
        """All that its results follow from, as JSON has it."""
        return json.loads(json.dumps({"machine": self.machine, "words": self.words, "hints": self.hints}))

    @property
    def key(self):
        return ", ".join(f"{name} {value}" for name, value in self.labels.items())


def machine(name, **parts):
    """A machine that comes with Concilio; `parts` replace members of its parts, as nodes={"free_memory_gib": [1, 2]}."""
    text = (ROOT / f"tools/machines/{name}.json").read_text(encoding="utf-8")
    described = json.loads(text)
    for part, members in parts.items():
        described[part].update(members)
    return described


def kept(counted, total_bytes):
    """Of one direction: the median time, and what it moved."""
    seconds = sorted(counted["seconds"])[(len(counted["seconds"]) - 1) // 2] if "seconds" in counted else None
    found = {name: counted["counters"]["sum"][name] for name in COUNTERS}
    found["rounds"] = counted["counters"]["max"]["rounds"]
    if seconds is not None:
        found.update(seconds=seconds, mib_per_second=round(total_bytes / MIB / seconds, 3))
    if "predicted_seconds" in counted:
        found["predicted_seconds"] = counted["predicted_seconds"]
    return found


def hint_words(hints):
    return [word for name, value in hints.items() for word in ("--hint", f"{name}={value}")]


class Tools:
    """Runs `concilio` for a measure(case, tools)."""

    def __init__(self, concilio):
        self.concilio = concilio

    def output_of(self, words, seconds):
        """What `concilio` prints to stdout; Failed where it ends with another status than 0."""
        try:
            done = subprocess.run([self.concilio, *words], env=surroundings(), check=False, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=seconds + 30)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"not done within {seconds:.0f} s") from late
        except OSError as error:
            raise Failed(f"{self.concilio}: {error.strerror}") from error
        if done.returncode == 77:
            raise NoSimulator(last_words(done.stderr))
        if done.returncode != 0:
            raise Failed(last_words(done.stderr) or f"exit status {done.returncode}")
        return done.stdout

    def simulated(self, case):
        """A row for each pattern and method of the case."""
        with tempfile.TemporaryDirectory(prefix="at-scale.") as folder:
            path = os.path.join(folder, "machine.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(case.machine, file)
            words = ["simulate", "--machine", path, *case.words, *hint_words(case.hints), "--json", "-", "--timeout",
                     f"{case.seconds:g}"]
            told = json.loads(self.output_of(words, case.seconds))
        rows = []
        for one in told["results"]:
            if "failure" in one:
                raise Failed(f"{one['pattern']}: {one['failure']}")
            row = {"pattern": one["pattern"], "method": one["method"], "bytes": one["bytes"], "ranks": told["ranks"],
                   "nodes": told["nodes"], "peak_bytes_per_node": one.get("peak_bytes_per_node")}
            row.update({f"{phase}_seconds": seconds for phase in ("init", "open", "close") if phase in one
                        for seconds in one[phase].values()})  # simulated, or predicted where calls are counted
            row.update({call: kept(one[call], one["bytes"]) for call in ("write", "read") if call in one})
            rows.append(row)
        return rows


def experiments():
    """name -> module, in the order of their names."""
    names = sorted(path.stem for path in (HERE / "experiments").glob("*.py"))
    return {name.replace("_", "-"): importlib.import_module(f"experiments.{name}") for name in names}


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"cases": {}}


def save(path, results):
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    os.replace(partial, path)


def make(chosen, options):
    """Simulates the cases of the experiments, and keeps their rows; returns how many failed."""
    tools, plans, results, failed = Tools(options.concilio), [], {}, 0
    for name, experiment in chosen.items():
        path, cases = options.output / f"{name}.json", experiment.cases(options.quick)
        before = load(path)["cases"] if options.resume or options.cases else {}
        have = {case.key: before[case.key] for case in cases
                if case.key in before and before[case.key]["definition"] == case.definition}
        chosen_cases = [case for case in cases if options.cases in case.key]
        if not options.resume:
            have = {key: row for key, row in have.items() if key not in {case.key for case in chosen_cases}}
        results[name] = {"title": experiment.TITLE, "quick": options.quick, "cases": have}
        plans += [(name, case) for case in chosen_cases if case.key not in have]

    def rows_of(name, case):
        began = time.monotonic()
        rows = getattr(chosen[name], "measure", lambda one, tools: tools.simulated(one))(case, tools)
        return rows, time.monotonic() - began

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, \
            progress({name: sum(one == name for one, _ in plans) for name in chosen}) as shown:
        running = {pool.submit(rows_of, name, case): (name, case) for name, case in plans}
        try:
            for done in concurrent.futures.as_completed(running):
                name, case = running[done]
                try:
                    rows, seconds = done.result()
                except Failed as failure:
                    failed += 1
                    shown.end(f"{name}: {case.key}: failed: {failure}", name)
                    continue
                results[name]["cases"][case.key] = {"definition": case.definition, "labels": case.labels, "rows": rows}
                save(options.output / f"{name}.json", results[name])
                shown.end(f"{name}: {case.key}: {seconds:.1f} s", name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def rows_of(results):
    return [{**case["labels"], **row} for case in results["cases"].values() for row in case["rows"]]


def report(chosen, folder, markdown):
    """Tables of what is kept go to their places in the document, and drawings beside the results."""
    document = markdown.read_text(encoding="utf-8")
    for name, experiment in chosen.items():
        results = load(folder / f"{name}.json")
        rows = rows_of(results)
        if not rows:
            print(f"run: nothing is kept of {name} in {folder}", file=sys.stderr)
            continue
        text = "**Few and small (`--quick`).**\n\n" if results["quick"] else ""
        try:
            text += experiment.section(rows)
            figure = experiment.figure(rows) if drawing.available() else None
        except (IndexError, KeyError, StopIteration):
            print(f"run: cases of {name} are missing; make them by --resume", file=sys.stderr)
            continue
        picture = folder / f"{name}.svg"
        if figure:
            picture.write_text(drawing.svg_of(figure, "concilio"), encoding="utf-8")
        if picture.exists():
            text += f"\n![{results['title']}]({os.path.relpath(picture, markdown.resolve().parent)})\n"
        changed = with_section(document, name, text, "bench/at_scale/run")
        if changed is None:
            print(f"run: {markdown} has no place for {name}", file=sys.stderr)
        else:
            document = changed
    markdown.write_text(document, encoding="utf-8")


def table(head, lines):
    """As Markdown."""
    return Table(head, lines).markdown()
