#!/usr/bin/python3
"""study_test.py ROOT: the arithmetic, the storages, the cases and the report of `concilio study`, from records given here."""
import copy
import html.parser
import io
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))
from concilio.study import (  # noqa: E402
    contrast,
    device,
    drawing,
    experiments,
    figures,
    findings,
    measure,
    progress,
    regret,
    report,
    results,
    storage,
)

RECORDED = json.loads((ROOT / "tests/study/recorded.json").read_text(encoding="utf-8"))


def row(method, seconds, operation="write", taken=None, **more):
    return {"method": method, "series": method, "operation": operation, "seconds": [seconds * k for k in (1, 0.5, 2)],
            "taken": taken or method, **more}


def result(rows, **more):
    return {"key": "k", "experiment": "regret", "storage": "hdd", "pattern": "block3d", "ranks": 4, "labels": {},
            "bytes": 4 * 2 ** 20, "failure": None, "rows": rows, **more}


class TimeLeft(unittest.TestCase):
    def shown(self, totals, steps):
        """What is said after steps of (kind, seconds)."""
        times = [0]
        for _, seconds in steps:
            times.append(times[-1] + seconds)
        stream = io.StringIO()
        plain = progress.Plain(totals, stream, iter(times).__next__)
        for kind, _ in steps:
            plain.end(kind, kind)
        return stream.getvalue().splitlines()

    def test_a_probe_says_nothing_of_the_time_that_cases_take(self):
        lines = self.shown({"probe": 1, "case": 11}, [("probe", 60), ("case", 2), ("case", 4)])
        self.assertEqual(lines, ["[1/12] probe", "[2/12] case; about 20 s left", "[3/12] case; about 27 s left"])

    def test_more_than_what_is_known_of(self):
        lines = self.shown({"one": 3, "other": 1}, [("one", 2), ("one", 4), ("one", 3), ("other", 9)])
        self.assertEqual(lines, ["[1/4] one; more than 4 s left", "[2/4] one; more than 3 s left", "[3/4] one", "[4/4] other"])

    def test_none_at_the_end_and_kinds_without_steps_do_not_matter(self):
        self.assertEqual(self.shown({"probe": 0, "case": 1}, [("case", 2)]), ["[1/1] case"])


@unittest.skipUnless(drawing.available(), "there is no matplotlib")
class Panels(unittest.TestCase):
    def drawn(self, slowest, sizes):
        """The axes of a figure of two rows of panels, whose rates are far apart in one of them alone."""
        rates = {"write": 100.0, "read": slowest}
        points = [{"operation": operation, "ranks": ranks, "transfer": size, "series": series, "rate": rate, "low": rate,
                   "high": rate} for operation in rates for ranks in (1, 4) for size in sizes
                  for series, rate in (("auto", 100.0), ("POSIX", rates[operation]))]
        with unittest.mock.patch.object(figures, "inline", lambda figure, name: figure.axes):
            return figures.figure_of(points, experiments.ALL["ior"].drawings[0], "ior")

    def test_all_panels_are_linear_or_all_are_logarithmic(self):
        for slowest, scale in ((100.0, "linear"), (1.0, "log")):
            axes = self.drawn(slowest, (64, 128, 256))
            self.assertEqual({axis.get_yscale() for axis in axes}, {scale})
            self.assertEqual(len({axis.get_ylim() for axis in axes}), 1)

    def test_axes_are_named_once(self):
        axes = self.drawn(100.0, (64, 128, 256))
        self.assertEqual([axis.get_ylabel() for axis in axes], ["MiB/s", "", "MiB/s", ""])
        self.assertEqual([axis.get_xlabel() for axis in axes], ["", "", "bytes of a transfer", "bytes of a transfer"])

    def test_two_points_are_no_line(self):
        self.assertTrue(all(axis.patches and not axis.lines for axis in self.drawn(100.0, (64, 128))))
        self.assertTrue(all(axis.lines and not axis.patches for axis in self.drawn(100.0, (64, 128, 256))))


