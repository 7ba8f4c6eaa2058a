#!/usr/bin/python3
"""comparisons_test.py ROOT: the comparisons of `concilio study` make the right rows, tables and figures of records given here."""
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))
from concilio.study import drawing, measure, results  # noqa: E402
from concilio.study import report as study_report  # noqa: E402
from concilio.study.comparisons import cases, document, figures, hints, runs, tables  # noqa: E402
from concilio.study.comparisons import rows as records  # noqa: E402
from concilio.study.experiments import MIB  # noqa: E402


def pattern(name="contiguous", seconds=(0.5, 0.25, 1.0), **more):
    return {"pattern": name, "bytes": 64 * MIB, "verified": True, "write": {"seconds": list(seconds)},
            "nodes": [{"ranks": 2, "peak_growth_bytes": 10}, {"ranks": 2, "peak_growth_bytes": 20}], **more}


def report(**more):
    return {"peak_bytes_per_rank": 4096, "reasons": [{"method": "two_phase"}], "counters": {"rounds": 3}, **more}


def measured(times):
    """Results with runs {(case, variant, alternation): {pattern: seconds}}; labels are the case's."""
    kept, described = [], {}
    for (case, variant, alternation), patterns in times.items():
        described.setdefault(case, {"labels": {"place": case}, "patterns": {}})
        for name in patterns:
            described[case]["patterns"][name] = {"of": name}
        output = {"patterns": [pattern(name, [seconds]) for name, seconds in patterns.items()]}
        kept.append({"case": case, "variant": variant, "alternation": alternation, "load": 0.5,
                     "patterns": records.condense(output, [])})
    return {"cases": described, "runs": kept}


