"""Measures comparisons by `concilio bench`: each case in turn under each of its variants, several times over.

FOLDER/NAME.json is saved after each start, so that a comparison that was ended is taken up where it was: runs that are in
it, of the same case, are not made again.
"""
import contextlib
import json
import os
import pathlib
import shlex

from .. import device, hosts, machine, measure
from ..results import read
from ..storage import file_system_of
from . import hints, rows

WRONG_OR_MISSING = 2  # the exit status of `concilio bench` where an MPI or a program is not there


class LeftOut(Exception):
    """A case that cannot be measured here, and why."""


def command_of(concilio, case, variant, alternation, data_file):
    words = [concilio, "bench", *(["scorpio"] if case.program == "scorpio" else []), "-n", str(case.ranks), "--mpi", case.mpi,
             "--timeout", f"{case.seconds:g}", "--json", "--file", data_file, "--repetitions", str(case.repetitions),
             *case.options]
    if variant.concilio:
        words.append("--concilio")
    if case.program == "scorpio":
        return words
    words += ["--mib-per-rank", repr(case.mib_per_rank)]
    for name, value in variant.hints_at(alternation).items():
        words += ["--hint", f"{name}={value}"]
    return words + list(case.patterns)


def name_of_library(text):
    """Without the packager's remarks, which may name a machine."""
    return " ".join(text.partition(",")[0].split())


def machine_facts(folder):
    """What is told of the machine beside the numbers, without its name."""
    told = machine.facts()
    return {"cores": told["cores"], "kernel": told["kernel"].removeprefix("Linux ").partition("-")[0],
            "processor": told["processor"], "memory_gib": round(told["memory_gib"] or 0), "file_system": file_system_of(folder)}


class Bench:
    """`concilio bench` where the cases want it: on this machine, on several hosts, on a distributed file system."""

    def __init__(self, concilio, folder, distributed=None):
        self.concilio = concilio
        self.folder = folder  # for files
        self.distributed = distributed  # the same on a distributed file system; None where there is none
        self.hosts = {}  # by their number; made when they are first needed
        self.profiles = {}  # by the environment of those who use them
        self.made = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self.made.__exit__(*error)

    def settings(self):
        """The hints that this build has, by name."""
        status, output, errors = measure.run([self.concilio, "hints", "--json"], measure.surroundings(), 60)
        if status:
            raise measure.Failed(measure.last_words(errors))
        return hints.table_of(json.loads(output))

    def why_not(self, case):
        """Why the case cannot run here; None if it can."""
        if case.pfs and not self.distributed:
            return "it needs a distributed file system: --testpfs, or --dir on one"
        return hosts.why_not() if case.hosts else None

    def folder_of(self, case):
        return self.distributed if case.pfs else self.folder

    def environment(self, case, variant, report):
        environment = {**measure.surroundings(), **variant.env}
        if case.hosts:
            if case.hosts not in self.hosts:
                self.hosts[case.hosts] = self.made.enter_context(hosts.Hosts(self.folder, case.hosts))
            environment.update(self.hosts[case.hosts].environment())
        environment["CONCILIO_PROFILE"] = self.profile(case, environment) if case.probed and variant.concilio else "off"
        if variant.concilio:
            environment["CONCILIO_REPORT"] = report
        return environment

    def profile(self, case, environment):
        """The file with the prices of a case's hosts and storage, which are measured when they are first needed."""
        key = (case.mpi, case.ranks, *sorted(environment.items()))
        if key not in self.profiles:
            output = os.path.join(self.folder, f"profile{len(self.profiles)}.json")
            words = device.probe_command(self.concilio, self.folder_of(case), output, True, case.mpi, case.ranks)
            status, _, errors = measure.run(words, {**environment, "CONCILIO_PROFILE": "off"}, case.seconds)
            if status:
                raise measure.Failed(f"concilio probe: exit status {status}: {measure.last_words(errors)}")
            self.profiles[key] = output
        return self.profiles[key]

    def measure(self, case, variant, alternation):
        """One start: what is kept of it, and what the MPI calls itself."""
        report = pathlib.Path(self.folder, "report")
        report.unlink(missing_ok=True)
        words = command_of(self.concilio, case, variant, alternation, os.path.join(self.folder_of(case), "data"))
        load = round(os.getloadavg()[0], 1)
        status, output, errors = measure.run(words, self.environment(case, variant, str(report)), case.seconds + 30)
        if status == WRONG_OR_MISSING:
            raise LeftOut(measure.last_words(errors))
        if status:
            raise measure.Failed(f"exit status {status}: {measure.last_words(errors)}")
        run = {"case": case.key, "variant": variant.name, "alternation": alternation, "load": load}
        if case.program == "scorpio":
            methods = rows.parse_lines(output)
            run["patterns"] = rows.condense_scorpio(methods)
            return run, name_of_library(methods[0]["library"])
        told = rows.parse_output(output)
        lines = report.read_text(encoding="utf-8") if variant.concilio else ""
        run["patterns"] = rows.condense(told, rows.parse_report(lines))
        if variant.hints_each_time:
            run["hints"] = {name: value for name, value in variant.hints_at(alternation).items() if name not in variant.hints}
        return run, name_of_library(told["library"])