class Ranks(unittest.TestCase):
    def test_no_case_has_more_ranks_than_are_wanted(self):
        places = storage.storages_of(["real", "hdd"], ["."])
        for ranks in ((1, 2), (2,), (4,), (1,)):
            scale = experiments.Scale(ranks=ranks, methods=("list",))
            for one in experiments.ALL.values():
                for place in places:
                    cases = list(one.cases(place, scale))
                    self.assertLessEqual({case.ranks for case in cases}, set(ranks), one.name)
                    if one.name not in ("device", "contrast"):
                        self.assertTrue(cases, (one.name, place.name, ranks))
            for case in contrast.storage_cases(places[1], scale):
                self.assertIn(case.ranks, ranks)

    def test_one_rank_is_one(self):
        case = next(iter(experiments.checkpoint(storage.storages_of(["hdd"], ["."])[0], experiments.Scale(ranks=(1,)))))
        self.assertIn(", 1 rank", case.title)
        self.assertNotIn("1 ranks", case.title)


class Regret(unittest.TestCase):
    def test_time_of_auto_over_the_best_forced(self):
        one = regret.situation_of(result([row("auto", 1.1, taken="list"), row("list", 1.0), row("two_phase", 4.0)]), "write")
        self.assertAlmostEqual(one["regret"], 1.1)
        self.assertEqual((one["best"], one["taken"], one["seconds"]["two_phase"]), ("list", "list", 4.0))
        self.assertIsNone(regret.situation_of(result([row("auto", 1), row("list", 1)]), "read"))

    def test_a_method_that_was_not_taken_is_no_measurement_of_it(self):
        one = regret.situation_of(result([row("auto", 2, taken="sieve"), row("sieve", 2),
                                          row("mapped", 0.5, taken="two_phase")]), "write")
        self.assertEqual((one["best"], one["regret"]), ("sieve", 1))

    def test_failed_and_left_out_methods_are_told_but_not_compared(self):
        one = regret.situation_of(result([row("auto", 2), row("sieve", 2), row("list", 1, failure="wrong byte")]), "write")
        self.assertEqual((one["regret"], one["left_out"]), (1, {"list": "wrong byte"}))

    def test_without_auto_or_without_any_method_there_is_no_situation(self):
        self.assertIsNone(regret.situation_of(result([row("auto", 1)]), "write"))
        self.assertIsNone(regret.situation_of(result([row("list", 1)]), "write"))
        self.assertEqual(regret.situations_of([result([row("auto", 1), row("list", 1)], failure="no")]), [])
        self.assertIsNone(regret.summary_of([]))

    def test_prediction_error_of_the_median(self):
        self.assertAlmostEqual(regret.prediction_error(row("list", 2.0, predicted_seconds=1.5)), 0.25)
        self.assertIsNone(regret.prediction_error(row("list", 2.0)))

    def grid(self, regrets, error=0.2):
        return regret.situations_of([result([row("auto", ratio, taken="list", predicted_seconds=ratio),
                                             row("list", 1.0, predicted_seconds=1 + error)]) for ratio in regrets])

    def verdicts(self, regrets, error=0.2):
        return [one["passed"] for one in regret.summary_of(self.grid(regrets, error))["verdicts"]]

    def test_bounds(self):
        self.assertEqual(self.verdicts([1.0] * 19 + [1.29]), [True, True, True])
        self.assertEqual(self.verdicts([1.0] * 18 + [1.2, 1.2]), [False, True, True])
        self.assertEqual(self.verdicts([1.0] * 39 + [1.31]), [True, False, True])
        self.assertEqual(self.verdicts([1.0], error=0.31), [True, True, False])

    def test_predictions_that_are_missing_do_not_pass(self):
        summary = regret.summary_of(regret.situations_of([result([row("auto", 1, taken="list"), row("list", 1)])]))
        self.assertEqual([one["passed"] for one in summary["verdicts"]], [True, True, False])

    def test_methods_that_were_too_slow_are_counted(self):
        slow = {**row("list", 1, failure="left out: one call took 9 s"), "seconds": []}
        other = {**row("mapped", 1, failure="the library took sieve"), "seconds": []}
        situations = regret.situations_of([result([row("auto", 1), row("sieve", 1), slow, other])] * 2)
        summary = regret.summary_of(situations)
        self.assertEqual(summary["left_out"], 2)
        self.assertTrue(any("2 pairs of a situation and a method" in line for line in regret.lines_of(summary, situations)))

    def test_lines_name_the_worst(self):
        situations = self.grid([1.0, 1.5])
        text = "\n".join(regret.lines_of(regret.summary_of(situations), situations))
        self.assertIn("FAIL  auto within 10 %", text)
        self.assertIn("+50%  hdd, block3d, 4 ranks, write: took list, best list", text)

    def test_by_storage(self):
        situations = self.grid([1.0]) + [{**self.grid([1.5])[0], "storage": "nvm"}]
        self.assertEqual({name: one["worst"] for name, one in regret.by(situations, "storage").items()},
                         {"hdd": 1.0, "nvm": 1.5})


