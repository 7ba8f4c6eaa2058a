"""The command line of `concilio study`, and its course."""
import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from . import contrast, device, experiments, figures, machine, measure, regret, report, results, storage, testpfs
from .progress import progress

NO_MATPLOTLIB = ("this Python has no matplotlib, which draws the figures; install Debian's package python3-matplotlib, or give "
                 "--numbers-only")


class Usage(Exception):
    """The command line, or what it names, is wrong."""


def complain(text):
    print(f"concilio: study: {text}", file=sys.stderr)


def parser():
    made = argparse.ArgumentParser(
        prog="concilio study", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Repeats two papers' evaluations of parallel I/O on your own storage, and writes an HTML report with\n"
                    "figures and the numbers behind them: FOLDER/report.html and FOLDER/study.json.",
        epilog="experiments:\n" + "\n".join(f"  {one.name:<12}{one.title}" for one in experiments.ALL.values()) +
               "\n\nexamples:\n"
               "  concilio study --quick                       see what it is, in a few minutes\n"
               "  concilio study --dir /scratch/me             your file system, and models of disk, SSD and NVM\n"
               "  concilio study --only regret                 how good the library's own choice is\n"
               "  concilio study --storage real --only ior -n 1,4,16\n\n"
               "Ctrl-C ends it, and writes the report of what was measured; --resume goes on from there.\n"
               "The exit status is 0 if something was measured, 1 if nothing could be, 2 if the command line is wrong,\n"
               "130 after Ctrl-C.")
    made.add_argument("--quick", action="store_true", help="few and small measurements: to see that it works, in minutes")
    made.add_argument("--storage", action="extend", nargs="+", default=[], metavar="NAME",
                      help="real, or modelled: hdd, ssd, nvm, nfs, lustre:OSTS, or a file of costs; several may be "
                           "given (default: real hdd ssd nvm, with --quick real hdd nvm)")
    made.add_argument("--dir", action="extend", nargs="+", default=[], metavar="DIR",
                      help="folder on the storage to study; several may be given; models are put on the first "
                           "(default: the current folder)")
    made.add_argument("--testpfs", action="store_true",
                      help="also on a distributed file system made for the study (GlusterFS; root, and Concilio's source tree)")
    made.add_argument("--only", action="extend", nargs="+", default=[], metavar="EXPERIMENT,...",
                      help="these experiments alone")
    made.add_argument("-n", default="1,2,4,8", metavar="RANKS", help="numbers of ranks, as 1,2,4,8 (the default)")
    made.add_argument("--mpi", default="", metavar="MPI", help="openmpi, mpich, ... as in concilio bench (default: the first)")
    made.add_argument("--output", default="concilio-study", metavar="FOLDER", help="for the report (concilio-study)")
    going = made.add_mutually_exclusive_group()
    going.add_argument("--resume", action="store_true", help="go on with the study in the output folder")
    going.add_argument("--overwrite", action="store_true", help="replace the study in the output folder")
    made.add_argument("--numbers-only", action="store_true", help="tables without figures, which need matplotlib")
    made.add_argument("--list", action="store_true", help="print what would be measured, and end")
    # As little as there can be: of Concilio's own tests.
    made.add_argument("--smallest", action="store_true", help=argparse.SUPPRESS)
    return made


def names_of(words):
    names = [name for word in words for name in word.split(",") if name]
    for name in names:
        if name not in experiments.ALL:
            raise Usage(f"--only {name}: there is {', '.join(experiments.ALL)}")
    return [name for name in experiments.ALL if not names or name in names]


