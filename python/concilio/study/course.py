"""The course of a study: places made, storage probed, cases measured, the report written, all taken away again."""
import dataclasses
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from . import contrast, device, experiments, hosts, machine, measure, regret, report, results, storage, testpfs
from .comparisons import cases as comparisons
from .comparisons import document, runs
from .progress import progress


class Usage(Exception):
    """The command line, or what it names, is wrong."""


def complain(text):
    print(f"concilio: study: {text}", file=sys.stderr)


def version_of(concilio):
    told = subprocess.run([concilio, "version"], capture_output=True, text=True, check=False)
    return (told.stdout.splitlines() or ["unknown"])[0].replace("concilio ", "")


def methods_of(concilio):
    """The library's methods: what the hint concilio_method may be besides auto."""
    told = subprocess.run([concilio, "hints", "--json"], capture_output=True, text=True, check=False)
    try:
        choices = next(one["choices"] for one in json.loads(told.stdout) if one["hint"] == "concilio_method")
    except (ValueError, KeyError, StopIteration) as error:
        raise Usage(f"{concilio} hints --json does not tell the methods; it is of another version") from error
    return tuple(name for name in choices if name != "auto")


def path_of(folder, comparison):
    """Of a comparison's numbers in the output folder."""
    return os.path.join(folder, f"{comparison}.json")