class Storages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_real_and_modelled_say_so(self):
        real, hdd = storage.storages_of(["real", "hdd", "hdd"], [str(self.folder)])
        self.assertTrue(real.title.startswith("real storage: ") and real.title.endswith(str(self.folder)))
        self.assertEqual((hdd.title.split(":")[0], hdd.environment()), ("modelled storage", {"CONCILIO_THROTTLE": "device=hdd"}))
        self.assertEqual(real.environment(), {})

    def test_a_folder_each(self):
        (self.folder / "a").mkdir()
        names = [one.name for one in storage.storages_of(["real", "lustre:4"], [str(self.folder), str(self.folder / "a")])]
        self.assertEqual((len(set(names)), names[-1]), (3, "lustre:4"))

    def test_a_file_of_costs(self):
        costs = self.folder / "tape.costs"
        costs.write_text("# slow\nseek 50\nbandwidth = 10M # a second\n", encoding="utf-8")
        tape, = storage.storages_of([str(costs)], [str(self.folder)])
        self.assertEqual((tape.name, tape.throttle, tape.request_seconds), ("tape", "seek=50;bandwidth=10M", 0.05))
        for bad in ("", "seek", "a b c", "seek 5;lock 3"):
            costs.write_text(bad, encoding="utf-8")
            with self.assertRaises(storage.Wrong):
                storage.storages_of([str(costs)], [str(self.folder)])

    def test_names_that_are_none(self):
        for bad in ("floppy", "lustre", "lustre:0", "lustre:x", "hdd:2", str(self.folder)):
            with self.assertRaisesRegex(storage.Wrong, "--storage"):
                storage.storages_of([bad], [str(self.folder)])
        with self.assertRaisesRegex(storage.Wrong, "no such folder"):
            storage.storages_of(["real"], [str(self.folder / "none")])


class Cases(unittest.TestCase):
    def storages(self):
        return storage.storages_of(["real", "hdd", "ssd", "nvm"], ["."])

    def cases(self, name, scale, some=None):
        return [case for one in some or self.storages() for case in experiments.ALL[name].cases(one, scale)]

    def test_the_grid_has_more_than_sixty_situations_of_every_kind(self):
        methods = ("independent", "two_phase", "of tomorrow")
        cases = self.cases("regret", experiments.Scale(methods=methods))
        self.assertGreaterEqual(2 * len(cases), 60)
        self.assertEqual({case.ranks for case in cases}, {1, 2, 4, 8})
        self.assertEqual({case.pattern for case in cases}, set(experiments.GRID))
        for case in cases:
            self.assertEqual((set(case.series), case.warm_up), ({"auto", *methods}, 3))
            self.assertEqual(case.repetitions, 5 if case.storage in ("hdd", "ssd", "nvm") else 9)
            self.assertGreaterEqual(case.skip_slower_than, 1000)

    def test_every_case_is_another(self):
        for scale in (experiments.Scale(), experiments.Scale(quick=True), experiments.Scale(smallest=True)):
            keys = [case.key for name in experiments.ALL for case in self.cases(name, scale)]
            self.assertEqual(len(keys), len(set(keys)))

    def test_every_experiment_measures_auto_where_it_compares(self):
        for name in ("checkpoint", "ior", "mpiio_test", "romio"):
            self.assertTrue(any("auto" in case.series for case in self.cases(name, experiments.Scale())))

    def test_the_own_mpi_io_is_not_measured_on_models(self):
        for name in experiments.ALL:
            models = self.cases(name, experiments.Scale(), self.storages()[1:])
            self.assertFalse([case for case in models if experiments.OWN in case.series])

    def test_quick_is_less(self):
        for name in ("checkpoint", "ior", "mpiio_test", "regret"):
            self.assertLess(len(self.cases(name, experiments.Scale(quick=True))), len(self.cases(name, experiments.Scale())))

    def test_slow_storage_gets_little(self):
        real, hdd = self.storages()[:2]
        self.assertLess(experiments.Scale().mib(hdd), experiments.Scale().mib(real))

    def test_a_command_asks_for_all_of_the_case(self):
        case = self.cases("ior", experiments.Scale())[1]
        words = measure.bench_command("concilio", case, "data", "mpich")
        self.assertEqual(words[:3], ["concilio", "bench", case.pattern])
        self.assertIn("--independent", words)
        self.assertEqual(words[words.index("--methods") + 1], "independent")
        self.assertEqual(words[words.index("--mpi") + 1], "mpich")