def ranks_of(text):
    try:
        counts = tuple(int(one) for one in text.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise Usage(f"-n {text}: write numbers of ranks, as 1,2,4")
    return counts


def command_of():
    """The `concilio` that started this, or the one on PATH."""
    found = os.environ.get("CONCILIO_COMMAND") or shutil.which("concilio")
    if not found or not os.access(found, os.X_OK):
        raise Usage("there is no command `concilio`; start this by it, as `concilio study`")
    return found


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise Usage(f"--output {path}: {error.strerror}") from error
    return os.path.abspath(path)


def version_of(concilio):
    told = subprocess.run([concilio, "version"], capture_output=True, text=True, check=False)
    return (told.stdout.splitlines() or ["unknown"])[0].replace("concilio ", "")


class Course:
    """One study from beginning to end."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.names = names_of(chosen.only)
        self.scale = experiments.Scale(chosen.quick, ranks_of(chosen.n), chosen.smallest)
        self.concilio = command_of()
        # Models are told what they cost; real storage is that of every folder.
        default = ("real", "hdd", "nvm") if chosen.quick else ("real", "hdd", "ssd", "nvm")
        self.words = chosen.storage or list(default)
        self.storages = storage.storages_of(self.words, chosen.dir or ["."])
        self.scratch = []
        self.pfs = None

    def study_of(self, folder):
        path = os.path.join(folder, "study.json")
        if self.chosen.resume and os.path.exists(path):
            study = results.Study.load(path)
            study.data.pop("interrupted", None)
            return study
        if os.path.exists(path) and not self.chosen.overwrite:
            raise Usage(f"{folder} has a study already: --resume goes on with it, --overwrite replaces it, --output names "
                        "another folder")
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
        for name in self.names:
            lists = [list(experiments.ALL[name].cases(one, self.scale)) for one in self.storages]
            for i in range(max(map(len, lists), default=0)):
                found += [some[i] for some in lists if i < len(some)]
        return found

    def probe(self, study, bench, shown):
        """A profile of every storage, by which the library chooses; one of this study that is there is taken."""
        if self.scale.smallest:
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
            shown.end(f"probe: {one.title}")

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
        disk = contrast.disk(self.storages)
        cases = [(case, disk, False) for case in contrast.storage_cases(disk, self.scale)]
        fast = next((one for one in self.storages if one.real), None)
        if why := contrast.why_not_hosts():
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
            shown.end(f"{case.title}: {measure.brief_of(result)}")
        hosted = [(case, place) for case, place, on_hosts in cases if on_hosts]
        if not hosted:
            return
        try:
            with contrast.Hosts(self.scratch[0]) as hosts:
                mpi, bench.mpi = bench.mpi, "openmpi"
                try:
                    # The study's own profile is of one host, and knows no network.
                    path = os.path.join(os.path.dirname(study.path), "profiles", "hosts.json")
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    shown.begin("probe: hosts with a slow network")
                    environment = hosts.probe(bench, hosted[0][1], path)
                    for case, place in hosted:
                        shown.begin(case.title)
                        result = bench.measure(case, place, environment)
                        self.keep(study, bench, result)
                        shown.end(f"{case.title}, slow network: {measure.brief_of(result)}")
                finally:
                    bench.mpi = mpi
        except measure.Failed as failed:
            study.leave_out("contrast: slow network", str(failed))
            shown.say(str(failed))

    def run(self, study):
        files = self.make_places()
        bench = measure.Bench(self.concilio, files, {}, self.chosen.mpi)
        cases = [case for case in self.cases() if not study.has(case)]
        contrasts = self.contrast_cases(study) if "contrast" in self.names else []
        probes = 0 if self.scale.smallest else len(self.storages)
        with progress(probes + len(cases) + len(contrasts)) as shown:
            self.probe(study, bench, shown)
            self.measure(study, bench, cases, shown)
            self.measure_contrast(study, bench, contrasts, shown)

    def remove_places(self):
        with measure.uninterrupted():
            if self.pfs:
                self.pfs.end()
            for path in self.scratch:
                shutil.rmtree(path, ignore_errors=True)


def write_report(study, folder, draw):
    study.data["ended"] = machine.facts()["date"]
    study.save()
    situations = regret.situations_of(study.results_of("regret"))
    if situations:
        with open(os.path.join(folder, "regret.json"), "w", encoding="utf-8") as file:
            json.dump({"summary": regret.summary_of(situations), "by_storage": regret.by(situations, "storage"),
                       "situations": situations}, file, indent=1)
    page = os.path.join(folder, "report.html")
    with open(page, "w", encoding="utf-8") as file:
        file.write(report.page_of(study.data, draw))
    return page


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


def run_study(chosen):
    course = Course(chosen)
    if not chosen.numbers_only and not figures.available():
        raise Usage(NO_MATPLOTLIB)
    if chosen.list:
        for case in course.cases():
            print(shlex.join(measure.bench_command("concilio", case, "FILE", chosen.mpi)), f" # {case.title}")
        return 0
    folder = make_folder(chosen.output)
    study = course.study_of(folder)
    status = 0
    try:
        course.add_testpfs(study)
        course.run(study)
    except KeyboardInterrupt:
        study.data["interrupted"] = True
        complain("interrupted; --resume goes on from here")
        status = 130
    finally:
        course.remove_places()
    page = write_report(study, folder, not chosen.numbers_only)
    say_results(study, page)
    if not study.anything() and status == 0:
        complain("nothing could be measured; the report says why")
        status = 1
    return status


def stop(*_):
    raise KeyboardInterrupt


def main():
    for number in measure.STOPPING:
        # What our caller chose to ignore (nohup) stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN or number == signal.SIGINT:
            signal.signal(number, stop)
    try:
        return run_study(parser().parse_args())
    except (Usage, storage.Wrong, results.Damaged) as wrong:
        complain(str(wrong))
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        complain(str(error))
        return 1
