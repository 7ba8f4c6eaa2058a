"""Runs `concilio bench` and `concilio probe`; what they said becomes rows. A failure is a result like others."""
import contextlib
import json
import os
import shlex
import signal
import subprocess
import time

from . import experiments


class Failed(Exception):
    """A program did not do what it was to; the text says what, and what it said itself."""


STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def uninterrupted():
    """Signals that stop a study are passed over: what is made is taken away to the last."""
    before = [signal.signal(number, signal.SIG_IGN) for number in STOPPING]
    try:
        yield
    finally:
        for number, handler in zip(STOPPING, before):
            signal.signal(number, handler)


@contextlib.contextmanager
def postponed():
    """Signals that stop a study come only after what is done within: else a program could have begun and nobody know it."""
    came = []
    # What is ignored stays so, for the program that begins too.
    before = {number: signal.getsignal(number) for number in STOPPING if signal.getsignal(number) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, lambda which, _: came.append(which))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def last_words(text, most=3):
    """What was wrong, by what a program wrote to stderr: Concilio's own complaints if there are any, else the end."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if "other programs use" not in line]  # a notice, no complaint
    own = [line.partition(": ")[2] for line in lines if line.startswith(("concilio: ", "concilio bench: "))]
    return "; ".join(own[:most] or lines[-most:])[:600]


def end(process):
    """First kindly: `concilio bench` then ends its ranks and removes its files."""
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


def begin(words, environment):
    try:
        return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    except OSError as error:
        raise Failed(f"{words[0]}: {error.strerror}") from error


def run(words, environment, timeout_seconds):
    """What it wrote to stdout; Failed where it could not be run or took too long. Its exit status comes along."""
    process = None
    try:
        with postponed():
            process = begin(words, environment)
        output, errors = process.communicate(timeout=timeout_seconds)
    except subprocess.TimeoutExpired as late:
        end(process)
        raise Failed(f"not done within {timeout_seconds:.0f} s, and ended") from late
    except BaseException:
        if process is not None:
            end(process)
        raise
    return process.returncode, output, errors


def json_in(text):
    """The JSON among what launchers say around it; None where there is none."""
    begin, last = text.find("{\n"), text.rfind("}")
    try:
        return json.loads(text[begin:last + 1]) if 0 <= begin < last else None
    except json.JSONDecodeError:
        return None


def bench_command(concilio, case, data_file, mpi):
    words = [concilio, "bench", case.pattern, "-n", str(case.ranks), "--mib-per-rank", f"{case.mib_per_rank:g}",
             "--repetitions", str(case.repetitions), "--methods", ",".join(case.series), "--warm-up", str(case.warm_up),
             "--measure-for", f"{case.measured_seconds:g}", "--method-timeout", f"{case.method_seconds:g}",
             "--skip-slower-than", f"{case.skip_slower_than:.12g}", "--timeout", f"{case.timeout_seconds:g}", "--json",
             "--file", data_file]
    if mpi:
        words += ["--mpi", mpi]
    if not case.collective:
        words.append("--independent")
    return words


def rows_of(pattern, series):
    """A row for each operation and method of one pattern of `concilio bench --methods --json`."""
    rows = []
    for operation, methods in pattern.get("operations", {}).items():
        for method, told in methods.items():
            row = {"operation": operation, "method": method, "series": series.get(method, method)}
            for name in ("seconds", "first_seconds", "taken", "predicted_seconds", "failure", "candidates"):
                if told.get(name) is not None:
                    row[name] = told[name]
            rows.append(row)
    return rows


def is_setting(name):
    """Whether a variable changes how the library works. Those that only say where things are do not."""
    if name in ("CONCILIO_MPIRUN", "CONCILIO_COMMAND") or name.startswith("CONCILIO_PYTHON"):
        return False
    return name == "ROMIO_HINTS" or name.startswith("CONCILIO_") and not name.endswith("DIR")


def surroundings():
    """The environment without what the user has set: it would change what is measured."""
    return {name: value for name, value in os.environ.items() if not is_setting(name)}


class Bench:
    """`concilio bench`, on the storages of this study."""

    def __init__(self, concilio, data_files, profiles, mpi=""):
        self.concilio, self.mpi = concilio, mpi
        self.data_files = data_files  # of each storage
        self.profiles = profiles  # of each storage that has one
        self.library = ""

    def environment(self, storage):
        """Without a profile of this study none is taken: one that was made before would be of no known storage."""
        return {**surroundings(), **storage.environment(), "CONCILIO_PROFILE": self.profiles.get(storage.name, "off")}

    def measure(self, case, storage, more_environment=None):
        """The case's result, as study.json keeps it."""
        words = bench_command(self.concilio, case, self.data_files[storage.name], self.mpi)
        start = time.monotonic()
        result = {"key": case.key, "experiment": case.experiment, "storage": case.storage, "pattern": case.pattern,
                  "ranks": case.ranks, "labels": dict(case.labels), "definition": case.definition, "bytes": 0, "rows": [],
                  "command": shlex.join(bench_command("concilio", case, "FILE", self.mpi)), "failure": None}
        try:
            environment = {**self.environment(storage), **(more_environment or {})}
            status, output, errors = run(words, environment, case.timeout_seconds + 30)
            told = json_in(output)
            if told is None or not told.get("patterns"):
                raise Failed(last_words(errors) or f"exit status {status}, and nothing measured")
            self.library = told.get("library", self.library)
            pattern = told["patterns"][0]
            result["bytes"] = pattern.get("bytes", 0)
            result["rows"] = rows_of(pattern, case.series)
            if pattern.get("failure"):
                raise Failed(pattern["failure"])
            if not result["rows"]:
                raise Failed(last_words(errors) or "nothing measured")
        except Failed as failed:
            result["failure"] = str(failed)
        result["wall_seconds"] = round(time.monotonic() - start, 2)
        return result


def brief_of(result):
    """A result as half a line of progress."""
    if result["failure"]:
        return "failed: " + result["failure"]
    rates = []
    for row in result["rows"]:
        seconds = sorted(row.get("seconds", []))
        if row["operation"] == "write" and seconds and seconds[len(seconds) // 2] > 0:
            rates.append(f"{row['method']} {result['bytes'] / experiments.MIB / seconds[len(seconds) // 2]:.0f}")
    return f"{result['wall_seconds']:.1f} s; MiB/s writing: {', '.join(rates)}" if rates else f"{result['wall_seconds']:.1f} s"