class Course:
    """One study from beginning to end."""

    def __init__(self, chosen, names, ranks, concilio):
        self.chosen = chosen
        self.names = [name for name in names if name in experiments.ALL]
        self.compared = [name for name in names if name in comparisons.ALL]
        self.scale = experiments.Scale(chosen.quick, ranks, chosen.smallest)
        self.concilio = concilio
        # Models are told what they cost; real storage is that of every folder. Comparisons slow storage by themselves.
        models = ["hdd", "nvm"] if chosen.quick else ["hdd", "ssd", "nvm"]
        self.storages = storage.storages_of(chosen.storage or ["real", *(models if self.names else [])], chosen.dir or ["."])
        self.scratch = []
        self.pfs = None

    def study_of(self, folder):
        path = os.path.join(folder, "study.json")
        known = [one for one in (path, *(path_of(folder, name) for name in comparisons.ALL)) if os.path.exists(one)]
        going_on = self.chosen.resume or self.chosen.report_only
        if self.chosen.report_only and not known:
            raise Usage(f"--report-only: {folder} has no study")
        if going_on and path in known:
            study = results.Study.load(path)
            if not self.chosen.report_only:
                study.data.pop("interrupted", None)
            return study
        if known and not going_on and not self.chosen.overwrite:
            raise Usage(f"{folder} has a study already: --resume goes on with it, --overwrite replaces it, --output names "
                        "another folder")
        if self.chosen.overwrite:
            for one in known:
                os.unlink(one)
        return results.Study.new(path, version=version_of(self.concilio), quick=self.chosen.quick,
                                 command=shlex.join(["concilio", "study", *sys.argv[1:]]), machine=machine.facts())

    def make_places(self):
        """A folder of its own on every storage; all of them are removed at the end."""
        files, made = {}, {}
        for one in self.storages:
            if one.folder not in made:
                made[one.folder] = tempfile.mkdtemp(prefix="concilio-study-", dir=one.folder)
                self.scratch.append(made[one.folder])
            files[one.name] = os.path.join(made[one.folder], "data")
        return files

    def add_testpfs(self, study):
        if not self.chosen.testpfs:
            return
        state = tempfile.mkdtemp(prefix="concilio-study-", dir=self.storages[0].folder)
        self.scratch.insert(0, state)
        self.pfs = testpfs.TestPfs(state)
        try:
            self.storages += storage.storages_of(["real"], [self.pfs.mount()])
        except (measure.Failed, storage.Wrong) as failed:
            study.leave_out("--testpfs", str(failed))
            complain(str(failed))

    def cases(self):
        """Storages by turns within an experiment, so that an interrupted one has something of each."""
        found = []
        scale = dataclasses.replace(self.scale, methods=methods_of(self.concilio)) if self.names else self.scale
        for name in self.names:
            lists = [list(experiments.ALL[name].cases(one, scale)) for one in self.storages]
            for i in range(max(map(len, lists), default=0)):
                found += [some[i] for some in lists if i < len(some)]
        return found

    @property
    def probes(self):
        """How many storages are probed. Comparisons that want measured prices probe for themselves."""
        return len(self.storages) if self.names and not self.scale.smallest else 0

    def probe(self, study, bench, shown):
        """A profile of every storage, by which the library chooses; one of this study that is there is taken."""
        if not self.probes:
            for one in self.storages:
                study.add_storage(one)
            return
        folder = os.path.join(os.path.dirname(study.path), "profiles")
        os.makedirs(folder, exist_ok=True)
        for one in self.storages:
            path = os.path.join(folder, f"{one.name.replace(':', '-')}.json")
            study.add_storage(one)
            if not (os.path.exists(path) and one.name in study.data["devices"]):
                shown.begin(f"probe: {one.name}")
                try:
                    study.data["devices"][one.name] = device.probe(bench, one, path, self.chosen.quick)
                except measure.Failed as failed:
                    study.leave_out(f"profile of {one.title}", f"{failed}; built-in prices apply")
                    shown.say(f"probe of {one.name} failed: {failed}")
            if os.path.exists(path):
                bench.profiles[one.name] = path
            study.save()
            shown.end(f"probe: {one.title}", "probe")

    def measure(self, study, bench, cases, shown):
        by_name = {one.name: one for one in self.storages}
        for case in cases:
            shown.begin(case.title)
            result = bench.measure(case, by_name[case.storage])
            self.keep(study, bench, result)
            shown.end(f"{case.title}: {measure.brief_of(result)}")

    def keep(self, study, bench, result):
        if bench.library:
            study.data["library"] = bench.library
        study.put(result)

    def contrast_cases(self, study):
        disk, most = contrast.disk(self.storages), max(self.scale.ranks)
        cases = []
        if most < 2:
            study.leave_out("contrast: slow storage", "one rank has nobody to gather pieces with")
        else:
            cases = [(case, disk, False) for case in contrast.storage_cases(disk, self.scale)]
        fast = next((one for one in self.storages if one.real), None)
        if most < contrast.HOSTS:
            study.leave_out("contrast: slow network", f"it needs {contrast.HOSTS} ranks (-n)")
        elif why := hosts.why_not(contrast.RATE):
            study.leave_out("contrast: slow network", why)
        elif fast is None:
            study.leave_out("contrast: slow network", "it needs real storage (--storage real)")
        else:
            cases += [(case, fast, True) for case in contrast.network_cases(fast, self.scale)]
        return [one for one in cases if not study.has(one[0])]

    def measure_contrast(self, study, bench, cases, shown):
        for case, place, on_hosts in cases:
            study.add_storage(place)
            bench.data_files.setdefault(place.name, next(iter(bench.data_files.values())))
            if on_hosts:
                continue
            shown.begin(case.title)
            result = bench.measure(case, place)
            self.keep(study, bench, result)
            shown.end(f"{case.title}: {measure.brief_of(result)}", "contrast")
        hosted = [(case, place) for case, place, on_hosts in cases if on_hosts]
        if not hosted:
            return
        try:
            with contrast.SlowHosts(self.scratch[0]) as slow:
                mpi, bench.mpi = bench.mpi, "openmpi"
                try:
                    # The study's own profile is of one host, and knows no network.
                    path = os.path.join(os.path.dirname(study.path), "profiles", "hosts.json")
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    shown.begin("probe: hosts with a slow network")
                    environment = slow.probe(bench, hosted[0][1], path)
                    for case, place in hosted:
                        shown.begin(case.title)
                        result = bench.measure(case, place, environment)
                        self.keep(study, bench, result)
                        shown.end(f"{case.title}, slow network: {measure.brief_of(result)}", "contrast")
                finally:
                    bench.mpi = mpi
        except measure.Failed as failed:
            study.leave_out("contrast: slow network", str(failed))
            shown.say(str(failed))

    def cases_compared(self):
        """(comparison, those of its cases that are wanted) for each."""
        for name in self.compared:
            comparison = comparisons.ALL[name](self.scale.quick or self.scale.smallest)
            yield comparison, [case for case in comparison.cases
                               if self.chosen.case in case.key and self.chosen.mpi in ("", case.mpi)]

    def comparisons_bench(self, files):
        """Where comparisons are measured: on real storage where there is some; all models lie on the same folder."""
        first = next((one for one in self.storages if one.real), self.storages[0])
        distributed = next((one for one in self.storages if one.real and one.distributed), None)
        return runs.Bench(self.concilio, os.path.dirname(files[first.name]),
                          distributed and os.path.dirname(files[distributed.name]))

    def comparisons_work(self, bench, folder):
        if not self.compared:
            return []
        settings = bench.settings()
        return [runs.Work(bench, comparison, cases, runs.Results(path_of(folder, comparison.name), comparison, cases,
                                                                 self.scale.quick or self.scale.smallest),
                          self.chosen.alternations, settings) for comparison, cases in self.cases_compared()]

    def run(self, study, folder):
        files = self.make_places()
        bench = measure.Bench(self.concilio, files, {}, self.chosen.mpi)
        cases = [case for case in self.cases() if not study.has(case)]
        contrasts = self.contrast_cases(study) if "contrast" in self.names else []
        with self.comparisons_bench(files) as starts:
            works = self.comparisons_work(starts, folder)
            steps = {"probe": self.probes, "case": len(cases), "contrast": len(contrasts),
                     **{one.comparison.name: len(one.missing) for one in works}}
            with progress(steps) as shown:
                self.probe(study, bench, shown)
                self.measure(study, bench, cases, shown)
                self.measure_contrast(study, bench, contrasts, shown)
                for work in works:
                    work.measure(shown)

    def remove_places(self):
        with measure.uninterrupted():
            if self.pfs:
                self.pfs.close()
            for path in self.scratch:
                shutil.rmtree(path, ignore_errors=True)


