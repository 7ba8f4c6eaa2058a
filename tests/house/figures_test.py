#!/usr/bin/python3
"""figures_test.py ROOT: bench/figures makes the right rows and tables of records that are given here."""
import csv
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
FIGURES = ROOT / "bench/figures"
sys.path.insert(0, str(FIGURES))
import records  # noqa: E402
import series  # noqa: E402
import support  # noqa: E402
import tables  # noqa: E402


def script(name):
    """A script without .py, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(FIGURES / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def pattern(name="contiguous", seconds=(0.5, 0.25, 1.0), **more):
    return {"pattern": name, "bytes": 64 * records.MIB, "verified": True, "write": {"seconds": list(seconds)},
            "nodes": [{"ranks": 2, "peak_growth_bytes": 10}, {"ranks": 2, "peak_growth_bytes": 20}], **more}


def report(**more):
    return {"peak_bytes_per_rank": 4096, "reasons": [{"method": "two_phase"}], "counters": {"rounds": 3}, **more}


def measured(cases):
    """Results with runs {(case, variant, alternation): {pattern: seconds}}; labels are the case's."""
    runs, described = [], {}
    for (case, variant, alternation), patterns in cases.items():
        described.setdefault(case, {"labels": {"place": case}, "patterns": {}})
        for name in patterns:
            described[case]["patterns"][name] = {"of": name}
        output = {"patterns": [pattern(name, [seconds]) for name, seconds in patterns.items()]}
        runs.append({"case": case, "variant": variant, "alternation": alternation, "load": 0.5,
                     "patterns": records.condense(output, [])})
    return {"cases": described, "runs": runs}


