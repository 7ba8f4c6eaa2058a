"""The command line of `concilio study`."""
import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile

from . import drawing, experiments, measure, results, storage
from .comparisons import cases as comparisons
from .comparisons import runs
from .course import Course, Usage, comparisons_of, complain, say_results, write_document, write_report

NO_MATPLOTLIB = ("this Python has no matplotlib, which draws the figures; install Debian's package python3-matplotlib, or give "
                 "--numbers-only")

TO_STDOUT = "-"  # as the name of a file
COMPARISONS = "comparisons"  # all of them, as a word of --only


def parser():
    made = argparse.ArgumentParser(
        prog="concilio study", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Repeats papers' evaluations of parallel I/O on your own storage, and writes an HTML report with\n"
                    "figures and the numbers behind them: FOLDER/report.html and FOLDER/study.json.",
        epilog="experiments:\n" + "\n".join(f"  {one.name:<12}{one.title}" for one in experiments.ALL.values()) +
               "\n\ncomparisons, which are measured only where --only names them (all: comparisons):\n" +
               "\n".join(f"  {name:<12}{make(True).title}" for name, make in comparisons.ALL.items()) +
               "\n\nexamples:\n"
               "  concilio study --quick                       see what it is\n"
               "  concilio study --dir /scratch/me             your file system, and models of disk, SSD and NVM\n"
               "  concilio study --only regret                 how good the library's own choice is\n"
               "  concilio study --storage real --only ior -n 1,4,16\n"
               "  concilio study --only sieving datatypes      hints beside each other, and the MPI's own MPI-IO\n\n"
               "Ctrl-C ends it, and writes the report of what was measured; --resume goes on from there.\n"
               "The exit status is 0 if something was measured, 1 if nothing could be, 2 if the command line is wrong,\n"
               "130 after Ctrl-C.")
    made.add_argument("--quick", action="store_true", help="few and small measurements: to see that it works")
    made.add_argument("--storage", action="extend", nargs="+", default=[], metavar="NAME",
                      help="real, or modelled: hdd, ssd, nvm, nfs, lustre:OSTS, or a file of costs; several may be "
                           "given (default: real hdd ssd nvm, with --quick real hdd nvm)")
    made.add_argument("--dir", action="extend", nargs="+", default=[], metavar="DIR",
                      help="folder on the storage to study; several may be given; models are put on the first "
                           "(default: the current folder)")
    made.add_argument("--testpfs", action="store_true",
                      help="also on a distributed file system made for the study (GlusterFS; root, and Concilio's source tree)")
    made.add_argument("--only", action="extend", nargs="+", default=[], metavar="EXPERIMENT,...",
                      help="these experiments or comparisons alone (default: all experiments)")
    made.add_argument("-n", "--ranks", dest="n", default="1,2,4,8", metavar="RANKS",
                      help="numbers of ranks of experiments, as 1,2,4,8 (the default); comparisons have those of their papers")
    made.add_argument("--mpi", default="", metavar="MPI", help="openmpi, mpich, ... as in concilio bench (default: the first)")
    made.add_argument("--case", default="", metavar="TEXT", help="of comparisons, only cases whose name contains TEXT")
    made.add_argument("--alternations", type=int, metavar="COUNT",
                      help="how often each variant of a comparison is started (5, with --quick 2)")
    made.add_argument("--output", default="concilio-study", metavar="FOLDER", help="for the report (concilio-study)")
    going = made.add_mutually_exclusive_group()
    going.add_argument("--resume", action="store_true", help="go on with the study in the output folder")
    going.add_argument("--overwrite", action="store_true", help="replace the study in the output folder")
    going.add_argument("--report-only", action="store_true", help="measure nothing; write the report of what is there again")
    made.add_argument("--markdown", metavar="FILE",
                      help="also put each comparison's table and figure at its place in this document")
    made.add_argument("--json", nargs="?", const=TO_STDOUT, metavar="FILE",
                      help="print what was measured as JSON to stdout in place of the text; or write it to FILE as well if it is "
                           "given (it is in the output folder in any case)")
    made.add_argument("--numbers-only", action="store_true", help="tables without figures, which need matplotlib")
    made.add_argument("--list", action="store_true", help="print what would be measured, and end")
    # As little as there can be: of Concilio's own tests.
    made.add_argument("--smallest", action="store_true", help=argparse.SUPPRESS)
    return made