def row(variant, write, **labels):
    """A row with one bandwidth an alternation."""
    each = dict(enumerate(write))
    return {"variant": variant, **labels,
            "write": {"median": sorted(write)[len(write) // 2], "low": min(write), "high": max(write), "each": each}}


def method(name, seconds=(0.1, 0.3, 0.2), **more):
    """A line of the benchmark of SCORPIO."""
    told = {"openers": 2, "groups": 2, "group_ranks": 2, "group_bytes": 32 * MIB}
    return {"method": name, "library": "An MPI, of somebody", "bytes": 64 * MIB, "verified": True,
            "h5diff": "same", "peak_growth_bytes": 10, "peak_buffer_bytes": 16 * MIB, "input": told,
            "output": {**told, "openers": 1, "groups": 1},
            "phases": {phase: {"seconds": list(seconds)} for phase in records.PHASES}, **more}


class Records(unittest.TestCase):
    def test_json_among_what_launchers_say(self):
        text = "WARNING: no {such} network\n" + json.dumps({"patterns": []}, indent=2) + "\nbye\n"
        self.assertEqual(records.parse_output(text), {"patterns": []})

    def test_output_without_json(self):
        for text in ("", "mpirun: not found\n", "{\n  broken }"):
            with self.assertRaises(measure.Failed):
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
            with self.assertRaises(measure.Failed):
                records.condense({"patterns": [pattern(**bad)]}, [])

    def test_a_report_of_other_files_is_no_result(self):
        with self.assertRaises(measure.Failed):
            records.condense({"patterns": [pattern()]}, [report(), report()])

    def test_median_of_alternations(self):
        rows = records.rows_of(measured({("a", "own", 0): {"p": 1}, ("a", "own", 1): {"p": 4}, ("a", "own", 2): {"p": 2},
                                         ("a", "new", 0): {"p": 0.5}, ("b", "own", 0): {"p": 8}}))
        own = results.find(rows, case="a", variant="own")
        self.assertEqual((own["runs"], own["place"], own["of"]), (3, "a", "p"))
        self.assertEqual((own["write"]["median"], own["write"]["low"], own["write"]["high"]), (32, 16, 64))
        self.assertEqual(len(rows), 3)
        self.assertIsNone(results.find(rows, case="a"))

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
            with self.assertRaises(measure.Failed):
                records.condense_scorpio(bad)
        with self.assertRaises(measure.Failed):
            records.parse_lines("{broken")

    def test_ratio_of_what_was_measured_side_by_side(self):
        # An hour in which both variants were slow must not change the ratio.
        self.assertEqual(records.ratio(row("x", [20, 2, 20]), row("y", [10, 1, 10])), 2)
        self.assertIsNone(records.ratio({"write": {"each": {0: 1}}}, {"write": {"each": {1: 1}}}))


class Hints(unittest.TestCase):
    TABLE = hints.table_of([
        {"hint": "flush", "aliases": [], "range": "auto|rmw", "default": "auto", "help": "How."},
        {"hint": "kept", "aliases": ["also"], "range": "0 to 100", "default": "0", "help": "X. " + hints.ONLY_DEFAULT + "."},
        {"hint": None, "aliases": [], "range": "text", "default": "", "help": "Of the environment."}])

    def test_hints_that_a_build_does_not_honour(self):
        for name, value, known in (("flush", "rmw", True), ("flush", "batch", False), ("also", "0", True),
                                   ("kept", "25", False), ("other", "1", False)):
            self.assertEqual(hints.fault_of(name, value, self.TABLE) is None, known, name)

    def test_the_own_mpi_io_knows_its_own_hints(self):
        self.assertEqual(hints.faults_of(cases.Variant("own", concilio=False, hints={"other": "1"}), self.TABLE), [])


class Tables(unittest.TestCase):
    ROWS = [row(name, [rate] * 3, extent_bytes=1024, percent=percent)
            for percent, rates in ((3, {"rmw": 5, "list": 10, "auto": 9}), (50, {"rmw": 20, "list": 10, "auto": 20}),
                                   (100, {"rmw": 30, "list": 10, "auto": 30})) for name, rate in rates.items()]

    def test_where_sieving_becomes_the_fastest(self):
        self.assertEqual(tables.crossing(self.ROWS, 1024), 50)
        self.assertIsNone(tables.crossing([row("rmw", [1], extent_bytes=1, percent=3),
                                           row("list", [2], extent_bytes=1, percent=3)], 1))

    def test_how_far_the_choice_is_behind(self):
        text = tables.sieving(self.ROWS).markdown()
        self.assertIn("`auto`: 10.0 % (1 KiB, 3 %)", text)
        self.assertIn("1 KiB: from 50 %", text)
        self.assertEqual(tables.behind(self.ROWS[5], [self.ROWS[3], self.ROWS[4]]), 0)

    def test_limits_of_hosts(self):
        at = {"storage": "page cache", "block_bytes": 1024, "read": row("", [1])["write"], "peak_bytes_per_rank": 1}
        within = {**row("even", [10], **at), "peak_bytes_by_node": [4 * MIB, 1, 1]}
        over = {**row("memory-conscious", [14], **at), "peak_bytes_by_node": [4 * MIB + 1, 1, 1]}
        even, conscious = tables.limits([within, over]).markdown().splitlines()[2:]
        self.assertTrue(even.endswith("| yes |") and conscious.endswith("| no |"))
        self.assertIn("| 1.40 |", conscious)


def fabricated(made):
    """Numbers of a whole comparison, the second variant twice as fast as the first and so on."""
    kept = []
    for case in made.cases:
        for place, variant in enumerate(case.variants):
            for alternation in range(3):
                if case.program == "scorpio":
                    # Each method is faster than the one before, by the given factor.
                    lines = [method(name, [1 / (i + 1)]) for i, name in enumerate(case.patterns)]
                    kept.append({"case": case.key, "variant": variant.name, "alternation": alternation, "load": 0.5,
                                 "patterns": records.condense_scorpio(lines)})
                    continue
                each = [pattern(name, [1 / (place + 1)], read={"seconds": [0.5 / (place + 1)]}) for name in case.patterns]
                lines = [report(peak_bytes_by_node=[1 << 20] * max(case.hosts, 1)) for _ in each]
                kept.append({"case": case.key, "variant": variant.name, "alternation": alternation, "load": 0.5,
                             "patterns": records.condense({"patterns": each}, lines if variant.concilio else [])})
    return {"title": made.title, "quick": False, "left_out": [], "mpi": {"openmpi": "Open MPI"},
            "machine": {"cores": 2, "processor": "P", "memory_gib": 1, "kernel": "6.1", "file_system": "ext4"},
            "cases": {case.key: case.definition for case in made.cases}, "runs": kept}


class Comparisons(unittest.TestCase):
    def test_every_comparison_has_a_table(self):
        self.assertEqual(list(cases.ALL), list(tables.ALL))

    def test_tables_of_whole_comparisons(self):
        # The contents of a line: a ratio that follows from the order of the variants.
        wanted = {"datatypes": "| 2.00 |", "sieving": "| 64 KiB | 100 | 64 | 128 | 192 | 256 | 320 | 0 % | 0 % |",
                  "realms": "| 2.00 | 3.00 | 4.00 |",
                  "memory": "| 64 | 128 | 192 | 3.00 | 128 | 256 | 384 | 3.00 |", "limits": "| 2.00 | 2.00 |",
                  "scorpio": "| blocks | openmpi | 8 | `scorpio:8` | 2/1 | 2/1 | 166.7 | 166.7 | 166.7 | 166.7 | 166.7 | 833.3 "
                             "| 6.00 / 6.00 | 3.00 / 3.00 | 16.0 of 32 |"}
        for name, make in cases.ALL.items():
            rows = records.rows_of(fabricated(make(False)))
            text = tables.ALL[name](rows).markdown()
            self.assertIn(wanted[name], text, name)

    def test_drawings_of_whole_comparisons(self):
        if not drawing.available():
            self.skipTest("no matplotlib")
        self.assertEqual(list(figures.ALL), list(cases.ALL))
        for name, make in cases.ALL.items():
            figure = figures.ALL[name](records.rows_of(fabricated(make(False))))
            marks = sum(len(axis.lines) + len(axis.patches) for axis in figure.axes)
            self.assertGreaterEqual(marks, 4, name)

    def test_cases_are_told_apart(self):
        for make in cases.ALL.values():
            for quick in (True, False):
                made = make(quick)
                keys = [case.key for case in made.cases]
                self.assertEqual(len(keys), len(set(keys)), made.name)
                for case in made.cases:
                    self.assertEqual(len({variant.name for variant in case.variants}), len(case.variants))
                    self.assertTrue(case.mpi == "openmpi" or (case.ranks <= 4 and not case.hosts))

    def test_drawn_memory_has_the_mean_of_equal_memory(self):
        for mean in (1 << 19, 1 << 25):
            drawn = cases.drawn_memory(mean, 12 << 20, 3, "seed")
            self.assertEqual(drawn, cases.drawn_memory(mean, 12 << 20, 3, "seed"))
            self.assertAlmostEqual(sum(drawn) / 3 / mean, 1, places=4)
            self.assertGreater(min(drawn), 0)
            self.assertNotEqual(drawn, cases.drawn_memory(mean, 12 << 20, 3, "other"))


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, repetitions):
        case = cases.Case({"place": "a"}, [cases.Variant("own", concilio=False)], {"contiguous": {"of": "x"}},
                          repetitions=repetitions)
        whole = cases.Comparison("limits", "A title", [case])
        return case, runs.Results(self.folder / "limits.json", whole, [case], False)

    def test_results_are_taken_up_unless_the_case_has_changed(self):
        case, kept = self.results(5)
        kept.data["runs"].append({"case": case.key, "variant": "own", "alternation": 0, "patterns": []})
        kept.save()
        self.assertTrue(self.results(5)[1].has(case, case.variants[0], 0))
        self.assertFalse(self.results(5)[1].has(case, case.variants[0], 1))
        self.assertFalse(self.results(6)[1].has(case, case.variants[0], 0))

    def test_a_command_asks_for_all_of_the_case(self):
        case = cases.realms(False).cases[0]
        words = runs.command_of("concilio", case, case.variants[-1], 0, "data")
        self.assertEqual(words[:2], ["concilio", "bench"])
        self.assertEqual(words[-1], "timesteps:32")
        for one in ("--concilio", "--sync", "--write-only", "concilio_write_behind=4M"):
            self.assertIn(one, words)
        own = cases.datatypes(False).cases[0]
        self.assertNotIn("--concilio", runs.command_of("concilio", own, own.variants[0], 0, "data"))
        whole = cases.scorpio(False).cases[0]
        self.assertEqual(runs.command_of("concilio", whole, whole.variants[0], 0, "data")[1:3], ["bench", "scorpio"])

    def test_a_distributed_file_system_is_taken_where_there_is_one(self):
        case = cases.realms(True).cases[0]
        self.assertIn("distributed file system", runs.Bench("concilio", "/local").why_not(case))
        self.assertIsNone(runs.Bench("concilio", "/local", "/far").why_not(case))
        self.assertEqual(runs.Bench("concilio", "/local", "/far").folder_of(case), "/far")
        self.assertEqual(runs.Bench("concilio", "/local", "/far").folder_of(cases.sieving(True).cases[0]), "/local")

    def test_settings_of_the_surroundings_change_nothing(self):
        with unittest.mock.patch.dict("os.environ", {"CONCILIO_METHOD": "list", "CONCILIO_PROFILE": "/old", "PATH": "/bin"},
                                      clear=True):
            case = cases.memory(True).cases[-1]
            found = runs.Bench("concilio", "/folder").environment(cases.Case({}, [], {}), case.variants[0], "report")
        self.assertEqual(found, {"PATH": "/bin", "CONCILIO_PROFILE": "off", "CONCILIO_REPORT": "report", **cases.SLOW_STORAGE})

    def test_a_storage_is_probed_once(self):
        plain, slow = ({"PATH": "/bin", **env} for env in ({}, cases.SLOW_STORAGE))
        bench, case = runs.Bench("concilio", "/folder"), cases.Case({}, [], {}, ranks=6, probed=True)
        with unittest.mock.patch.object(runs.measure, "run", return_value=(0, "", "")) as run:
            paths = [bench.profile(case, environment) for environment in (plain, slow, plain)]
        self.assertEqual(paths, ["/folder/profile0.json", "/folder/profile1.json", "/folder/profile0.json"])
        self.assertEqual([call.args[1] for call in run.call_args_list],
                         [{**one, "CONCILIO_PROFILE": "off"} for one in (plain, slow)])
        self.assertEqual(run.call_args.args[0][:5], ["concilio", "probe", "/folder", "--output", "/folder/profile1.json"])
        with unittest.mock.patch.object(runs.measure, "run", return_value=(1, "", "no MPI")):
            self.assertRaisesRegex(runs.measure.Failed, "probe: .*no MPI", runs.Bench("concilio", "/folder").profile, case, plain)


class Shown(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_tables_get_to_their_place_in_the_document(self):
        data = measured({("a", "rmw", 0): {"p": 1}})
        data["cases"]["a"]["labels"] = {"extent_bytes": 1024, "percent": 3}
        data.update({"title": "A title", "quick": False, "mpi": {"openmpi": "Open MPI"}, "left_out": [],
                     "machine": {"cores": 2, "processor": "P", "memory_gib": 1, "kernel": "6.1", "file_system": "ext4"}})
        papers = self.folder / "papers.md"
        papers.write_text("Before\n<!-- sieving: written by concilio study -->\nOld\n<!-- sieving: end -->\nAfter\n",
                          encoding="utf-8")
        self.assertEqual(document.write(str(papers), str(self.folder), {"sieving": data}, False), [])
        text = papers.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("Before\n") and text.endswith("<!-- sieving: end -->\nAfter\n"))
        self.assertIn("| 1 KiB | 3 | 64 |", text)
        self.assertNotIn("Old", text)
        papers.write_text("No place\n", encoding="utf-8")
        self.assertEqual(document.write(str(papers), str(self.folder), {"sieving": data}, False), ["sieving"])

    def test_documents_have_a_place_for_every_comparison(self):
        text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
        for name in cases.ALL:
            self.assertIsNotNone(document.with_section(text, name, ""), name)

    def test_a_document_shows_the_results_that_are_beside_it(self):
        text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
        folder = ROOT / "docs/results/papers"
        found = [folder / f"{name}.json" for name in cases.ALL if (folder / f"{name}.json").exists()]
        self.assertTrue(found)
        for path in found:
            one = json.loads(path.read_text(encoding="utf-8"))
            self.assertIn(document.section_of(path.stem, one, f"results/papers/{path.stem}.svg"), text)

    def test_a_report_has_them_after_the_experiments(self):
        recorded = json.loads((ROOT / "tests/study/recorded.json").read_text(encoding="utf-8"))
        compared = {name: fabricated(make(False)) for name, make in cases.ALL.items()}
        page = study_report.page_of(recorded, drawing.available(), compared)
        for name, one in compared.items():
            self.assertIn(f"<h2 id={name}>", page)
            self.assertIn(f"<a href='#{name}'>{one['title']}</a>", page)
        self.assertGreater(page.index("<h2 id=datatypes>"), page.index("<h2 id=contrast>"))
        self.assertNotIn("`", page.partition("<h2 id=datatypes>")[2])
        self.assertIn("(real storage: ext4; slow storage is modelled on it)", page)


if __name__ == "__main__":
    unittest.main()