def row(variant, write, **labels):
    """A row with one bandwidth an alternation."""
    each = dict(enumerate(write))
    return {"variant": variant, **labels,
            "write": {"median": sorted(write)[len(write) // 2], "low": min(write), "high": max(write), "each": each}}


def method(name, seconds=(0.1, 0.3, 0.2), **more):
    """A line of the benchmark of SCORPIO."""
    told = {"openers": 2, "groups": 2, "group_ranks": 2, "group_bytes": 32 * records.MIB}
    return {"method": name, "library": "An MPI, of somebody", "bytes": 64 * records.MIB, "verified": True,
            "h5diff": "same", "peak_growth_bytes": 10, "peak_buffer_bytes": 16 * records.MIB, "input": told,
            "output": {**told, "openers": 1, "groups": 1},
            "phases": {phase: {"seconds": list(seconds)} for phase in records.PHASES}, **more}


class Records(unittest.TestCase):
    def test_json_among_what_launchers_say(self):
        text = "WARNING: no {such} network\n" + json.dumps({"patterns": []}, indent=2) + "\nbye\n"
        self.assertEqual(records.parse_output(text), {"patterns": []})

    def test_output_without_json(self):
        for text in ("", "mpirun: not found\n", "{\n  broken }"):
            with self.assertRaises(records.Unusable):
                records.parse_output(text)

    def test_what_is_kept_of_a_run(self):
        lines = json.dumps(report(peak_bytes_by_node=[1, 2])) + "\n\n"
        kept, = records.condense({"patterns": [pattern()]}, records.parse_report(lines))
        self.assertEqual(kept["write"], [0.5, 0.25, 1.0])
        self.assertEqual(kept["node_growth_bytes"], [10, 20])
        self.assertEqual((kept["peak_bytes_per_rank"], kept["peak_bytes_by_node"]), (4096, [1, 2]))
        self.assertEqual((kept["methods"], kept["counters"]["rounds"]), (["two_phase"], 3))
        self.assertEqual(records.bandwidth(kept, "write"), 128)
        self.assertIsNone(records.bandwidth(kept, "read"))

    def test_a_failed_or_unchecked_pattern_is_no_result(self):
        for bad in ({"verified": False}, {"failure": "rank 0: read at file offset 8"}):
            with self.assertRaises(records.Unusable):
                records.condense({"patterns": [pattern(**bad)]}, [])

    def test_a_report_of_other_files_is_no_result(self):
        with self.assertRaises(records.Unusable):
            records.condense({"patterns": [pattern()]}, [report(), report()])

    def test_median_of_alternations(self):
        rows = records.rows_of(measured({("a", "own", 0): {"p": 1}, ("a", "own", 1): {"p": 4}, ("a", "own", 2): {"p": 2},
                                         ("a", "new", 0): {"p": 0.5}, ("b", "own", 0): {"p": 8}}))
        own = records.find(rows, case="a", variant="own")
        self.assertEqual((own["runs"], own["place"], own["of"]), (3, "a", "p"))
        self.assertEqual((own["write"]["median"], own["write"]["low"], own["write"]["high"]), (32, 16, 64))
        self.assertEqual(len(rows), 3)
        self.assertIsNone(records.find(rows, case="a"))

    def test_what_is_kept_of_scorpio(self):
        text = "A warning\n" + "\n".join(json.dumps(method(name)) for name in ("hdf5-collective", "scorpio:2")) + "\n"
        first, second = records.condense_scorpio(records.parse_lines(text))
        self.assertEqual((first["pattern"], second["pattern"]), ("hdf5-collective", "scorpio:2"))
        self.assertEqual(second["all"], [0.5, 1.5, 1.0])
        self.assertEqual(records.bandwidth(second, "write"), 320)
        self.assertEqual(records.phases_of([first, second])["all"], 1000)
        self.assertEqual(records.phases_of([{"write": [1]}]), {})

    def test_scorpio_that_failed_is_no_result(self):
        for bad in ([], [method("scorpio:1", verified=False, failure="rank 0: what was read")]):
            with self.assertRaises(records.Unusable):
                records.condense_scorpio(bad)
        with self.assertRaises(records.Unusable):
            records.parse_lines("{broken")

    def test_ratio_of_what_was_measured_side_by_side(self):
        # A slow hour in which both were slow changes nothing.
        self.assertEqual(records.ratio(row("x", [20, 2, 20]), row("y", [10, 1, 10])), 2)
        self.assertIsNone(records.ratio({"write": {"each": {0: 1}}}, {"write": {"each": {1: 1}}}))


class Support(unittest.TestCase):
    TABLE = support.table_of([
        {"hint": "flush", "aliases": [], "range": "auto|rmw", "default": "auto", "help": "How."},
        {"hint": "kept", "aliases": ["also"], "range": "0 to 100", "default": "0", "help": "X. " + support.ONLY_DEFAULT + "."},
        {"hint": None, "aliases": [], "range": "text", "default": "", "help": "Of the environment."}])

    def test_hints_that_a_build_does_not_honour(self):
        for name, value, known in (("flush", "rmw", True), ("flush", "batch", False), ("also", "0", True),
                                   ("kept", "25", False), ("other", "1", False)):
            self.assertEqual(support.fault_of(name, value, self.TABLE) is None, known, name)

    def test_the_own_mpi_io_knows_its_own_hints(self):
        self.assertEqual(support.faults_of(series.Variant("own", concilio=False, hints={"other": "1"}), self.TABLE), [])


class Tables(unittest.TestCase):
    ROWS = [row(name, [rate] * 3, extent_bytes=1024, percent=percent)
            for percent, rates in ((3, {"rmw": 5, "list": 10, "auto": 9}), (50, {"rmw": 20, "list": 10, "auto": 20}),
                                   (100, {"rmw": 30, "list": 10, "auto": 30})) for name, rate in rates.items()]

    def test_where_sieving_becomes_the_fastest(self):
        self.assertEqual(tables.crossing(self.ROWS, 1024), 50)
        self.assertIsNone(tables.crossing([row("rmw", [1], extent_bytes=1, percent=3),
                                           row("list", [2], extent_bytes=1, percent=3)], 1))

    def test_how_far_the_choice_is_behind(self):
        text = tables.sieving(self.ROWS)
        self.assertIn("`auto`: 10.0 % (1 KiB, 3 %)", text)
        self.assertIn("1 KiB: from 50 %", text)
        self.assertEqual(tables.behind(self.ROWS[5], [self.ROWS[3], self.ROWS[4]]), 0)

    def test_limits_of_hosts(self):
        at = {"storage": "page cache", "block_bytes": 1024, "read": row("", [1])["write"], "peak_bytes_per_rank": 1}
        within = {**row("even", [10], **at), "peak_bytes_by_node": [4 * series.MIB, 1, 1]}
        over = {**row("memory-conscious", [14], **at), "peak_bytes_by_node": [4 * series.MIB + 1, 1, 1]}
        even, conscious = tables.limits([within, over]).splitlines()[2:]
        self.assertTrue(even.endswith("| yes |") and conscious.endswith("| no |"))
        self.assertIn("| 1.40 |", conscious)


def fabricated(made):
    """Results of a whole series, the second variant twice as fast as the first and so on."""
    runs = []
    for case in made.cases:
        for place, variant in enumerate(case.variants):
            for alternation in range(3):
                if case.program == "scorpio":
                    # Each method faster than the one before, by what that took.
                    lines = [method(name, [1 / (i + 1)]) for i, name in enumerate(case.patterns)]
                    runs.append({"case": case.key, "variant": variant.name, "alternation": alternation, "load": 0.5,
                                 "patterns": records.condense_scorpio(lines)})
                    continue
                each = [pattern(name, [1 / (place + 1)], read={"seconds": [0.5 / (place + 1)]}) for name in case.patterns]
                lines = [report(peak_bytes_by_node=[1 << 20] * max(case.hosts, 1)) for _ in each]
                runs.append({"case": case.key, "variant": variant.name, "alternation": alternation, "load": 0.5,
                             "patterns": records.condense({"patterns": each}, lines if variant.concilio else [])})
    definition_of = script("run").definition_of
    return {"cases": {case.key: definition_of(case) for case in made.cases}, "runs": runs}


class Series(unittest.TestCase):
    def test_every_series_has_a_table(self):
        self.assertEqual(list(series.ALL), list(tables.ALL))

    def test_tables_of_whole_series(self):
        # What stands in a line: a ratio that follows from the order of the variants.
        wanted = {"datatypes": "| 2.00 |", "sieving": "| 64 KiB | 100 | 64 | 128 | 192 | 256 | 320 | 0 % | 0 % |",
                  "realms": "| 2.00 | 3.00 | 4.00 |",
                  "memory": "| 64 | 128 | 192 | 3.00 | 128 | 256 | 384 | 3.00 |", "limits": "| 2.00 | 2.00 |",
                  "scorpio": "| blocks | openmpi | 8 | `scorpio:8` | 2/1 | 2/1 | 166.7 | 166.7 | 166.7 | 166.7 | 166.7 | 833.3 "
                             "| 6.00 / 6.00 | 3.00 / 3.00 | 16.0 of 32 |"}
        for name, make in series.ALL.items():
            rows = records.rows_of(fabricated(make(False)))
            text = tables.ALL[name](rows)
            self.assertIn(wanted[name], text, name)

    def test_drawings_of_whole_series(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib")
        import drawings
        self.assertEqual(list(drawings.ALL), list(series.ALL))
        for name, make in series.ALL.items():
            figure = drawings.ALL[name](records.rows_of(fabricated(make(False))))
            marks = sum(len(axis.lines) + len(axis.patches) for axis in figure.axes)
            self.assertGreaterEqual(marks, 4, name)

    def test_cases_are_told_apart(self):
        for make in series.ALL.values():
            for quick in (True, False):
                made = make(quick)
                keys = [case.key for case in made.cases]
                self.assertEqual(len(keys), len(set(keys)), made.name)
                for case in made.cases:
                    self.assertEqual(len({variant.name for variant in case.variants}), len(case.variants))
                    self.assertTrue(case.mpi == "openmpi" or (case.ranks <= 4 and not case.hosts))

    def test_drawn_memory_has_the_mean_of_equal_memory(self):
        for mean in (1 << 19, 1 << 25):
            drawn = series.drawn_memory(mean, 12 << 20, 3, "seed")
            self.assertEqual(drawn, series.drawn_memory(mean, 12 << 20, 3, "seed"))
            self.assertAlmostEqual(sum(drawn) / 3 / mean, 1, places=4)
            self.assertGreater(min(drawn), 0)
            self.assertNotEqual(drawn, series.drawn_memory(mean, 12 << 20, 3, "other"))


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, repetitions, fresh=False):
        case = series.Case({"place": "a"}, [series.Variant("own", concilio=False)], {"contiguous": {"of": "x"}},
                           repetitions=repetitions)
        whole = series.Series("limits", "A title", [case])
        return case, script("run").Results(self.folder / "limits.json", whole, [case], False, fresh)

    def test_results_are_taken_up_unless_the_case_has_changed(self):
        case, results = self.results(5)
        results.data["runs"].append({"case": case.key, "variant": "own", "alternation": 0, "patterns": []})
        results.save()
        self.assertTrue(self.results(5)[1].has(case, case.variants[0], 0))
        self.assertFalse(self.results(5)[1].has(case, case.variants[0], 1))
        self.assertFalse(self.results(5, fresh=True)[1].has(case, case.variants[0], 0))
        self.assertFalse(self.results(6)[1].has(case, case.variants[0], 0))

    def test_tables_get_to_their_place_in_the_document(self):
        data = measured({("a", "rmw", 0): {"p": 1}})
        data["cases"]["a"]["labels"] = {"extent_bytes": 1024, "percent": 3}
        data.update({"title": "A title", "quick": False, "mpi": {"openmpi": "Open MPI"}, "left_out": [],
                     "machine": {"cores": 2, "processor": "P", "memory_gib": 1, "kernel": "6.1", "file_system": "ext4"}})
        (self.folder / "sieving.json").write_text(json.dumps(data), encoding="utf-8")
        document = self.folder / "papers.md"
        document.write_text("Before\n<!-- sieving: written by bench/figures/plot -->\nOld\n<!-- sieving: end -->\nAfter\n",
                            encoding="utf-8")
        words = [FIGURES / "plot", "--tables-only", "--results", self.folder, "--document", document]
        subprocess.run(words, check=True)
        text = document.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("Before\n") and text.endswith("<!-- sieving: end -->\nAfter\n"))
        self.assertIn("| 1 KiB | 3 | 64 |", text)
        self.assertNotIn("Old", text)
        document.write_text("No place\n", encoding="utf-8")
        self.assertEqual(subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode, 1)

    def test_documents_have_a_place_for_every_series(self):
        text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
        for name in series.ALL:
            self.assertIsNotNone(script("plot").with_section(text, name, ""), name)

    def test_a_wrong_command_line(self):
        for words in (["--only", "nothing"], ["--alternations", "0"], ["--build", self.folder, "--only", "limits"]):
            done = subprocess.run([FIGURES / "run", *words], check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)


class Releases(unittest.TestCase):
    releases = script("releases")
    results = ROOT / "docs/results"

    def test_the_page_has_the_table_of_what_is_kept(self):
        text = (self.results / "releases.md").read_text(encoding="utf-8")
        self.assertEqual(self.releases.page(text, self.results / "releases"), text, "run bench/figures/releases")
        self.assertIn("| 0.1.0 |", text)

    def test_every_result_of_the_tree_comes_to_a_number(self):
        rows = dict(self.releases.measured(ROOT))
        for words in ("Open MPI's own MPI-IO", "MPICH's own MPI-IO", "library's choice", "predicted times", "memory-conscious",
                      "aligned realms", "HDF5's collective"):
            self.assertTrue(any(words in name for name in rows), words)
        for name, values in rows.items():
            self.assertTrue(values and all(value > 0 for value in values.values()), name)

    def test_what_a_comparison_comes_to(self):
        text = ("| 4 | MPICH | a | 1 / 1 | 2 / 8 | 2.00 / 8.00 | 1 / 1 | list |\n"
                "| 4 | MPICH | b | 1 / 1 | 8 / 2 | 8.00 / 2.00 | 1 / 1 | list |\n")
        (name, means), = self.releases.compared(text)
        self.assertEqual(name, "times as fast as MPICH's own MPI-IO, 4 ranks, mean over 2 patterns")
        self.assertAlmostEqual(means["write"], 4)
        self.assertAlmostEqual(means["read"], 4)

    def test_how_good_choices_were(self):
        lines = [{"regret": "1.02", "list_measured_ms": "2", "list_predicted_ms": "1", "auto_predicted_ms": "9"},
                 {"regret": "1.25", "list_measured_ms": "2", "list_predicted_ms": "2", "auto_predicted_ms": ""}]
        within, worst, error = (values["all"] for _, values in self.releases.regret(lines))
        self.assertAlmostEqual(within, 50)
        self.assertAlmostEqual(worst, 25)
        self.assertAlmostEqual(error, 25)

    def test_later_releases_stand_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for version, rows in (("0.9.0", {"a": {"write": 1, "read": 2}}), ("0.10.0", {"b": {"all": 3}})):
                path = pathlib.Path(folder) / f"{version}.json"
                path.write_text(json.dumps({"version": version, "rows": rows}), encoding="utf-8")
            self.assertEqual(self.releases.table(pathlib.Path(folder)).splitlines(),
                             ["|  | 0.10.0 | 0.9.0 |", "| --- | --- | --- |", "| b | 3.00 | - |",
                              "| a: write / read | - | 1.00 / 2.00 |"])


class Overview(unittest.TestCase):
    def test_the_table_of_figures_has_what_is_drawn(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib")
        overview = script("overview")
        rates = overview.rates_of((ROOT / "docs/figures.md").read_text(encoding="utf-8"))
        for mpi in ("Open MPI", "MPICH"):
            for name in overview.PATTERNS:
                self.assertTrue(all(rate > 0 for side in rates[mpi, name] for rate in side), (mpi, name))


class CondensedStudy(unittest.TestCase):
    def test_what_is_kept_of_a_study(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib")
        recorded = ROOT / "tests/study/recorded.json"
        sys.path.insert(0, str(ROOT / "python"))
        from concilio.study import regret
        measured = json.loads(recorded.read_text(encoding="utf-8"))["results"]
        situations = regret.situations_of([one for one in measured if one["experiment"] == "regret"])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = [FIGURES / "condense_study", folder, "--output", folder]
            self.assertEqual(subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode, 2)
            (folder / "study.json").write_bytes(recorded.read_bytes())
            (folder / "regret.json").write_text(json.dumps({"situations": situations}), encoding="utf-8")
            subprocess.run(words, check=True)
            lines = list(csv.DictReader((folder / "regret.csv").read_text(encoding="utf-8").splitlines()))
            self.assertEqual([(one["pattern"], one["best"]) for one in lines],
                             [(one["pattern"], one["best"]) for one in situations])
            for line, one in zip(lines, situations):
                self.assertAlmostEqual(float(line["auto_measured_ms"]) / (1e3 * one["seconds"]["auto"]), 1, places=3)
            rates = list(csv.DictReader((folder / "storages.csv").read_text(encoding="utf-8").splitlines()))
            self.assertEqual({one["experiment"] for one in rates}, {"ior", "romio", "checkpoint", "mpiio_test", "contrast"})
            self.assertIn("</svg>", (folder / "regret.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