class Results:
    """The file of a comparison."""

    def __init__(self, path, comparison, cases, quick):
        self.path = pathlib.Path(path)
        self.data = {"name": comparison.name, "title": comparison.title, "quick": quick, "machine": {}, "mpi": {},
                     "left_out": [], "cases": {}, "runs": []}
        if self.path.exists():
            earlier = read(self.path)
            if earlier.get("quick") == quick:
                self.data.update(earlier)
        current = {case.key: case.definition for case in comparison.cases}
        stored = self.data["cases"]
        same = {key for key, case in current.items() if stored.get(key) == case}
        self.data["runs"] = [run for run in self.data["runs"] if run["case"] in same]
        # Cases that were never measured are not in the file.
        kept = same | {case.key for case in cases}
        self.data["cases"] = {key: case for key, case in current.items() if key in kept}
        self.data["left_out"] = []

    def has(self, case, variant, alternation):
        return any(run["case"] == case.key and run["variant"] == variant.name and run["alternation"] == alternation
                   for run in self.data["runs"])

    def leave_out(self, why, case, variant=None):
        entry = {"case": case.key, **({"variant": variant.name} if variant else {}), "why": why}
        if entry not in self.data["left_out"]:
            self.data["left_out"].append(entry)

    def save(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        head = {name: value for name, value in self.data.items() if name != "runs"}
        runs = ",\n".join(json.dumps(run, separators=(",", ":")) for run in self.data["runs"])
        text = json.dumps(head, indent=1)[:-2] + ',\n "runs": [\n' + runs + "\n]\n}\n"
        new = self.path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        os.replace(new, self.path)


class Work:
    """What there is to do for one comparison."""

    def __init__(self, bench, comparison, cases, results, alternations, settings):
        self.bench, self.comparison, self.results = bench, comparison, results
        pairs = list(self.usable(cases, settings))
        wanted = [(alternation, case, variant) for alternation in range(alternations)
                  for case, variant in (pairs if alternation % 2 == 0 else reversed(pairs))]
        self.missing = [one for one in wanted if not results.has(one[1], one[2], one[0])]

    def usable(self, cases, settings):
        """Pairs of a case and a variant that can run here; the others are noted."""
        for case in cases:
            why = self.bench.why_not(case)
            if why:
                self.results.leave_out(why, case)
                continue
            for variant in case.variants:
                faults = hints.faults_of(variant, settings)
                if faults:
                    self.results.leave_out("this build has " + "; ".join(faults) if "no hint" in faults[0] else "; ".join(faults),
                                           case, variant)
                else:
                    yield case, variant

    def measure(self, shown):
        for left in self.results.data["left_out"]:
            shown.say(f"{self.comparison.name}: left out: {left['case']}: {left['why']}")
        if self.missing:
            self.results.data["machine"] = machine_facts(self.bench.folder_of(self.missing[0][1]))
        cannot = set()
        for alternation, case, variant in self.missing:
            title = f"{self.comparison.name}: {case.key}, {variant.name}"
            if case.key in cannot:
                shown.end(f"{title}: left out", self.comparison.name)
                continue
            shown.begin(title)
            try:
                run, library = self.bench.measure(case, variant, alternation)
            except (LeftOut, measure.Failed) as why:
                if isinstance(why, LeftOut):
                    cannot.add(case.key)
                self.results.leave_out(str(why), case, variant)
                shown.end(f"{title}: {why}", self.comparison.name)
                continue
            self.results.data["runs"].append(run)
            self.results.data["mpi"][case.mpi] = library
            self.results.save()
            shown.end(title, self.comparison.name)
        self.results.save()


def print_commands(comparison, cases):
    """Of the first alternation."""
    for case in cases:
        for variant in case.variants:
            settings = [f"{name}={value}" for name, value in variant.env.items()]
            print(shlex.join([*settings, *command_of("concilio", case, variant, 0, "FILE")]))