class Measure(unittest.TestCase):
    def test_settings_of_the_surroundings_change_nothing(self):
        around = {"CONCILIO_METHOD": "list", "CONCILIO_PROFILE": "/old", "CONCILIO_THROTTLE": "device=hdd", "ROMIO_HINTS": "h",
                  "CONCILIO_NODE_MEMORY": "1G", "CONCILIO_FAULT": "x", "CONCILIO_LIBDIR": "/lib", "CONCILIO_MPIRUN": "/mpirun",
                  "CONCILIO_PYTHON": "/python", "CONCILIO_PYTHONDIR": "/package", "PATH": "/bin"}
        real, nvm = storage.storages_of(["real", "nvm"], ["."])
        with unittest.mock.patch.dict("os.environ", around, clear=True):
            bench = measure.Bench("concilio", {}, {"nvm": "/new"})
            kept = {name: around[name] for name in ("CONCILIO_LIBDIR", "CONCILIO_MPIRUN", "CONCILIO_PYTHON", "CONCILIO_PYTHONDIR",
                                                    "PATH")}
            self.assertEqual(bench.environment(real), {**kept, "CONCILIO_PROFILE": "off"})
            self.assertEqual(bench.environment(nvm), {**kept, "CONCILIO_PROFILE": "/new", "CONCILIO_THROTTLE": "device=nvm"})

    def test_a_probe_that_fails_leaves_no_old_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "profile.json")
            path.write_text("{}", encoding="utf-8")
            real, = storage.storages_of(["real"], [folder])
            with self.assertRaises(measure.Failed):
                device.probe(measure.Bench("/bin/false", {}, {}), real, str(path), True)
            self.assertFalse(path.exists())

    def test_cleaning_up_is_not_interrupted(self):
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        with measure.uninterrupted():
            signal.raise_signal(signal.SIGTERM)
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)

    def test_json_among_other_words(self):
        self.assertEqual(measure.json_in("mpirun says\n{\n \"a\": 1\n}\nbye"), {"a": 1})
        for text in ("", "{\nbroken", "{\n broken }"):
            self.assertIsNone(measure.json_in(text))

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(measure.Failed, "No such file"):
            measure.run(["/no/such/program"], {}, 5)

    def test_a_program_that_takes_too_long_is_ended(self):
        with self.assertRaisesRegex(measure.Failed, "not done within"):
            measure.run(["/bin/sleep", "60"], {}, 0.2)

    def test_a_program_that_began_as_a_signal_came_is_ended(self):
        begun = []

        class Interrupted(subprocess.Popen):  # the signal comes before the caller knows that the program runs
            def __init__(self, *words, **options):
                super().__init__(*words, **options)
                begun.append(self)
                signal.raise_signal(signal.SIGHUP)

        before = signal.signal(signal.SIGHUP, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        with unittest.mock.patch.object(subprocess, "Popen", Interrupted), self.assertRaises(KeyboardInterrupt):
            measure.run(["/bin/sleep", "60"], {}, 30)
        self.assertEqual(begun[0].returncode, -signal.SIGTERM)
        self.assertEqual(signal.getsignal(signal.SIGHUP), signal.default_int_handler)

    def test_curves_between_and_beyond_their_points(self):
        curve = [[100, 1.0], [200, 3.0]]
        self.assertEqual([device.curve_at(curve, x) for x in (50, 100, 150, 400)], [1.0, 1.0, 2.0, 6.0])
        self.assertIsNone(device.curve_at([], 1))

    def test_rates_of_a_profile(self):
        series = {"write_adjoining": {"points": [[1 << 20, 1e-3]]}, "read_direct": {"points": [[4096, 4096e-6]]}}
        rates = device.rates_of({"prices": {"write_scattered": [[4096, 4096e-6]], "write_adjoining": [[1 << 20, 9]]},
                                 "measurements": {"series": series}})
        self.assertAlmostEqual(rates[device.CACHED]["write random 4096"], 1.0)
        self.assertAlmostEqual(rates[device.CACHED][f"write sequential {1 << 20}"], 1048.576)
        self.assertAlmostEqual(rates[device.DIRECT]["read sequential 4096"], 1.0)
        self.assertNotIn("read random 4096", rates[device.CACHED])
        self.assertEqual(device.rates_of({}), {})


class Contrast(unittest.TestCase):
    def result(self, finding, rows, **more):
        return result(rows, experiment="contrast", pattern="interleaved:4096", labels={"finding": finding}, **more)

    def verdict(self, finding, in_pieces, two_phase, taken):
        # With several pieces for each rank, as `concilio bench` reports it: a single request is not a way to write
        # them.
        rows = [row("independent", 1, taken="list", failure="the library took list"), row("list", in_pieces),
                row("two_phase", two_phase), row("auto", min(in_pieces, two_phase), taken=taken)]
        return contrast.verdict_of(self.result(finding, rows), "write")

    def test_slow_network(self):
        self.assertTrue(self.verdict(contrast.SLOW_NETWORK, 1, 5, "list")["passed"])
        self.assertTrue(self.verdict(contrast.SLOW_NETWORK, 1, 5, "sieve")["passed"])
        self.assertFalse(self.verdict(contrast.SLOW_NETWORK, 1, 5, "two_phase")["passed"])
        self.assertFalse(self.verdict(contrast.SLOW_NETWORK, 5, 1, "independent")["passed"])

    def test_slow_storage(self):
        found = self.verdict(contrast.SLOW_STORAGE, 20, 1, "two_phase")
        self.assertTrue(found["passed"])
        self.assertIn("20.0 times as fast", found["numbers"])
        self.assertFalse(self.verdict(contrast.SLOW_STORAGE, 9, 1, "two_phase")["passed"])

    def test_what_was_not_measured_does_not_hold(self):
        slow = {**row("list", 1, failure="left out: one call took 90 s"), "seconds": []}
        found, read = contrast.verdicts_of([self.result(contrast.SLOW_STORAGE, [row("auto", 1), slow, row("two_phase", 1)])])
        self.assertFalse(found["passed"] or read["passed"])
        self.assertIn("write, interleaved:4096, 4 ranks: not measured (list: left out: one call took 90 s)", found["numbers"])
        self.assertIn("read, interleaved:4096, 4 ranks: not measured (auto: no times", read["numbers"])

    def test_a_case_that_failed_does_not_hold(self):
        found = contrast.verdicts_of([self.result(contrast.SLOW_NETWORK, [], failure="no hosts")])
        self.assertEqual(["not measured (no hosts)" in one["numbers"] for one in found], [True, True])
        self.assertFalse(any(one["passed"] for one in found))

    def test_the_slow_method_is_asked_for_and_tried_at_any_price(self):
        some = storage.storages_of(["hdd"], ["."])[0]
        for quick in (False, True):
            scale = experiments.Scale(quick=quick)
            for case in [*contrast.network_cases(some, scale), *contrast.storage_cases(some, scale)]:
                words = measure.bench_command("concilio", case, "data", "")
                self.assertGreaterEqual(float(words[words.index("--skip-slower-than") + 1]), 1e6)
                self.assertEqual(set(case.series), {"auto", "list", "two_phase"})


class Results(unittest.TestCase):
    def test_goes_on_only_with_what_is_the_same(self):
        case = next(iter(experiments.romio(storage.storages_of(["hdd"], ["."])[0], experiments.Scale())))
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/study.json"
            study = results.Study.new(path)
            kept = result([row("auto", 1)], key=case.key, definition=case.definition)
            study.put(kept)
            again = results.Study.load(path)
            self.assertTrue(again.has(case))
            self.assertFalse(again.has(measure.experiments.dataclasses.replace(case, mib_per_rank=99)))
            again.put({**kept, "failure": "no"})
            self.assertFalse(again.has(case))
            self.assertEqual(len(again.data["results"]), 1)
            for bad in ("", "[]", "{\"concilio_study\": 99}"):
                pathlib.Path(path).write_text(bad, encoding="utf-8")
                with self.assertRaises(results.Damaged):
                    results.Study.load(path)

    def test_points(self):
        point, = results.points_of([result([row("auto", 2.0), row("list", 1.0, failure="no")], labels={"ranks": 4})])
        self.assertEqual((point["rate"], point["low"], point["high"], point["ranks"]), (2.0, 1.0, 4.0, 4))

    def test_auto_that_is_never_slower(self):
        points = [{"series": name, "seconds": seconds} for name, seconds in (("auto", 0.88), ("list", 1))]
        self.assertIn("in 1 of 1 points; it is slower in none", findings.auto_tracks(points))

    def test_how_auto_tracks_the_best(self):
        points = results.points_of([result([row("auto", 1.2), row("two_phase", 1.0), row("POSIX", 0.1)])])
        self.assertIn("in 0 of 1 points; at worst it takes 1.20 times", findings.auto_tracks(points))


class Tree(html.parser.HTMLParser):
    """Elements that are open at the end, and those closed in a wrong order."""
    EMPTY = {"meta", "path", "use", "rect", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.ids, self.refers = [], [], [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if found.get("id") else []
        self.refers += [value[1:] for name, value in attributes if name.endswith("href") and value.startswith("#")]
        for one in ("src", "href", "xlink:href"):
            if found.get(one, "#")[0] != "#":
                self.wrong.append(f"refers to {found[one]}")
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.draws = drawing.available()
        cls.page = report.page_of(RECORDED, cls.draws)

    def test_page_is_whole_and_needs_nothing_else(self):
        tree = Tree()
        tree.feed(self.page)
        self.assertEqual((tree.open, tree.wrong), ([], []))
        self.assertEqual(len(tree.ids), len(set(tree.ids)))
        self.assertEqual(set(tree.refers) - set(tree.ids), set())
        self.assertNotRegex(self.page, r"<(script|link|img|iframe)\b")

    def test_every_figure_and_table_of_rates_says_real_or_modelled(self):
        captions = re.findall(r"<(figcaption|caption)>(.*?)</\1>", self.page)
        told = [text for _, text in captions if "MiB/s" in text or text.endswith(")")]
        self.assertGreaterEqual(len(told), 8)
        for text in told:
            self.assertRegex(text, r"real storage|modelled storage|MB/s \(a million")
        if self.draws:
            self.assertGreaterEqual(sum(kind == "figcaption" for kind, _ in captions), 8)
            for kind, text in captions:
                if kind == "figcaption":
                    self.assertRegex(text, "real|modelled")
        else:
            self.assertNotIn("<svg", self.page)

    def test_every_experiment_has_its_section(self):
        for name in experiments.ALL:
            self.assertIn(f"<h2 id={name}>", self.page, name)
            self.assertIn(f"<a href='#{name}'>", self.page, name)

    def test_numbers_are_those_of_the_record(self):
        point = results.points_of([one for one in RECORDED["results"] if one["experiment"] == "romio"])[0]
        self.assertIn(f">{report.tables.number(point['rate'])}<", self.page)
        for one in report.Page(RECORDED, False).regret():
            self.assertIn(one, self.page)

    def test_what_comes_from_outside_is_escaped(self):
        self.assertIn("&lt;script&gt;alert(&quot;no &amp; space&quot;)&lt;/script&gt;", self.page)
        self.assertIn("A processor &lt;of somebody&gt;", self.page)
        self.assertIn("An &lt;MPI&gt; 1.0", self.page)

    def test_quick_and_interrupted_are_said(self):
        self.assertIn("Measured with --quick", self.page)
        self.assertNotIn("interrupted", self.page)
        data = {**copy.deepcopy(RECORDED), "interrupted": True, "results": [], "devices": {}}
        page = report.page_of(data, False)
        self.assertIn("The study was interrupted", page)
        self.assertNotIn("<h2 id=ior>", page)

    def test_without_figures_the_tables_are_there(self):
        page = report.page_of(RECORDED, False)
        self.assertNotIn("<svg", page)
        self.assertEqual(page.count("<table>"), self.page.count("<table>"))


if __name__ == "__main__":
    unittest.main()