def comparisons_of(folder):
    """Those that the folder has numbers of, by name."""
    found = {}
    for name in comparisons.ALL:
        if os.path.exists(path_of(folder, name)):
            found[name] = results.read(path_of(folder, name))
    return {name: one for name, one in found.items() if one["runs"]}


def write_report(study, folder, draw):
    """The report's path, and the comparisons that it shows."""
    situations = regret.situations_of(study.results_of("regret"))
    if situations:
        with open(os.path.join(folder, "regret.json"), "w", encoding="utf-8") as file:
            json.dump({"summary": regret.summary_of(situations), "by_storage": regret.by(situations, "storage"),
                       "situations": situations}, file, indent=1)
    page, compared = os.path.join(folder, "report.html"), comparisons_of(folder)
    with open(page, "w", encoding="utf-8") as file:
        file.write(report.page_of(study.data, draw, compared))
    return page, compared


def write_document(path, folder, draw):
    """Whether all comparisons have a place in it."""
    without = document.write(path, folder, comparisons_of(folder), draw)
    for name in without:
        complain(f"--markdown {path}: it has no place for {name}")
    return not without


def say_results(study, page):
    situations = regret.situations_of(study.results_of("regret"))
    summary = regret.summary_of(situations)
    if summary:
        print("\n".join(regret.lines_of(summary, situations)))
    for one in contrast.verdicts_of(study.results_of("contrast")):
        print(f"{'PASS' if one['passed'] else 'FAIL'}  {one['finding']}: {one['numbers']}")
    failed = sum(bool(one["failure"]) for one in study.data["results"])
    if failed:
        print(f"{failed} of {len(study.data['results'])} cases failed; the report says why")
    print(f"Report: {page}")