def names_of(words):
    """Of experiments and comparisons, in the order of their tables."""
    known = [*experiments.ALL, *comparisons.ALL]
    names = [name for word in words for name in word.split(",") if name]
    for name in names:
        if name not in (*known, COMPARISONS):
            raise Usage(f"--only {name}: there is {', '.join([*known, COMPARISONS])}")
    if not names:
        return list(experiments.ALL)
    return [name for name in known if name in names or COMPARISONS in names and name in comparisons.ALL]


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


def make_folder(path, option="--output"):
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise Usage(f"{option} {path}: {error.strerror}") from error
    return os.path.abspath(path)


def course_of(chosen):
    if chosen.alternations is None:
        chosen.alternations = 1 if chosen.smallest else 2 if chosen.quick else 5
    if chosen.alternations < 1:
        raise Usage("--alternations: at least 1")
    if chosen.markdown and not os.path.isfile(chosen.markdown):
        raise Usage(f"--markdown {chosen.markdown}: there is no such file")
    if not chosen.numbers_only and not drawing.available():
        raise Usage(NO_MATPLOTLIB)
    return Course(chosen, names_of(chosen.only), ranks_of(chosen.n), command_of())


def print_commands(course, mpi):
    for case in course.cases():
        print(shlex.join(measure.bench_command("concilio", case, "FILE", mpi)), f" # {case.title}")
    for comparison, cases in course.cases_compared():
        runs.print_commands(comparison, cases)


def measured(course, study, folder):
    """The exit status."""
    try:
        course.add_testpfs(study)
        course.run(study, folder)
        return 0
    except KeyboardInterrupt:
        study.data["interrupted"] = True
        complain("interrupted; --resume goes on from here")
        return 130
    finally:
        course.remove_places()
        study.end()


def run_study(chosen):
    course = course_of(chosen)
    if chosen.list:
        print_commands(course, chosen.mpi)
        return 0
    folder = os.path.abspath(chosen.output) if chosen.report_only else make_folder(chosen.output)
    study = course.study_of(folder)
    if chosen.json and chosen.json != TO_STDOUT:
        make_folder(os.path.dirname(os.path.abspath(chosen.json)), "--json")
    status = 0 if chosen.report_only else measured(course, study, folder)
    page, comparisons_there = write_report(study, folder, not chosen.numbers_only)
    if chosen.markdown and not write_document(chosen.markdown, folder, not chosen.numbers_only):
        status = status or 1
    if chosen.json != TO_STDOUT:
        say_results(study, page)
    if chosen.json:
        write_json(chosen.json, study, folder)
    if not study.anything() and not comparisons_there and status == 0:
        complain("nothing could be measured; the report says why")
        status = 1
    return status


def write_json(path, study, folder):
    """All files of numbers as one: what study.json has, and the comparisons."""
    text = json.dumps({**study.data, "comparisons": comparisons_of(folder)}, indent=1) + "\n"
    if path == TO_STDOUT:
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def stop(*_):
    raise KeyboardInterrupt


def main():
    for number in measure.STOPPING:
        # What our caller chose to ignore (nohup) stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN or number == signal.SIGINT:
            signal.signal(number, stop)
    try:
        return run_study(parser().parse_args())
    except (Usage, storage.Wrong, results.Damaged, measure.Failed) as wrong:
        complain(str(wrong))
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        complain(str(error))
        return 1
